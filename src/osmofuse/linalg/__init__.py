"""Linear systems on grids: multigrid and Krylov methods for five-point stencils."""

from osmofuse.linalg.anisotropic_system import anisotropic_system
from osmofuse.linalg.drift_system import DriftSystem
from osmofuse.linalg.kinds import CLOSED, FREE, HELD
from osmofuse.linalg.krylov import Solution, bicgstab, flexible_cg
from osmofuse.linalg.multigrid import Hierarchy
from osmofuse.linalg.split_matrix import SplitMatrix
from osmofuse.linalg.stencil import Stencil, inside, padded, padded_shape
from osmofuse.linalg.transport import Transport

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
    "anisotropic_system",
    "bicgstab",
    "flexible_cg",
    "inside",
    "padded",
    "padded_shape",
]
