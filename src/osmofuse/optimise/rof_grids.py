r"""The proximal map of total variation with a large step, from coarse grids to fine ones.

A field y changes over distances as large as what its step removes, and iterations on neighbours
take as many of them to say so. A grid of half the size needs half as many, each at a quarter of
the price. There the same problem has the step :math:`\tau/2`: an edge is half as long beside the
area that it bounds. What a coarse grid adds to the start on the next finer one is interpolated;
that is a guess, and the finest grid, which decides when it is done, corrects it.
"""

from __future__ import annotations

import numpy as np

from osmofuse.optimise.iterate import Outcome
from osmofuse.optimise.rof import DualField, rof
from osmofuse.progress import Guard
from osmofuse.typing import FloatArray

LEAST_STEP = 0.05  # with a smaller one iterations are few, as long as white is near 1
LEAST_SIDE = 16  # pixels; smaller grids are not halved


def rof_by_grids(
    q: FloatArray,
    tau: float,
    *,
    y0: FloatArray | None = None,
    accuracy: float = 1e-3,
    max_iter: int = 10_000,
    guard: Guard | None = None,
) -> Outcome[DualField]:
    """Find what `rof` finds, sooner where the step is large; the parameters are the same."""
    if tau > LEAST_STEP and min(q.shape[1:]) >= LEAST_SIDE:
        y = np.zeros((q.shape[0], 2, *q.shape[1:]), np.float32) if y0 is None else y0
        start = halved_field(y)
        coarse = rof_by_grids(
            halved(q), tau / 2.0, y0=start, accuracy=accuracy, max_iter=max_iter, guard=guard
        )
        y0 = _projected(y + doubled_field(coarse.state.y - start, q.shape[1:]))
    return rof(q, tau, y0=y0, accuracy=accuracy, max_iter=max_iter, guard=guard)


def halved(q: FloatArray) -> FloatArray:
    """Return the means of squares of four pixels; an odd row or column counts twice."""
    odd = [(0, 0), (0, q.shape[1] % 2), (0, q.shape[2] % 2)]
    q = np.pad(q, odd, mode="edge")
    rows = q[:, ::2] + q[:, 1::2]
    return np.asarray((rows[..., ::2] + rows[..., 1::2]) / 4)


def halved_field(y: FloatArray) -> FloatArray:
    """Return the means of a field over the edges between squares."""
    down, right = np.split(np.pad(y, [(0, 0), (0, 0), *_odd(y)]), 2, axis=1)
    down, right = down[..., 1::2, :], right[..., 1::2]
    down = (down[..., ::2] + down[..., 1::2]) / 2
    right = (right[..., ::2, :] + right[..., 1::2, :]) / 2
    return _closed(np.concatenate([down, right], axis=1))


def doubled_field(y: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    """Return a field on a finer grid, between two edges their mean.

    D* of it is the same on the four pixels of a square: half of that on the coarse grid.
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
    """Return a field with zeros in its last row and column, where no edges are."""
    y[:, 0, -1] = 0.0
    y[:, 1, :, -1] = 0.0
    return y


def _projected(y: FloatArray) -> FloatArray:
    """Return a field with no vector longer than 1, of all channels together."""
    return np.asarray(y / np.maximum(1.0, np.sqrt((y * y).sum(axis=(0, 1)))))
