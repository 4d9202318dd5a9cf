"""The child process of `isolation`: it limits itself, and answers requests until its input ends.

A request is a line of JSON. The answer is a line of JSON and, of a picture, metadata and pixels.
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

__all__ = ["answer", "main"]

_BEYOND_HEADER = 512 * 2**20  # memory that a header may take, on top of the program itself
_WHOLE_PROGRAM = 2 * 2**30  # address space of the program, where the system does not say it
# Of the decoded size: the picture, a turned copy, what a decoder keeps. Wider inside the last two.
_COPIES = {"jpeg2000": 12, "raw": 12}
_USUAL_COPIES = 3


def main() -> None:
    """Answer requests on the standard input, one by one, on the standard output."""
    # The terminal interrupts all processes of a command, but the parent alone decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.set_blocking(sys.stderr.fileno(), False)  # nobody listens there before the end
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
    """Return the requests as they come; the process ends with its parent, who holds the input."""
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
    """Return what a request asks for, or the error that it leads to.

    Parameters
    ----------
    request : dict
        ``path`` (hexadecimal bytes), ``page``, ``seconds`` and, for a picture and not only its
        description, ``limits``.
    """
    path, page = Path(os.fsdecode(bytes.fromhex(request["path"]))), request["page"]
    try:
        mapped = 2 * _size_of(path)  # by us, and by libvips or LibRaw
        _limit_time(request["seconds"])
        _limit_memory(_BEYOND_HEADER, mapped)
        found = describe(path, page=page)
        if request["limits"] is None:
            return found
        limits = Limits(**request["limits"])
        check_limits(found, limits)
        copies = _COPIES.get(found.compression, _USUAL_COPIES)
        # Some decoders take the file into memory.
        _limit_memory(_BEYOND_HEADER + copies * found.decoded_bytes + mapped, mapped)
        return read(path, page=page, limits=limits)
    except OsmofuseError as error:
        return error
    except OSError as error:  # the file went away in between
        return cannot_read(path, error)


def send(found: Description | Picture | OsmofuseError, stream: IO[bytes]) -> None:
    """Write an answer: a line of JSON, and of a picture the metadata and the pixels.

    Parameters
    ----------
    found : Description, Picture or OsmofuseError
        What a request led to.
    stream : binary stream
        Where to write it.
    """
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


def _line(told: dict[str, Any], stream: IO[bytes]) -> None:
    stream.write(json.dumps(told).encode() + b"\n")


def _limit_files() -> None:
    """Let this process write no file and leave no core dump; it cannot undo that."""
    if os.name == "nt":  # there the parent's clock has to do
        return
    import resource

    for kind in (resource.RLIMIT_FSIZE, resource.RLIMIT_CORE):
        resource.setrlimit(kind, (0, 0))


def _limit_time(seconds: float) -> None:
    """Let the system end this process when it has worked for so many seconds more."""
    if os.name == "nt":
        return
    import resource

    _set_soft(resource.RLIMIT_CPU, int(time.process_time() + seconds) + 2)


def _limit_memory(more: int, mapped: int) -> None:
    """Let this process take so much memory on top of what it has now, and map so much of files.

    Files need address space but no memory; a file of holes can be of any size.
    """
    if os.name == "nt":
        return
    import resource

    for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA):
        _set_soft(kind, resource.RLIM_INFINITY)  # or nothing more could be measured
    space, data = _in_use()
    _set_soft(resource.RLIMIT_DATA, data + more)
    _set_soft(resource.RLIMIT_AS, space + more + mapped)


def _in_use() -> tuple[int, int]:
    """Return the bytes of address space, and of data, that this process has now."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()
    except OSError:  # not Linux
        return _WHOLE_PROGRAM, _WHOLE_PROGRAM
    size = os.sysconf("SC_PAGE_SIZE")
    return int(pages[0]) * size, int(pages[5]) * size


def _size_of(path: Path) -> int:
    """Return the bytes of a file; 0 if there is none, which reading it will tell."""
    with suppress(OSError, ValueError):
        return path.stat().st_size
    return 0


def _set_soft(kind: int, most: int) -> None:
    """Set a limit that may be raised again for the next file."""
    import resource

    hard = resource.getrlimit(kind)[1]
    if hard != resource.RLIM_INFINITY and (most == resource.RLIM_INFINITY or most > hard):
        most = hard
    resource.setrlimit(kind, (most, hard))
