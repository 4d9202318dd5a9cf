r"""The joint model on padded planes, fused into few passes over memory.

What :mod:`osmofuse.energies.model` says term by term is done here for the gradient flow
:math:`\partial_t u = -\partial_u E`: one pass each for the matrix of an implicit step, for its
right side, for the energy with both gradients, and for the matrix of the structure. Planes are
padded (:mod:`osmofuse.linalg.stencil`), v is zero in the frame, and ``a`` stands for
:math:`\gamma\alpha`.
"""

from __future__ import annotations

import numpy as np

from osmofuse.kernels import fast_kernel, prange
from osmofuse.typing import FloatArray

# A weight so large means that u is held at f; it adds nothing to the rate of descent.
HELD = 1e8


@fast_kernel
def implicit_matrix(
    down: FloatArray,
    right: FloatArray,
    mass: FloatArray,
    inverse: FloatArray,
    v: FloatArray,
    a: FloatArray,
    rate: float,
    rows: int,
    cols: int,
) -> None:
    r"""Set the matrix of an implicit step in r, :math:`(1/\tau + a) v^2 + L_m`, rate = 1/tau."""
    one, two = v.dtype.type(1.0), v.dtype.type(2.0)
    for i in prange(1, rows + 1):
        for j in range(1, cols + 1):
            x = v[i, j]
            above = two * x * v[i - 1, j] / (x + v[i - 1, j])
            below = two * x * v[i + 1, j] / (x + v[i + 1, j])
            left = two * x * v[i, j - 1] / (x + v[i, j - 1])
            beside = two * x * v[i, j + 1] / (x + v[i, j + 1])
            c = (rate + a[i, j]) * x * x
            down[i, j] = below
            right[i, j] = beside
            mass[i, j] = c
            inverse[i, j] = one / (c + above + below + left + beside)


@fast_kernel
def first_stage(
    r: FloatArray,
    b: FloatArray,
    u: FloatArray,
    v: FloatArray,
    a: FloatArray,
    f: FloatArray,
    rate: float,
    rows: int,
    cols: int,
) -> None:
    r"""Set the right side :math:`v (u/\tau + a f)` and the guess r = u/v."""
    for i in prange(1, rows + 1):
        for j in range(1, cols + 1):
            r[i, j] = u[i, j] / v[i, j]
            b[i, j] = v[i, j] * (rate * u[i, j] + a[i, j] * f[i, j])


@fast_kernel
def ratio(r: FloatArray, u: FloatArray, v: FloatArray, rows: int, cols: int) -> None:
    """Set r = u/v."""
    for i in prange(1, rows + 1):
        for j in range(1, cols + 1):
            r[i, j] = u[i, j] / v[i, j]


@fast_kernel
def second_stage(
    r: FloatArray,
    b: FloatArray,
    u1: FloatArray,
    u: FloatArray,
    v: FloatArray,
    weight: float,
    rows: int,
    cols: int,
) -> None:
    r"""Keep the first stage :math:`U_1 = r v`; prepare r and b for the second.

    The right side grows by weight :math:`v\,(U_1 - u)`; the guess is as much change again.
    """
    two = u.dtype.type(2.0)
    for i in prange(1, rows + 1):
        for j in range(1, cols + 1):
            x = v[i, j]
            first = x * r[i, j]
            u1[i, j] = first
            b[i, j] += weight * x * (first - u[i, j])
            r[i, j] = two * r[i, j] - u[i, j] / x


@fast_kernel
def measure(
    u: FloatArray,
    pull: FloatArray,
    stiffness: FloatArray,
    r: FloatArray,
    v: FloatArray,
    f: FloatArray,
    a: FloatArray,
    rows: int,
    cols: int,
) -> FloatArray:
    r"""Set u = r v, the pull :math:`\partial_v O` and its stiffness; return sums of each row.

    The stiffness bounds the change of the pull with v: the row sums of the Gauss-Newton matrix,
    and half as much again for what that leaves out. The sums are the osmosis term, the
    fidelity, and :math:`\sum (\partial_u E)^2` of what is free.
    """
    half, zero, held = v.dtype.type(0.5), v.dtype.type(0.0), v.dtype.type(HELD)
    one, three = v.dtype.type(1.0), v.dtype.type(3.0)
    sums = np.zeros((3, rows), v.dtype)
    for i in prange(1, rows + 1):
        osmosis, fidelity, square = zero, zero, zero
        for j in range(1, cols + 1):
            x, s = v[i, j], r[i, j]
            # v is 0 in the frame, and so is the share q of an edge into it.
            q1, q2 = v[i - 1, j] / (x + v[i - 1, j]), v[i + 1, j] / (x + v[i + 1, j])
            q3, q4 = v[i, j - 1] / (x + v[i, j - 1]), v[i, j + 1] / (x + v[i, j + 1])
            d1, d2 = q1 * (s - r[i - 1, j]), q2 * (s - r[i + 1, j])
            d3, d4 = q3 * (s - r[i, j - 1]), q4 * (s - r[i, j + 1])
            gu = d1 + d2 + d3 + d4
            gu += gu
            z = x * s
            u[i, j] = z
            # m r_j / v_j of an edge is 2 (1 - q) r_j times v_i / v_i: the frame needs no care.
            beyond = (one - q1) * abs(r[i - 1, j]) + (one - q2) * abs(r[i + 1, j])
            beyond += (one - q3) * abs(r[i, j - 1]) + (one - q4) * abs(r[i, j + 1])
            ahead = (q1 + q2 + q3 + q4) * abs(s)
            stiffness[i, j] = three * abs(s) / x * (ahead + beyond)
            pull[i, j] = d1 * d1 + d2 * d2 + d3 * d3 + d4 * d4 - s * gu
            e = z - f[i, j]
            free = a[i, j] < held
            ge = gu + a[i, j] * e if free else zero
            osmosis += half * (z - x) * gu  # the sum of v gu is 0: nothing large cancels
            fidelity += half * a[i, j] * e * e if free else zero
            square += ge * ge
        sums[0, i - 1] = osmosis
        sums[1, i - 1] = fidelity
        sums[2, i - 1] = square
    return sums


@fast_kernel
def lagged_matrix(
    down: FloatArray,
    right: FloatArray,
    mass: FloatArray,
    b: FloatArray,
    v: FloatArray,
    w: FloatArray,
    pull: FloatArray,
    stiffness: FloatArray,
    mu: float,
    eta: float,
    epsilon: float,
    rows: int,
    cols: int,
) -> FloatArray:
    r"""Set the matrix and the right side of a step on the structure.

    The edges are :math:`\eta / \max(|D v|, \varepsilon)`: Huber's problem with its diffusivity
    held still. With the stiffness s of the pull p, the mass is :math:`\mu + s` and the side
    :math:`\mu w + s v - p`: a step down where s is not too small. Return the sums over rows of
    :math:`\tfrac12 (v - w)^2` and :math:`H(|D v|)`.
    """
    half, zero, one = v.dtype.type(0.5), v.dtype.type(0.0), v.dtype.type(1.0)
    sums = np.zeros((2, rows), v.dtype)
    for i in prange(1, rows + 1):
        keep = one if i < rows else zero
        quadratic, huber = zero, zero
        for j in range(1, cols + 1):
            x = v[i, j]
            step = keep * (v[i + 1, j] - x)
            across = v[i, j + 1] - x if j < cols else zero
            t = np.sqrt(step * step + across * across)
            phi = eta / max(t, epsilon)
            down[i, j] = keep * phi
            right[i, j] = phi
            mass[i, j] = mu + stiffness[i, j]
            b[i, j] = mu * w[i, j] + stiffness[i, j] * x - pull[i, j]
            quadratic += half * (x - w[i, j]) * (x - w[i, j])
            huber += t - half * epsilon if t >= epsilon else half * t * t / epsilon
        right[i, cols] = zero
        sums[0, i - 1] = quadratic
        sums[1, i - 1] = huber
    return sums


@fast_kernel
def blend(
    u: FloatArray,
    u1: FloatArray,
    u2: FloatArray,
    c0: float,
    c1: float,
    c2: float,
    rows: int,
    cols: int,
) -> None:
    r"""Set u to :math:`c_0 u + c_1 U_1 + c_2 U_2`, a point of the dense output of a step."""
    for i in prange(1, rows + 1):
        for j in range(1, cols + 1):
            u[i, j] = c0 * u[i, j] + c1 * u1[i, j] + c2 * u2[i, j]
