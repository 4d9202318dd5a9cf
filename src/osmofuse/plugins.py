"""Methods and metrics of other packages, found by their entry points.

Nothing of another package is imported before it is asked for by its name.
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
    """Return the sorted names that other packages add.

    Parameters
    ----------
    kind : {"method", "metric"}
        Entry points of the group ``osmofuse.methods``, or ``osmofuse.metrics``.
    taken : frozenset of str
        Names of our own, which no other package can have. That and names that no list on a
        command line could hold are logged, and left out.
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
    """Return what another package offers by a name.

    Raises
    ------
    SettingError
        It cannot be imported, or several packages offer it.
    """
    points = _entry_points(kind)[name]
    if len(points) > 1:
        raise refusal(kind, name, "several packages offer it; uninstall all but one")
    try:
        return points[0].load()
    except Exception as error:
        # Whatever is wrong with another package, its name and this must be said.
        raise refusal(kind, name, f"{type(error).__name__}: {error}") from error


def refusal(kind: str, name: str, reason: str) -> SettingError:
    """Return the error that says which package offers something that cannot be used."""
    return SettingError(f"{kind}: {name!r} of {_of(_entry_points(kind)[name])}: {reason}")


@cache
def _entry_points(kind: str) -> dict[str, list[EntryPoint]]:
    from importlib.metadata import entry_points  # only those who look wait for it

    found: dict[str, list[EntryPoint]] = {}
    for point in entry_points(group=f"osmofuse.{kind}s"):
        found.setdefault(point.name, []).append(point)
    return found


def _of(points: list[EntryPoint]) -> str:
    """Return the packages that entry points belong to, in words."""
    names = sorted(point.dist.name if point.dist else "an unknown package" for point in points)
    return "the package " + " and ".join(names)
