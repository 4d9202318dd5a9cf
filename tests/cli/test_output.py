"""Printed output: words, files, progress, and --quiet."""

from __future__ import annotations

import json
import logging
import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

import osmofuse
from osmofuse import Progress, cli
from osmofuse.cli.output import (
    ENDINGS,
    REMEDIES,
    file_data,
    file_lines,
    print_log,
    progress_line,
    warning,
)
from osmofuse.progress import Status
from osmofuse.registration.control_points import HEADER
from pairs import osmofuse_in, write_pair


def test_every_status_has_its_words():
    assert set(ENDINGS) == set(Status)
    assert len(set(ENDINGS.values())) == len(Status)


def test_every_failure_of_a_fusion_has_its_remedy():
    others = {Status.cancelled, Status.refused}  # of what was asked for, and of registration
    assert set(REMEDIES) == {one for one in Status if not one.is_success} - others
    for status in REMEDIES:
        assert "The result is written" in warning(status)


def test_paths_stand_below_each_other():
    files = {"output": Path("a.tif"), "foreground": Path("b.tif")}
    assert file_lines(files) == ["  output     a.tif", "  foreground b.tif"]
    assert file_data(files) == {"output": "a.tif", "foreground": "b.tif"}


TERMINAL = Console(force_terminal=True, width=200)
AT = Progress(channel=1, channels=3, iteration=42, energy=1234.5678, reach=None, seconds=2.04)


def test_off_a_terminal_it_says_one_line_on_stderr(capsys):
    with progress_line("Fusing") as watch:
        for _ in range(3):
            assert not watch(AT)
    out, err = capsys.readouterr()
    assert not out
    assert err == "Fusing ...\n"


def test_on_a_terminal_the_line_tells_where_it_is(monkeypatch, capsys):
    monkeypatch.setattr("rich.console.Console", lambda **_: TERMINAL)
    with progress_line("Fusing") as watch:
        assert watch(AT) is False, "it never cancels"
        shown = str(watch.spinner.status)
    assert shown == "Fusing: channel 2 of 3, iteration 42, energy 1234.6, 2.0 s, about 4 s left"
    assert re.search("Fusing", capsys.readouterr().out)


@pytest.mark.parametrize(
    ("channel", "expected", "left"),
    [
        (1, None, ", about 4 s left"),
        (1, 1000.0, ", about 4 s left"),
        (2, 1000.0, ", about 1 s left"),
        (0, 10.0, ", about 8 s left"),
        (None, 10.0, ", about 8 s left"),
        (None, 2.5, ", about to end"),
        (None, 1.0, ", about to end"),
        (None, None, ""),
    ],
)
def test_time_left_is_told_by_channels_or_by_what_was_expected(
    monkeypatch, channel, expected, left
):
    monkeypatch.setattr("rich.console.Console", lambda **_: TERMINAL)
    with progress_line("Fusing", expected) as watch:
        watch(replace(AT, channel=channel))
        assert str(watch.spinner.status).endswith(f"2.0 s{left}")


def test_what_a_method_does_not_have_is_not_told(monkeypatch):
    monkeypatch.setattr("rich.console.Console", lambda **_: TERMINAL)
    with progress_line("Fusing") as watch:
        watch(replace(AT, energy=None))
        assert (
            str(watch.spinner.status)
            == "Fusing: channel 2 of 3, iteration 42, 2.0 s, about 4 s left"
        )
        watch(replace(AT, channel=None, energy=0.0, reach=1.25))
        assert str(watch.spinner.status) == ("Fusing: reach 1.2 px, iteration 42, energy 0, 2.0 s")


PAIR = "visible.tif", "infrared.tif"
COMMANDS = {
    "fuse": ("fuse", *PAIR, "-o", "a.tif"),
    "fuse with a report": ("fuse", *PAIR, "-o", "a.tif", "--report", "page"),
    "dry run": ("fuse", *PAIR, "-o", "a.tif", "--dry-run"),
    "recipes": ("recipes",),
    "align": (
        "align",
        *reversed(PAIR),
        "-o",
        "a.tif",
        "--points",
        "points.csv",
        "--method",
        "points",
    ),
    "matte": ("matte", "visible.tif", "trimap.png", "-o", "a.png"),
    "shadow": (
        "shadow",
        "visible.tif",
        "--boundary",
        "map.png",
        "--no-texture",
        "-o",
        "a.tif",
    ),
    "balance": ("balance", "visible.tif", "visible.tif", "--places", "0,0 9,4", "-o", "a.tif"),
    "clone": ("clone", "visible.tif", "visible.tif", "--mask", "map.png", "-o", "a.tif"),
    "compact": ("compact", "visible.tif", "-o", "a.tif"),
    "score": ("score", "visible.tif", *PAIR, "--metrics", "vifb_psnr"),
    "methods": ("methods",),
    "method": ("methods", "variational"),
    "metrics": ("metrics",),
    "metric": ("metrics", "fmi"),
    "compare": ("compare", *PAIR, "-o", "many", "--methods", "direct,average"),
    "sweep": ("sweep", *PAIR, "-o", "many", "--eta", "0.1,0.2"),
    "info": ("info", *PAIR),
    "demo": ("demo", "--output", "shown"),
}


@pytest.fixture
def folder(tmp_path):
    write_pair(tmp_path)
    trimap = osmofuse.read(tmp_path / "map.png").pixels.copy()
    trimap[...] = 128
    trimap[:5], trimap[-5:] = 0, 255
    osmofuse.write(trimap, tmp_path / "trimap.png")
    places = [(2, 3), (2, 28), (35, 3), (35, 28), (20, 15), (9, 22)]
    lines = [f"{row},{col},{row},{col}" for row, col in places]
    (tmp_path / "points.csv").write_text("\n".join([",".join(HEADER), *lines]))
    return tmp_path


def test_each_command_is_tried():
    assert {arguments[0] for arguments in COMMANDS.values()} == set(cli.COMMANDS)


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_nothing_is_printed(folder, arguments):
    done = osmofuse_in(folder, *arguments, "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    "arguments", [args for args in COMMANDS.values() if args[0] != "demo"],
    ids=[name for name in COMMANDS if name != "demo"],
)  # fmt: skip
def test_data_stays(folder, arguments):
    done = osmofuse_in(folder, *arguments, "--quiet", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)
    assert not done.stderr


def test_errors_stay(folder):
    done = osmofuse_in(folder, "fuse", "nothing.tif", "infrared.tif", "-o", "a.tif", "--quiet")
    assert done.returncode == 3
    assert done.stderr.startswith("osmofuse: nothing.tif: ")
    done = osmofuse_in(folder, "info", "nothing.tif", "--quiet")
    assert done.returncode == 3
    assert "nothing.tif" in done.stderr


def test_a_result_that_did_not_converge_is_told(folder):
    few = ("--set", "solver=ipiano", "--set", "max_iter=2")
    done = osmofuse_in(folder, "fuse", *PAIR, "-o", "a.tif", *few, "--quiet")
    assert done.returncode == 5
    assert done.stderr.startswith("osmofuse: did not converge")
    assert not done.stdout


def test_so_is_the_compiling_of_kernels_but_not_if_asked(folder):
    arguments = ("score", "visible.tif", *PAIR, "--metrics", "fmi")
    loud = osmofuse_in(folder, *arguments, OSMOFUSE_CACHE=str(folder / "one"))
    quiet = osmofuse_in(folder, *arguments, "--quiet", OSMOFUSE_CACHE=str(folder / "two"))
    assert loud.stderr.count("compiling kernels") == 1
    assert not quiet.stderr


@pytest.fixture
def log():
    """The package's log, which is left as it was."""
    log = logging.getLogger("osmofuse")
    level, handlers = log.level, list(log.handlers)
    yield log
    log.setLevel(level)
    log.handlers[:] = handlers


def test_a_line_of_the_log_is_printed_once(log, capsys):
    print_log()
    for _ in range(3):
        log.info("compiling %s", "something")
    log.debug("details")
    assert capsys.readouterr().err == "compiling something\n"
