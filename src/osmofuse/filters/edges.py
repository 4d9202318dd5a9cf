r"""Edges of a picture, one pixel thin (Canny 1986, doi:10.1109/TPAMI.1986.4767851).

The gradient of the picture smoothed by a Gaussian of :math:`\sigma` is :math:`g`; of several
channels it is that of the steepest. An edge is where :math:`|g|` is a maximum across the edge and
above a threshold, or above half of it and joined to such a place.
"""

from __future__ import annotations

import numpy as np

from osmofuse.filters.derivatives import derivatives
from osmofuse.typing import BoolArray, FloatArray

WEAK = 0.5  # second threshold, of the first; Canny recommends 1/3..1/2


def ridges(x: FloatArray, sigma: float = 1.0) -> FloatArray:
    """Return the strength of edges on their lines, 0 elsewhere.

    Parameters
    ----------
    x : array, (rows, cols) or (rows, cols, channels)
        Picture; beyond its border it is continued by its last pixels.
    sigma : float
        Standard deviation of the smoothing, in pixels.
    """
    planes = np.moveaxis(x.reshape(*x.shape[:2], -1), 2, 0)
    slopes = np.stack([derivatives(plane, sigma) for plane in planes], axis=1)
    best = np.argmax(np.square(slopes).sum(axis=0), axis=0)
    down, right = np.take_along_axis(slopes, best[None, None], 1)[:, 0]
    strength = np.hypot(down, right)
    return np.where(_is_crest(strength, down, right), strength, 0.0)


def edges(strength: FloatArray, threshold: float) -> BoolArray:
    """Return the lines of `ridges` above a threshold, and those joined to them above `WEAK`."""
    from scipy.ndimage import label

    parts, count = label(strength > WEAK * threshold, np.ones((3, 3)))
    strong = np.zeros(count + 1, bool)
    strong[np.unique(parts[strength > threshold])] = True
    strong[0] = False
    return np.asarray(strong[parts])


def _is_crest(strength: FloatArray, down: FloatArray, right: FloatArray) -> BoolArray:
    """Return True where the strength is a maximum along the gradient, to eighths of a turn."""
    around = np.pad(strength, 1)
    rows, cols = strength.shape
    eighth = np.round(np.arctan2(down, right) / (np.pi / 4)).astype(int) % 4
    crest = np.zeros(strength.shape, bool)
    for k, (i, j) in enumerate(((0, 1), (1, 1), (1, 0), (1, -1))):
        ahead = around[1 + i : 1 + i + rows, 1 + j : 1 + j + cols]
        behind = around[1 - i : 1 - i + rows, 1 - j : 1 - j + cols]
        crest |= (eighth == k) & (strength > behind) & (strength >= ahead)
    return crest
