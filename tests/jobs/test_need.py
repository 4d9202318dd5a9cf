from __future__ import annotations

import json
import os
import sys

import numpy as np
import pytest

import osmofuse
from osmofuse.errors import LimitError, MismatchError, OutputError, UnreadableError
from osmofuse.jobs import CompareJob, Need
from osmofuse.jobs.machine import memory_of_machine
from osmofuse.jobs.need import check_limit, in_bytes, peak_bytes
from osmofuse.picture import Picture
from pairs import osmofuse_in, write_pair


def test_larger_pictures_need_more(make_job, tmp_path):
    (tmp_path / "large").mkdir()
    large = write_pair(tmp_path / "large", (80, 64))
    small = make_job(method="variational").check()
    more = make_job(
        foreground=large["visible"],
        backgrounds=large["infrared"],
        alpha=large["map"],
        method="variational",
    ).check()
    assert more.bytes - small.bytes > 3 * 40 * 32 * 3 * 60
    assert more.seconds > small.seconds


@pytest.mark.parametrize(
    "settings", [{"precision": "double"}, {"solver": "ipiano"}, {"reach": np.inf}]
)
def test_double_precision_needs_more(make_job, settings):
    plain, wide = (make_job(method="variational", settings=s).check() for s in ({}, settings))
    assert wide.bytes > plain.bytes
    assert wide.seconds > plain.seconds


def test_a_limit_is_kept_to_the_byte(make_job):
    needed = make_job().check()
    assert make_job(max_memory=needed.bytes).check() == needed
    with pytest.raises(LimitError, match=r"needs about .*over the limit of .* MB; allow more"):
        make_job(max_memory=needed.bytes - 1).check()


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX")
def test_more_than_the_machine_has_is_refused_whatever_is_allowed():
    there = memory_of_machine()
    check_limit(Need(there, 1.0), None, "it")
    for allowed in (None, 2 * there):
        with pytest.raises(LimitError, match=r"^it needs about .*, and this machine has .* GB; "):
            check_limit(Need(there + 1, 1.0), allowed, "it")
    with pytest.raises(LimitError, match=r"^it needs about .*, over the limit of .* GB"):
        check_limit(Need(there, 1.0), there - 1, "it")


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX: limits of memory")
def test_a_fusion_that_does_not_fit_ends_with_6_and_so_does_its_dry_run(tmp_path):
    # A process of 2 GB of addresses, and a method whose need is above that.
    osmofuse.write(np.zeros((4000, 5000, 3), np.uint8), tmp_path / "large.tif")
    osmofuse.write(np.zeros((4000, 5000), np.uint8), tmp_path / "grey.tif")
    limit = "import resource; resource.setrlimit(resource.RLIMIT_AS, (2 * 10**9, -1))"
    for command in (["--dry-run"], []):
        done = osmofuse_in(tmp_path, "fuse", "large.tif", "grey.tif", "-o", "f.tif", *command,
                           before=limit)  # fmt: skip
        assert done.returncode == 6, done.stderr
        assert "this machine has 2 GB" in done.stderr
    assert not (tmp_path / "f.tif").exists()


def test_outputs_are_checked_before_inputs_are_opened(make_job, pair, tmp_path):
    pair["visible"].unlink()
    with pytest.raises(OutputError, match=r"f\.bmp: the suffix says no format"):
        make_job(output=tmp_path / "f.bmp").check()


def test_a_coloured_background_for_a_grey_foreground_names_both(make_job, pair):
    swapped = make_job(foreground=pair["infrared"], backgrounds=pair["visible"])
    with pytest.raises(MismatchError, match=r"visible\.tif: 3 .*infrared\.tif has 1.*swapped"):
        swapped.check()


def test_transparency_is_no_band_of_colour(make_job, pair, tmp_path):
    pixels = np.full((40, 32, 2), 200, np.uint8)
    path = osmofuse.write(Picture(pixels, transparency=True), tmp_path / "grey.png")
    assert make_job(backgrounds=path).check().bytes > 0


def test_pictures_of_two_sizes_do_not_fit(make_job, tmp_path):
    other = osmofuse.write(np.zeros((40, 31), np.uint8), tmp_path / "other.png")
    for role in ("backgrounds", "alpha"):
        with pytest.raises(MismatchError, match=r"other\.png: 31 × 40 .* has 32 × 40"):
            make_job(**{role: other}).check()


def test_a_missing_file_is_named(make_job, tmp_path):
    with pytest.raises(UnreadableError, match=r"gone\.tif: no such file"):
        make_job(backgrounds=tmp_path / "gone.tif").check()


@pytest.mark.parametrize(
    ("count", "words"),
    [(999, "999 bytes"), (1500, "1.5 kB"), (4e9, "4 GB"), (123e12, "1.23e+05 GB")],
)
def test_bytes_in_words(count, words):
    assert in_bytes(count) == words


def test_the_peak_grows_with_what_is_held():
    before = peak_bytes()
    held = np.ones(before // 8 + 10_000_000)
    assert peak_bytes() > before + 50_000_000, held.size


@pytest.mark.parametrize("method", ["variational", "direct", "linear-osmosis"])
def test_no_more_is_used_than_was_said(tmp_path, method):
    write_pair(tmp_path, (600, 500))
    arguments = ["visible.tif", "infrared.tif", "--method", method, "-o", "f.tif", "--json"]
    said = json.loads(osmofuse_in(tmp_path, "fuse", *arguments, "--dry-run").stdout)
    used = json.loads(osmofuse_in(tmp_path, "fuse", *arguments).stdout)
    peak = used["record"]["result"]["peak_bytes"]
    assert peak <= said["need"]["bytes"] <= 3 * peak


def test_a_pyramid_of_float64_grows_no_faster_than_was_said(tmp_path):
    # What is said of the program itself is ample, and would hide it.
    arguments = ["visible.tif", "infrared.tif", "--method", "pyramid", "-o", "f.tif", "--json"]
    said, used = [], []
    for side in (1000, 2500):
        waves = np.tile(0.5 + 0.4 * np.sin(np.arange(side) / 37), (side, 1))
        for name, pixels in (("visible", waves), ("infrared", 1 - waves)):
            osmofuse.write(pixels, tmp_path / f"{name}.tif", overwrite=True)
        more = [*arguments, "--overwrite"]
        need_of = json.loads(osmofuse_in(tmp_path, "fuse", *more, "--dry-run").stdout)["need"]
        record = json.loads(osmofuse_in(tmp_path, "fuse", *more).stdout)["record"]
        said.append(need_of["bytes"])
        used.append(record["result"]["peak_bytes"])
    assert used[1] - used[0] <= said[1] - said[0]


def test_a_report_needs_more(make_job, tmp_path):
    page = tmp_path / "report"
    plain, reported = make_job().check(), make_job(report=page).check()
    assert reported.bytes > plain.bytes
    assert reported.seconds > plain.seconds
    with pytest.raises(LimitError):
        make_job(max_memory=plain.bytes, report=page).check()


def test_more_fusions_scores_and_pages_of_a_series_need_more(pair, tmp_path):
    parts = {"foreground": pair["visible"], "backgrounds": pair["infrared"], "alpha": pair["map"]}

    def need(**changes):
        methods = {"methods": ["direct", "average"], "metrics": ()}
        return CompareJob(**parts, output=tmp_path / "made", **methods | changes).check()

    plain = need()
    for changes in ({"methods": ["direct", "average", "pyramid"]}, {"metrics": "fmi"}):
        assert need(**changes).bytes > plain.bytes
        assert need(**changes).seconds > plain.seconds
    assert need(report=tmp_path / "page").seconds > plain.seconds


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux: its peak of memory")
@pytest.mark.parametrize("dtype", [np.uint8, np.float64])
def test_a_report_uses_no_more_than_was_said(tmp_path, dtype):
    rows, cols = np.mgrid[:1200, :1000]
    waves = 0.5 + 0.4 * np.sin(rows / 37) * np.cos(cols / 53)
    white = 255 if dtype == np.uint8 else 1
    for name, plane in (("visible", waves), ("infrared", 1 - waves)):
        pixels = (white * plane[..., None] * np.ones(3)).astype(dtype)
        osmofuse.write(pixels, tmp_path / f"{name}.tif")
    osmofuse.write(np.where(waves > 0.5, 255, 0).astype(np.uint8), tmp_path / "map.png")
    arguments = [
        "visible.tif", "infrared.tif", "--alpha", "map.png", "--method", "direct", "-o", "f.tif",
        "--report", "page",
    ]  # fmt: skip
    said = json.loads(osmofuse_in(tmp_path, "fuse", *arguments, "--dry-run", "--json").stdout)
    told = "import atexit; from osmofuse.jobs.need import peak_bytes; "
    told += "atexit.register(lambda: print('peak', peak_bytes()))"
    done = osmofuse_in(tmp_path, "fuse", *arguments, before=told)
    peak = int(done.stdout.split("peak ")[1])
    assert peak <= said["need"]["bytes"] <= 3 * peak
