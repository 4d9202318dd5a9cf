"""OpenCV, from whichever package provides it: an extra brings one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from osmofuse.errors import MissingExtraError

_MOST_THREADS = 4  # bounds memory; each holds a block or a tile, and OpenCV has threads of its own

Item = TypeVar("Item")
Result = TypeVar("Result")


def opencv() -> Any:
    """Return the module of OpenCV, or raise with the command that installs it."""
    try:
        import cv2
    except ImportError as error:
        raise MissingExtraError(
            "registration needs OpenCV: pip install 'osmofuse[opencv]', or any other package that "
            "provides cv2"
        ) from error
    return cv2


def in_threads(function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """Return the function of each item, in order; on threads, if OpenCV may use some.

    OpenCV and NumPy let other threads run while they compute.
    """
    threads = min(_MOST_THREADS, opencv().getNumThreads())
    if threads < 2:
        return [function(item) for item in items]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(function, items))
