"""Linear systems on grids: multigrid and Krylov methods for five-point stencils."""

from osmofuse.linalg.drift_system import DriftSystem
from osmofuse.linalg.krylov import Solution, bicgstab, flexible_cg
from osmofuse.linalg.multigrid import Hierarchy
from osmofuse.linalg.split_matrix import SplitMatrix
from osmofuse.linalg.stencil import Stencil, inside, padded, padded_shape
from osmofuse.linalg.transport import CLOSED, FREE, HELD, Transport

__all__ = [
    "CLOSED",
    "FREE",
    "HELD",
    "DriftSystem",
    "Hierarchy",
    "Solution",
    "SplitMatrix",
    "Stencil",
    "Transport",
    "bicgstab",
    "flexible_cg",
    "inside",
    "padded",
    "padded_shape",
]
