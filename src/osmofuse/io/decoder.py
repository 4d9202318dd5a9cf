"""Child process of `isolation`: it limits itself, and answers requests until its input ends.

A request is a line of JSON. So is the answer; for a picture, metadata and pixels follow it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import IO, Any

import numpy as np

from osmofuse.errors import OsmofuseError, cannot_read
from osmofuse.io.description import Description, Limits, check_limits, describe
from osmofuse.io.reading import read
from osmofuse.picture import Picture

# Bytes of memory for a header beyond those of the program. Metadata of up to 256 MB are parsed, and
# the rest is for copies; anything from 300 MB to 1 GB works.
_HEADER_BYTES = 512 * 2**20
# Bytes of address space assumed for the program where the system does not report them (not Linux);
# anything in 1..4 GB works.
_ASSUMED_SPACE = 2 * 2**30
# Memory limit of a decoder as a multiple of the decoded size: the picture, a rotated copy and the
# decoder's buffers. OpenJPEG and LibRaw compute in wider types.
_COPIES = {"jpeg2000": 12, "raw": 12}
_DEFAULT_COPIES = 3


def main() -> None:
    """Read requests from standard input, and write the answers to standard output."""
    # Ctrl-C reaches all processes of a command; the parent ends this one if need be.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.set_blocking(sys.stderr.fileno(), False)  # the parent reads it only after the end
    _limit_files()
    requests = _requests()
    _warm_up()
    stream = sys.stdout.buffer
    stream.write(b"ready\n")
    stream.flush()
    while True:
        send(answer(json.loads(requests.get())), stream)
        stream.flush()


def _requests() -> SimpleQueue[bytes]:
    """Return a queue of requests; the process exits when the parent closes the input."""
    queue = SimpleQueue[bytes]()

    def listen() -> None:
        for line in sys.stdin.buffer:
            queue.put(line)
        os._exit(0)

    Thread(target=listen, daemon=True).start()
    return queue


def _warm_up() -> None:
    """Load libvips before the first request, while the parent is still busy."""
    from osmofuse.io.libvips import vips

    vips()


def answer(request: dict[str, Any]) -> Description | Picture | OsmofuseError:
    """Return the result of a request, or its error.

    A request has a ``path`` (hexadecimal bytes), ``page``, ``seconds`` and ``limits``; if these are
    None, the answer is the description of the file, else the picture.
    """
    path, page = Path(os.fsdecode(bytes.fromhex(request["path"]))), request["page"]
    try:
        mapped = 2 * _size_of(path)  # by this module, and by libvips or LibRaw
        _limit_time(request["seconds"])
        _limit_memory(_HEADER_BYTES, mapped)
        found = describe(path, page=page)
        if request["limits"] is None:
            return found
        limits = Limits(**request["limits"])
        check_limits(found, limits)
        copies = _COPIES.get(found.compression, _DEFAULT_COPIES)
        # Some decoders read the whole file into memory.
        _limit_memory(_HEADER_BYTES + copies * found.decoded_bytes + mapped, mapped)
        return read(path, page=page, limits=limits)
    except OsmofuseError as error:
        return error
    except OSError as error:  # the file was removed meanwhile
        return cannot_read(path, error)


def send(found: Description | Picture | OsmofuseError, stream: IO[bytes]) -> None:
    """Write an answer: a line of JSON; for a picture, metadata and pixels follow."""
    if isinstance(found, OsmofuseError):
        _line({"error": type(found).__name__, "text": str(found)}, stream)
        return
    if isinstance(found, Description):
        parts = asdict(found)
        del parts["path"]
        _line({"description": parts}, stream)
        return
    metadata = found.metadata
    blobs = [found.profile, metadata.exif, metadata.xmp, metadata.iptc]
    about = {
        "shape": found.pixels.shape,
        "depth": found.depth.str,
        "transparency": found.transparency,
        "nodata": found.nodata,
        "lossy": found.lossy,
        "resolution": metadata.resolution,
        "blobs": [None if blob is None else len(blob) for blob in blobs],
    }
    _line(about, stream)
    for blob in blobs:
        stream.write(blob or b"")
    stream.write(np.ascontiguousarray(found.pixels).data)


def _line(parts: dict[str, Any], stream: IO[bytes]) -> None:
    stream.write(json.dumps(parts).encode() + b"\n")


def _limit_files() -> None:
    """Forbid this process to write files and core dumps; it cannot be undone."""
    if os.name == "nt":  # no such limits: only the parent's timer remains
        return
    import resource

    for kind in (resource.RLIMIT_FSIZE, resource.RLIMIT_CORE):
        resource.setrlimit(kind, (0, 0))


def _limit_time(seconds: float) -> None:
    """Limit the remaining CPU time of this process; the system kills it after that."""
    if os.name == "nt":
        return
    import resource

    _set_soft(resource.RLIMIT_CPU, int(time.process_time() + seconds) + 2)


def _limit_memory(more: int, mapped: int) -> None:
    """Limit the memory of this process to what it has now plus `more` bytes.

    `mapped` bytes of address space are added for mapped files, which take no memory: a sparse
    file can be of any size.
    """
    if os.name == "nt":
        return
    import resource

    for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA):
        _set_soft(kind, resource.RLIM_INFINITY)  # reading /proc needs memory, too
    space, data = _in_use()
    _set_soft(resource.RLIMIT_DATA, data + more)
    _set_soft(resource.RLIMIT_AS, space + more + mapped)


def _in_use() -> tuple[int, int]:
    """Return the bytes of address space and of data in use by this process."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()
    except OSError:  # not Linux
        return _ASSUMED_SPACE, _ASSUMED_SPACE
    size = os.sysconf("SC_PAGE_SIZE")
    return int(pages[0]) * size, int(pages[5]) * size


def _size_of(path: Path) -> int:
    """Return the size of a file in bytes; 0 if it is missing (reading it will fail later)."""
    with suppress(OSError, ValueError):
        return path.stat().st_size
    return 0


def _set_soft(kind: int, most: int) -> None:
    """Set a soft limit, which can be raised again for the next file."""
    import resource

    hard = resource.getrlimit(kind)[1]
    if hard != resource.RLIM_INFINITY and (most == resource.RLIM_INFINITY or most > hard):
        most = hard
    resource.setrlimit(kind, (most, hard))
