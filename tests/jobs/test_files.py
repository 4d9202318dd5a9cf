"""Input files that are checked and recorded, and outputs that appear together."""

from __future__ import annotations

import errno
import os
import shutil
from dataclasses import replace

import numpy as np
import pytest
import tifffile

import osmofuse
from osmofuse.errors import MismatchError, OutputError, SettingError, UnreadableError
from osmofuse.io import Staging, describe
from osmofuse.jobs.files import (
    Outputs,
    check_fit,
    check_job_report,
    check_outputs,
    input_of,
    limits_for,
    look_at,
    look_at_pictures,
    notes_on,
    pages_of,
    read_pictures,
)
from osmofuse.jobs.fuse import names_shown
from osmofuse.picture import Picture
from osmofuse.record import record_path, sha256_of_file, write_record
from pairs import a_record, contents
from picture_files import noise


@pytest.fixture
def pages(tmp_path):
    path = tmp_path / "pages.tif"
    with tifffile.TiffWriter(path) as file:
        for rows in (24, 25, 26):
            file.write(noise((rows, 40), "uint16"), metadata=None)
    return path


def test_each_role_has_its_picture_also_where_two_have_one_file(pair):
    paths = {"one": pair["visible"], "map": pair["map"], "other": pair["visible"]}
    found = read_pictures(look_at_pictures(paths))
    assert list(found) == list(paths)
    for role, picture in found.items():
        np.testing.assert_array_equal(picture.pixels, osmofuse.read(paths[role]).pixels)


def test_a_large_picture_has_more_time_to_be_decoded(pair):
    file = describe(pair["visible"])
    assert 15 <= limits_for([file]).seconds < 20
    large = replace(file, decoded_bytes=6 * 10**9)
    assert limits_for([file, large]).seconds == 1215


@pytest.mark.parametrize(
    ("page", "expected"), [((), (1, 1, 1)), ((2,), (2, 2, 2)), ((3, 1, 2), (3, 1, 2))]
)
def test_a_page_for_all_or_one_for_each(pages, page, expected):
    assert tuple(pages_of("abc", page).values()) == expected
    found = read_pictures(look_at_pictures(dict.fromkeys("abc", pages), page))
    assert tuple(picture.shape[0] - 23 for picture in found.values()) == expected


@pytest.mark.parametrize("page", [(1, 2), (1, 2, 3, 4)])
def test_more_or_fewer_pages_than_pictures(page):
    with pytest.raises(SettingError, match=r"page: \d numbers for 3 pictures \(a, b, c\)"):
        pages_of("abc", page)


@pytest.mark.parametrize("page", [(0,), (-1,), (1.5,), ("2",), (True,)])
def test_what_is_no_page(page):
    with pytest.raises(SettingError, match=r"page: .*must be a whole number from 1"):
        pages_of("abc", page)


def test_several_pages_are_noted_unless_one_was_chosen(pages, pair):
    file = describe(pages)
    assert notes_on(file, ()) == ["has 3 pages, of which page 1 is read; --page N reads another"]
    assert notes_on(file, (1,)) == []
    assert notes_on(describe(pair["visible"]), ()) == []


def replaced(path):
    """Put another file in the place of one, of the same size and time of change."""
    other = path.with_name("other")
    shutil.copy2(path, other)
    os.replace(other, path)


def written_into(path):
    """Change a byte in the middle of a file, and set its time of change back."""
    before = path.stat()
    with path.open("r+b") as file:
        file.seek(before.st_size // 2)
        file.write(b"X")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


CHANGES = [replaced, written_into, lambda path: path.write_bytes(b"short"), os.unlink]


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_changed_after_the_first_look_is_not_read(pair, change):
    files = look_at_pictures({"one": pair["visible"]})
    change(pair["visible"])
    with pytest.raises(UnreadableError, match=r"visible\.tif: (has changed|no such file)"):
        read_pictures(files)


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_changed_between_decoding_and_hashing_has_no_hash(pair, tmp_path, change):
    files = look_at_pictures({"one": pair["visible"]})
    read_pictures(files)
    change(pair["visible"])
    with pytest.raises(UnreadableError, match=r"visible\.tif: (has changed|no such file)"):
        input_of("one", files["one"], tmp_path)


def test_the_hash_is_that_of_the_file_and_documents_have_one_too(pair, tmp_path):
    text = tmp_path / "points.csv"
    text.write_text("1,2,3,4")
    found = input_of("points", look_at(text), tmp_path)
    assert (found.path, found.sha256, found.page) == ("points.csv", sha256_of_file(text), None)
    picture = look_at_pictures({"one": pair["visible"]})["one"]
    assert input_of("one", picture, tmp_path).page == 1


@pytest.fixture
def look(tmp_path):
    """Return a function that writes pictures of some shapes and looks at them, by role."""

    def made(**shapes):
        roles = {role.replace("_", "-"): shape for role, shape in shapes.items()}
        paths = {
            role: osmofuse.write(
                np.zeros(shape, np.uint8), tmp_path / f"{role}.png", overwrite=True
            )
            for role, shape in roles.items()
        }
        return look_at_pictures(paths)

    return made


def test_one_size_and_fitting_bands_are_let_through(look):
    check_fit(look(foreground=(6, 5, 3), background=(6, 5), background_2=(6, 5, 3), alpha=(6, 5)))


@pytest.mark.parametrize(
    ("role", "remedy"),
    [("background", "--align homography"), ("background_2", "--align"), ("truth", "crop or")],
)
def test_another_size_is_refused_with_a_remedy(look, role, remedy):
    shapes = {"foreground": (6, 5, 3), "background": (6, 5), role: (7, 5)}
    with pytest.raises(MismatchError, match=rf"5 × 7 pixels, but the foreground .*{remedy}"):
        check_fit(look(**shapes))


def test_what_is_aligned_may_have_a_size_of_its_own_but_not_more_bands(look):
    check_fit(look(foreground=(6, 5, 3), background=(9, 9), background_2=(2, 3)), aligned=True)
    with pytest.raises(MismatchError, match="are the two swapped"):
        check_fit(look(foreground=(6, 5), background=(9, 9, 3)), aligned=True)
    with pytest.raises(MismatchError, match="crop or enlarge"):
        check_fit(look(foreground=(6, 5), background=(9, 9), alpha=(9, 9)), aligned=True)


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
        with pytest.raises(OutputError, match=r"would be both .* and .*; choose two names"):
            check_outputs(make_job(alpha_output=tmp_path / name))


def test_two_ways_to_one_name_are_one_name(make_job, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "fused.tif").write_text("mine")
    job = make_job(
        method="variational", overwrite=True, structure=tmp_path / "sub" / ".." / "fused.tif"
    )
    with pytest.raises(OutputError, match="would be both structure and output"):
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
        with pytest.raises(OutputError, match=r"would be both an output and part of the report"):
            check_job_report(job, tmp_path / "page", names_shown(job))
    inside = make_job(output=tmp_path / "page" / "fused.tif")
    check_job_report(inside, tmp_path / "page", names_shown(inside))
    check_job_report(make_job(), None, names_shown(make_job()))


def test_a_report_is_not_put_into_a_folder_that_is_to_be_an_output(make_job, tmp_path):
    job = make_job(overwrite=True)
    for folder in (job.output, job.output / "page", record_path(job.output)):
        with pytest.raises(OutputError, match="cannot lie below"):
            check_job_report(job, folder, names_shown(job))


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
