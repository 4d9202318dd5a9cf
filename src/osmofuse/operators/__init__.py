"""Linear maps on a grid, each with its adjoint and a norm bound."""

from osmofuse.operators.difference import ForwardDifference
from osmofuse.operators.inner import inner
from osmofuse.operators.osmosis_edges import OsmosisEdges

__all__ = ["ForwardDifference", "OsmosisEdges", "inner"]
