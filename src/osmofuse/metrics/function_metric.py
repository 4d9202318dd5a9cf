"""Metrics from plain functions of arrays."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeAlias

from osmofuse.checks import choice
from osmofuse.errors import SettingError
from osmofuse.metrics.metric import Metric, Pictures
from osmofuse.typing import FloatArray

__all__ = ["MetricFunction", "metric_of_function"]

MetricFunction: TypeAlias = Callable[..., float]

_GIVEN = tuple(one.name for one in fields(Pictures))  # names of the arguments
_ANYWHERE = (-math.inf, math.inf)  # range of a function that states none


def metric_of_function(function: MetricFunction) -> Metric:
    """Return a metric that calls a function of arrays, which returns a number.

    The function's arguments are some of ``fused``, ``foreground``, ``background``, ``alpha`` and
    ``truth``, by these names: read-only arrays, white at 1.0. There is no value if an alpha or a
    truth without default is missing. Its attributes ``better`` ("high" or "low") and ``range`` and
    the first line of its docstring become the metric's metadata.
    """
    name = getattr(function, "__name__", repr(function))
    choice(f"metrics: better of {name}", getattr(function, "better", None), ("high", "low", None))
    wanted = _wanted(function, name)

    def value(pictures: Pictures) -> float:
        found: Any = function(**_arguments(pictures, wanted))
        try:
            return float(found)
        except (TypeError, ValueError) as error:
            message = f"metrics: {name} returned a {type(found).__name__}; must return a number"
            raise SettingError(message) from error

    words = (inspect.getdoc(function) or "").partition("\n")[0].rstrip(".")
    better, range_ = getattr(function, "better", None), getattr(function, "range", _ANYWHERE)
    return Metric(value, better, range_, definition=words)


def _wanted(function: MetricFunction, name: str) -> dict[str, bool]:
    """Return the names of the pictures that a function takes; True for those with a default."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError) as error:
        raise SettingError(f"metrics: {name}: its signature cannot be read") from error
    by_name = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    wanted = {p.name: p.default is not p.empty for p in by_name if p.name in _GIVEN}
    open_ = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    needed = {p.name for p in parameters if p.default is p.empty and p.kind not in open_}
    if not wanted or needed - set(wanted):
        raise SettingError(
            f"metrics: {name} takes {', '.join(p.name for p in parameters) or 'nothing'}; must "
            f"take some of {', '.join(_GIVEN)}, by these names, and the rest must have defaults"
        )
    return wanted


def _arguments(pictures: Pictures, wanted: dict[str, bool]) -> dict[str, FloatArray]:
    """Return the arguments of a function; raise an InputError if one is missing."""
    found: dict[str, FloatArray] = {}
    for name, optional in wanted.items():
        array = getattr(pictures, name)
        if array is None and optional:
            continue
        if array is None:  # these raise the error
            array = pictures.required_alpha if name == "alpha" else pictures.required_truth
        found[name] = array.view()
        found[name].flags.writeable = False
    return found
