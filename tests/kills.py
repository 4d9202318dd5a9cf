"""Kill jobs without warning, and see what is left."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import numpy as np

import osmofuse
from commits import DEBRIS
from osmofuse.record import read_record, sha256_of_pixels
from pairs import command, contents, osmofuse_in, warm, write_pair

INPUTS = {"visible.tif", "infrared.tif", "map.png"}
OUTPUTS = {"fused.tif", "structure.tif", "fused.tif.json"}
JOB = [
    "fuse", "visible.tif", "infrared.tif", "--alpha", "map.png", "--structure", "structure.tif",
    "-o", "fused.tif",
]  # fmt: skip


class Kills:
    """A folder with a pair of pictures, in which jobs are killed.

    Parameters
    ----------
    folder : Path
        Empty.
    shape : tuple of int
        Rows and columns of the pictures.
    """

    def __init__(self, folder: Path, shape: tuple[int, int]) -> None:
        self.folder = folder
        warm(folder)
        for path in folder.iterdir():
            path.unlink()
        write_pair(folder, shape)
        self.inputs = contents(folder)
        start = time.perf_counter()
        assert osmofuse_in(folder, *JOB).returncode == 0
        self.seconds = time.perf_counter() - start
        self.pixels = osmofuse.read(folder / "fused.tif").pixels
        self.clear()

    def clear(self) -> None:
        """Remove all but the inputs."""
        for path in self.folder.iterdir():
            if path.name not in INPUTS:
                path.unlink()

    def kill_after(self, seconds: float) -> None:
        """Start the job, and kill it after a time."""
        process = self._start()
        time.sleep(seconds)
        process.kill()
        process.wait()

    def kill_while_writing(self, size: int) -> None:
        """Start the job, and kill it when its partial output holds so many bytes."""
        process = self._start()
        while process.poll() is None and not self._partial() > size:
            time.sleep(0.0005)
        process.kill()
        process.wait()

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command(*JOB),
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def _partial(self) -> int:
        sizes = [0]
        for path in self.folder.glob("fused.tif.*.partial"):
            try:
                sizes.append(path.stat().st_size)
            except FileNotFoundError:  # it has just got its name
                continue
        return max(sizes)

    def check(self) -> None:
        """See that nothing is half there, and that the same command completes the job."""
        left = contents(self.folder)
        assert {name: left[name] for name in INPUTS} == self.inputs
        assert all(name.endswith(DEBRIS) for name in left if name not in INPUTS | OUTPUTS)
        if "fused.tif" in left:
            assert set(left) >= OUTPUTS, "the picture comes last"
        else:
            again = osmofuse_in(self.folder, *JOB)
            assert again.returncode == 0, again.stderr
            assert set(contents(self.folder)) == INPUTS | OUTPUTS, "debris is left"
        picture, record = (self.folder / name for name in ("fused.tif", "fused.tif.json"))
        pixels = osmofuse.read(picture).pixels
        assert np.array_equal(pixels, self.pixels)
        assert read_record(record).output["sha256_of_pixels"] == sha256_of_pixels(pixels)
        self.clear()
