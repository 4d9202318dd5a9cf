"""Signals that wait while files get their names."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import Any

__all__ = ["held"]

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
