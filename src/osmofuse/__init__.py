"""Fuse two pictures by variational osmosis: the structure of one in the colours of the other.

>>> import numpy as np
>>> import osmofuse
>>> fusion = osmofuse.fuse(np.full((4, 4, 3), 0.5), np.full((4, 4), 0.5), alpha=0.5)
>>> fusion.image.shape
(4, 4, 3)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Where each public name lives. Loaded when first used: Numba, SciPy and libvips take long.
_HOMES = {
    "Alignment": "preparation.registration.align",
    "Average": "methods.average",
    "Comparison": "tasks.compare",
    "DirectMatting": "methods.direct",
    "Fusion": "methods.contract",
    "GuidedFilterFusion": "methods.guided_filter",
    "InputError": "errors",
    "LaplacianPyramid": "methods.pyramid",
    "LimitError": "errors",
    "MismatchError": "errors",
    "MissingExtraError": "errors",
    "OsmofuseError": "errors",
    "OutputError": "errors",
    "Picture": "picture",
    "LinearOsmosis": "methods.linear_osmosis",
    "PoissonEditing": "methods.poisson",
    "Prepared": "tasks.prepare",
    "Progress": "optimise.progress",
    "Recipe": "tasks.recipe",
    "Score": "metrics.score",
    "SettingError": "errors",
    "Sources": "methods.contract",
    "SpectralTV": "methods.spectral_tv",
    "Status": "optimise.progress",
    "Step": "optimise.progress",
    "StructureAwareFusion": "methods.structure_aware",
    "Trial": "tasks.sweep",
    "UnreadableError": "errors",
    "VariationalOsmosis": "methods.variational",
    "align": "preparation.registration.align",
    "compare": "tasks.compare",
    "energy": "methods.problem",
    "fuse": "tasks.fuse",
    "matte": "preparation.matting",
    "prepare": "tasks.prepare",
    "read": "io.reading",
    "recipe": "tasks.recipe",
    "recipes": "tasks.recipe",
    "score": "metrics.score",
    "soften": "preparation.alpha",
    "sweep": "tasks.sweep",
    "write": "io.writing",
}

if TYPE_CHECKING:
    from osmofuse import gallery, metrics, preparation, report, testing
    from osmofuse.errors import (
        InputError,
        LimitError,
        MismatchError,
        MissingExtraError,
        OsmofuseError,
        OutputError,
        SettingError,
        UnreadableError,
    )
    from osmofuse.io.reading import read
    from osmofuse.io.writing import write
    from osmofuse.methods.average import Average
    from osmofuse.methods.contract import Fusion, Sources
    from osmofuse.methods.direct import DirectMatting
    from osmofuse.methods.guided_filter import GuidedFilterFusion
    from osmofuse.methods.linear_osmosis import LinearOsmosis
    from osmofuse.methods.poisson import PoissonEditing
    from osmofuse.methods.problem import energy
    from osmofuse.methods.pyramid import LaplacianPyramid
    from osmofuse.methods.spectral_tv import SpectralTV
    from osmofuse.methods.structure_aware import StructureAwareFusion
    from osmofuse.methods.variational import VariationalOsmosis
    from osmofuse.metrics.score import Score, score
    from osmofuse.optimise.progress import Progress, Status, Step
    from osmofuse.picture import Picture
    from osmofuse.preparation.alpha import soften
    from osmofuse.preparation.matting import matte
    from osmofuse.preparation.registration.align import Alignment, align
    from osmofuse.tasks.compare import Comparison, compare
    from osmofuse.tasks.fuse import fuse
    from osmofuse.tasks.prepare import Prepared, prepare
    from osmofuse.tasks.recipe import Recipe, recipe, recipes
    from osmofuse.tasks.sweep import Trial, sweep

__all__ = [
    "Alignment",
    "Average",
    "Comparison",
    "DirectMatting",
    "Fusion",
    "GuidedFilterFusion",
    "InputError",
    "LaplacianPyramid",
    "LimitError",
    "LinearOsmosis",
    "MismatchError",
    "MissingExtraError",
    "OsmofuseError",
    "OutputError",
    "Picture",
    "PoissonEditing",
    "Prepared",
    "Progress",
    "Recipe",
    "Score",
    "SettingError",
    "Sources",
    "SpectralTV",
    "Status",
    "Step",
    "StructureAwareFusion",
    "Trial",
    "UnreadableError",
    "VariationalOsmosis",
    "align",
    "compare",
    "energy",
    "fuse",
    "gallery",
    "matte",
    "metrics",
    "preparation",
    "prepare",
    "read",
    "recipe",
    "recipes",
    "report",
    "score",
    "soften",
    "sweep",
    "testing",
    "write",
]


def __getattr__(name: str) -> Any:
    if name == "Picture":
        import_module("osmofuse.io.screen")  # draws pictures in notebooks
    if name in _HOMES:
        return getattr(import_module(f"osmofuse.{_HOMES[name]}"), name)
    if name in __all__:
        return import_module(f"osmofuse.{name}")
    raise AttributeError(f"module 'osmofuse' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
