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
