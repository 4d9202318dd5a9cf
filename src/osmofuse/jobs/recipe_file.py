"""What stands in the file of a recipe, checked field by field."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from osmofuse.checks import shown
from osmofuse.documents import is_format, toml_of
from osmofuse.errors import SettingError, did_you_mean
from osmofuse.jobs.aligned import DEFAULTS
from osmofuse.jobs.job import Job

FORMAT = 1

_WORDS = {"name": "name", "title": "title", "for": "purpose"}
_TABLES = {
    "input": ("levels", "working_space"),
    "align": tuple(DEFAULTS),
    "alpha": ("from", "soften"),
    "method": (),  # its name, and whatever settings the method has
    "output": ("depth",),
}
JOB_PARTS = ("levels", "working_space", "align", "depth")  # as a job has them
_MAP = "map"  # as what alpha comes from: somebody must have made one
_PER_CENT = re.compile(r"(\d+(?:\.\d+)?) ?%")
_LENGTHS = ("reach", "soften")
_TRIED = (100, 100)  # a size on which a recipe must do


def parsed(text: str, place: str) -> dict[str, Any]:
    """Return the parts of the recipe in a text.

    Parameters
    ----------
    text : str
        TOML.
    place : str
        Where it stands, for messages.

    Raises
    ------
    SettingError
        Something is wrong with it; the message says where, what, and what would be right.
    """
    try:
        data = toml_of(text)
    except ValueError as error:
        raise SettingError(f"{place}: this is no TOML: {error}") from error
    if not is_format(data.get("format"), FORMAT):
        told = f"format is {shown(data['format'])}" if "format" in data else "format is missing"
        raise SettingError(f"{place}: {told}; write format = {FORMAT}")
    _check_known(data, ("format", *_WORDS, "scene", *_TABLES), place)
    parts: dict[str, Any] = {part: _text(data, key, place) for key, part in _WORDS.items()}
    parts["scene"] = _text(data, "scene", place) if "scene" in data else None
    if not re.fullmatch(r"[\w-]+", parts["name"]):
        raise SettingError(
            f"{place}: name is {parts['name']!r}; must have letters, digits, - and _ only"
        )
    found = {name: _table(data, name, place) for name in _TABLES}
    method = dict(found["method"])
    parts |= {
        "alpha": _alpha(found["alpha"], place),
        "soften": found["alpha"].get("soften", 0.0),
        "levels": found["input"].get("levels", "as-is"),
        "working_space": found["input"].get("working_space", "encoded"),
        "align": found["align"] if "align" in data else None,
        "depth": found["output"].get("depth"),
        "method": method.pop("name", "variational"),
        "settings": method,
    }
    _try(parts, place)
    return parts


def in_pixels(settings: Mapping[str, Any], shape: Sequence[int]) -> dict[str, Any]:
    """Return settings with their lengths in pixels, for pictures of a size."""
    side = math.sqrt(shape[0] * shape[1])
    return {name: _length(name, value, side) for name, value in settings.items()}


def _length(name: str, value: Any, side: float) -> Any:
    if name not in _LENGTHS or not isinstance(value, str):
        return value
    found = _PER_CENT.fullmatch(value)
    if found is None:
        raise SettingError(f'{name}: {value!r}; must be a number of pixels, or text like "2 %"')
    return float(found[1]) / 100 * side


def _alpha(table: Mapping[str, Any], place: str) -> Any:
    value = table.get("from", 0.5)
    if isinstance(value, str) and value not in ("auto", _MAP):
        raise SettingError(
            f'{place}: [alpha] from is {value!r}; must be "auto", "{_MAP}" (one must be given) or '
            "a number; a recipe is for many pictures and names no file"
        )
    return None if value == _MAP else value


def _try(parts: Mapping[str, Any], place: str) -> None:
    """Refuse parts of which no job can be made."""
    taken = {name: parts[name] for name in (*JOB_PARTS, "soften", "method")}
    taken["alpha"] = Path(_MAP) if parts["alpha"] is None else parts["alpha"]
    try:
        taken = in_pixels(taken, _TRIED) | {"settings": in_pixels(parts["settings"], _TRIED)}
        Job(foreground=Path(), background=Path(), output=Path(), **taken)
    except SettingError as error:
        raise SettingError(f"{place}: {error}") from error


def _text(data: Mapping[str, Any], key: str, place: str) -> str:
    value = data.get(key)
    if not isinstance(value, str) or not value.strip():
        told = f"{key} is {shown(value)}" if key in data else f"{key} is missing"
        raise SettingError(f'{place}: {told}; must be text, {key} = "…"')
    return value.strip()


def _table(data: Mapping[str, Any], name: str, place: str) -> Mapping[str, Any]:
    found = data.get(name, {})
    if not isinstance(found, dict):
        raise SettingError(f"{place}: {name} is {shown(found)}; must be a table, [{name}]")
    if known := _TABLES[name]:
        _check_known(found, known, f"{place}: [{name}]")
    return found


def _check_known(found: Iterable[str], known: Sequence[str], place: str) -> None:
    for name in found:
        if name not in known:
            hint = did_you_mean(name, known)
            raise SettingError(f"{place}: {name} is unknown{hint}; there may be {', '.join(known)}")
