"""Fusion methods, one file each, behind one contract."""

from osmofuse.methods.contract import Fusion, Method, Sources
from osmofuse.methods.guided_filter import GuidedFilterFusion
from osmofuse.methods.problem import energy
from osmofuse.methods.structure_aware import StructureAwareFusion
from osmofuse.methods.variational import VariationalOsmosis

__all__ = [
    "METHODS",
    "Fusion",
    "GuidedFilterFusion",
    "Method",
    "Sources",
    "StructureAwareFusion",
    "VariationalOsmosis",
    "energy",
]

METHODS: dict[str, type[Method]] = {
    "variational": VariationalOsmosis,
    "guided-filter": GuidedFilterFusion,
    "structure-aware": StructureAwareFusion,
}
