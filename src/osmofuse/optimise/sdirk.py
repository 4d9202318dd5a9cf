r"""The L-stable SDIRK method of order 2, with an error estimate and dense output.

For :math:`\dot u = F(u)` and :math:`g = 1 - 1/\sqrt2`, a step of length h is

.. math::

    U_1 = u + g h F(U_1), \qquad
    U_2 = u + k (U_1 - u) + g h F(U_2), \qquad k = (1 - g)/g .

F is affine here, and symmetric in the inner product of pictures, so each of its modes can be
followed: one that decays as :math:`e^{-\lambda t}` is multiplied by
:math:`x = g\lambda h / (1 + g\lambda h)` in :math:`u - U_1`, and the stages hold

.. math::

    x^2 : \; e_2 = \tfrac1k \big[(U_2 - u) - (1 + k)(U_1 - u)\big], \qquad
    x (1 - x) : \; e_1 = (u - U_1) - e_2 .

**Error.** :math:`\langle e_1, e_2 \rangle` sums :math:`x^3 (1 - x)` over the modes: it is small
for slow modes, and for fast ones that the step ends, as the error of the step is. Its root times
:data:`SHARE` is at least that error for modes with :math:`\lambda h \le 2.5`; faster ones have
mostly died in the steps before.

**Dense output.** Between g h and h, u is on the line from :math:`U_1` to :math:`U_2`. That is of
order 2 only at its end, but ends fast modes at every point, which a parabola through u does not.

**Slope.** For the same reason :math:`(U_2 - U_1)/(h - gh)` says how fast u moves, where
:math:`F(U_2)` would be ruled by what is left of fast modes. Summed over a spectrum that falls as a
power of :math:`\lambda` (powers 1 to 2.5 were tried), its square is that of the exact flow at
:data:`MIDDLE` of the step, or at :data:`FIRST_MIDDLE` of the first one, to a few parts in a hundred
of the time.
"""

from __future__ import annotations

import math

import numpy as np

from osmofuse.kernels import fast_kernel, prange
from osmofuse.typing import FloatArray

G = 1.0 - 1.0 / math.sqrt(2.0)
K = (1.0 - G) / G
SHARE = 0.45
MIDDLE, FIRST_MIDDLE = 0.53, 0.4


@fast_kernel
def second_stage(
    delta: FloatArray,
    b: FloatArray,
    first: FloatArray,
    v: FloatArray,
    weight: float,
    rows: int,
    cols: int,
) -> None:
    r"""Keep the first stage, :math:`U_1 - u = v\,\delta`; prepare for the second.

    The right side grows by weight :math:`v\,(U_1 - u)`; the guess is twice the first change.
    """
    two = v.dtype.type(2.0)
    for i in prange(1, rows + 1):
        for j in range(1, cols + 1):
            change = v[i, j] * delta[i, j]
            first[i, j] = change
            b[i, j] += weight * v[i, j] * change
            delta[i, j] *= two


@fast_kernel
def end_step(
    end: FloatArray,
    delta: FloatArray,
    b: FloatArray,
    down: FloatArray,
    right: FloatArray,
    mass: FloatArray,
    first: FloatArray,
    u: FloatArray,
    v: FloatArray,
    k: float,
    rows: int,
    cols: int,
) -> FloatArray:
    r"""Set the end of a step, :math:`U_2 = u + v\,\delta`; return sums of each row.

    The sums are :math:`\langle e_1, e_2\rangle`, the squares of :math:`v (b - A\delta)/c`, which
    says how well the stage is solved (c the mass of A), and the squares of :math:`U_2 - U_1`.
    """
    zero, one = v.dtype.type(0.0), v.dtype.type(1.0)
    sums = np.zeros((3, rows), v.dtype)
    for i in prange(1, rows + 1):
        error, residual, slope = zero, zero, zero
        for j in range(1, cols + 1):
            s, c, d1 = delta[i, j], mass[i, j], first[i, j]
            left = b[i, j] - c * s
            left -= down[i - 1, j] * (s - delta[i - 1, j]) + down[i, j] * (s - delta[i + 1, j])
            left -= right[i, j - 1] * (s - delta[i, j - 1]) + right[i, j] * (s - delta[i, j + 1])
            left *= v[i, j] / c
            d2 = v[i, j] * s
            end[i, j] = u[i, j] + d2
            e2 = (d2 - (one + k) * d1) / k
            error -= (d1 + e2) * e2
            residual += left * left
            slope += (d2 - d1) * (d2 - d1)
        sums[0, i - 1] = error
        sums[1, i - 1] = residual
        sums[2, i - 1] = slope
    return sums


@fast_kernel
def blend(
    u: FloatArray, first: FloatArray, end: FloatArray, part: float, rows: int, cols: int
) -> None:
    r"""Set u to :math:`U_1 + p\,(U_2 - U_1)`, a point of the dense output of a step."""
    for i in prange(1, rows + 1):
        for j in range(1, cols + 1):
            start = u[i, j] + first[i, j]
            u[i, j] = start + part * (end[i, j] - start)


def dense_output(part: float) -> float:
    """Return how far between its stages a part of a step lies: 0 at g, 1 at its end."""
    return (part - G) / (1.0 - G)
