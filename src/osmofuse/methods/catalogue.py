"""Methods by name: built-in ones and those of other packages."""

from __future__ import annotations

import inspect
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, cast

from osmofuse import plugins
from osmofuse.errors import SettingError, did_you_mean
from osmofuse.methods.anisotropic_osmosis import AnisotropicOsmosis
from osmofuse.methods.average import Average
from osmofuse.methods.contract import Method
from osmofuse.methods.direct import DirectMatting
from osmofuse.methods.function_method import method_of_function
from osmofuse.methods.guided_filter import GuidedFilterFusion
from osmofuse.methods.linear_osmosis import LinearOsmosis
from osmofuse.methods.nonlinear_osmosis import NonlinearOsmosis
from osmofuse.methods.poisson import PoissonEditing
from osmofuse.methods.pyramid import LaplacianPyramid
from osmofuse.methods.spectral_tv import SpectralTV
from osmofuse.methods.structure_aware import StructureAwareFusion
from osmofuse.methods.variational import VariationalOsmosis

# Our own.
METHODS: dict[str, type[Method]] = {
    "variational": VariationalOsmosis,
    "direct": DirectMatting,
    "average": Average,
    "pyramid": LaplacianPyramid,
    "poisson": PoissonEditing,
    "guided-filter": GuidedFilterFusion,
    "structure-aware": StructureAwareFusion,
    "linear-osmosis": LinearOsmosis,
    "anisotropic-osmosis": AnisotropicOsmosis,
    "nonlinear-osmosis": NonlinearOsmosis,
    "spectral-tv": SpectralTV,
}


def method_names() -> tuple[str, ...]:
    """Return the names of all methods: built-in, then those of other packages (not imported)."""
    return (*METHODS, *plugins.offered("method", frozenset(METHODS)))


def method_class(name: str) -> type[Method]:
    """Return the class of a method, or raise a SettingError if it is unknown or cannot be used."""
    if name in METHODS:
        return METHODS[name]
    known = method_names()
    if name not in known:
        raise SettingError(
            f"method: {name!r} is unknown{did_you_mean(name, known)}; known are {', '.join(known)}"
        )
    return _checked(name, plugins.loaded("method", name))


def _checked(name: str, found: Any) -> type[Method]:
    """Return the object that another package offers, if it follows the contract of methods."""
    if inspect.isroutine(found):
        try:
            return method_of_function(found)
        except SettingError as error:
            raise plugins.refusal("method", name, str(error)) from error
    if not (isinstance(found, type) and _is_frozen(found) and _is_called(found)):
        raise plugins.refusal(
            "method",
            name,
            f"{found!r}; must be a function of Sources, or a frozen dataclass called with them",
        )
    without = [
        one.name
        for one in fields(found)
        if one.init and one.default is MISSING and one.default_factory is MISSING
    ]
    if without:
        raise plugins.refusal("method", name, f"{', '.join(without)} must have a default")
    return cast("type[Method]", found)


def _is_frozen(kind: Any) -> bool:
    return is_dataclass(kind) and cast(Any, kind).__dataclass_params__.frozen


def _is_called(kind: type) -> bool:
    """Return True if instances can be called; every class itself can."""
    return any("__call__" in vars(base) for base in kind.__mro__)
