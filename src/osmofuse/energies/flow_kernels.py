r"""Passes of the gradient flow :math:`\partial_t u = -\partial_u E` over padded planes.

They compute the terms of :mod:`osmofuse.energies.model` together: one pass for an implicit step on
u, one for the energy and the linear system of v. The edges of that system are set by the
regulariser (:mod:`osmofuse.energies.regularisers`). Planes are padded
(:mod:`osmofuse.linalg.stencil`); u and v are zero in the frame.
"""

from __future__ import annotations

import numpy as np

from osmofuse.kernels import fast_kernel, prange
from osmofuse.typing import FloatArray

# A gamma this large holds u at f; the fidelity is then left out of the energy.
HELD_GAMMA = 1e8
TINY = 1e-30  # keeps 0 times a quotient in the frame at 0


@fast_kernel
def implicit_step(
    down: FloatArray,
    right: FloatArray,
    mass: FloatArray,
    inverse: FloatArray,
    b: FloatArray,
    u: FloatArray,
    v: FloatArray,
    f: FloatArray,
    alpha: FloatArray,
    gamma: float,
    rate: float,
    rows: int,
    cols: int,
) -> None:
    r"""Set the matrix of an implicit step and its right side, for the change of the ratio.

    With rate = :math:`1/\tau` the step to :math:`u + v\,\delta` solves

    .. math::  [(1/\tau + \gamma\alpha) v^2 + L_m]\, \delta = -v\, \partial_u E(u, v),

    where the edges of the right side are :math:`2 (u_i v_j - u_j v_i)/(v_i + v_j)`: small values
    come from differences, so single precision is enough for steps of any length.
    """
    one, two = v.dtype.type(1.0), v.dtype.type(2.0)
    for i in prange(1, rows + 1):
        for j in range(1, cols + 1):
            x, z = v[i, j], u[i, j]
            s1, s2 = two / (x + v[i - 1, j]), two / (x + v[i + 1, j])
            s3, s4 = two / (x + v[i, j - 1]), two / (x + v[i, j + 1])
            down[i, j] = s2 * x * v[i + 1, j]
            right[i, j] = s4 * x * v[i, j + 1]
            c = gamma * alpha[i, j]
            mass[i, j] = (rate + c) * x * x
            edges = s1 * v[i - 1, j] + s2 * v[i + 1, j] + s3 * v[i, j - 1] + s4 * v[i, j + 1]
            inverse[i, j] = one / ((rate + c) * x * x + x * edges)
            flux = s1 * (z * v[i - 1, j] - u[i - 1, j] * x)
            flux += s2 * (z * v[i + 1, j] - u[i + 1, j] * x)
            flux += s3 * (z * v[i, j - 1] - u[i, j - 1] * x)
            flux += s4 * (z * v[i, j + 1] - u[i, j + 1] * x)
            b[i, j] = c * x * (f[i, j] - z) - flux


@fast_kernel
def resting_system(
    mass: FloatArray,
    inverse: FloatArray,
    b: FloatArray,
    v: FloatArray,
    w: FloatArray,
    down: FloatArray,
    right: FloatArray,
    mu: float,
    rows: int,
    cols: int,
) -> FloatArray:
    r"""Set the system of a step on the structure without the osmosis term: mass mu, side mu w.

    Return the sums of :math:`\tfrac12 (v - w)^2` over each row.
    """
    half, zero, one = v.dtype.type(0.5), v.dtype.type(0.0), v.dtype.type(1.0)
    sums = np.zeros(rows, v.dtype)
    for i in prange(1, rows + 1):
        quadratic = zero
        for j in range(1, cols + 1):
            mass[i, j] = mu
            edges = down[i - 1, j] + down[i, j] + right[i, j - 1] + right[i, j]
            inverse[i, j] = one / (mu + edges)
            b[i, j] = mu * w[i, j]
            quadratic += half * (v[i, j] - w[i, j]) * (v[i, j] - w[i, j])
        sums[i - 1] = quadratic
    return sums


@fast_kernel
def structure_system(
    mass: FloatArray,
    inverse: FloatArray,
    b: FloatArray,
    u: FloatArray,
    v: FloatArray,
    data: tuple[FloatArray, ...],
    edges: tuple[FloatArray, ...],
    gamma: float,
    mu: float,
    rows: int,
    cols: int,
) -> FloatArray:
    r"""Set mass, inverse and right side of a step on the structure; return sums of each row.

    With the pull :math:`p = \partial_v O` and a stiffness s, the mass is :math:`\mu + s` and the
    side :math:`\mu w + s v - p`: a step down where s is not too small. The stiffness stands for the
    change of the pull with v: a diagonal within the spectrum of the Gauss-Newton matrix, three
    quarters of its row sums, with which rounds converge fastest; and what that matrix leaves out,
    which is large where ratios differ. The edges, down and right, are those of the regulariser;
    the data are f, alpha and w. The sums are the osmosis term, the fidelity of what is free, and
    :math:`\tfrac12 (v - w)^2`.
    """
    half, zero, held = v.dtype.type(0.5), v.dtype.type(0.0), v.dtype.type(HELD_GAMMA)
    one, three, tiny = v.dtype.type(1.0), v.dtype.type(3.0), v.dtype.type(TINY)
    most = v.dtype.type(1.5)
    (f, alpha, w), (down, right) = data, edges
    sums = np.zeros((3, rows), v.dtype)
    for i in prange(1, rows + 1):
        osmosis, fidelity, quadratic = zero, zero, zero
        for j in range(1, cols + 1):
            x, z = v[i, j], u[i, j]
            v1, v2, v3, v4 = v[i - 1, j], v[i + 1, j], v[i, j - 1], v[i, j + 1]
            u1, u2, u3, u4 = u[i - 1, j], u[i + 1, j], u[i, j - 1], u[i, j + 1]
            # 1 / (v_j (v_i + v_j)); u and v are 0 in the frame, and so are its products.
            p1, p2 = one / (v1 * (x + v1) + tiny), one / (v2 * (x + v2) + tiny)
            p3, p4 = one / (v3 * (x + v3) + tiny), one / (v4 * (x + v4) + tiny)
            t1, t2, t3, t4 = v1 * p1, v2 * p2, v3 * p3, v4 * p4
            # The share v_j / (v_i + v_j) of an edge, and times the difference of ratios.
            q1, q2, q3, q4 = t1 * v1, t2 * v2, t3 * v3, t4 * v4
            o = one / x
            s = z * o
            d1, d2, d3, d4 = q1 * s - t1 * u1, q2 * s - t2 * u2, q3 * s - t3 * u3, q4 * s - t4 * u4
            gu = d1 + d2 + d3 + d4
            gu += gu
            beyond = abs(u1) * p1 + abs(u2) * p2 + abs(u3) * p3 + abs(u4) * p4
            ahead = (q1 + q2 + q3 + q4) * abs(s)
            spread = abs(d1) + abs(d2) + abs(d3) + abs(d4)
            stiffness = abs(s) * (most * (o * ahead + beyond) + three * o * spread)
            pull = d1 * d1 + d2 * d2 + d3 * d3 + d4 * d4 - s * gu
            mass[i, j] = mu + stiffness
            nearby = down[i - 1, j] + down[i, j] + right[i, j - 1] + right[i, j]
            inverse[i, j] = one / (mu + stiffness + nearby)
            b[i, j] = mu * w[i, j] + stiffness * x - pull
            e, c = z - f[i, j], gamma * alpha[i, j]
            osmosis += half * (z - x) * gu  # the sum of v gu is 0: nothing large cancels
            fidelity += half * c * e * e if c < held else zero
            quadratic += half * (x - w[i, j]) * (x - w[i, j])
        sums[0, i - 1] = osmosis
        sums[1, i - 1] = fidelity
        sums[2, i - 1] = quadratic
    return sums
