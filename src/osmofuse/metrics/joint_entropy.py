"""Entropies of two planes and of both together, from histograms of 256 levels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from osmofuse.typing import Array, FloatArray

LEVELS = 256


class Entropies(NamedTuple):
    """Entropies in bits."""

    x: float
    y: float
    joint: float

    @property
    def mutual(self) -> float:
        """The mutual information, in bits; rounding does not make it negative."""
        return max(self.x + self.y - self.joint, 0.0)


def entropies(x: Array, y: Array) -> Entropies:
    """Return the entropies of two planes of levels from 0 to 255."""
    pairs = x.ravel().astype(np.int64) * LEVELS + y.ravel()
    joint = np.bincount(pairs, minlength=LEVELS * LEVELS).reshape(LEVELS, LEVELS)
    return Entropies(_bits(joint.sum(axis=1)), _bits(joint.sum(axis=0)), _bits(joint))


def stretched(plane: FloatArray) -> Array:
    """Return a plane stretched from its own least and greatest value to the levels 0 to 255.

    Rounded half up. A picture of 8 bits keeps its levels apart, so its entropy stays as it is;
    a finer one is counted in 256 levels of its own range. A flat plane is 0.
    """
    low, high = float(plane.min()), float(plane.max())
    if not high > low:
        return np.zeros(plane.shape, np.uint8)
    levels = np.floor((plane - low) / (high - low) * (LEVELS - 1) + 0.5)
    return np.asarray(levels, np.uint8)


def _bits(counts: Array) -> float:
    p = counts[counts > 0] / counts.sum()
    return float(-(p * np.log2(p)).sum()) + 0.0  # no negative zero
