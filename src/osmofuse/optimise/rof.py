r"""The proximal map of total variation, fast: the model of Rudin, Osher and Fatemi.

.. math::

    \min_p \; \mathrm{TV}(p) + \frac{1}{2\tau} |p - q|^2, \qquad
    \mathrm{TV}(p) = \sum_i |(D p)_i| = \max_{|y_i| \le 1} \langle D^* y, p\rangle .

Its solution is :math:`p = q - \tau D^* y` with the field y that makes :math:`|q - \tau D^* y|`
smallest, which the accelerated projected gradient method finds (Beck and Teboulle 2009,
doi:10.1109/TIP.2009.2028250). With several channels the norm :math:`|(D p)_i|` is that of the
differences of all of them together: edges of one are edges of the others.

:mod:`osmofuse.optimise.primal_dual` solves the same, and Huber's, to any accuracy. Here one
pass over the planes makes an iteration, in single precision.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from osmofuse.kernels import kernel, pixel, prange
from osmofuse.optimise.iterate import Outcome, iterate
from osmofuse.progress import Guard, Status
from osmofuse.typing import FloatArray

BATCH = 20  # iterations between two looks at the gap
BLOCK = 64  # rows that a thread takes along at a time


@dataclass(frozen=True, eq=False)
class DualField:
    r"""A state of the method.

    Attributes
    ----------
    y : array of float32, (channels, 2, rows, cols)
        The field; :math:`|y_i| \le 1`.
    before : array
        The one before it, which an accelerated step looks at.
    spare : array
        Room for the next; what it holds is of no interest.
    iteration : int
        How many led here.
    error : float
        The root mean square of :math:`p - p^*` over pixels is no larger: the gap says so.
    """

    y: FloatArray
    before: FloatArray
    spare: FloatArray
    iteration: int
    error: float

    @property
    def measure(self) -> float:
        """The bound of the error."""
        return self.error


def rof(
    q: FloatArray,
    tau: float,
    *,
    y0: FloatArray | None = None,
    accuracy: float = 1e-3,
    max_iter: int = 10_000,
    guard: Guard | None = None,
) -> Outcome[DualField]:
    r"""Find the field y for which :math:`q - \tau D^* y` is the proximal point of q.

    Parameters
    ----------
    q : array, (channels, rows, cols)
        The point; all channels are coupled.
    tau : float
        :math:`\tau > 0`.
    y0 : array of float32, (channels, 2, rows, cols), optional
        Where to start: the field of a neighbouring problem, or zero. It is not changed.
    accuracy : float
        Stop when the root mean square error of p over pixels is surely below it, or cannot be
        told from rounding.
    max_iter : int
        Most iterations, to a multiple of `BATCH`.
    guard : Guard, optional
        To be pulsed between batches of iterations.

    Returns
    -------
    Outcome
        Its ``state`` holds ``y``; the fields of states before it are overwritten.

    Notes
    -----
    The gap :math:`\sum_i |(D p)_i| - \langle y_i, (D p)_i\rangle` between the primal and the dual
    value is a sum of terms that are not negative. It bounds :math:`|p - p^*|^2 / 2\tau`. It falls
    as the square of the iterations, slower the larger :math:`\tau` is, but fast from a good start.
    What rounding leaves of it is no reason to go on: about :math:`10^{-3}\sqrt{\tau |q|}`.
    """
    # A constant changes nothing, but for the digits that it would take.
    single: Any = np.float32
    scaled = ((q - q.mean(axis=(1, 2), keepdims=True)) / tau).astype(np.float32)
    rounding = tau * math.sqrt(8.0 * np.finfo(np.float32).eps * float(np.abs(scaled).max()))
    enough = max(accuracy, rounding)
    y = np.zeros((q.shape[0], 2, *q.shape[1:]), np.float32) if y0 is None else y0.copy()

    def error_of(y: FloatArray, p: FloatArray) -> float:
        set_primal(p, y, scaled)
        gap = float(gap_rows(p, y).sum(dtype=np.float64))
        return tau * math.sqrt(2.0 * max(gap, 0.0) / scaled[0].size)

    def step(s: DualField) -> DualField:
        y, before, spare = s.y, s.before, s.spare
        for k in range(s.iteration, s.iteration + BATCH):
            project(spare, y, before, scaled, single(k / (k + 3)))
            y, before, spare = spare, y, before
        return DualField(y, before, spare, s.iteration + BATCH, error_of(y, p))

    p = np.empty_like(scaled)
    start = DualField(y, y.copy(), np.zeros_like(y), 0, error_of(y, p))
    if start.error <= enough:
        return Outcome(start, Status.converged, 0)
    return iterate(
        step,
        start,
        stop=lambda _, __, s: Status.converged if s.error <= enough else None,
        max_iter=math.ceil(max_iter / BATCH),
        guard=guard,
    )


@pixel
def extrapolate(z: FloatArray, y: FloatArray, before: FloatArray, theta: float) -> None:
    """Set a row of z to y, extrapolated from the field before."""
    for j in range(len(z)):
        z[j] = y[j] + theta * (y[j] - before[j])


@pixel
def primal_row(
    p: FloatArray, q: FloatArray, above: FloatArray, down: FloatArray, right: FloatArray
) -> None:
    """Set a row of p = q - D* z."""
    p[0] = q[0] + down[0] - above[0] + right[0]
    for j in range(1, len(p)):
        p[j] = q[j] + down[j] - above[j] + right[j] - right[j - 1]


@pixel
def move_row(z: FloatArray, p: FloatArray, below: FloatArray, square: FloatArray) -> None:
    """Move a row of z by D p / 8, and add its squares to those of other channels."""
    share = p.dtype.type(0.125)
    down, right = z[0], z[1]
    for j in range(len(p)):
        down[j] += share * (below[j] - p[j])
    for j in range(len(p) - 1):
        right[j] += share * (p[j + 1] - p[j])
    for j in range(len(p)):
        square[j] += down[j] * down[j] + right[j] * right[j]


@kernel
def project(
    new: FloatArray, y: FloatArray, before: FloatArray, q: FloatArray, theta: float
) -> None:
    """Set new to the projection of z + D p / 8 on unit discs, with p = q - D* z.

    z is y, extrapolated by theta from the field before. Rows of z and p are made as they are
    needed, so that the planes are read and written once.
    """
    channels, rows, cols = q.shape
    zero, one = q.dtype.type(0.0), q.dtype.type(1.0)
    for block in prange((rows + BLOCK - 1) // BLOCK):
        first, end = block * BLOCK, min(block * BLOCK + BLOCK, rows)
        # Of even and of odd rows.
        z = np.zeros((2, channels, 2, cols), q.dtype)
        p = np.zeros((2, channels, cols), q.dtype)
        scale = np.zeros(cols, q.dtype)
        for i in range(max(first - 1, 0), end + 1):
            now, last = i % 2, 1 - i % 2
            for c in range(channels if i < rows else 0):
                extrapolate(z[now, c, 0], y[c, 0, i], before[c, 0, i], theta)
                extrapolate(z[now, c, 1], y[c, 1, i], before[c, 1, i], theta)
                primal_row(p[now, c], q[c, i], z[last, c, 0], z[now, c, 0], z[now, c, 1])
            if i <= first:
                continue
            scale[:] = zero  # of the row before this one; below the last there is no other
            for c in range(channels):
                move_row(z[last, c], p[last, c], p[now if i < rows else last, c], scale)
            for j in range(cols):
                scale[j] = one / max(one, np.sqrt(scale[j]))
            for c in range(channels):
                for axis in range(2):
                    to, moved = new[c, axis, i - 1], z[last, c, axis]
                    for j in range(cols):
                        to[j] = moved[j] * scale[j]


@kernel
def set_primal(p: FloatArray, y: FloatArray, q: FloatArray) -> None:
    """Set p = q - D* y, for a field that is zero in its last row and column."""
    channels, rows, cols = q.shape
    for i in prange(rows):
        for c in range(channels):
            down, right, point, centre = y[c, 0, i], y[c, 1, i], p[c, i], q[c, i]
            point[0] = centre[0] + down[0] + right[0]
            for j in range(1, cols):
                point[j] = centre[j] + down[j] + right[j] - right[j - 1]
            if i > 0:
                above = y[c, 0, i - 1]
                for j in range(cols):
                    point[j] -= above[j]


@kernel
def gap_rows(p: FloatArray, y: FloatArray) -> FloatArray:
    """Return the sum of |D p| - <y, D p> over each row."""
    channels, rows, cols = p.shape
    zero = p.dtype.type(0.0)
    total = np.zeros(rows, p.dtype)
    for i in prange(rows):
        square, product = np.zeros(cols, p.dtype), np.zeros(cols, p.dtype)
        for c in range(channels):
            point, down, right = p[c, i], y[c, 0, i], y[c, 1, i]
            if i < rows - 1:
                below = p[c, i + 1]
                for j in range(cols):
                    step = below[j] - point[j]
                    square[j] += step * step
                    product[j] += down[j] * step
            for j in range(cols - 1):
                step = point[j + 1] - point[j]
                square[j] += step * step
                product[j] += right[j] * step
        gap = zero
        for j in range(cols):
            gap += np.sqrt(square[j]) - product[j]  # not negative
        total[i] = gap
    return total
