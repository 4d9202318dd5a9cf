"""Methods from plain functions of sources."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields, make_dataclass
from functools import cache
from typing import Any, TypeAlias, cast, get_type_hints

from osmofuse.errors import SettingError
from osmofuse.methods.contract import Fusion, Method
from osmofuse.methods.sources import Sources
from osmofuse.progress import Watch

__all__ = ["MethodFunction", "method_of_function"]

MethodFunction: TypeAlias = Callable[..., Fusion]

# Kinds of arguments that can be settings.
_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


@cache
def method_of_function(function: MethodFunction) -> type[Method]:
    """Return the class of a method, a frozen dataclass of settings, that calls a function.

    The function takes `Sources` first and returns a `Fusion`. Its other arguments must have
    defaults: they are the settings. It is given ``watch`` if it takes an argument of that name. Its
    docstring and its attribute ``cost``, if any, become those of the class.
    """
    name = function.__name__
    try:
        first, *others = inspect.signature(function).parameters.values()
    except ValueError as error:
        raise SettingError(
            f"method: {name} takes nothing; its first argument is Sources"
        ) from error
    named = {one.name: one for one in others if one.kind in _BY_NAME}
    watched = named.pop("watch", None) is not None
    without = [one.name for one in named.values() if one.default is one.empty]
    if first.kind is first.KEYWORD_ONLY or without:
        names = ", ".join(without) or first.name
        raise SettingError(
            f"method: {name}: {names} must have a default, all but Sources, the first"
        )

    def call(self: Any, sources: Sources, *, watch: Watch | None = None) -> Fusion:
        """Fuse the sources."""
        more = {"watch": watch} if watched else {}
        return function(sources.read_only(), **_settings(self), **more)

    def reduced(self: Any) -> tuple[Any, ...]:
        return _made, (function, _settings(self))

    parts = {"__call__": call, "__reduce__": reduced, "__doc__": inspect.getdoc(function)}
    if hasattr(function, "cost"):
        parts["cost"] = function.cost
    try:
        kinds = get_type_hints(function)
        settings = [
            (one.name, kinds.get(one.name, type(one.default)), one.default)
            for one in named.values()
        ]
        return cast("type[Method]", make_dataclass(name, settings, namespace=parts, frozen=True))
    except (TypeError, ValueError, NameError) as error:
        raise SettingError(f"method: {name}: {error}") from error


def _settings(method: Any) -> dict[str, Any]:
    return {one.name: getattr(method, one.name) for one in fields(method)}


def _made(function: MethodFunction, settings: Mapping[str, Any]) -> Method:
    """Return a method from its function and settings; instances are pickled by this."""
    return method_of_function(function)(**settings)
