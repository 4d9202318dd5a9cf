from __future__ import annotations

import numpy as np
import pytest

import osmofuse
from osmofuse.errors import InputError
from osmofuse.jobs.prepare import prepare
from osmofuse.picture import Picture
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
    assert "'percentiles' or 'match'" in note


def test_a_number_is_a_map_of_16_bits(make_job):
    prepared = prepare(make_job(alpha=0.25))
    assert prepared.sources.alpha == 0.25
    assert prepared.alpha_depth == np.uint16


def test_a_softened_map_is_that_of_soften(make_job, pair):
    prepared = prepare(make_job(soften=2.0))
    expected = osmofuse.soften(osmofuse.read(pair["map"]).pixels, 2.0)
    assert np.array_equal(prepared.sources.alpha, expected)
    assert prepared.alpha_depth == np.uint16


GREY = np.arange(40 * 32, dtype=np.uint32).reshape(40, 32).astype(np.uint8)
OPAQUE = np.full_like(GREY, 255)


@pytest.mark.parametrize("bands", [[GREY] * 3, [GREY] * 3 + [OPAQUE], [GREY, OPAQUE]])
def test_maps_from_painting_programs_have_one_band(make_job, tmp_path, bands):
    picture = Picture(np.dstack(bands), transparency=len(bands) in (2, 4))
    path = osmofuse.write(picture, tmp_path / "painted.png")
    alpha = prepare(make_job(alpha=path)).sources.alpha
    np.testing.assert_allclose(alpha, GREY / 255)


def test_a_map_for_each_channel_keeps_them(make_job, tmp_path):
    path = osmofuse.write(np.dstack([GREY, GREY // 2, OPAQUE]), tmp_path / "three.png")
    assert prepare(make_job(alpha=path)).sources.alpha.shape == (40, 32, 3)


def test_a_map_with_transparency_is_not_guessed_at(make_job, tmp_path):
    picture = Picture(np.dstack([GREY, GREY, GREY, GREY]), transparency=True)
    path = osmofuse.write(picture, tmp_path / "layer.png")
    with pytest.raises(InputError, match=r"layer\.png: a picture with transparency"):
        prepare(make_job(alpha=path))
