from __future__ import annotations

import errno
import os

import numpy as np
import pytest

import osmofuse
from osmofuse.errors import OutputError
from osmofuse.io import Staging
from osmofuse.jobs.fuse_report import names_shown
from osmofuse.jobs.outputs import Outputs, check_outputs, check_page
from osmofuse.picture import Picture
from osmofuse.record import record_path, write_record
from pairs import a_record, contents

PIXELS = Picture(np.full((4, 5, 3), 7, np.uint8))


@pytest.mark.parametrize("role", ["foreground", "background", "alpha"])
def test_an_input_is_never_replaced(make_job, role):
    job = make_job(overwrite=True)
    job = make_job(overwrite=True, output=job.inputs[role])
    with pytest.raises(OutputError, match="would replace the input"):
        check_outputs(job)


def test_nor_by_another_name_of_it(make_job, pair, tmp_path):
    os.link(pair["visible"], tmp_path / "linked.tif")
    (tmp_path / "symbolic.tif").symlink_to(pair["visible"])
    for name in ("linked.tif", "symbolic.tif"):
        with pytest.raises(OutputError, match="would replace the input"):
            check_outputs(make_job(output=tmp_path / name, overwrite=True))


def test_nor_by_a_partial_name(make_job, pair, tmp_path):
    visible = pair["visible"].rename(Staging.partial(tmp_path / "fused.tif"))
    with pytest.raises(OutputError, match="would replace the input"):
        check_outputs(make_job(foreground=visible, overwrite=True))


@pytest.mark.parametrize("name", ["fused.tif", "structure.tif", "alpha.png", "fused.tif.json"])
def test_what_exists_is_refused_unless_told(make_job, tmp_path, name):
    parts = {"structure": tmp_path / "structure.tif", "alpha_output": tmp_path / "alpha.png"}
    (tmp_path / name).write_text("mine")
    with pytest.raises(OutputError, match=f"{name}: exists already"):
        check_outputs(make_job(method="variational", **parts))
    check_outputs(make_job(method="variational", overwrite=True, **parts))


def test_a_record_is_not_replaced_though_its_output_is_not_there(make_job, tmp_path):
    write_record(a_record(), tmp_path / "fused.tif.json")
    with pytest.raises(OutputError, match=r"fused\.tif\.json: exists already"):
        check_outputs(make_job())
    check_outputs(make_job(overwrite=True))


def test_two_outputs_need_two_names(make_job, tmp_path):
    for name in ("fused.tif", "fused.tif.json"):
        with pytest.raises(OutputError, match=r"is to be both .* and .*; choose two names"):
            check_outputs(make_job(alpha_output=tmp_path / name))


def test_two_ways_to_one_name_are_one_name(make_job, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "fused.tif").write_text("mine")
    job = make_job(
        method="variational", overwrite=True, structure=tmp_path / "sub" / ".." / "fused.tif"
    )
    with pytest.raises(OutputError, match="is to be both structure and output"):
        check_outputs(job)


@pytest.mark.parametrize("name", [".", "/", ".."])
def test_a_folder_can_have_no_record(make_job, name):
    with pytest.raises(OutputError, match="is a folder; add a name"):
        check_outputs(make_job(output=name))


def test_folders_are_no_outputs_and_must_exist(make_job, tmp_path):
    with pytest.raises(OutputError, match=r"there is no folder .*deep; make it first"):
        check_outputs(make_job(output=tmp_path / "deep" / "f.tif"))
    (tmp_path / "f.tif").mkdir()
    with pytest.raises(OutputError, match="is a folder"):
        check_outputs(make_job(output=tmp_path / "f.tif", overwrite=True))


def test_nothing_has_its_name_before_the_commit(make_job, tmp_path):
    before = set(contents(tmp_path))
    job = make_job(alpha_output=tmp_path / "alpha.png")
    with Outputs(job) as outputs:
        outputs.write("output", PIXELS)
        outputs.write("alpha", PIXELS)
        assert not job.output.exists()
        outputs.commit(a_record())
    names = {"fused.tif", "fused.tif.json", "alpha.png"}
    assert set(contents(tmp_path)) == before | names
    assert np.array_equal(osmofuse.read(job.output).pixels, PIXELS.pixels)


@pytest.mark.parametrize("end", [RuntimeError, KeyboardInterrupt])
def test_what_is_not_committed_is_removed(make_job, tmp_path, end):
    before = contents(tmp_path)

    def begin_and_end():
        with Outputs(make_job()) as outputs:
            outputs.write("output", PIXELS)
            raise end

    with pytest.raises(end):
        begin_and_end()
    assert contents(tmp_path) == before


def test_the_picture_gets_its_name_last(make_job, tmp_path, monkeypatch):
    order, replace = [], os.replace
    monkeypatch.setattr(os, "replace", lambda a, b: (order.append(b.name), replace(a, b)))
    with Outputs(make_job(alpha_output=tmp_path / "alpha.png")) as outputs:
        outputs.write("output", PIXELS)
        outputs.write("alpha", PIXELS)
        order.clear()
        outputs.commit(a_record())
    assert [name for name in order if not name.endswith(".done")] == [
        "alpha.png", "fused.tif.json", "fused.tif",
    ]  # fmt: skip


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("failing", ["fused.tif", "alpha.png", "fused.tif.json"])
def test_a_failing_rename_leaves_what_was_there(make_job, tmp_path, monkeypatch, failing, old):
    for name in ("fused.tif", "alpha.png", "fused.tif.json") if old else ():
        (tmp_path / name).write_text(f"old {name}")
    before, replace = contents(tmp_path), os.replace

    def fail(source, target):
        if target.name == failing and source.suffix == ".partial":
            raise PermissionError(13, "Permission denied")
        replace(source, target)

    monkeypatch.setattr(os, "replace", fail)
    job = make_job(alpha_output=tmp_path / "alpha.png", overwrite=old)
    with Outputs(job) as outputs:
        outputs.write("output", PIXELS)
        outputs.write("alpha", PIXELS)
        with pytest.raises(OutputError, match=f"{failing}: cannot be written .Permission"):
            outputs.commit(a_record())
    assert contents(tmp_path) == before


def test_what_came_meanwhile_is_not_replaced(make_job, tmp_path):
    job = make_job()
    with Outputs(job) as outputs:
        outputs.write("output", PIXELS)
        job.output.write_text("of another process")
        with pytest.raises(OutputError, match=r"fused\.tif: exists already"):
            outputs.commit(a_record())
    assert job.output.read_text() == "of another process"
    assert not record_path(job.output).exists()


def test_a_report_that_would_replace_an_output_is_refused(make_job, tmp_path):
    for name in ("page/index.html", "page/pictures/fused.png", "page/pictures/foreground.png"):
        job = make_job(alpha_output=tmp_path / name)
        with pytest.raises(OutputError, match=r"is to be both an output and part of the report"):
            check_page(job, tmp_path / "page", names_shown(job))
    inside = make_job(output=tmp_path / "page" / "fused.tif")
    check_page(inside, tmp_path / "page", names_shown(inside))
    check_page(make_job(), None, names_shown(make_job()))


def test_a_report_is_not_put_into_a_folder_that_is_to_be_an_output(make_job, tmp_path):
    job = make_job(overwrite=True)
    for folder in (job.output, job.output / "page", record_path(job.output)):
        with pytest.raises(OutputError, match="cannot lie below"):
            check_page(job, folder, names_shown(job))


def test_a_folder_in_the_place_of_an_output_stays(make_job):
    job = make_job(overwrite=True)
    with Outputs(job) as outputs:
        outputs.write("output", PIXELS)
        job.output.mkdir()
        (job.output / "mine.txt").write_text("mine")
        with pytest.raises(OutputError, match=r"fused\.tif: cannot be written"):
            outputs.commit(a_record())
    assert (job.output / "mine.txt").read_text() == "mine"
    assert [path.name for path in job.output.parent.iterdir() if "fused" in path.name] == [
        "fused.tif"
    ]


def test_a_probe_tells_what_a_format_cannot_hold(make_job, tmp_path):
    job = make_job(output=tmp_path / "fused.jpg")
    before = contents(tmp_path)
    with Outputs(job) as outputs:
        outputs.probe("output", PIXELS)
        outputs.probe("structure", PIXELS)
        with pytest.raises(OutputError, match=r"fused\.jpg: JPEG cannot hold uint16") as error:
            outputs.probe("output", Picture(PIXELS.pixels.astype(np.uint16)))
    assert "partial" not in str(error.value)
    assert contents(tmp_path) == before
    assert not record_path(job.output).exists()


def test_a_folder_in_which_nothing_can_be_removed(make_job, monkeypatch):
    def refuse(self, missing_ok=False):
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), str(self))

    with Outputs(make_job()) as outputs:
        monkeypatch.setattr("pathlib.Path.unlink", refuse)  # as in a folder of append-only files
        with pytest.raises(OutputError, match=r"fused\.tif: cannot be written .* you may write"):
            outputs.probe("output", PIXELS)
        monkeypatch.undo()
