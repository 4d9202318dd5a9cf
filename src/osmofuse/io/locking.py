"""Locks on folders, and signals held back, while files are renamed."""

from __future__ import annotations

import errno
import os
import signal
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any

from osmofuse.errors import OutputError

__all__ = ["held", "locked"]

_PATIENCE = 60.0  # seconds; a commit takes a fraction of one
_PAUSE = 0.01
_TAKEN = (errno.EWOULDBLOCK, errno.EAGAIN)


@contextmanager
def locked(folders: Iterable[Path]) -> Iterator[bool]:
    """Keep other processes of ours from committing to folders; the lock ends with the process.

    Yields
    ------
    bool
        True if all are locked. Some file systems have no locks; then nothing is held.

    Raises
    ------
    OutputError
        Another process holds one for too long.
    """
    with ExitStack() as opened:
        handles = [_opened(folder, opened) for folder in _in_order(folders)]
        held = [handle is not None and _lock(handle, folder) for handle, folder in handles]
        yield all(held)


def _in_order(folders: Iterable[Path]) -> list[Path]:
    """Return each folder once, in one order for all processes, so that none wait crosswise."""
    return [Path(real) for real in sorted({os.path.realpath(folder) for folder in folders})]


def _opened(folder: Path, opened: ExitStack) -> tuple[int | None, Path]:
    with suppress(OSError):  # a folder may be closed to readers, and Windows opens none
        handle = os.open(folder, os.O_RDONLY)
        opened.callback(os.close, handle)
        return handle, folder
    return None, folder


def _lock(handle: int, folder: Path) -> bool:
    try:
        import fcntl
    except ImportError:
        return False
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in _TAKEN:
                return False
            if time.monotonic() > end:
                raise OutputError(
                    f"{folder}: another process of osmofuse has been writing there for "
                    f"{_PATIENCE:.0f} seconds; end it, or choose another folder"
                ) from error
            time.sleep(_PAUSE)
        else:
            return True


# The interrupt comes first: its handler is put back last, since from then on it may raise.
_HELD = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextmanager
def held() -> Iterator[None]:
    """Hold back interrupts and requests to end; they take effect when the block is left.

    Python runs handlers in the main thread, whichever thread of whichever library receives the
    signal; so handlers are replaced, and no mask is set. Other threads cannot replace them, and
    have no need to: there an interrupt does not arrive.
    """
    if current_thread() is not main_thread():
        yield
        return
    noted: dict[int, None] = {}
    before: dict[int, Any] = {}
    try:
        for number in _HELD:
            handler = signal.getsignal(number)
            if handler not in (None, signal.SIG_IGN):
                before[number] = handler
                signal.signal(number, lambda number, _: noted.setdefault(number))
        yield
    finally:
        for number in reversed(before):
            signal.signal(number, before[number])
        for number in sorted(noted, key=_HELD.index, reverse=True):
            signal.raise_signal(number)
