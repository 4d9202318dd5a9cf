"""Checks of settings, with messages that name the setting and the fix."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral, Real

from osmofuse.errors import SettingError


def number(
    name: str,
    value: object,
    *,
    least: float = 0.0,
    above: bool = False,
    below: float = math.inf,
    infinite: bool = False,
) -> None:
    """Refuse what is no number from `least` (or above it) upwards, and below a limit."""
    wanted = f"a number {'above' if above else 'from'} {least:g}{', or inf' if infinite else ''}"
    wanted += "" if math.isinf(below) else f", and below {below:g}"
    if isinstance(value, bool) or not isinstance(value, Real) or math.isnan(value):
        raise SettingError(f"{name}: {value!r}; must be {wanted}")
    if value < least or (above and value == least) or (math.isinf(value) and not infinite):
        raise SettingError(f"{name}: {value!r}; must be {wanted}")
    if not math.isinf(below) and not value < below:
        raise SettingError(f"{name}: {value!r}; must be {wanted}")


def whole(name: str, value: object, *, least: int) -> None:
    """Refuse what is no whole number from `least` upwards."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise SettingError(f"{name}: {value!r}; must be a whole number from {least}")


def choice(name: str, value: object, allowed: Sequence[object]) -> None:
    """Refuse what is not one of the allowed values."""
    if not any(value is a or (isinstance(value, str) and value == a) for a in allowed):
        raise SettingError(f"{name}: {value!r}; must be one of {', '.join(map(repr, allowed))}")
