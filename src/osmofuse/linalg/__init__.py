"""A x = b on grids: multigrid and Krylov methods. Knows stencils, not pictures."""

from osmofuse.linalg.krylov import Solution, bicgstab, flexible_cg
from osmofuse.linalg.multigrid import Hierarchy
from osmofuse.linalg.stencil import Stencil, inside, padded, padded_shape

__all__ = [
    "Hierarchy",
    "Solution",
    "Stencil",
    "bicgstab",
    "flexible_cg",
    "inside",
    "padded",
    "padded_shape",
]
