r"""Chebyshev sweeps: what a few products with a matrix can do for an approximate solution.

The smoother of the multigrid is the Chebyshev iteration of the fourth kind on :math:`D^{-1} A`
(Lottes 2023, doi:10.1002/nla.2518), whose spectrum lies in [0, 2]:

.. math::

    p \leftarrow \tfrac{2k-3}{2k+1}\, p + \tfrac{8k-4}{2k+1}\, \tfrac12 D^{-1}(b - A x),
    \qquad x \leftarrow x + p, \qquad k = 1, 2, \dots
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from osmofuse.kernels import fast_kernel, prange
from osmofuse.linalg.stencil import Stencil
from osmofuse.typing import FloatArray

Schedule: TypeAlias = Sequence[tuple[float, float]]  # the momentum and the step of each sweep


def fourth_kind(degree: int) -> Schedule:
    """Return the Chebyshev sweeps of the fourth kind, which damp what a coarser grid cannot."""
    steps = [((2 * k - 3) / (2 * k + 1), (4 * k - 2) / (2 * k + 1)) for k in range(1, degree + 1)]
    return [(0.0, steps[0][1]), *steps[1:]]


def semi_iteration(rho: float, degree: int) -> Schedule:
    r"""Return the Chebyshev sweeps for a spectrum of :math:`D^{-1}A` in :math:`[1-\rho, 1+\rho]`.

    They damp every error: for a matrix whose mass is not small beside its edges.
    """
    schedule, omega = [(0.0, 1.0)], 2.0
    for _ in range(degree - 1):
        omega = 1.0 / (1.0 - 0.25 * rho * rho * omega)
        schedule.append((omega - 1.0, omega))
    return schedule


def sweep(
    s: Stencil, x: FloatArray, y: FloatArray, b: FloatArray, schedule: Schedule
) -> tuple[FloatArray, FloatArray]:
    """Return x after the sweeps of a schedule, and the other plane."""
    number: Any = x.dtype.type
    for momentum, step in schedule:
        chebyshev(y, x, b, s.down, s.right, s.inverse, number(momentum), number(step), *s.shape)
        x, y = y, x
    return x, y


@fast_kernel
def chebyshev(
    y: FloatArray,
    x: FloatArray,
    b: FloatArray,
    down: FloatArray,
    right: FloatArray,
    inverse: FloatArray,
    momentum: float,
    step: float,
    rows: int,
    cols: int,
) -> None:
    """Replace y, the iterate before x, by the one after it.

    The frame beside the last columns gets their values, for the interpolation.
    """
    for i in prange(1, rows + 1):
        for j in range(1, cols + 1):
            near = (
                down[i - 1, j] * x[i - 1, j]
                + down[i, j] * x[i + 1, j]
                + right[i, j - 1] * x[i, j - 1]
                + right[i, j] * x[i, j + 1]
            )
            z = inverse[i, j] * (b[i, j] + near) - x[i, j]
            y[i, j] = x[i, j] + momentum * (x[i, j] - y[i, j]) + step * z
        y[i, 0] = y[i, 1]
        y[i, cols + 1] = y[i, cols]
