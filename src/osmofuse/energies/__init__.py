"""Terms of the model: value, gradient, proximal map. No iterations."""

from osmofuse.energies.model import Channel, Edges, JointModel
from osmofuse.energies.osmosis import osmosis, osmosis_forward, osmosis_gradients
from osmofuse.energies.quadratic import Quadratic
from osmofuse.energies.regularisers import HuberTV, Regulariser, Tikhonov

__all__ = [
    "Channel",
    "Edges",
    "HuberTV",
    "JointModel",
    "Quadratic",
    "Regulariser",
    "Tikhonov",
    "osmosis",
    "osmosis_forward",
    "osmosis_gradients",
]
