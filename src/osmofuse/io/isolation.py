"""Reading of untrusted files in a child process.

A crafted file may exploit flaws of a decoder. So a child process parses headers and decodes pixels.
It may not write files, has limited memory and time, and can only answer with bytes. A crash, a hang
or an exceeded limit ends the child, not the program that asked; the child ends with that program in
any case. One child serves all requests of a process, until it fails or refuses a file: a damaged
file may leave its decoder in any state, so the next file gets a new child.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from threading import Event, Lock, Timer
from typing import IO, Any, TypeVar

import numpy as np

from osmofuse.errors import (
    InputError,
    LimitError,
    MissingExtraError,
    OsmofuseError,
    SettingError,
    UnreadableError,
)
from osmofuse.io.description import Description, Limits
from osmofuse.io.header import is_out_of_memory
from osmofuse.io.tiff_pages import check_page
from osmofuse.picture import Metadata, Picture
from osmofuse.processes import python_command, python_environment
from osmofuse.typing import Array

HEADER_SECONDS = 15.0  # for a header, which takes milliseconds; anything in 5..60 works
_STARTING_SECONDS = 120.0  # for the start, which takes below one; anything in 30..300 works
# Program of the child.
_PROGRAM = "from osmofuse.io.decoder import main; main()"
# One thread each: threads reserve address space, of which the child has little.
_CHILD_VARIABLES = {
    "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "VIPS_CONCURRENCY": "1",
    "MALLOC_ARENA_MAX": "1",
}  # fmt: skip
# Bytes of an answer's first line, and characters of a quoted error; 64 kB..16 MB and 80..1000 work.
_LONGEST_LINE, _LONGEST_REASON = 2**20, 200
# Errors that the child reports by name; all others become UnreadableErrors.
_ERRORS: dict[str, type[OsmofuseError]] = {
    kind.__name__: kind for kind in (InputError, LimitError, MissingExtraError, SettingError)
}

Answer = TypeVar("Answer")


def describe_isolated(path: str | os.PathLike[str], *, page: int = 1) -> Description:
    """Describe a picture file as `describe` does, in the child process.

    Parameters
    ----------
    path, page
        As for `osmofuse.io.describe`.

    Returns
    -------
    Description
        As for `osmofuse.io.describe`.

    Raises
    ------
    UnreadableError
        The file cannot be read, or made the child crash or hang.
    """
    path = Path(path)
    check_page(path, page)
    request = _request(path, page, None, HEADER_SECONDS)
    return _decoder.ask(path, request, lambda stream: _description(stream, path))


def read_isolated(
    paths: Sequence[Path], limits: Limits, *, pages: Sequence[int] | None = None
) -> list[Picture]:
    """Read picture files, one after the other, in the child process.

    Parameters
    ----------
    paths : sequence of Path
        The files.
    limits : Limits
        Limits of each file, and the time for it.
    pages : sequence of int, optional
        Page number of each, from 1; by default the first.

    Returns
    -------
    list of Picture
        As `osmofuse.io.read` returns them.

    Raises
    ------
    UnreadableError
        A file cannot be read, or made the decoder crash or hang.
    LimitError, SettingError, MissingExtraError
        As for `osmofuse.io.read`.
    """
    found = []
    for path, page in zip(map(Path, paths), pages or [1] * len(paths), strict=True):
        request = _request(path, page, asdict(limits), limits.seconds)
        found.append(_decoder.ask(path, request, lambda stream: _picture(stream, limits)))
    return found


def _request(
    path: Path, page: int, limits: dict[str, Any] | None, seconds: float
) -> dict[str, Any]:
    """Return a request to the child, see `osmofuse.io.decoder.answer`."""
    # The child's working directory may be another one.
    place = os.fsencode(path.absolute()).hex()
    return {"path": place, "page": page, "limits": limits, "seconds": seconds}


def start_decoder() -> None:
    """Start the child process early, so that the first file need not wait for it.

    Raises
    ------
    LimitError
        The system cannot start another process.
    """
    with _decoder.lock:  # otherwise two threads might start one each
        _decoder.start()


class _Refusal(Exception):  # noqa: N818 (a valid answer of the child, no failure of it)
    """Answer of the child that it cannot read a file: kind and text of an error."""

    def as_error(self, path: Path) -> OsmofuseError:
        """Return the error, with the path as the caller gave it."""
        kind, text = self.args
        named = text.replace(str(path.absolute()), str(path))
        return _ERRORS.get(kind, UnreadableError)(named)


class _Decoder:
    """Child process: started on first use, ended when it fails."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._owner, self._ready, self.lock = 0, False, Lock()

    def start(self) -> subprocess.Popen[bytes]:
        """Return the child, starting it if need be; it may not be ready yet."""
        child = self._child
        # After a fork the child belongs to the parent; two processes must not share its pipes.
        if child is None or self._owner != os.getpid() or child.poll() is not None:
            child = self._child = _started()
            self._owner, self._ready = os.getpid(), False
        return child

    def end(self) -> None:
        """End the child."""
        child, self._child = self._child, None
        if child is None or self._owner != os.getpid():
            return
        child.kill()
        for pipe in (child.stdin, child.stdout, child.stderr):
            with suppress(OSError):
                _pipe(pipe).close()
        child.wait()

    def ask(
        self, path: Path, request: dict[str, Any], receive: Callable[[IO[bytes]], Answer]
    ) -> Answer:
        """Return the answer to a request about a file, which `receive` reads from a stream.

        The child is ended after a failure, a refusal, or the ``seconds`` of the request.
        """
        with self.lock:
            child = self.start()
            late = Event()
            try:
                self._await_start(child, late)
                with _clock(child, request["seconds"], late):
                    stdin = _pipe(child.stdin)
                    stdin.write(json.dumps(request).encode() + b"\n")
                    stdin.flush()
                    return receive(_pipe(child.stdout))
            except _Refusal as refusal:
                if os.path.lexists(path):  # a missing file has no bytes that could do harm
                    self.end()
                raise refusal.as_error(path) from None
            except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
                allowed = request["seconds"] if self._ready else None
                failure = _failure(child, path, late.is_set(), allowed)
                self.end()
                raise failure from error
            except BaseException:  # interrupted: the next request would get the rest of this answer
                self.end()
                raise

    def _await_start(self, child: subprocess.Popen[bytes], late: Event) -> None:
        if self._ready:
            return
        with _clock(child, _STARTING_SECONDS, late):
            if _pipe(child.stdout).readline(_LONGEST_LINE) != b"ready\n":
                raise EOFError
        self._ready = True


_decoder = _Decoder()
atexit.register(_decoder.end)


def _started() -> subprocess.Popen[bytes]:
    try:
        child = subprocess.Popen(
            python_command(_PROGRAM),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=python_environment(**_CHILD_VARIABLES),
        )  # fmt: skip
    except OSError as error:
        raise LimitError(
            f"the process that reads files cannot be started ({error.strerror or error}); close "
            "other programs"
        ) from error
    _widen(_pipe(child.stdout))
    return child


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None, "the child is started with three pipes"
    return stream


def _widen(pipe: IO[bytes]) -> None:
    """Enlarge the buffer of a pipe, where the system can: parent and child wait less."""
    with suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 2**20)  # the most that Linux allows by default


@contextmanager
def _clock(child: subprocess.Popen[bytes], seconds: float, late: Event) -> Iterator[None]:
    """Kill the child, and set `late`, if the block takes longer than `seconds`."""

    def end() -> None:
        late.set()
        child.kill()

    clock = Timer(seconds, end)
    clock.daemon = True
    clock.start()
    try:
        yield
    finally:
        clock.cancel()


def _failure(
    child: subprocess.Popen[bytes], path: Path, late: bool, seconds: float | None
) -> OsmofuseError:
    """Kill the child and return the error for how it failed on a file.

    `late` is True if it exceeded `seconds`, the time limit, which is None if the child did not
    start; then the file is not the cause.
    """
    child.kill()
    words = _pipe(child.stderr).read(_LONGEST_LINE).decode("utf-8", "replace")
    code = child.wait()
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    if seconds is None:
        last = words.strip().rpartition("\n")[2][:_LONGEST_REASON] or how
        return UnreadableError(
            f"{path}: the process that reads files did not start ({last}); if other commands fail "
            "too, reinstall osmofuse"
        )
    if is_out_of_memory(words):
        return LimitError(
            f"{path}: decoding it takes more memory than allowed for its size; if it is "
            "sound, save it again with another compression"
        )
    if late or code == -getattr(signal, "SIGXCPU", 24):
        return UnreadableError(
            f"{path}: not decoded within {seconds:g} seconds; "
            "get a fresh copy, or allow more with Limits(seconds=...)"
        )
    return UnreadableError(
        f"{path}: made the decoder crash ({how}); damaged or unsafe, get a fresh copy"
    )


def _description(stream: IO[bytes], path: Path) -> Description:
    parts = _line(stream)["description"]
    resolution = parts["resolution"] and tuple(parts["resolution"])
    return Description(**{**parts, "path": path, "resolution": resolution})


def _picture(stream: IO[bytes], limits: Limits) -> Picture:
    """Read a picture from the child's answer, which is trusted no more than the file itself."""
    about = _line(stream)
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
    marks = bool(about["transparency"]), about["nodata"], bool(about["lossy"])
    return Picture(pixels, profile, metadata, *marks)


def _line(stream: IO[bytes]) -> dict[str, Any]:
    """Return the first line of an answer, parsed; raise a _Refusal if the child refuses the file.

    A malformed line raises EOFError, ValueError or TypeError.
    """
    line = stream.readline(_LONGEST_LINE)
    if not line.endswith(b"\n"):
        raise EOFError
    about = json.loads(line)
    if not isinstance(about, dict):
        raise TypeError(line)
    if "error" in about:
        raise _Refusal(str(about["error"]), str(about["text"]))
    return about


def _exactly(stream: IO[bytes], size: int, limits: Limits) -> bytes:
    if not 0 <= size <= limits.bytes:
        raise EOFError
    return stream.read(size)  # if it is truncated, reading the pixels fails


def _fill(stream: IO[bytes], target: memoryview) -> None:
    at = 0
    while at < len(target):
        count = stream.readinto(target[at:])  # type: ignore[attr-defined]
        if not count:
            raise EOFError
        at += count
