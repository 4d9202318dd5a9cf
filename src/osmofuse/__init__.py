"""Fuse two pictures by variational osmosis: the structure of one in the colours of the other.

>>> import numpy as np
>>> import osmofuse
>>> fusion = osmofuse.fuse(np.full((4, 4, 3), 0.5), np.full((4, 4), 0.5), alpha=0.5)
>>> fusion.image.shape
(4, 4, 3)
"""

import logging
from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# A program that uses the package chooses what is printed of its log.
logging.getLogger("osmofuse").addHandler(logging.NullHandler())

# Where each public name lives. Loaded when first used: Numba, SciPy and libvips take long.
_HOMES = {
    "AlignJob": "jobs.align",
    "Alignment": "registration.align",
    "AnisotropicOsmosis": "methods.anisotropic_osmosis",
    "Average": "methods.average",
    "BalanceJob": "jobs.balance",
    "Balanced": "tasks.balance",
    "CloneJob": "jobs.clone",
    "Cloned": "tasks.clone",
    "CompactJob": "jobs.compact",
    "Compacted": "tasks.compact",
    "CompareJob": "jobs.compare",
    "Comparison": "tasks.compare",
    "DirectMatting": "methods.direct",
    "Edited": "tasks.edited",
    "FuseJob": "jobs.fuse",
    "Fusion": "methods.contract",
    "GuidedFilterFusion": "methods.guided_filter",
    "InputError": "errors",
    "InputFile": "jobs.files",
    "Job": "jobs.job",
    "LaplacianPyramid": "methods.pyramid",
    "LimitError": "errors",
    "LinearOsmosis": "methods.linear_osmosis",
    "Matte": "maps.matting",
    "MatteJob": "jobs.matte",
    "MismatchError": "errors",
    "MissingExtraError": "errors",
    "Need": "jobs.need",
    "NonlinearOsmosis": "methods.nonlinear_osmosis",
    "OsmofuseError": "errors",
    "OutputError": "errors",
    "Picture": "picture",
    "PoissonEditing": "methods.poisson",
    "Prepared": "tasks.prepare",
    "Progress": "progress",
    "Recipe": "tasks.recipe",
    "Repetition": "jobs.job",
    "Result": "jobs.job",
    "Score": "metrics.score",
    "ScoreJob": "jobs.score",
    "SettingError": "errors",
    "ShadowJob": "jobs.shadow",
    "ShadowRemoval": "tasks.remove_shadow",
    "Sources": "methods.sources",
    "SpectralTV": "methods.spectral_tv",
    "Status": "progress",
    "Step": "progress",
    "StructureAwareFusion": "methods.structure_aware",
    "SweepJob": "jobs.sweep",
    "Trial": "tasks.sweep",
    "UnreadableError": "errors",
    "VariationalOsmosis": "methods.variational",
    "align": "registration.align",
    "balance": "tasks.balance",
    "clone": "tasks.clone",
    "compact": "tasks.compact",
    "compare": "tasks.compare",
    "energy": "methods.variational",
    "fuse": "tasks.fuse",
    "matte": "maps.matting",
    "prepare": "tasks.prepare",
    "read": "io.reading",
    "recipe": "tasks.recipe",
    "recipes": "tasks.recipe",
    "remove_shadow": "tasks.remove_shadow",
    "repeat": "jobs.repeat",
    "score": "metrics.score",
    "soften": "maps.alpha",
    "sweep": "tasks.sweep",
    "write": "io.writing",
}

if TYPE_CHECKING:
    from osmofuse import gallery, maps, metrics, registration, report, testing
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
    from osmofuse.jobs.align import AlignJob
    from osmofuse.jobs.balance import BalanceJob
    from osmofuse.jobs.clone import CloneJob
    from osmofuse.jobs.compact import CompactJob
    from osmofuse.jobs.compare import CompareJob
    from osmofuse.jobs.files import InputFile
    from osmofuse.jobs.fuse import FuseJob
    from osmofuse.jobs.job import Job, Repetition, Result
    from osmofuse.jobs.matte import MatteJob
    from osmofuse.jobs.need import Need
    from osmofuse.jobs.repeat import repeat
    from osmofuse.jobs.score import ScoreJob
    from osmofuse.jobs.shadow import ShadowJob
    from osmofuse.jobs.sweep import SweepJob
    from osmofuse.maps.alpha import soften
    from osmofuse.maps.matting import Matte, matte
    from osmofuse.methods.anisotropic_osmosis import AnisotropicOsmosis
    from osmofuse.methods.average import Average
    from osmofuse.methods.contract import Fusion
    from osmofuse.methods.direct import DirectMatting
    from osmofuse.methods.guided_filter import GuidedFilterFusion
    from osmofuse.methods.linear_osmosis import LinearOsmosis
    from osmofuse.methods.nonlinear_osmosis import NonlinearOsmosis
    from osmofuse.methods.poisson import PoissonEditing
    from osmofuse.methods.pyramid import LaplacianPyramid
    from osmofuse.methods.sources import Sources
    from osmofuse.methods.spectral_tv import SpectralTV
    from osmofuse.methods.structure_aware import StructureAwareFusion
    from osmofuse.methods.variational import VariationalOsmosis, energy
    from osmofuse.metrics.score import Score, score
    from osmofuse.picture import Picture
    from osmofuse.progress import Progress, Status, Step
    from osmofuse.registration.align import Alignment, align
    from osmofuse.tasks.balance import Balanced, balance
    from osmofuse.tasks.clone import Cloned, clone
    from osmofuse.tasks.compact import Compacted, compact
    from osmofuse.tasks.compare import Comparison, compare
    from osmofuse.tasks.edited import Edited
    from osmofuse.tasks.fuse import fuse
    from osmofuse.tasks.prepare import Prepared, prepare
    from osmofuse.tasks.recipe import Recipe, recipe, recipes
    from osmofuse.tasks.remove_shadow import ShadowRemoval, remove_shadow
    from osmofuse.tasks.sweep import Trial, sweep

__all__ = [
    "AlignJob",
    "Alignment",
    "AnisotropicOsmosis",
    "Average",
    "BalanceJob",
    "Balanced",
    "CloneJob",
    "Cloned",
    "CompactJob",
    "Compacted",
    "CompareJob",
    "Comparison",
    "DirectMatting",
    "Edited",
    "FuseJob",
    "Fusion",
    "GuidedFilterFusion",
    "InputError",
    "InputFile",
    "Job",
    "LaplacianPyramid",
    "LimitError",
    "LinearOsmosis",
    "Matte",
    "MatteJob",
    "MismatchError",
    "MissingExtraError",
    "Need",
    "NonlinearOsmosis",
    "OsmofuseError",
    "OutputError",
    "Picture",
    "PoissonEditing",
    "Prepared",
    "Progress",
    "Recipe",
    "Repetition",
    "Result",
    "Score",
    "ScoreJob",
    "SettingError",
    "ShadowJob",
    "ShadowRemoval",
    "Sources",
    "SpectralTV",
    "Status",
    "Step",
    "StructureAwareFusion",
    "SweepJob",
    "Trial",
    "UnreadableError",
    "VariationalOsmosis",
    "align",
    "balance",
    "clone",
    "compact",
    "compare",
    "energy",
    "fuse",
    "gallery",
    "maps",
    "matte",
    "metrics",
    "prepare",
    "read",
    "recipe",
    "recipes",
    "registration",
    "remove_shadow",
    "repeat",
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
