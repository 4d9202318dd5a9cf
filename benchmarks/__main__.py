"""Time a fusion per iteration and the import, print a table and keep the numbers as JSON."""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import numba

import osmofuse

RESULTS = Path(__file__).parent / "results"
PACKAGES = ("numpy", "scipy", "numba", "pyvips")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--shape", type=int, nargs=2, default=(300, 225), metavar=("ROWS", "COLS"))
    parser.add_argument("--repeats", type=int, default=3, help="the median is reported")
    options = parser.parse_args()
    scene = osmofuse.gallery.manuscript(options.shape)
    rows = {
        "ipiano, ms per iteration": lambda: iteration(scene, solver="ipiano", max_iter=30),
        "published, ms per iteration": lambda: iteration(scene, solver="published", max_iter=5),
        "import osmofuse beyond numpy, ms": import_cost,
    }
    measured = {name: repeated(function, options.repeats) for name, function in rows.items()}
    print(f"manuscript {options.shape[0]} x {options.shape[1]}, {numba.get_num_threads()} threads")
    for name, values in measured.items():
        spread = f"{min(values):.2f} to {max(values):.2f}"
        print(f"{name:<34}{statistics.median(values):>9.2f}   ({spread})")
    print(save({"shape": list(options.shape), "milliseconds": measured, **machine()}))


def repeated(function: Callable[[], float], repeats: int) -> list[float]:
    function()  # compiles, fills caches
    return [1e3 * function() for _ in range(repeats)]


def iteration(scene: osmofuse.gallery.Scene, **settings: object) -> float:
    """Return seconds per iteration in a channel."""
    fusion = osmofuse.fuse(scene.foreground, scene.background, scene.alpha, **settings)
    return fusion.seconds / len(fusion.history)


def import_cost() -> float:
    """Return the seconds that a fresh Python needs for osmofuse once NumPy is there."""
    code = (
        "import numpy, time; t = time.perf_counter(); import osmofuse; "
        "print(time.perf_counter() - t)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout)


def machine() -> dict[str, object]:
    return {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {"osmofuse": osmofuse.__version__, "python": platform.python_version()}
        | {name: version(name) for name in PACKAGES},
        "threads": numba.get_num_threads(),
        "processors": os.cpu_count(),
        "load": os.getloadavg() if hasattr(os, "getloadavg") else None,
        "platform": platform.platform(),
    }


def save(result: dict[str, object]) -> Path:
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{time.strftime('%Y%m%d-%H%M%S')}.json"
    path.write_text(json.dumps(result, indent=2) + "\n")
    return path


if __name__ == "__main__":
    main()
