from __future__ import annotations

import json
import math
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

import osmofuse
from osmofuse.errors import SettingError, UnreadableError
from osmofuse.jobs import compare_with_record, job_of_record
from osmofuse.record import read_record, write_record

JOBS = {
    "rule": {"method": "variational"},
    "reach": {"method": "variational", "settings": {"reach": 6.0, "eta": 0.3}},
    "held": {"method": "variational", "settings": {"gamma": math.inf, "reach": 4.0}},
    "stationary": {"method": "variational", "settings": {"reach": math.inf}},
    "number": {"method": "variational", "alpha": 0.3},
    "softened": {"method": "direct", "soften": 3.0},
    "weights": {"method": "average", "settings": {"weights": (1.0, 3.0)}},
}


def is_same(old, again):
    """Tell whether a repetition has the record's pixels, and nothing else differs."""
    found = compare_with_record(old, again)
    return found.identical and found.differences == ()


@pytest.mark.parametrize("name", JOBS)
def test_a_record_gives_the_same_pixels(make_job, tmp_path, name):
    first = make_job(**JOBS[name]).run()
    job = job_of_record(first.files["record"], tmp_path / "again.tif")
    assert job.plan == first.fusion.plan
    second = job.run()
    pixels = [osmofuse.read(one.files["output"]).pixels for one in (first, second)]
    assert np.array_equal(*pixels)
    assert is_same(first.record, second)
    assert first.fusion.plan is not None or name not in ("rule", "reach", "held", "number")


def test_a_folder_may_move_with_its_record(make_job, tmp_path):
    record = make_job().run().files["record"]
    (tmp_path / "moved").mkdir()
    for path in [*tmp_path.glob("*.tif"), *tmp_path.glob("*.png"), record]:
        path.rename(tmp_path / "moved" / path.name)
    old = read_record(tmp_path / "moved" / record.name)
    again = job_of_record(tmp_path / "moved" / record.name, tmp_path / "again.tif").run()
    assert is_same(old, again)


def test_inputs_that_have_moved_can_be_given(make_job, pair, tmp_path):
    result = make_job().run()
    there = pair["visible"].rename(tmp_path / "elsewhere.tif")
    with pytest.raises(UnreadableError, match=r"visible\.tif: no such file"):
        job_of_record(result.files["record"], tmp_path / "again.tif").run()
    again = job_of_record(result.files["record"], tmp_path / "again.tif", foreground=there).run()
    assert is_same(result.record, again)


def test_a_changed_input_is_named(make_job, pair, tmp_path, monkeypatch):
    monkeypatch.setattr(import_module("osmofuse.jobs.repeat"), "_ROWS_AT_ONCE", 7)
    result = make_job().run()
    pixels = osmofuse.read(pair["infrared"]).pixels
    osmofuse.write(pixels[::-1], pair["infrared"], overwrite=True)
    again = job_of_record(result.files["record"], tmp_path / "again.tif").run()
    found = compare_with_record(result.record, again, result.files["output"])
    assert not found.identical
    changed, output = found.differences
    assert changed.startswith("background: infrared.tif is not the file of the record")
    apart = [osmofuse.read(one.files["output"]).pixels.astype(float) for one in (result, again)]
    assert found.largest == np.abs(apart[0] - apart[1]).max()
    assert found.rms == pytest.approx(np.sqrt(np.mean((apart[0] - apart[1]) ** 2)))
    assert f"by at most {found.largest:.4g} levels of 65535, {found.rms:.4g} root mean" in output


def test_an_input_saved_anew_with_the_same_pixels_is_named_too(make_job, pair, tmp_path):
    result = make_job().run()
    picture = osmofuse.read(pair["infrared"])
    metadata = replace(picture.metadata, resolution=(3.0, 3.0))
    osmofuse.write(replace(picture, metadata=metadata), pair["infrared"], overwrite=True)
    again = job_of_record(result.files["record"], tmp_path / "again.tif").run()
    found = compare_with_record(result.record, again)
    assert found.identical
    (changed,) = found.differences
    assert changed.startswith("background:")


def test_versions_machine_and_settings_are_named_only_if_pixels_differ(make_job):
    result = make_job(method="average").run()
    record = result.record
    older = replace(
        record,
        versions=record.versions | {"numpy": "1.0", "machine": "VAX", "kernels": "for vax"},
        method={"name": "average", "settings": {"weights": (1.0, 7.0)}},
    )
    assert is_same(older, result)
    other = replace(older, output={"sha256_of_pixels": "0" * 64})
    band, weights, version, machine, code, _ = compare_with_record(other, result).differences
    assert band == "setting band: 'keep', not none"
    assert weights == "setting weights: None, not [1.0, 7.0]"
    assert version == f"numpy: version {np.__version__}, not 1.0"
    assert machine == f"machine: {record.versions['machine']}, not VAX"
    assert code == f"kernels: {record.versions['kernels']}, not for vax"


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda path: path.unlink(), "earlier output is missing"),
        (lambda path: path.write_bytes(b"II*"), "cannot be read"),
        (lambda path: rewrite(path, lambda p: p[:-1]), "in size or depth"),
        (lambda path: rewrite(path, lambda p: (p // 257).astype(np.uint8)), "in size or depth"),
        (lambda path: rewrite(path, lambda p: p[::-1]), "has been changed"),
    ],
)
def test_an_earlier_output_that_cannot_be_compared(make_job, pair, tmp_path, spoil, words):
    result = make_job().run()
    pixels = osmofuse.read(pair["infrared"]).pixels
    osmofuse.write(pixels[::-1], pair["infrared"], overwrite=True)
    again = job_of_record(result.files["record"], tmp_path / "again.tif").run()
    spoil(result.files["output"])
    found = compare_with_record(result.record, again, result.files["output"])
    assert words in found.differences[-1]
    assert (found.largest, found.rms) == (None, None)


def rewrite(path, change):
    osmofuse.write(change(osmofuse.read(path).pixels), path, overwrite=True)


def test_an_output_that_replaces_the_earlier_one_is_not_compared_with_itself(make_job, pair):
    result = make_job().run()
    pixels = osmofuse.read(pair["infrared"]).pixels
    osmofuse.write(pixels[::-1], pair["infrared"], overwrite=True)
    output = result.files["output"]
    again = job_of_record(result.files["record"], output, overwrite=True).run()
    found = compare_with_record(result.record, again, output)
    assert "earlier output is missing" in found.differences[-1]


def test_of_two_files_of_a_name_the_records_own_is_taken(make_job, tmp_path, monkeypatch):
    (tmp_path / "out").mkdir()
    (tmp_path / "here").mkdir()
    result = make_job(output=tmp_path / "out" / "fused.tif").run()
    (tmp_path / "visible.tif").rename(tmp_path / "here" / "visible.tif")
    osmofuse.write(np.zeros((40, 32, 3), np.uint16), tmp_path / "out" / "visible.tif")
    monkeypatch.chdir(tmp_path / "here")
    again = job_of_record(result.files["record"], tmp_path / "again.tif").run()
    assert is_same(result.record, again)


def edited(path, edit):
    parts = json.loads(path.read_text(encoding="utf-8"))
    edit(parts)
    path.write_text(json.dumps(parts), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("edit", "error", "match"),
    [
        (lambda r: r["method"].update(name="magic"), SettingError, "'magic' is unknown"),
        (lambda r: r["method"]["settings"].update(zeal=1), SettingError, "zeal: no setting of"),
        (lambda r: r["method"]["settings"].update(eta=-1), SettingError, "eta: -1"),
        (lambda r: r.update(transform={}), SettingError, "made with a transform"),
        (lambda r: r.update(tiling={}), SettingError, "made with a tiling"),
        (lambda r: r["inputs"].pop(1), UnreadableError, "'background' is missing"),
        (lambda r: r["inputs"].pop(2), UnreadableError, "alpha: maps are missing"),
        (lambda r: r["plan"].pop("cycles"), UnreadableError, r"plan\.cycles: missing"),
        (
            lambda r: r["plan"].update(cycles=[2]),
            UnreadableError,
            r"plan\.cycles: 1 entries; must be 3",
        ),
        (
            lambda r: r["plan"].update(steps=["x", "y", "z"]),
            UnreadableError,
            r"plan\.steps\[0\]: 'x'",
        ),
        (lambda r: r["plan"].update(more=1), UnreadableError, r"plan\.more: unknown"),
    ],
)
def test_what_cannot_be_repeated_is_refused(make_job, tmp_path, edit, error, match):
    job = make_job(method="variational", settings={"reach": 3.0})
    path = edited(job.run().files["record"], edit)
    with pytest.raises(error, match=match) as caught:
        job_of_record(path, tmp_path / "again.tif")
    assert str(path) in str(caught.value)


def test_levels_and_working_space_are_the_records(make_job, tmp_path):
    result = make_job().run()
    inputs = tuple(
        replace(one, levels="match") if one.role == "background" else one
        for one in result.record.inputs
    )
    record = replace(result.record, inputs=inputs, working_space="linear")
    path = write_record(record, tmp_path / "changed.json")
    job = job_of_record(path, tmp_path / "again.tif")
    assert (job.levels, job.working_space) == ("match", "linear")
