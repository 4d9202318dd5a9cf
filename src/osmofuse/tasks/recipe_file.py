"""Contents of a recipe's file, checked field by field.

The table ``[shadow]`` makes it a recipe for `osmofuse shadow`; it has settings of
`osmofuse.remove_shadow`. All other recipes are for fusions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from osmofuse.checks import choice, number, shown, text
from osmofuse.documents import is_format, toml_of
from osmofuse.errors import SettingError, did_you_mean
from osmofuse.pixels import DEPTHS
from osmofuse.tasks.aligned import DEFAULTS
from osmofuse.tasks.best_guess import best_guess
from osmofuse.tasks.fuse import ANY_SIZE, method_of
from osmofuse.tasks.lengths import in_pixels
from osmofuse.tasks.prepare import Preparation
from osmofuse.tasks.remove_shadow import SETTINGS, check_shadow_settings

FORMAT = 1  # version of recipe files

_WORDS = {"name": "name", "title": "title", "for": "purpose"}  # keys, and fields of Recipe
_TABLES = {
    "input": ("levels", "working_space"),
    "align": tuple(DEFAULTS),
    "alpha": ("from", "soften"),
    "method": (),  # its name, and whatever settings the method has
    "output": ("depth",),
}
_SHADOW = "shadow"  # table of a recipe for the command of this name; it has no other tables
# Values of [alpha] from: a map must be given; the method finds where backgrounds enter.
_MAP, _NOTHING = "map", "nothing"


def parsed(text: str, place: str) -> dict[str, Any]:
    """Return the parts of the recipe in a TOML text; messages begin with its `place`."""
    try:
        data = toml_of(text)
    except ValueError as error:
        raise SettingError(f"{place}: not valid TOML: {error}") from error
    if not is_format(data.get("format"), FORMAT):
        state = f"is {shown(data['format'])}" if "format" in data else "is missing"
        raise SettingError(f"{place}: format {state}; write format = {FORMAT}")
    tables = (_SHADOW,) if _SHADOW in data else (*_TABLES, _SHADOW)
    _check_known(data, ("format", *_WORDS, "scene", *tables), place)
    parts: dict[str, Any] = {part: _text(data, key, place) for key, part in _WORDS.items()}
    parts["scene"] = _text(data, "scene", place) if "scene" in data else None
    if not re.fullmatch(r"[\w-]+", parts["name"]):
        raise SettingError(
            f"{place}: name is {parts['name']!r}; must have letters, digits, - and _ only"
        )
    return parts | (_for_shadow(data, place) if _SHADOW in data else _for_fusion(data, place))


def _for_shadow(data: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Return the parts of a recipe for shadows."""
    settings = _table(data, _SHADOW, place, SETTINGS)
    try:
        check_shadow_settings(**{**SETTINGS, **settings})
    except SettingError as error:
        raise SettingError(f"{place}: {error}") from error
    return {
        "command": _SHADOW,
        "alpha": None,
        "needs_map": False,
        "soften": 0.0,
        "levels": "as-is",
        "working_space": "encoded",
        "align": None,
        "depth": None,
        "method": settings.get("model", SETTINGS["model"]),
        "settings": settings,
    }


def _for_fusion(data: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Return the parts of a recipe for fusions."""
    found = {name: _table(data, name, place, known) for name, known in _TABLES.items()}
    method = dict(found["method"])
    name = method.pop("name", "variational")
    if name == "variational":  # the paper's model unless another target is named
        method = best_guess(name, {"target": "product", **method}, "number")
    parts = {
        "command": "fuse",
        "alpha": _alpha(found["alpha"], place),
        "needs_map": found["alpha"].get("from") == _MAP,
        "soften": found["alpha"].get("soften", 0.0),
        "levels": found["input"].get("levels", "as-is"),
        "working_space": found["input"].get("working_space", "encoded"),
        "align": found["align"] if "align" in data else None,
        "depth": found["output"].get("depth"),
        "method": name,
        "settings": method,
    }
    _try(parts, place)
    return parts


def _alpha(table: Mapping[str, Any], place: str) -> Any:
    value = table.get("from", 0.5)
    if isinstance(value, str) and value not in ("auto", _MAP, _NOTHING):
        raise SettingError(
            f'{place}: [alpha] from is {value!r}; must be "{_NOTHING}", "auto", "{_MAP}" (one must '
            "be given) or a number; a recipe is for many pictures and names no file"
        )
    return None if value in (_MAP, _NOTHING) else value


def _try(parts: Mapping[str, Any], place: str) -> None:
    """Check that the parts can be used in a fusion."""
    how = {name: parts[name] for name in ("align", "levels", "working_space", "soften")}
    try:
        Preparation(**how)
        choice("depth", parts["depth"], (None, *DEPTHS))
        if not isinstance(parts["alpha"], str | None):
            number("alpha", parts["alpha"], most=1.0)
            if parts["soften"]:
                raise SettingError("soften: alpha is a number, which has no edges")
        method_of(text("method", parts["method"]), in_pixels(parts["settings"], ANY_SIZE))
    except SettingError as error:
        raise SettingError(f"{place}: {error}") from error


def _text(data: Mapping[str, Any], key: str, place: str) -> str:
    value = data.get(key)
    if not isinstance(value, str) or not value.strip():
        state = f"is {shown(value)}" if key in data else "is missing"
        raise SettingError(f'{place}: {key} {state}; must be text, {key} = "…"')
    return value.strip()


def _table(
    data: Mapping[str, Any], name: str, place: str, known: Iterable[str]
) -> Mapping[str, Any]:
    """Return a table with known keys; without any, all are accepted."""
    found = data.get(name, {})
    if not isinstance(found, dict):
        raise SettingError(f"{place}: {name} is {shown(found)}; must be a table, [{name}]")
    if known := tuple(known):
        _check_known(found, known, f"{place}: [{name}]")
    return found


def _check_known(found: Iterable[str], known: Sequence[str], place: str) -> None:
    for name in found:
        if name not in known:
            hint = did_you_mean(name, known)
            raise SettingError(f"{place}: {name} is unknown{hint}; there may be {', '.join(known)}")
