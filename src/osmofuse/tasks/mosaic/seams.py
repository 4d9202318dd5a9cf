"""Steps along the seam of two panels that only touch.

The difference of two neighbouring pixels across a seam is that of the scene, different at each
place, and the mismatch of the panels, which varies slowly along the seam. The mismatch is its
robust local mean, interpolated linearly between nodes, shrunk to 0 where chance explains it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from osmofuse.filters import MAD
from osmofuse.typing import Array, FloatArray

_CELL = 16  # distance of nodes in pixels: 8..32 works
_ROUNDS = 8  # of reweighting
_LEAST_SCALE = 1e-3  # of differences, against an exact fit
_SIGNIFICANT = 4.0  # variances; a mismatch of as many is halved


class Hats:
    """Linear interpolation between nodes at multiples of `_CELL`, at points on the canvas."""

    def __init__(self, rows: Array, cols: Array) -> None:
        (i, y), (j, x) = (_split(points / _CELL) for points in (rows, cols))
        wide = int(j.max()) + 2
        corners = [(a, b) for a in (0, 1) for b in (0, 1)]
        self.nodes = [(i + a) * wide + j + b for a, b in corners]
        self.shares = [np.abs(1 - a - y) * np.abs(1 - b - x) for a, b in corners]
        self.count = int(self.nodes[-1].max()) + 1

    def gathered(self, values: FloatArray) -> FloatArray:
        """Return the sums of values at the nodes."""
        pairs = zip(self.nodes, self.shares, strict=True)
        return np.asarray(sum(np.bincount(n, s * values, self.count) for n, s in pairs))

    def spread(self, nodes: FloatArray) -> FloatArray:
        """Return values of nodes at the points."""
        pairs = zip(self.nodes, self.shares, strict=True)
        return np.asarray(sum(nodes[n] * s for n, s in pairs))


def mismatch(differences: FloatArray, rows: Array, cols: Array) -> FloatArray:
    """Return the mismatch at each pixel of a seam.

    Parameters
    ----------
    differences : array
        Difference of logarithms across the seam, second panel minus first.
    rows, cols : array of int
        Pixels on the first panel's side.
    """
    d, hats = differences.astype(np.float64), Hats(rows, cols)
    w, s = np.ones(len(d)), 1.0
    for _ in range(_ROUNDS):
        total = np.maximum(hats.gathered(w), 1e-9)
        nodes = hats.gathered(w * d) / total
        r = d - hats.spread(nodes)
        s = max(MAD * float(np.median(np.abs(r))), _LEAST_SCALE)
        w = 1.0 / np.square(1.0 + np.square(r / (2.0 * s)))
    square = np.square(nodes)
    return hats.spread(nodes * square / (square + _SIGNIFICANT * s * s / total))


def agreed(steps: Sequence[FloatArray]) -> FloatArray:
    """Return the smallest of mismatches found at several distances; 0 where their signs differ."""
    low, high = np.min(steps, axis=0), np.max(steps, axis=0)
    return np.asarray(np.where(low > 0.0, low, np.minimum(high, 0.0)))


def _split(points: FloatArray) -> tuple[Array, FloatArray]:
    """Return whole parts, from 0 for the least, and fractions."""
    whole = np.floor(points)
    return (whole - whole.min()).astype(np.intp), points - whole
