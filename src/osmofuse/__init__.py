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
    "Fusion": "methods.contract",
    "InputError": "errors",
    "LimitError": "errors",
    "MismatchError": "errors",
    "MissingExtraError": "errors",
    "OsmofuseError": "errors",
    "OutputError": "errors",
    "Picture": "picture",
    "Progress": "optimise.progress",
    "Score": "metrics.score",
    "SettingError": "errors",
    "Sources": "methods.contract",
    "Status": "optimise.progress",
    "Step": "optimise.progress",
    "UnreadableError": "errors",
    "VariationalOsmosis": "methods.variational",
    "energy": "methods.problem",
    "fuse": "tasks.fuse",
    "read": "io",
    "score": "metrics.score",
    "soften": "preparation.alpha",
    "write": "io",
}

if TYPE_CHECKING:
    from osmofuse import gallery, metrics, testing
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
    from osmofuse.io import read, write
    from osmofuse.methods.contract import Fusion, Sources
    from osmofuse.methods.problem import energy
    from osmofuse.methods.variational import VariationalOsmosis
    from osmofuse.metrics.score import Score, score
    from osmofuse.optimise.progress import Progress, Status, Step
    from osmofuse.picture import Picture
    from osmofuse.preparation.alpha import soften
    from osmofuse.tasks.fuse import fuse

__all__ = [
    "Fusion",
    "InputError",
    "LimitError",
    "MismatchError",
    "MissingExtraError",
    "OsmofuseError",
    "OutputError",
    "Picture",
    "Progress",
    "Score",
    "SettingError",
    "Sources",
    "Status",
    "Step",
    "UnreadableError",
    "VariationalOsmosis",
    "energy",
    "fuse",
    "gallery",
    "metrics",
    "read",
    "score",
    "soften",
    "testing",
    "write",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"osmofuse.{_HOMES[name]}"), name)
    if name in __all__:
        return import_module(f"osmofuse.{name}")
    raise AttributeError(f"module 'osmofuse' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
