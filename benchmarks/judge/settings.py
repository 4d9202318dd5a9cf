"""Settings to be judged: a name, or words like ``alpha=map reach=20 eta=0.3``."""

from __future__ import annotations

import shlex
from typing import Any

import osmofuse

# Settings with a name of their own; `map` is the scene's map.
NAMED = {
    "bare": "",
    "auto": "alpha=auto",
    "text": "recipe=text",
    "scene": "recipe=scene",
    "map": "alpha=map",
}
DEFAULT = ("bare", "auto", "text")
# The grid that regret is measured against.
REACHES, ETAS = (1.5, 3, 6, 10, 20, 40, 60, 90), (0.003, 0.03, 0.3, 3)


def parsed(setting: str) -> dict[str, Any]:
    """Return the options of one setting as a mapping."""
    words = shlex.split(NAMED.get(setting, setting))
    options: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise SystemExit(
                f"setting {setting!r}: {word!r} is neither NAME=VALUE nor {', '.join(NAMED)}"
            )
        options[name] = _value(value)
    return options


def _value(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


def fused(setting: dict[str, Any], f: Any, b: Any, alpha: Any = None) -> osmofuse.Fusion:
    """Return the fusion of one pair with one setting; `alpha` is what ``alpha=map`` means."""
    options = dict(setting)
    asked = options.pop("alpha", None)
    asked = alpha if asked == "map" else asked
    recipe = options.pop("recipe", None)
    if recipe is not None:
        return osmofuse.recipe(recipe).fuse(f, b, asked, **options)
    return osmofuse.fuse(f, b, asked, **options)


def grid(setting: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the setting with every reach and eta of the grid."""
    return [{**setting, "reach": reach, "eta": eta} for reach in REACHES for eta in ETAS]
