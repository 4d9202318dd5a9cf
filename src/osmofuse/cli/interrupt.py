"""Interrupts that are not lost.

An interrupt that meets a callback of a library in C is printed and forgotten there, or makes the
library raise an error of its own. So it is remembered here, raised again at the next pulse of the
work, and an error that follows it is taken for it.
"""

from __future__ import annotations

import signal
import sys
from types import FrameType

__all__ = ["ignore", "listen", "pulse", "was_seen"]

_seen = False


def listen() -> None:
    """Remember interrupts from now on, unless whoever started the program ignores them."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _remember)
        sys.unraisablehook = _unraisable


def ignore() -> None:
    """Ignore interrupts from now on: the program is about to end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def was_seen() -> bool:
    """Return True if an interrupt has come."""
    return _seen


def _unraisable(lost: sys.UnraisableHookArgs) -> None:
    """Print an exception that cannot be raised where it occurred, unless it is remembered here."""
    if not (_seen and issubclass(lost.exc_type, KeyboardInterrupt)):
        sys.__unraisablehook__(lost)


def _remember(number: int, frame: FrameType | None) -> None:
    global _seen  # noqa: PLW0603 (a signal has no other place to leave a word)
    _seen = True
    raise KeyboardInterrupt


def pulse() -> None:
    """Raise an interrupt that has come and was lost.

    Raises
    ------
    KeyboardInterrupt
        There was one.
    """
    if _seen:
        raise KeyboardInterrupt
