"""Methods and metrics of other packages, found by their entry points.

A package is imported only when one of its methods or metrics is requested by name.
"""

from __future__ import annotations

import logging
import re
from functools import cache
from typing import TYPE_CHECKING

from osmofuse.errors import SettingError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_log = logging.getLogger("osmofuse")


@cache
def offered(kind: str, taken: frozenset[str]) -> tuple[str, ...]:
    """Return the sorted names of methods, or metrics, that other packages add to those `taken`.

    Built-in names, and names that a comma-separated list cannot hold, are left out with a logged
    warning.
    """
    names = []
    for name, points in sorted(_entry_points(kind).items()):
        if name in taken:
            _log.warning("the %s %r of %s is left out: osmofuse has it", kind, name, _of(points))
        elif not re.fullmatch(r"[\w.-]+", name):
            _log.warning(
                "the %s %r of %s is left out: a name has letters, digits, '.', '-' and '_' only",
                kind, name, _of(points),
            )  # fmt: skip
        else:
            names.append(name)
    return tuple(names)


def loaded(kind: str, name: str) -> object:
    """Import and return the object that another package offers under a name."""
    points = _entry_points(kind)[name]
    if len(points) > 1:
        raise refusal(kind, name, "several packages offer it; uninstall all but one")
    try:
        return points[0].load()
    except Exception as error:
        # Any error of another package: the message names the package and the error.
        raise refusal(kind, name, f"{type(error).__name__}: {error}") from error


def refusal(kind: str, name: str, reason: str) -> SettingError:
    """Return the error for an unusable method or metric, naming its package."""
    return SettingError(f"{kind}: {name!r} of {_of(_entry_points(kind)[name])}: {reason}")


@cache
def _entry_points(kind: str) -> dict[str, list[EntryPoint]]:
    from importlib.metadata import entry_points  # slow to import, and rarely needed

    found: dict[str, list[EntryPoint]] = {}
    for point in entry_points(group=f"osmofuse.{kind}s"):
        found.setdefault(point.name, []).append(point)
    return found


def _of(points: list[EntryPoint]) -> str:
    """Return the names of the packages of entry points, as text."""
    names = sorted(point.dist.name if point.dist else "an unknown package" for point in points)
    return "the package " + " and ".join(names)
