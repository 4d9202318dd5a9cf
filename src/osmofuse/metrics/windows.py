"""Sums over strips of rows, and means in Gaussian windows that fit into a plane."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from osmofuse.filters import Moments, gaussian, gaussian_moments
from osmofuse.metrics.grey_levels import clear_rounding
from osmofuse.typing import FloatArray

SIGMA, RADIUS = 1.5, 5  # window of the structural similarity (Wang et al. 2004)

# Pixels of a strip: several planes of this size fit into a cache. Anything in 1e4..1e6 works.
PIXELS = 1 << 16


def sum_over_strips(
    local: Callable[..., FloatArray], *planes: FloatArray, reach: int = 0
) -> FloatArray:
    """Return the sums over all pixels of maps that depend on a neighbourhood only.

    `local` takes strips of the planes and returns one map or several, (..., rows, cols). The strips
    have `reach` more rows on each side, except at the borders of the planes: the distance over
    which a map depends on them. Working strip by strip needs no temporary copies of planes.
    """
    rows, cols = planes[0].shape
    total = np.zeros(())
    for start, stop in strips(rows, cols):
        first, last = max(start - reach, 0), min(stop + reach, rows)
        maps = local(*(plane[first:last] for plane in planes))
        total = total + maps[..., start - first : stop - first, :].sum(axis=(-2, -1))
    return np.asarray(total)


def strips(rows: int, cols: int) -> Iterator[tuple[int, int]]:
    """Yield the first row of each strip and the row after its last."""
    step = max(PIXELS // cols, 1)
    for start in range(0, rows, step):
        yield start, min(start + step, rows)


def local_moments(x: FloatArray, y: FloatArray, sigma: float, radius: int) -> Moments:
    """Return `gaussian_moments` of two planes, only where the window of that radius fits.

    Variances that rounding can explain are 0.
    """
    moments = gaussian_moments(x, y, sigma, radius=radius)
    fitting = Moments(*(_inside(plane, radius) for plane in moments))
    clear_rounding(fitting.var_x, x)
    clear_rounding(fitting.var_y, y)
    return fitting


def window_mean(x: FloatArray, sigma: float, radius: int) -> FloatArray:
    """Return the mean of a plane in a Gaussian window, only where the window fits."""
    return _inside(gaussian(x, sigma, radius=radius), radius)


def _inside(x: FloatArray, radius: int) -> FloatArray:
    rows, cols = x.shape
    return x[radius : rows - radius, radius : cols - radius]
