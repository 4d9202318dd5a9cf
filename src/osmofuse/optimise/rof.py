r"""Proximal map of total variation: the model of Rudin, Osher and Fatemi.

.. math::

    \min_p \; \mathrm{TV}(p) + \frac{1}{2\tau} |p - q|^2, \qquad
    \mathrm{TV}(p) = \sum_i |(D p)_i| = \max_{|y_i| \le 1} \langle D^* y, p\rangle .

The solution is :math:`p = q - \tau D^* y`, where the field y minimises :math:`|q - \tau D^* y|`.
It is found by the accelerated projected gradient method (Beck and Teboulle 2009,
doi:10.1109/TIP.2009.2028250). With several channels :math:`|(D p)_i|` is the norm of the
differences of all channels together, so that channels share their edges.

:mod:`osmofuse.optimise.primal_dual` solves the same problem, and Huber's, to any accuracy. Here an
iteration is one pass over the planes in single precision, and large steps start on coarse grids.
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

BATCH = 20  # iterations between two evaluations of the gap
BLOCK_ROWS = 64  # rows of a block of the parallel pass; affects cost only
LEAST_STEP = 0.05  # smaller steps take few iterations on the fine grid, with white near 1
LEAST_SIDE = 16  # pixels; smaller grids are not halved


@dataclass(frozen=True, eq=False)
class DualField:
    r"""State of the method.

    Attributes
    ----------
    y : array of float32, (channels, 2, rows, cols)
        Dual field; :math:`|y_i| \le 1`.
    before : array
        Previous field, for the extrapolation.
    spare : array
        Memory for the next field; its content is arbitrary.
    iteration : int
        Number of iterations so far.
    error : float
        Bound of the root mean square of :math:`p - p^*` over pixels, from the gap.
    """

    y: FloatArray
    before: FloatArray
    spare: FloatArray
    iteration: int
    error: float

    @property
    def measure(self) -> float:
        """Bound of the error."""
        return self.error


def rof(
    q: FloatArray,
    tau: float,
    *,
    y0: FloatArray | None = None,
    accuracy: float = 1e-3,
    max_iter: int = 10_000,
    batch: int = BATCH,
    guard: Guard | None = None,
) -> Outcome[DualField]:
    r"""Return the field y for which :math:`q - \tau D^* y` is the proximal point of q.

    Parameters
    ----------
    q : array, (channels, rows, cols)
        Point; all channels are coupled.
    tau : float
        :math:`\tau > 0`.
    y0 : array of float32, (channels, 2, rows, cols), optional
        Warm start: the field of a neighbouring problem. Zero by default; not changed.
    accuracy : float
        Tolerance of the root mean square error of p over pixels. Stop when its bound is below
        this, or below rounding.
    max_iter : int
        Maximum number of iterations, rounded up to a multiple of `batch`.
    batch : int
        Iterations between two evaluations of the bound. Lower it if few iterations are enough.
    guard : Guard, optional
        Pulsed between batches of iterations.

    Returns
    -------
    Outcome
        Its ``state`` holds ``y``; the fields of earlier states are overwritten.

    Notes
    -----
    The gap :math:`\sum_i |(D p)_i| - \langle y_i, (D p)_i\rangle` between the primal and the dual
    value is a sum of nonnegative terms and bounds :math:`|p - p^*|^2 / 2\tau`. It falls with the
    square of the iterations, slower for larger :math:`\tau`, and fast from a good start. Rounding
    leaves an error of about :math:`10^{-3}\sqrt{\tau |q|}`.
    """
    # The mean does not change y; without it more digits are left for the rest.
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
        for k in range(s.iteration, s.iteration + batch):
            project(spare, y, before, scaled, single(k / (k + 3)))
            y, before, spare = spare, y, before
        return DualField(y, before, spare, s.iteration + batch, error_of(y, p))

    p = np.empty_like(scaled)
    start = DualField(y, y.copy(), np.zeros_like(y), 0, error_of(y, p))
    if start.error <= enough:
        return Outcome(start, Status.converged, 0)
    return iterate(
        step,
        start,
        stop=lambda _, __, s: Status.converged if s.error <= enough else None,
        max_iter=math.ceil(max_iter / batch),
        guard=guard,
    )


def rof_by_grids(
    q: FloatArray,
    tau: float,
    *,
    y0: FloatArray | None = None,
    accuracy: float = 1e-3,
    max_iter: int = 10_000,
    batch: int = BATCH,
    guard: Guard | None = None,
) -> Outcome[DualField]:
    r"""Return the result of `rof`, faster for a large step: warm starts from coarser grids.

    The parameters are those of `rof`. On a grid of half the size the same problem has the step
    :math:`\tau/2`, since an edge is half as long relative to the area that it bounds; it needs half
    as many iterations, each at a quarter of the cost. The correction found there is interpolated;
    the finest grid decides convergence.
    """
    how: dict[str, Any] = {"accuracy": accuracy, "max_iter": max_iter, "batch": batch}
    if tau > LEAST_STEP and min(q.shape[1:]) >= LEAST_SIDE:
        y = np.zeros((q.shape[0], 2, *q.shape[1:]), np.float32) if y0 is None else y0
        start = halved_field(y)
        coarse = rof_by_grids(halved(q), tau / 2.0, y0=start, **how, guard=guard)
        y0 = _projected(y + doubled_field(coarse.state.y - start, q.shape[1:]))
    return rof(q, tau, y0=y0, **how, guard=guard)


def halved(q: FloatArray) -> FloatArray:
    """Return the means of 2 × 2 blocks; an odd last row or column counts twice."""
    odd = [(0, 0), (0, q.shape[1] % 2), (0, q.shape[2] % 2)]
    q = np.pad(q, odd, mode="edge")
    rows = q[:, ::2] + q[:, 1::2]
    return np.asarray((rows[..., ::2] + rows[..., 1::2]) / 4)


def halved_field(y: FloatArray) -> FloatArray:
    """Return the means of a field over the edges between blocks."""
    down, right = np.split(np.pad(y, [(0, 0), (0, 0), *_odd(y)]), 2, axis=1)
    down, right = down[..., 1::2, :], right[..., 1::2]
    down = (down[..., ::2] + down[..., 1::2]) / 2
    right = (right[..., ::2, :] + right[..., 1::2, :]) / 2
    return _closed(np.concatenate([down, right], axis=1))


def doubled_field(y: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    """Return a field on a finer grid, interpolated linearly between edges.

    Its D* is constant on the four pixels of a block: half of that on the coarse grid.
    """
    fine = np.zeros((y.shape[0], 2, 2 * y.shape[2], 2 * y.shape[3]), y.dtype)
    down, right = np.repeat(y[:, 0], 2, axis=2), np.repeat(y[:, 1], 2, axis=1)
    fine[:, 0, 1::2] = down
    fine[:, 0, ::2] = down / 2
    fine[:, 0, 2::2] += down[:, :-1] / 2
    fine[:, 1, :, 1::2] = right
    fine[:, 1, :, ::2] = right / 2
    fine[:, 1, :, 2::2] += right[..., :-1] / 2
    return _closed(np.ascontiguousarray(fine[..., : shape[0], : shape[1]]))


def _odd(y: FloatArray) -> list[tuple[int, int]]:
    return [(0, y.shape[2] % 2), (0, y.shape[3] % 2)]


def _closed(y: FloatArray) -> FloatArray:
    """Return a field with zeros in its last row and column, which have no edges."""
    y[:, 0, -1] = 0.0
    y[:, 1, :, -1] = 0.0
    return y


def _projected(y: FloatArray) -> FloatArray:
    """Return a field projected on vectors of length at most 1, over all channels together."""
    return np.asarray(y / np.maximum(1.0, np.sqrt((y * y).sum(axis=(0, 1)))))


@pixel
def extrapolate(z: FloatArray, y: FloatArray, before: FloatArray, theta: float) -> None:
    """Set a row of z to y, extrapolated from the previous field."""
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

    z is y, extrapolated by theta from the previous field. Rows of z and p are computed when they
    are needed, so that the planes are read and written once.
    """
    channels, rows, cols = q.shape
    zero, one = q.dtype.type(0.0), q.dtype.type(1.0)
    for block in prange((rows + BLOCK_ROWS - 1) // BLOCK_ROWS):
        first, end = block * BLOCK_ROWS, min(block * BLOCK_ROWS + BLOCK_ROWS, rows)
        # Buffers of an even and an odd row.
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
            scale[:] = zero  # for row i - 1; the last row has no row below
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
            gap += np.sqrt(square[j]) - product[j]  # nonnegative
        total[i] = gap
    return total
