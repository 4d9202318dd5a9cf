"""Lengths relative to the size of a picture: "2 %" of the side of a square of the same area."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from osmofuse.errors import SettingError

LENGTHS = ("reach", "soften")  # settings that may be a part of the side
_PER_CENT = re.compile(r"(\d+(?:\.\d+)?) ?%")  # text like "2 %"


def in_pixels(settings: Mapping[str, Any], shape: Sequence[int]) -> dict[str, Any]:
    """Return settings with their lengths in pixels, for pictures of a size.

    Examples
    --------
    >>> in_pixels({"reach": "2 %", "eta": 0.1}, (100, 400))
    {'reach': 4.0, 'eta': 0.1}
    """
    side = math.sqrt(shape[0] * shape[1])
    return {name: _length(name, value, side) for name, value in settings.items()}


def is_part(value: object) -> bool:
    """Return True for a text like "2 %"."""
    return isinstance(value, str) and _PER_CENT.fullmatch(value) is not None


def _length(name: str, value: Any, side: float) -> Any:
    if name not in LENGTHS or not isinstance(value, str) or value == "auto":
        return value
    found = _PER_CENT.fullmatch(value)
    if found is None:
        raise SettingError(f'{name}: {value!r}; must be a number of pixels, or text like "2 %"')
    return float(found[1]) / 100 * side
