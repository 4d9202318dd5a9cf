"""The terms of the model: value, gradient, proximal map. No loops."""

from osmofuse.energies.huber import HuberTV
from osmofuse.energies.model import Edges, JointModel
from osmofuse.energies.osmosis import osmosis, osmosis_forward, osmosis_gradients
from osmofuse.energies.quadratic import Quadratic
from osmofuse.energies.tikhonov import Tikhonov

__all__ = [
    "Edges",
    "HuberTV",
    "JointModel",
    "Quadratic",
    "Tikhonov",
    "osmosis",
    "osmosis_forward",
    "osmosis_gradients",
]
