r"""L-stable SDIRK method of order 2, with an error estimate and dense output.

For :math:`\dot u = F(u)` and :math:`g = 1 - 1/\sqrt2`, a step of length h is

.. math::

    U_1 = u + g h F(U_1), \qquad
    U_2 = u + k (U_1 - u) + g h F(U_2), \qquad k = (1 - g)/g .

F is affine here, and symmetric in the inner product of pictures, so its modes can be treated one
by one: a mode that decays as :math:`e^{-\lambda t}` is multiplied by
:math:`x = g\lambda h / (1 + g\lambda h)` in :math:`u - U_1`, and the stages contain

.. math::

    x^2 : \; e_2 = \tfrac1k \big[(U_2 - u) - (1 + k)(U_1 - u)\big], \qquad
    x (1 - x) : \; e_1 = (u - U_1) - e_2 .

**Error.** :math:`\langle e_1, e_2 \rangle` sums :math:`x^3 (1 - x)` over the modes: it is small
for slow modes and for fast ones, which the step damps out, just as the error of the step is. Its
root times :data:`ERROR_FACTOR` is at least that error for modes with :math:`\lambda h \le 2.5`;
faster ones have mostly decayed in earlier steps.

**Dense output.** Between g h and h, u is on the line from :math:`U_1` to :math:`U_2`. That is of
order 2 only at its end, but damps fast modes at every point, which a parabola through u does not.

**Slope.** For the same reason :math:`(U_2 - U_1)/(h - gh)` estimates the speed of u;
:math:`F(U_2)` would be dominated by the rest of the fast modes. Summed over a spectrum that falls
as a power of :math:`\lambda` (powers 1 to 2.5 were tried), its square equals that of the exact flow
at the fraction :data:`MIDDLE` of the step, or :data:`FIRST_MIDDLE` of the first step, to a few per
cent of the time.
"""

from __future__ import annotations

import math

import numpy as np

from osmofuse.kernels import fast_kernel, prange, row_kernel
from osmofuse.linalg.grid_passes import clear, sum_blocks
from osmofuse.typing import FloatArray

G = 1.0 - 1.0 / math.sqrt(2.0)  # theorem: order 2 and L-stable for g**2 - 2 g + 1/2 = 0
K = (1.0 - G) / G
ERROR_FACTOR = 0.45  # computed: the estimate bounds the error of modes with lambda h <= 2.5
MIDDLE, FIRST_MIDDLE = 0.53, 0.4  # computed over power-law spectra, see Slope


@row_kernel
def second_row(
    first: FloatArray,
    b: FloatArray,
    twice: FloatArray,
    rest: FloatArray,
    above: FloatArray,
    delta: FloatArray,
    below: FloatArray,
    v: FloatArray,
    matrix: tuple[FloatArray, ...],
    weight: float,
    cols: int,
) -> None:
    """Do a row of `second_stage`, and set the residual of twice the change.

    The matrix is given as rows: edges from above, down and to the right, and mass.
    """
    over, down, right, mass = matrix
    two = v.dtype.type(2.0)
    for j in range(1, cols + 1):
        z = delta[j]
        change = v[j] * z
        side = b[j] + weight * v[j] * change
        first[j] = change
        b[j] = side
        twice[j] = two * z
        flux = over[j] * (above[j] - z) + down[j] * (below[j] - z)
        flux += right[j - 1] * (delta[j - 1] - z) + right[j] * (delta[j + 1] - z)
        rest[j] = side + two * (flux - mass[j] * z)


@fast_kernel
def second_stage(
    twice: FloatArray,
    coarse_b: FloatArray,
    first: FloatArray,
    b: FloatArray,
    delta: FloatArray,
    v: FloatArray,
    down: FloatArray,
    right: FloatArray,
    mass: FloatArray,
    weight: float,
    scratch: FloatArray,
    rows: int,
    cols: int,
) -> None:
    r"""Store the first stage, :math:`U_1 - u = v\,\delta`, and set up the second.

    Adds weight :math:`v\,(U_1 - u)` to the right-hand side. The initial guess is twice the first
    change; its residual is summed over blocks for the first coarse level.
    """
    half, strips = (rows + 1) // 2, scratch.shape[0]
    for s in prange(strips):
        one, two = scratch[s, 0], scratch[s, 1]
        clear(one)
        for k in range(s * half // strips + 1, (s + 1) * half // strips + 1):
            clear(two)
            for i in range(2 * k - 1, min(2 * k, rows) + 1):
                second_row(
                    first[i], b[i], twice[i], one if i % 2 else two,
                    delta[i - 1], delta[i], delta[i + 1], v[i],
                    (down[i - 1], down[i], right[i], mass[i]), weight, cols,
                )  # fmt: skip
            sum_blocks(coarse_b[k], one, two, (cols + 1) // 2)


@fast_kernel
def end_step(
    end: FloatArray,
    delta: FloatArray,
    b: FloatArray,
    down: FloatArray,
    right: FloatArray,
    mass: FloatArray,
    inverse: FloatArray,
    first: FloatArray,
    u: FloatArray,
    v: FloatArray,
    k: float,
    rows: int,
    cols: int,
) -> FloatArray:
    r"""Set the end of a step, :math:`U_2 = u + v\,\delta`; return sums of each row.

    The sums are :math:`\langle e_1, e_2\rangle`, the squares of :math:`v D^{-1} (b - A\delta)`
    with the diagonal D of A, the scaled residual of the stage, and those of :math:`U_2 - U_1`.
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
            left *= v[i, j] * inverse[i, j]
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
    end: FloatArray, u: FloatArray, first: FloatArray, part: float, rows: int, cols: int
) -> None:
    r"""Set the end to :math:`U_1 + p\,(U_2 - U_1)`, a point of the dense output of a step."""
    for i in prange(1, rows + 1):
        for j in range(1, cols + 1):
            start = u[i, j] + first[i, j]
            end[i, j] = start + part * (end[i, j] - start)


def dense_output(part: float) -> float:
    """Return the position of a fraction of a step between its stages: 0 at g, 1 at the end."""
    return (part - G) / (1.0 - G)
