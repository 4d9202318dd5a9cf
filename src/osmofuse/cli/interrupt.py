"""Interrupts that are not lost.

An interrupt that meets a callback of a library in C is printed and forgotten there. So it is
remembered here, and raised again at the next pulse of the work.
"""

from __future__ import annotations

import signal
from types import FrameType

_seen = False


def listen() -> None:
    """Remember interrupts from now on, unless whoever started the program ignores them."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _remember)


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
