"""Estimates of memory and time, and the memory of the machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import osmofuse
from osmofuse.errors import LimitError, MismatchError, OutputError, UnreadableError
from osmofuse.jobs import CompareJob, FuseJob, Need, SweepJob
from osmofuse.jobs.need import (
    FILE_SECONDS,
    PROGRAM_BYTES,
    START_SECONDS,
    check_limit,
    in_bytes,
    memory_of_machine,
    peak_bytes,
    with_page,
)
from osmofuse.methods.cost import Cost
from osmofuse.metrics.score import score_cost
from osmofuse.picture import Picture
from osmofuse.report.pages import page_cost
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


def test_a_file_that_changed_since_the_check_is_refused_before_the_work(
    make_job, pair, monkeypatch
):
    job = make_job()
    need = job.check()
    pair["visible"].write_bytes(pair["visible"].read_bytes() + b" ")
    monkeypatch.setattr(type(job), "do", None)  # it must not be called
    with pytest.raises(UnreadableError, match=r"visible\.tif: has changed"):
        job.run(need=need)


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


@pytest.mark.parametrize(
    ("method", "dtype", "bands", "sides"),
    [
        ("variational", np.uint16, 3, (300, 1000)),
        ("direct", np.uint16, 3, (300, 1500)),
        ("linear-osmosis", np.uint16, 3, (300, 800)),
        ("anisotropic-osmosis", np.uint16, 3, (300, 800)),
        ("pyramid", np.float64, 1, (1000, 2500)),
    ],
)
def test_memory_grows_no_faster_than_estimated(tmp_path, method, dtype, bands, sides):
    # The constant for the program is ample and hides everything else, so compare two sizes.
    arguments = ["visible.tif", "infrared.tif", "--method", method, "-o", "f.tif", "--json"]
    arguments.append("--overwrite")
    estimated, used = [], []
    for side in sides:
        waves = np.tile(0.5 + 0.4 * np.sin(np.arange(side) / 37), (side, 1))
        white = 1 if dtype == np.float64 else 65535
        for name, plane in (("visible", waves), ("infrared", 1 - waves)):
            shape = (side, side, bands) if name == "visible" and bands > 1 else (side, side)
            pixels = np.broadcast_to(plane.reshape(side, side, *[1] * (len(shape) - 2)), shape)
            osmofuse.write((white * pixels).astype(dtype), tmp_path / f"{name}.tif", overwrite=True)
        paths = [tmp_path / name for name in ("visible.tif", "infrared.tif", "other.tif")]
        estimated.append(FuseJob(*paths, method=method).check().bytes)
        record = json.loads(osmofuse_in(tmp_path, "fuse", *arguments).stdout)["record"]
        used.append(record["result"]["peak_bytes"])
        assert used[-1] <= estimated[-1] <= 3 * used[-1]
    assert used[1] - used[0] <= estimated[1] - estimated[0] <= 4 * (used[1] - used[0])


@pytest.mark.parametrize(
    ("bands", "dtype"), [(1, np.uint8), (3, np.uint8), (4, np.uint8), (1, np.float64)]
)
def test_the_estimate_uses_the_cost_for_its_bands_and_depth(tmp_path, bands, dtype, monkeypatch):
    cost = Cost(colour=1000, grey=5000, seconds=7.0, wide=2.0)
    monkeypatch.setattr("osmofuse.jobs.need.cost_of", lambda _: cost)
    paths = [tmp_path / "f.tif", tmp_path / "b.tif"]
    for path, count in zip(paths, (bands, 1), strict=True):
        osmofuse.write(np.full((20, 30, count), 0.5).squeeze().astype(dtype), path)
    job = FuseJob(paths[0], paths[1], tmp_path / "out.tif", method="direct")
    found = job.check()
    samples, held = 600 * bands, sum(file.picture.decoded_bytes for file in found.files.values())
    work = {1: 5000, 3: 1000, 4: 1000}[bands] * (2 if dtype == np.float64 else 1)
    assert found.bytes == PROGRAM_BYTES + held + work * samples
    assert found.seconds == pytest.approx(START_SECONDS + samples / 1e6 * (7.0 + FILE_SECONDS))


def test_preparation_adds_its_time_and_the_larger_memory(make_job, monkeypatch):
    monkeypatch.setattr("osmofuse.jobs.need.alignment_cost", lambda pixels: (1e9, 30.0))
    monkeypatch.setattr("osmofuse.jobs.need.auto_alpha_cost", lambda pixels: (2e9, 4.0))
    plain, auto = make_job(alpha=0.5).check(), make_job(alpha="auto").check()
    both = make_job(alpha="auto", align={"transform": "affine"}).check()
    assert auto.seconds == pytest.approx(plain.seconds + 4.0)
    assert both.seconds == pytest.approx(plain.seconds + 34.0)
    held = sum(file.picture.decoded_bytes for file in plain.files.values())
    assert auto.bytes == PROGRAM_BYTES + held + 8 * 40 * 32 + 2e9
    assert both.bytes == auto.bytes + plain.files["background"].picture.decoded_bytes


def test_an_automatic_map_costs_the_same_among_several(pair, tmp_path):
    alone, among = (
        SweepJob(
            pair["visible"], pair["infrared"], tmp_path / "swept",
            alpha=alpha, settings={"eta": etas},
        ).check()
        for alpha, etas in (("auto", [0.1, 0.2]), ((0.5, "auto"), [0.1]))
    )  # fmt: skip
    assert among.bytes == alone.bytes
    assert among.seconds == pytest.approx(alone.seconds)


def test_a_map_and_linear_light_add_their_planes(make_job, pair):
    number, map_, soft, linear = (
        make_job(**parts).check().bytes
        for parts in (
            {"alpha": 0.5},
            {"alpha": pair["map"]},
            {"alpha": pair["map"], "soften": 2.0},
            {"alpha": 0.5, "working_space": "linear"},
        )
    )
    assert map_ - number == 40 * 32 * (1 + 8)
    assert soft - map_ == 40 * 32 * (40 - 8)
    assert linear - number == 40 * 32 * 3 * 8


def test_one_wide_picture_makes_the_work_wide(make_job, pair, tmp_path):
    pixels = osmofuse.read(pair["infrared"]).pixels / 65535
    single, double = (
        osmofuse.write(pixels.astype(depth), tmp_path / f"{depth}.tif")
        for depth in ("float32", "float64")
    )
    needs = [make_job(backgrounds=path, method="pyramid").check() for path in (single, double)]
    assert needs[1].bytes - needs[0].bytes > 10 * pixels.size * 4, "more than the file itself"


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
    each = score_cost(osmofuse.read(pair["visible"]).pixels.size)[1]
    assert need(metrics="fmi").seconds == pytest.approx(plain.seconds + 2 * each)
    scored = [need(truth=pair["visible"], metrics=chosen) for chosen in ((), "fmi")]
    assert scored[0].bytes == scored[1].bytes, "a truth is scored without metrics too"
    assert scored[0].seconds == scored[1].seconds


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux: its peak of memory")
@pytest.mark.parametrize("dtype", [np.uint8, np.float64])
def test_a_report_uses_no_more_than_estimated(tmp_path, dtype):
    rows, cols = np.mgrid[:1000, :800]
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
    paths = [tmp_path / name for name in ("visible.tif", "infrared.tif", "f.tif")]
    parts = {"alpha": tmp_path / "map.png", "method": "direct", "report": tmp_path / "page"}
    estimated = FuseJob(*paths, **parts).check().bytes
    code = "import atexit; from osmofuse.jobs.need import peak_bytes; "
    code += "atexit.register(lambda: print('peak', peak_bytes()))"
    done = osmofuse_in(tmp_path, "fuse", *arguments, before=code)
    peak = int(done.stdout.split("peak ")[1])
    assert peak <= estimated <= 3 * peak


NOWHERE = "none"


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX")
def test_there_is_some_memory_and_it_does_not_change():
    assert memory_of_machine() > 10**8
    assert memory_of_machine() == memory_of_machine()


@pytest.mark.parametrize(
    ("own", "limits", "least"),
    [
        (
            "0::/a/b\n",
            {"memory.max": "max", "a/memory.max": "5000", "a/b/memory.max": "7000"},
            5000,
        ),
        ("0::/a/b\n", {"a/b/memory.max": "7000"}, 7000),
        ("0::/of/the/host\n", {"memory.max": "6000"}, 6000),
        ("5:cpu,memory:/c\n", {"memory/c/memory.limit_in_bytes": "4000"}, 4000),
        ("5:cpu:/c\n", {"memory/c/memory.limit_in_bytes": "4000"}, None),
        ("5:memory_like:/c\n", {"memory/c/memory.limit_in_bytes": "4000"}, None),
        ("0::/a\n", {"a/memory.max": "max"}, None),
        ("nonsense\n", {"memory.max": "nonsense"}, None),
    ],
)
def test_limits_of_control_groups(tmp_path, own, limits, least):
    (tmp_path / "own").write_text(own)
    for name, text in limits.items():
        path = tmp_path / "groups" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    plain = memory_of_machine(tmp_path / NOWHERE, tmp_path / NOWHERE)
    found = memory_of_machine(tmp_path / "groups", tmp_path / "own")
    assert found == (plain if least is None else least)


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX: limits of memory")
def test_the_limit_of_the_process_counts():
    code = (
        "import resource; from osmofuse.jobs.need import memory_of_machine as m;"
        "resource.setrlimit(resource.RLIMIT_AS, (10**9, -1)); print(m())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) <= 10**9


def test_a_report_page_is_part_of_the_need():
    assert with_page(100.0, 1000, 3000, None) == (100.0, 0.0)
    small, seconds = with_page(100.0, 1000, 3000, Path("report"))
    assert (small, seconds) == page_cost(1000, 3000)
    assert with_page(1e12, 1000, 3000, Path("report")) == (1e12, seconds)
