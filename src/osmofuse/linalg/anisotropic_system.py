r"""Linear systems of anisotropic osmosis: :math:`x - \tau A x = u`, and :math:`A x = 0`.

The matrix is that of `LatticeOsmosis`, the solver that of `DriftSystem`. The tensor is meant to
differ from the identity only in a band, such as the boundary of a shadow. Multigrid cycles of a
five-point matrix, whose edges have the band's conductance across it, precondition the whole. The
equations of the pixels that have links are then solved directly, with sparse LU factors.
"""

from __future__ import annotations

from osmofuse.linalg.drift_system import LARGEST_BAND, DriftSystem
from osmofuse.linalg.kinds import Kinds
from osmofuse.operators import LatticeOsmosis
from osmofuse.typing import BoolArray, FloatArray


def anisotropic_system(
    v: FloatArray,
    A: LatticeOsmosis,
    kind: Kinds,
    tau: float,
    *,
    still: BoolArray | None = None,
) -> DriftSystem:
    r"""Return the equations of anisotropic osmosis with the drift of one structure.

    Parameters
    ----------
    v : array, (rows, cols)
        Structure, positive: its drift is on all edges but those that touch `still`.
    A : LatticeOsmosis
        Matrix of the tensor field, from ``LatticeOsmosis.diffusion(W)``; its drift is not used.
        The channels of a picture can share it.
    kind : array of uint8, (rows, cols)
        `FREE` pixels are unknowns, `HELD` ones keep their values, and nothing flows to or from
        `CLOSED` ones.
    tau : float
        Step length; infinite for the stationary state.
    still : array of bool, (rows, cols), optional
        Pixels whose edges have no drift, such as a shadow's boundary.

    Returns
    -------
    DriftSystem
        Its ``solve(u, rtol=...)`` keeps mass where nothing is held, and positivity, for any step.

    Examples
    --------
    >>> import numpy as np
    >>> from osmofuse.linalg import FREE
    >>> v = np.random.default_rng(0).uniform(1, 2, (8, 9))
    >>> A = LatticeOsmosis.diffusion(np.stack([np.full((8, 9), x) for x in (0.6, 0.4, 0.5)]))
    >>> system = anisotropic_system(v, A, np.full((8, 9), FREE, np.uint8), np.inf)
    >>> x = system.solve(np.ones((8, 9)), rtol=1e-12).x
    >>> bool(abs(x - v / v.mean()).max() < 1e-9)
    True
    """
    A = A.with_structure(v)
    if still is not None:
        A = A.without(still)
    return system_of(A, v, kind, tau)


def system_of(A: LatticeOsmosis, w: FloatArray, kind: Kinds, tau: float) -> DriftSystem:
    """Return the equations of a matrix, given a structure w compatible with most of its drift."""
    count = A.links.pixel.size
    return DriftSystem(
        A.edges.drift,
        w,
        kind,
        tau,
        weight=A.edges.weight,
        links=A.links if count else None,
        stand_in=A.stand_in(narrow=count <= LARGEST_BAND) if count else None,
    )
