"""Linear maps on a grid, each with its adjoint and a norm bound."""

from osmofuse.operators.difference import ForwardDifference
from osmofuse.operators.diffusivity import edge_diffusivity
from osmofuse.operators.inner import inner
from osmofuse.operators.lattice import lattice_basis
from osmofuse.operators.lattice_edges import LatticeOsmosis
from osmofuse.operators.osmosis_edges import OsmosisEdges

__all__ = [
    "ForwardDifference",
    "LatticeOsmosis",
    "OsmosisEdges",
    "edge_diffusivity",
    "inner",
    "lattice_basis",
]
