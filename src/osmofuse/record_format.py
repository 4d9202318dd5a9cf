"""The format of records, field by field.

What the parts of a record may hold is said here once. Settings and plans are checked by what they
are for: the methods, and `osmofuse.optimise.plan.Plan`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from osmofuse.checks import choice, mapping, number, sequence, text, whole
from osmofuse.errors import SettingError

ROLES = (
    "foreground", "background", "alpha", "truth", "points", "image", "trimap", "fused",
)  # fmt: skip
NUMBERED = ("background", "alpha")  # further ones are "background-2" and so on
SHA256 = "[0-9a-f]{64}"
PATH = r"[^\0]+"
MOST = 1e300  # of figures that are only told

Check: TypeAlias = Callable[[str, Any], object]


def check_parts(parts: Mapping[str, Any]) -> None:
    """Check all parts of a record of format 1, as JSON has them.

    Further names are allowed beside those that are known.

    Raises
    ------
    SettingError
        A field is missing or has a value that it cannot have; the message begins with its name.
    """
    for name, check in _PARTS.items():
        if name not in parts:
            raise SettingError(f"{name}: missing")
        check(name, parts[name])
    for name, check in _FURTHER_PARTS.items():
        if name in parts:
            check(name, parts[name])


def _fields(known: Mapping[str, Check], *, needed: tuple[str, ...] = ()) -> Check:
    """Return the check of an object with fields of these kinds, some of which must be there."""

    def check(name: str, value: Any) -> None:
        found = mapping(name, value)
        for key in needed:
            if key not in found:
                raise SettingError(f"{name}.{key}: missing")
        for key, part in found.items():
            if key in known:
                known[key](f"{name}.{key}", part)

    return check


def _every(check: Check) -> Check:
    """Return the check of an object whose fields are all of one kind."""

    def check_all(name: str, value: Any) -> None:
        for key, part in mapping(name, value).items():
            check(f"{name}.{key}", part)

    return check_all


def _list(check: Check, *, least: int = 0, most: int = 100_000) -> Check:
    def check_all(name: str, value: Any) -> None:
        for k, part in enumerate(sequence(name, value, least=least, most=most)):
            check(f"{name}[{k}]", part)

    return check_all


def _or_none(check: Check) -> Check:
    return lambda name, value: None if value is None else check(name, value)


def _count(name: str, value: Any) -> None:
    whole(name, value, least=0, most=2**63)


def _figure(name: str, value: Any) -> None:
    """Check a number that is only told; infinities and nan are words."""
    if value not in ("inf", "-inf", "nan"):
        number(name, value, least=-MOST, most=MOST)


def _points(name: str, value: Any) -> None:
    number(name, value, most=1e6)


def _digest(name: str, value: Any) -> None:
    text(name, value, pattern=SHA256)


def _path(name: str, value: Any) -> None:
    text(name, value, most=4096, pattern=PATH)


def _page(name: str, value: Any) -> None:
    whole(name, value, least=1, most=10**6)


def _role(name: str, value: Any) -> None:
    numbered = rf"({'|'.join(NUMBERED)})-[1-9][0-9]{{0,3}}"
    if not re.fullmatch(numbered, text(name, value)):
        choice(name, value, ROLES)


def _alpha_value(name: str, value: Any) -> None:
    if isinstance(value, list):
        _list(_or_none(_alpha_value), least=1, most=1000)(name, value)
    elif value != "auto":
        number(name, value, most=math.inf)


def _inputs(name: str, value: Any) -> None:
    _list(_INPUT, most=1000)(name, value)
    roles = [one["role"] for one in value]
    if twice := next((role for role in roles if roles.count(role) > 1), None):
        raise SettingError(f"{name}: {twice!r} is there twice")


_INPUT = _fields(
    {
        "role": _role,
        "path": _path,
        "page": _or_none(_page),
        "sha256": _digest,
        "levels": _or_none(text),
        "notes": _list(text),
    },
    needed=("role", "path", "sha256"),
)
_ANSWER = _fields(
    {"pair": _list(text, least=2, most=2), "better": _or_none(text)}, needed=("pair",)
)
_RANKING = _fields(
    {
        "by": text,
        "sha256_of_pixels": _or_none(_digest),
        "answers": _list(_ANSWER),
        "points": _every(_points),
    },
    needed=("by", "answers", "points"),
)
_DEFORMATION = _fields(
    {
        "shape": _list(_count, least=2, most=2),
        "shifts": _list(_list(_list(_figure, least=2, most=2))),
    },
    needed=("shape", "shifts"),
)
_TRANSFORM = _fields(
    {
        "kind": text,
        "matrix": _list(_list(_figure, least=3, most=3), least=3, most=3),
        "deformation": _or_none(_DEFORMATION),
        "settings": mapping,
        "score": _figure,
    }
)
_RESULT = _fields(
    {
        "status": text,
        "energy": _or_none(_list(_figure)),
        "reach": _or_none(_figure),
        "seconds": _figure,
        "clipped": _count,
        "peak_bytes": _or_none(_count),
        "results": _list(mapping),
        "scores": _every(mapping),
    }
)
_PARTS: dict[str, Check] = {
    "job": text,
    "inputs": _inputs,
    "alpha": _fields({"value": _or_none(_alpha_value)}),
    "transform": _or_none(_TRANSFORM),
    "method": _fields({"name": text, "settings": mapping}, needed=("name", "settings")),
    "working_space": text,
    "tiling": _or_none(mapping),
    "plan": _or_none(mapping),
    "result": _RESULT,
    "output": _fields(
        {"sha256_of_pixels": _digest, "depth": _or_none(text), "pictures": _every(_digest)}
    ),
    "versions": _every(text),
}
_FURTHER_PARTS: dict[str, Check] = {
    "job": text,
    "ranking": _list(_RANKING, most=10_000),
    "recipe": _or_none(_fields({"name": text, "sha256": _digest}, needed=("name", "sha256"))),
}
