"""Band that covers the penumbra, from a mask of the shadow."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from osmofuse.errors import InputError
from osmofuse.filters import robust_deviation
from osmofuse.typing import BoolArray, FloatArray

FARTHEST = 24  # pixels from the edge of the mask where a penumbra is sought
LEAST_HALF = 2.0  # pixels from the edge that the band covers on each side at least
FULL_LIGHT = 0.1  # part of the jump that may be left where the band ends; any of 0.05..0.2 works


def band_of_mask(
    logarithms: FloatArray, shadow: BoolArray, width: float | None = None
) -> FloatArray:
    """Return a band around the edge of a mask: 1 in the band, else 0.

    Parameters
    ----------
    logarithms : array, (rows, cols, channels)
        Logarithm of the picture.
    shadow : array of bool, (rows, cols)
        Rough mask of the shadow.
    width : float, optional
        Width of the band in pixels; by default that of the penumbra, and of the errors of
        the mask: from where the median brightness along the edge leaves that of one side
        to where it reaches that of the other.
    """
    from scipy import ndimage

    if not shadow.any() or shadow.all():
        raise InputError(
            "boundary: a mask of the shadow must be black in the shadow, white elsewhere"
        )
    depth = ndimage.distance_transform_edt(shadow) - ndimage.distance_transform_edt(~shadow)
    depth -= np.where(shadow, 0.5, -0.5)  # 0 at the edge of the mask
    out, into = (0.5 * width,) * 2 if width is not None else penumbra(logarithms, depth)
    return np.asarray((depth >= -out) & (depth <= into), np.float64)


def penumbra(logarithms: FloatArray, depth: FloatArray) -> tuple[float, float]:
    """Return how far a penumbra reaches out of a mask and into it, in pixels.

    Parameters
    ----------
    depth : array, (rows, cols)
        Distance from the edge of the mask, positive inside.
    """
    grey = logarithms.mean(axis=2)
    near = np.abs(depth) <= FARTHEST
    bins = np.floor(depth[near]).astype(np.intp) + FARTHEST
    order = np.argsort(bins, kind="stable")
    values, ends = grey[near][order], np.searchsorted(bins[order], np.arange(2 * FARTHEST + 1))
    medians = np.array([np.median(values[a:b]) if b > a else np.nan for a, b in pairwise(ends)])
    outside, inside = medians[:FARTHEST][::-1], medians[FARTHEST:]
    (lit, lit_spread), (dark, dark_spread) = _far(outside), _far(inside)
    least = FULL_LIGHT * abs(float(dark[0] - lit[0]))
    out = _first_within(np.abs(outside - lit), max(least, 2.0 * lit_spread))
    into = _first_within(np.abs(inside - dark), max(least, 2.0 * dark_spread))
    return out, into


def _far(side: FloatArray) -> tuple[FloatArray, float]:
    """Return the line of brightness beyond a penumbra, extended to the edge, and the deviation."""
    distance = np.arange(len(side))
    far = np.isfinite(side) & (distance >= FARTHEST // 3)
    if np.count_nonzero(far) < FARTHEST // 3:
        values = side[far] if far.any() else side[np.isfinite(side)][-1:]
        return np.full(len(side), np.median(values)), 0.0
    slope, begin = np.polyfit(distance[far], side[far], 1)
    line = begin + slope * distance
    return line, float(robust_deviation((side - line)[far]))


def _first_within(x: FloatArray, least: float) -> float:
    """Return the distance at which a decreasing series falls below a bound."""
    found = np.flatnonzero(~(x > least))
    first = float(found[0]) if found.size else FARTHEST / 2.0
    return max(first + 1.0, LEAST_HALF)
