"""The settings of a sweep in words: which were varied, which were not, what trials are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from osmofuse.tasks import Trial

__all__ = [
    "Heads",
    "fixed_settings",
    "said",
    "said_bare",
    "said_value",
    "trial_names",
    "varied_settings",
]

# Values of settings, in their order.
Heads: TypeAlias = dict[str, tuple[Any, ...]]

_LETTERS = {"alpha": "α", "eta": "η", "mu": "μ", "gamma": "γ", "epsilon": "ε"}


def varied_settings(tried: Sequence[Mapping[str, Any]]) -> Heads:
    """Return the values of those settings that were varied, the slowest first."""
    values = {name: tuple(dict.fromkeys(one[name] for one in tried)) for name in tried[0]}
    return {name: found for name, found in values.items() if len(found) > 1}


def fixed_settings(tried: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the settings that were the same in all trials."""
    varied = varied_settings(tried)
    return {name: value for name, value in tried[0].items() if name not in varied}


def trial_names(trials: Sequence[Trial]) -> list[str]:
    """Return the trials of a sweep in words, by the settings that were varied."""
    tried = [trial.settings for trial in trials]
    varied = varied_settings(tried) or dict.fromkeys(list(tried[0])[:1])
    chosen = [{name: settings[name] for name in varied} for settings in tried]
    names = [said(settings) or "as it is" for settings in chosen]
    if len(set(names)) == len(names):
        return names
    return [said(settings, digits=17) for settings in chosen]


def said(settings: Mapping[str, Any], digits: int = 6) -> str:
    """Return settings in words."""
    return ", ".join(said_value(name, value, digits) for name, value in settings.items())


def said_value(name: str, value: Any, digits: int = 6) -> str:
    """Return a setting as it stands in a heading.

    Examples
    --------
    >>> said_value("eta", 0.1), said_value("start", "means"), said_value("reach", None)
    ('η = 0.1', 'start means', "reach by the paper's rule")
    >>> said_value("alpha", "map 2"), said_value("regulariser", None)
    ('α: map 2', 'regulariser none')
    """
    if name == "reach" and value is None:
        return "reach by the paper's rule"
    text = said_bare(value, digits)
    if name == "reach":
        return f"reach {text}" if isinstance(value, str) else f"reach {text} px"
    if name == "alpha" and isinstance(value, str):
        return f"{_LETTERS[name]}: {text}"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{_LETTERS.get(name, name)} = {text}"
    return f"{name} {text}"


def said_bare(value: Any, digits: int = 6) -> str:
    """Return a value alone, as a table has it."""
    if isinstance(value, list | tuple):
        return ",".join(said_bare(one, digits) for one in value)
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return f"{value:.{digits}g}" if isinstance(value, int | float) else str(value)
