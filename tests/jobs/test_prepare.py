from __future__ import annotations

import subprocess

import numpy as np

import osmofuse
from osmofuse.io import read_isolated
from osmofuse.jobs.prepare import prepare
from osmofuse.record import sha256_of_file


def test_sources_are_the_files(make_job, pair):
    prepared = prepare(make_job())
    assert np.array_equal(prepared.sources.foreground, osmofuse.read(pair["visible"]).pixels)
    assert np.array_equal(prepared.sources.background, osmofuse.read(pair["infrared"]).pixels)
    np.testing.assert_allclose(prepared.sources.alpha * 255, osmofuse.read(pair["map"]).pixels)
    assert prepared.alpha_depth == np.uint8


def test_inputs_are_told_apart_by_role_path_and_hash(make_job, pair, tmp_path):
    (tmp_path / "out").mkdir()
    inputs = prepare(make_job(output=tmp_path / "out" / "f.tif")).inputs
    assert [one.role for one in inputs] == ["foreground", "background", "alpha"]
    assert [one.path for one in inputs] == ["../visible.tif", "../infrared.tif", "../map.png"]
    assert [one.sha256 for one in inputs] == [sha256_of_file(path) for path in pair.values()]
    assert [one.levels for one in inputs] == [None, "as-is", None]


def test_a_name_that_lies_is_noted(make_job, pair, tmp_path):
    lying = pair["infrared"].rename(tmp_path / "infrared.png")
    background = prepare(make_job(background=lying)).inputs[1]
    assert background.notes == ("its name says png, its content is tiff",)


def test_a_faint_background_is_noted(make_job, tmp_path):
    faint = np.linspace(0, 4095, 40 * 32).astype(np.uint16).reshape(40, 32)
    path = osmofuse.write(faint, tmp_path / "faint.tif")
    (note,) = prepare(make_job(background=path)).inputs[1].notes
    assert "uses 6% of the range of uint16" in note
    assert "--levels match" in note


def test_a_number_is_a_map_of_16_bits(make_job):
    prepared = prepare(make_job(alpha=0.25))
    assert prepared.sources.alpha == 0.25
    assert prepared.alpha_depth == np.uint16


def test_a_softened_map_is_that_of_soften(make_job, pair):
    prepared = prepare(make_job(soften=2.0))
    expected = osmofuse.soften(osmofuse.read(pair["map"]).pixels, 2.0)
    assert np.array_equal(prepared.sources.alpha, expected)
    assert prepared.alpha_depth == np.uint16


def test_what_was_left_out_of_a_map_is_noted(make_job, pair, tmp_path):
    grey = osmofuse.read(pair["map"]).pixels
    path = osmofuse.write(np.dstack([grey] * 3), tmp_path / "painted.png")
    prepared = prepare(make_job(alpha=path))
    np.testing.assert_array_equal(prepared.sources.alpha, grey / 255)
    assert prepared.inputs[2].notes == ("its 3 bands are the same in every pixel; taken for one",)


def test_files_are_decoded_in_one_other_process(make_job, monkeypatch):
    started = []
    popen = subprocess.Popen

    def start(command, **options):
        started.append(command[3:])
        return popen(command, **options)

    monkeypatch.setattr("osmofuse.jobs.reading.read_isolated", read_isolated)
    monkeypatch.setattr(subprocess, "Popen", start)
    monkeypatch.setattr("osmofuse.io.reading._decode", None)  # it must not be called here
    job = make_job()
    prepare(job)
    assert [names[1:] for names in started] == [list(map(str, job.inputs.values()))]
