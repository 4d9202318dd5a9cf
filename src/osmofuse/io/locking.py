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

_LOCK_SECONDS = 60.0  # to wait for a lock; a commit takes below one, anything in 10..300 works
_RETRY_SECONDS = 0.01  # between attempts; anything in 0.001..0.1 works
_LOCKED = (errno.EWOULDBLOCK, errno.EAGAIN)  # errors for a lock that another process holds
# SIGINT comes first, so that its handler is restored last: from then on it may raise.
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
_DELAYED = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]


@contextmanager
def locked(folders: Iterable[Path]) -> Iterator[bool]:
    """Lock folders against commits by other processes; the lock ends with the process.

    Yields True if all are locked, False on file systems without locks. If another process holds one
    for a minute, an OutputError is raised.
    """
    with ExitStack() as opened:
        handles = [_opened(folder, opened) for folder in _in_order(folders)]
        held = [handle is not None and _lock(handle, folder) for handle, folder in handles]
        yield all(held)


def _in_order(folders: Iterable[Path]) -> list[Path]:
    """Return each folder once, in the same order for all processes to avoid deadlock."""
    return [Path(real) for real in sorted({os.path.realpath(folder) for folder in folders})]


def _opened(folder: Path, opened: ExitStack) -> tuple[int | None, Path]:
    with suppress(OSError):  # no permission to read it, or Windows, which opens no folders
        handle = os.open(folder, os.O_RDONLY)
        opened.callback(os.close, handle)
        return handle, folder
    return None, folder


def _lock(handle: int, folder: Path) -> bool:
    try:
        import fcntl
    except ImportError:
        return False
    end = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in _LOCKED:
                return False
            if time.monotonic() > end:
                raise OutputError(
                    f"{folder}: another process of osmofuse has been writing there for "
                    f"{_LOCK_SECONDS:.0f} seconds; end it, or choose another folder"
                ) from error
            time.sleep(_RETRY_SECONDS)
        else:
            return True


@contextmanager
def held() -> Iterator[None]:
    """Delay SIGINT, SIGTERM and SIGHUP until the block ends.

    Python runs handlers in the main thread, whichever thread receives the signal; so handlers are
    replaced, and no mask is set. In other threads nothing is done: signals do not interrupt them.
    """
    if current_thread() is not main_thread():
        yield
        return
    noted: dict[int, None] = {}
    before: dict[int, Any] = {}
    try:
        for number in _DELAYED:
            handler = signal.getsignal(number)
            if handler not in (None, signal.SIG_IGN):
                before[number] = handler
                signal.signal(number, lambda number, _: noted.setdefault(number))
        yield
    finally:
        for number in reversed(before):
            signal.signal(number, before[number])
        for number in sorted(noted, key=_DELAYED.index, reverse=True):
            signal.raise_signal(number)
