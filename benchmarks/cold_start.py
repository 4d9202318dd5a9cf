"""What a new process pays: the import, the first fusion with and without compiled kernels."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

IMPORT = (
    "import numpy, time; t = time.perf_counter(); import osmofuse; print(time.perf_counter() - t)"
)
FIRST = (
    "import osmofuse; from osmofuse import gallery; s = gallery.portrait((200, 160));"
    "osmofuse.fuse(s.foreground, s.background, s.alpha)"
)


def run() -> dict[str, float]:
    imported = min(float(python(IMPORT)[0]) for _ in range(5))
    with tempfile.TemporaryDirectory() as folder:
        without = python(FIRST, OSMOFUSE_CACHE=folder)[1]
        again = min(python(FIRST, OSMOFUSE_CACHE=folder)[1] for _ in range(3))
    return {
        "import beyond NumPy, s": imported,
        "first fusion, no cache, s": without,
        "first fusion, warm cache, s": again,
    }


def python(code: str, **environment: str) -> tuple[str, float]:
    """Run a program in a new process; return what it prints and how long it takes."""
    start = time.perf_counter()
    command = [sys.executable, "-c", code]
    output = subprocess.run(
        command, capture_output=True, text=True, check=True, env={**os.environ, **environment}
    ).stdout
    return output, time.perf_counter() - start
