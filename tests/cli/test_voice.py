"""Every command is quiet if it is asked to be: errors and JSON only."""

from __future__ import annotations

import json
import logging

import pytest

import osmofuse
from osmofuse import cli
from osmofuse.cli.voice import print_log
from osmofuse.registration.control_points import HEADER
from pairs import osmofuse_in, write_pair

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
