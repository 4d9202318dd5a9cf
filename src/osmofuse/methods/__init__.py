"""Fusion methods, one file each, with one contract."""

from osmofuse.methods.anisotropic_osmosis import AnisotropicOsmosis
from osmofuse.methods.average import Average
from osmofuse.methods.catalogue import METHODS, method_class, method_names
from osmofuse.methods.contract import Fusion, Method
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

__all__ = [
    "METHODS",
    "AnisotropicOsmosis",
    "Average",
    "DirectMatting",
    "Fusion",
    "GuidedFilterFusion",
    "LaplacianPyramid",
    "LinearOsmosis",
    "Method",
    "NonlinearOsmosis",
    "PoissonEditing",
    "Sources",
    "SpectralTV",
    "StructureAwareFusion",
    "VariationalOsmosis",
    "energy",
    "method_class",
    "method_names",
]
