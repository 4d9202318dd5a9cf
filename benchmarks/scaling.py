"""Seconds and memory from a quarter of a megapixel to twenty-five, each in its own process."""

from __future__ import annotations

import json
import subprocess
import sys
import time

from benchmarks.memory import forget_peak, peak, resident

MEGAPIXELS = (0.25, 0.45, 1, 4, 12, 25)


def run() -> dict[str, float]:
    found = {}
    for size in MEGAPIXELS:
        for channels in (3, 1) if size == 4 else (3,):
            command = [sys.executable, "-m", "benchmarks.scaling", str(size), str(channels)]
            output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            seconds, memory = json.loads(output)
            name = f"{size:g} MP, {'colour' if channels == 3 else 'grey'}"
            found[f"{name}, s/MP"] = seconds / size
            found[f"{name}, bytes a sample beyond input and output"] = memory
    return found


def one(size: float, channels: int) -> tuple[float, float]:
    """Return the seconds of a fusion to reach 15, and its memory in bytes a sample."""
    import osmofuse
    from benchmarks.pictures import enlarged, portrait_of

    small = portrait_of(size)
    osmofuse.fuse(*small, reach=15, target="product")
    f, b, alpha = map(enlarged, small)
    if channels == 1:
        f, b = f[..., 1].copy(), b[..., 1].copy()
    forget_peak()
    before = resident()
    start = time.perf_counter()
    fusion = osmofuse.fuse(f, b, alpha, reach=15, target="product")
    seconds = time.perf_counter() - start
    output = fusion.image.nbytes + fusion.structure.nbytes
    return seconds, (peak() - before - output) / f.size


if __name__ == "__main__":
    print(json.dumps(one(float(sys.argv[1]), int(sys.argv[2]))))
