"""The protocol of jobs, and the command that repeats one."""

from __future__ import annotations

import os
import pickle
import shlex
import shutil
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import numpy as np
import pytest

import osmofuse
from osmofuse import gallery
from osmofuse.errors import LimitError, OutputError, SettingError, UnreadableError
from osmofuse.jobs import JOBS, Need, repeat
from osmofuse.jobs.job import repeat_command
from osmofuse.pixels import quantise
from osmofuse.progress import Status
from osmofuse.record import read_record, sha256_of_file
from pairs import contents


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    """Return a page in two lights, a map and a trimap, as files."""
    folder, scene = tmp_path_factory.mktemp("pictures"), gallery.manuscript((160, 130), seed=4)
    trimap = np.full((160, 130), 128, np.uint8)
    trimap[:40], trimap[120:] = 0, 255
    planes = {
        "visible": quantise(scene.foreground, np.uint16)[0],
        "infrared": quantise(scene.background, np.uint16)[0],
        "map": quantise(scene.alpha, np.uint8)[0],
        "trimap": trimap,
    }
    return {name: osmofuse.write(one, folder / f"{name}.tif") for name, one in planes.items()}


@pytest.fixture
def files(pictures, tmp_path):
    """Return copies that a test may spoil."""
    return {name: shutil.copy(path, tmp_path) and tmp_path / path.name
            for name, path in pictures.items()}  # fmt: skip


def job_of(kind, files, folder, **changes):
    pair = {"foreground": files["visible"], "alpha": files["map"]}
    several = {"backgrounds": files["infrared"], **pair}
    parts = {
        "fuse": several | {"output": folder / "fused.tif", "settings": {"reach": 2.0}},
        "align": {"foreground": files["visible"], "background": files["visible"],
                  "output": folder / "aligned.tif", "transform": "translation"},
        "matte": {"image": files["visible"], "trimap": files["trimap"],
                  "output": folder / "matte.tif", "method": "knn"},
        "balance": {"images": (files["visible"], files["visible"]), "places": ((0, 0), (90, -20)),
                    "output": folder / "mosaic.tif"},
        "compare": several | {"output": folder / "compared", "methods": ["direct", "average"],
                              "metrics": "fmi", "truth": files["visible"]},
        "sweep": several | {"output": folder / "swept", "settings": {
            "eta": [0.1, 0.2], "mu": 10.0, "gamma": 1.0, "reach": 2.0, "start": "foreground"}},
        "shadow": {"image": files["visible"], "boundary": files["map"],
                   "output": folder / "plain.tif", "extent": "global", "texture": False},
        "score": pair | {"fused": files["visible"], "background": files["infrared"],
                         "output": folder / "scores.json", "metrics": ("fmi", "structure")},
        "clone": {"into": files["visible"], "object": files["visible"], "mask": files["map"],
                  "output": folder / "cloned.tif", "at": (5, -3)},
        "compact": {"image": files["visible"], "output": folder / "compact.tif"},
    }  # fmt: skip
    return JOBS[kind](**parts[kind] | changes)


@pytest.mark.parametrize("kind", JOBS)
def test_a_job_is_frozen_and_can_be_sent_to_another_process(files, tmp_path, kind):
    job = job_of(kind, files, tmp_path)
    with pytest.raises(FrozenInstanceError):
        job.overwrite = True
    assert pickle.loads(pickle.dumps(job)) == job


@pytest.mark.parametrize("kind", JOBS)
def test_a_check_says_what_it_needs_and_writes_nothing(files, tmp_path, kind):
    job, before = job_of(kind, files, tmp_path), contents(tmp_path)
    need = job.check()
    assert need.bytes > 10**8
    assert need.seconds > 1
    assert {role: file.path for role, file in need.files.items()} == job.inputs
    assert all(file.size == file.path.stat().st_size for file in need.files.values())
    assert contents(tmp_path) == before
    with pytest.raises(LimitError, match="over the limit of"):
        replace(job, max_memory=need.bytes - 1).check()


@pytest.mark.parametrize("kind", JOBS)
def test_a_run_gives_files_notes_a_record_and_a_status(files, tmp_path, kind):
    job = job_of(kind, files, tmp_path, report=tmp_path / "page")
    result = job.run(need=job.check())
    assert result.status.is_success
    assert result.repetition is None
    assert result.record.job == kind
    assert result.record.method["settings"] is not None
    assert {one.role: one.sha256 for one in result.record.inputs} == {
        role: sha256_of_file(path) for role, path in job.inputs.items()
    }
    assert result.files["report"] == tmp_path / "page" / "index.html"
    assert all(path.is_file() for path in result.files.values())
    with pytest.raises(OutputError, match="exists already"):
        job.run()


@pytest.mark.parametrize("kind", JOBS)
def test_a_watch_that_cancels_leaves_nothing(files, tmp_path, kind):
    (tmp_path / "made").mkdir()
    job = job_of(kind, files, tmp_path / "made", report=tmp_path / "made" / "page")
    result = job.run(lambda _: True, need=job.check())
    assert (result.status, result.record, result.files) == (Status.cancelled, None, {})
    assert not list((tmp_path / "made").iterdir())


def record_of(result):
    """Return where a job wrote its record."""
    found = [path for path in result.files.values() if path.suffix == ".json"]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize("kind", JOBS)
def test_a_record_is_repeated(files, tmp_path, kind):
    (tmp_path / "first").mkdir()
    result = job_of(kind, files, tmp_path / "first").run()
    output = job_of(kind, files, tmp_path).output
    again = repeat(record_of(result), output)
    assert again.repetition.identical
    assert again.repetition.differences == ()
    assert again.record.output == result.record.output
    assert type(again) is type(result)
    assert read_record(record_of(again)).as_json()["method"] == result.record.as_json()["method"]


@pytest.mark.parametrize("kind", JOBS)
def test_a_repetition_with_another_picture_is_told(files, tmp_path, kind):
    (tmp_path / "first").mkdir()
    record = record_of(job_of(kind, files, tmp_path / "first").run())
    pixels = osmofuse.read(files["visible"]).pixels
    osmofuse.write((pixels // 2).astype(np.uint16), files["visible"], overwrite=True)
    found = repeat(record, job_of(kind, files, tmp_path).output).repetition
    changed = [line for line in found.differences if "is not the file of the record" in line]
    assert changed
    if kind != "matte":  # half as bright a page has the same map, nearly
        assert not found.identical
    if kind in ("compare", "sweep"):
        assert sum("the pixels differ from the record's" in one for one in found.differences) == 2
    if kind == "score":
        assert any("the score differs from the record's (" in line for line in found.differences)


@pytest.mark.parametrize("kind", JOBS)
def test_a_file_that_changed_between_check_and_run_is_refused(files, tmp_path, kind):
    job = job_of(kind, files, tmp_path)
    need = job.check()
    first = next(iter(job.inputs.values()))
    shutil.copy2(first, tmp_path / "other")
    os.replace(tmp_path / "other", first)  # the same bytes and times, but another file
    before = contents(tmp_path)
    with pytest.raises(UnreadableError, match=f"{first.name}: has changed since"):
        job.run(need=need)
    assert contents(tmp_path) == before
    assert job.run().status.is_success


@pytest.mark.parametrize("kind", JOBS)
def test_a_file_that_changed_between_decoding_and_hashing_is_refused(
    files, tmp_path, kind, monkeypatch
):
    import osmofuse.jobs.files as module

    job, hash_ = job_of(kind, files, tmp_path), module.sha256_of_file

    def hash_another(path):
        shutil.copy2(path, tmp_path / "other")
        os.replace(tmp_path / "other", path)
        return hash_(path)

    monkeypatch.setattr(module, "sha256_of_file", hash_another)
    before = contents(tmp_path)
    with pytest.raises(UnreadableError, match="has changed since the job checked it"):
        job.run()
    assert contents(tmp_path) == before


def test_the_need_of_another_job_is_refused(files, tmp_path):
    job = job_of("fuse", files, tmp_path)
    need = replace(job, alpha=0.5).check()
    for other in (need, Need(1, 1.0)):
        with pytest.raises(SettingError, match="need: of another job"):
            job.run(need=other)


def test_the_record_of_a_job_that_is_not_known(files, tmp_path):
    record = record_of(job_of("fuse", files, tmp_path).run())
    text = record.read_text(encoding="utf-8")
    record.write_text(text.replace('"job": "fuse"', '"job": "bake"'), encoding="utf-8")
    with pytest.raises(SettingError, match=r"a job 'bake', which this version .* knows .*fuse, "):
        repeat(record, tmp_path / "again.tif")


@pytest.mark.parametrize(
    ("output", "other"),
    [("b.tif", "b-again.tif"), ("my folder", "my folder-again"), ("a/b.c.png", "a/b.c-again.png")],
)
def test_the_other_output_lies_beside_the_first(output, other):
    command = repeat_command("align", Path("r.json"), Path(output))
    assert shlex.split(command) == ["osmofuse", "align", "--from", "r.json", "-o", other]


def test_the_current_folder_has_a_name_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert repeat_command("sweep", Path("sweep.json"), Path()).endswith(f"{tmp_path.name}-again")
