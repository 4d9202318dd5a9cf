"""Pairs of picture files to be fused, a record, and the command as a shell runs it."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

import osmofuse
from osmofuse import gallery
from osmofuse.pixels import quantise
from osmofuse.record import Input, Record

SHAPE = (40, 32)
RUN = "from osmofuse.cli import main; main()"


def write_pair(folder: Path, shape: tuple[int, int] = SHAPE) -> dict[str, Path]:
    """Write a visible and an infrared picture in 16 bits, and a map in 8."""
    page = gallery.manuscript(shape)
    planes = {
        "visible.tif": (page.foreground, np.uint16),
        "infrared.tif": (page.background, np.uint16),
        "map.png": (page.alpha, np.uint8),
    }
    return {
        Path(name).stem: osmofuse.write(quantise(plane, depth)[0], folder / name)
        for name, (plane, depth) in planes.items()
    }


def command(*arguments: object, before: str | None = None) -> list[str]:
    """Return the command line of ``osmofuse``; `before` is Python to run first."""
    start = ["-m", "osmofuse"] if before is None else ["-c", f"{before}\n{RUN}"]
    return [sys.executable, *start, *map(str, arguments)]


def osmofuse_in(
    folder: Path, *arguments: object, before: str | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run ``osmofuse`` in a process of its own."""
    return subprocess.run(
        command(*arguments, before=before),
        cwd=folder,
        env=os.environ | environment,
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
    )


def warm(folder: Path) -> None:
    """Let other processes compile the kernels of a pair's fusions, if that is still to be done."""
    write_pair(folder)
    for name, chosen in (("plain.tif", ()), ("fused.tif", ("--alpha", "map.png"))):
        done = osmofuse_in(folder, "fuse", "visible.tif", "infrared.tif", *chosen, "-o", name)
        assert done.returncode == 0, done.stderr


def contents(folder: Path) -> dict[str, bytes]:
    """Return the bytes of the files of a folder by their names."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def a_record(**changes: object) -> Record:
    """Return a record with everything in it, of no picture."""
    parts = {
        "job": "fuse",
        "inputs": (
            Input("foreground", "in/visible.tif", "a" * 64, notes=("named .png, but a TIFF",)),
            Input("background", "inf", "b" * 64, levels="match"),
        ),
        "alpha": {"value": 0.5, "soften": 0.0},
        "method": {"name": "variational", "settings": {"gamma": math.inf, "reach": None}},
        "result": {
            "status": "energy_rate", "energy": [1.5, math.nan], "reach": 12.25, "seconds": 0.5,
            "clipped": 3, "peak_bytes": 10**9,
        },
        "output": {"sha256_of_pixels": "c" * 64},
        "plan": {"steps": [16.0, 32.0], "part": 0.1},
    }  # fmt: skip
    return Record(**{**parts, **changes})
