"""Decoding in a process of its own, for files that nobody vouches for.

A decoder may have flaws that a crafted file makes use of. Here it runs in a child that may not
write files, has little memory and time, and can only answer with bytes: a line of JSON and the
pixels. A crash, a hang or an excess ends the child, not the program that asked; and when that
program ends, however it does, so does the child.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from threading import Event, Timer
from typing import IO, Any, cast

import numpy as np

from osmofuse.errors import LimitError, OsmofuseError, UnreadableError
from osmofuse.io.header import is_out_of_memory
from osmofuse.io.limits import Limits
from osmofuse.picture import Metadata, Picture
from osmofuse.typing import Array

__all__ = ["read_isolated", "send"]

_ERRORS = {"UnreadableError": UnreadableError, "LimitError": LimitError}
_LONGEST_LINE = 100_000


def read_isolated(paths: Sequence[Path], limits: Limits) -> list[Picture]:
    """Read picture files, one after the other, in one child process.

    Parameters
    ----------
    paths : sequence of Path
        The files.
    limits : Limits
        What each file may ask for, and how long the child may take for it.

    Returns
    -------
    list of Picture
        As `osmofuse.io.read` gives them.

    Raises
    ------
    UnreadableError
        A file cannot be read, or made the decoder crash or hang.
    LimitError
        A file asks for more than the limits allow.
    """
    command = [sys.executable, "-m", "osmofuse.io.decoder", json.dumps(asdict(limits))]
    # Threads would each take address space, of which the child has little.
    quiet = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "VIPS_CONCURRENCY": "1"}
    with subprocess.Popen(
        [*command, *map(os.fspath, paths)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, **quiet, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    ) as child:  # fmt: skip
        _widen(cast(IO[bytes], child.stdout))
        try:
            return [_read_one(child, path, limits) for path in paths]
        finally:
            child.kill()


def _widen(pipe: IO[bytes]) -> None:
    """Let a pipe hold more, where that can be: parent and child then wait less for each other."""
    with suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 2**20)


def _read_one(child: subprocess.Popen[bytes], path: Path, limits: Limits) -> Picture:
    late = Event()
    clock = Timer(limits.seconds, _end, (child, late))
    clock.start()
    try:
        return _receive(cast(IO[bytes], child.stdout), limits)
    except (EOFError, ValueError, KeyError, TypeError) as error:
        child.kill()
        code, words = child.wait(), cast(IO[bytes], child.stderr).read(_LONGEST_LINE)
        if is_out_of_memory(words.decode("utf-8", "replace")):
            raise LimitError(
                f"{path}: decoding it takes more memory than so large a picture may; if it is "
                "sound, save it anew in another way"
            ) from error
        raise UnreadableError(_ending(path, code, late.is_set(), limits)) from error
    finally:
        clock.cancel()


def _end(child: subprocess.Popen[bytes], late: Event) -> None:
    late.set()
    child.kill()


def _ending(path: Path, code: int, late: bool, limits: Limits) -> str:
    if late or code == -getattr(signal, "SIGXCPU", 24):
        return (
            f"{path}: not decoded within {limits.seconds:g} seconds; "
            "get a fresh copy, or allow more with Limits(seconds=...)"
        )
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    return f"{path}: made the decoder crash ({how}); damaged or unsafe, get a fresh copy"


def send(answer: Picture | OsmofuseError, stream: IO[bytes]) -> None:
    """Answer from the child: a line of JSON, the blobs, the pixels.

    Parameters
    ----------
    answer : Picture or OsmofuseError
        What reading gave.
    stream : binary stream
        Where to write it.
    """
    if isinstance(answer, OsmofuseError):
        stream.write(json.dumps({"error": type(answer).__name__, "text": str(answer)}).encode())
        stream.write(b"\n")
        return
    metadata = answer.metadata
    blobs = [answer.profile, metadata.exif, metadata.xmp, metadata.iptc]
    about = {
        "shape": answer.pixels.shape,
        "depth": answer.depth.str,
        "transparency": answer.transparency,
        "nodata": answer.nodata,
        "resolution": metadata.resolution,
        "blobs": [None if blob is None else len(blob) for blob in blobs],
    }
    stream.write(json.dumps(about).encode() + b"\n")
    for blob in blobs:
        stream.write(blob or b"")
    stream.write(np.ascontiguousarray(answer.pixels).data)


def _receive(stream: IO[bytes], limits: Limits) -> Picture:
    """Take the child's answer, which is believed no more than the file itself."""
    about = _line(stream)
    if "error" in about:
        raise _ERRORS.get(about["error"], UnreadableError)(about["text"])
    shape, depth = tuple(map(int, about["shape"])), np.dtype(about["depth"])
    size = int(np.prod(shape, dtype=object)) * depth.itemsize
    if not 0 < size <= limits.bytes or depth.hasobject:
        raise EOFError
    blobs = [None if n is None else _exactly(stream, int(n), limits) for n in about["blobs"]]
    pixels: Array = np.empty(shape, depth)
    _fill(stream, pixels.reshape(-1).view(np.uint8).data)
    profile, exif, xmp, iptc = blobs
    resolution = about["resolution"] and tuple(about["resolution"])
    metadata = Metadata(exif, xmp, iptc, resolution)
    return Picture(pixels, profile, metadata, bool(about["transparency"]), about["nodata"])


def _line(stream: IO[bytes]) -> dict[str, Any]:
    line = stream.readline(_LONGEST_LINE)
    if not line.endswith(b"\n"):
        raise EOFError
    about = json.loads(line)
    if not isinstance(about, dict):
        raise TypeError(line)
    return about


def _exactly(stream: IO[bytes], size: int, limits: Limits) -> bytes:
    if not 0 <= size <= limits.bytes:
        raise EOFError
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data


def _fill(stream: IO[bytes], target: memoryview) -> None:
    at = 0
    while at < len(target):
        count = stream.readinto(target[at:])  # type: ignore[attr-defined]
        if not count:
            raise EOFError
        at += count
