"""Fusion methods, one file each, behind one contract."""

from osmofuse.methods.average import Average
from osmofuse.methods.contract import Fusion, Method, Sources
from osmofuse.methods.direct import DirectMatting
from osmofuse.methods.poisson import PoissonEditing
from osmofuse.methods.problem import energy
from osmofuse.methods.pyramid import LaplacianPyramid
from osmofuse.methods.variational import VariationalOsmosis

__all__ = [
    "METHODS",
    "Average",
    "DirectMatting",
    "Fusion",
    "LaplacianPyramid",
    "Method",
    "PoissonEditing",
    "Sources",
    "VariationalOsmosis",
    "energy",
]

METHODS: dict[str, type[Method]] = {
    "variational": VariationalOsmosis,
    "direct": DirectMatting,
    "average": Average,
    "pyramid": LaplacianPyramid,
    "poisson": PoissonEditing,
}
