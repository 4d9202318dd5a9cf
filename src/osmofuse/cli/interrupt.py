"""Interrupts (Ctrl-C) that libraries cannot swallow.

An interrupt inside a callback of a C library is printed and dropped there, or makes the library
raise an error of its own. So it is remembered here and raised again when the work
next reports progress, and an error that follows it is treated as the interrupt.
"""

from __future__ import annotations

import signal
import sys
from types import FrameType

_seen = False  # True after an interrupt


def listen() -> None:
    """Remember interrupts from now on, unless the parent process ignores them."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _remember)
        sys.unraisablehook = _unraisable


def ignore() -> None:
    """Ignore interrupts from now on, since the program is about to exit."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def was_seen() -> bool:
    """Return True after an interrupt."""
    return _seen


def _unraisable(lost: sys.UnraisableHookArgs) -> None:
    """Print an exception that cannot be raised, unless it is an interrupt remembered here."""
    if not (_seen and issubclass(lost.exc_type, KeyboardInterrupt)):
        sys.__unraisablehook__(lost)


def _remember(number: int, frame: FrameType | None) -> None:
    global _seen  # noqa: PLW0603 (a signal handler has no other way to return a value)
    _seen = True
    raise KeyboardInterrupt


def raise_pending() -> None:
    """Raise KeyboardInterrupt if an interrupt was received earlier and swallowed by a library."""
    if _seen:
        raise KeyboardInterrupt
