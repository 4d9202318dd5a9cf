"""Checks of settings and of fields in files; messages name the field and the allowed values."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any

from osmofuse.errors import SettingError, did_you_mean

MOST_SHOWN = 100  # characters of a wrong value in a message; anything in 40..200 works


def number(
    name: str,
    value: object,
    *,
    most: float,
    least: float = 0.0,
    above: bool = False,
    below: bool = False,
    infinite: bool = False,
) -> float:
    """Return a value checked to be a real number in a range, as a float.

    `above` excludes the minimum, `below` the maximum; `infinite` also allows infinity.
    """
    wanted = f"a number {'above' if above else 'from'} {least:g}"
    wanted += f", and below {most:g}" if below else f"{', at most' if above else ' to'} {most:g}"
    wanted += ", or inf" if infinite else ""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise _refusal(name, value, wanted)
    if infinite and value == math.inf:
        return math.inf
    # Python compares integers too large for a float exactly.
    given: Any = value
    outside = not least <= given <= most
    if outside or (above and given == least) or (below and given == most):
        raise _refusal(name, value, wanted)
    return float(value)


def number_or_auto(
    name: str, value: object, *, most: float, least: float = 0.0, infinite: bool = False
) -> None:
    """Check that a value is "auto" or a real number in a range."""
    if isinstance(value, str) and value == "auto":
        return
    try:
        number(name, value, most=most, least=least, infinite=infinite)
    except SettingError as error:
        raise SettingError(f'{error}, or "auto"') from None


def whole(name: str, value: object, *, least: int, most: int) -> int:
    """Return a value checked to be an integer in a range; True and False are not integers."""
    wanted = f"a whole number from {least} to {most}"
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise _refusal(name, value, wanted)
    if not least <= int(value) <= most:
        raise _refusal(name, value, wanted)
    return int(value)


def choice(name: str, value: object, allowed: Sequence[object]) -> None:
    """Check that a value is one of the allowed ones: the same object, or equal text."""
    if not any(value is a or (isinstance(value, str) and value == a) for a in allowed):
        wanted = f"one of {', '.join(map(repr, allowed))}"
        raise _refusal(name, value, wanted, [one for one in allowed if isinstance(one, str)])


def text(name: str, value: object, *, most: int = 10_000, pattern: str | None = None) -> str:
    """Return a value checked to be text of at most `most` characters that matches a pattern."""
    if not isinstance(value, str) or len(value) > most:
        raise _refusal(name, value, f"text of at most {most} characters")
    if pattern is not None and not re.fullmatch(pattern, value):
        raise _refusal(name, value, f"text like {pattern}")
    return value


def mapping(name: str, value: object) -> Mapping[str, Any]:
    """Return a value checked to be a mapping whose keys are text."""
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise _refusal(name, value, "an object: names with values")
    return value


def sequence(name: str, value: object, *, least: int = 0, most: int = 100_000) -> Sequence[Any]:
    """Return a value checked to be a list or tuple with `least` to `most` entries."""
    if isinstance(value, str | bytes) or not isinstance(value, Sequence):
        raise _refusal(name, value, f"a list of {least} to {most} entries")
    if not least <= len(value) <= most:
        raise SettingError(f"{name}: {len(value)} entries; must be {least} to {most}")
    return value


def shown(value: object) -> str:
    """Return a value as text for a message, shortened to a line.

    Examples
    --------
    >>> shown(10**5000)
    'a number of about 5001 digits'
    >>> shown([1, 2])
    '[1, 2]'
    """
    try:
        words = repr(value)
    except ValueError:  # Python prints no integer of more than 4300 digits
        digits = value.bit_length() * math.log10(2) if isinstance(value, int) else math.inf
        return f"a number of about {math.ceil(digits):.0f} digits"
    except RecursionError:
        return f"a {type(value).__name__} of many levels"
    return words if len(words) <= MOST_SHOWN else f"{words[:MOST_SHOWN]}…"


def _refusal(name: str, value: object, wanted: str, words: Sequence[str] = ()) -> SettingError:
    hint = did_you_mean(value[:MOST_SHOWN], words) if isinstance(value, str) else ""
    return SettingError(f"{name}: {shown(value)}{hint}; must be {wanted}")
