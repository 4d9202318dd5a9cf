"""Fusion methods, one file each, behind one contract."""

from osmofuse.methods.contract import Fusion, Method, Sources
from osmofuse.methods.linear_osmosis import LinearOsmosis
from osmofuse.methods.problem import energy
from osmofuse.methods.variational import VariationalOsmosis

__all__ = [
    "METHODS",
    "Fusion",
    "LinearOsmosis",
    "Method",
    "Sources",
    "VariationalOsmosis",
    "energy",
]

METHODS: dict[str, type[Method]] = {
    "variational": VariationalOsmosis,
    "linear-osmosis": LinearOsmosis,
}
