r"""A pair in the logarithm, ready for comparison: brightness of either picture does not matter.

With white :math:`q`, the 99th percentile, :math:`Y` is the mean over channels of
:math:`\log(f_c + 0.05\,q_f)` and :math:`B = \log(b + 0.05\,q_b)`: a gain of b adds a constant.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from osmofuse.filters import smooth
from osmofuse.methods.sources import Sources
from osmofuse.typing import BoolArray, FloatArray

WHITE = 99.0  # percentile that stands for white: a few glints are not
SAMPLES = 200_000  # for percentiles: enough for an error of 0.1 % of a rank
LEAST_WHITE = 1e-6  # of a black picture
# A black region at the rim is no data if it is darker than this part of white and covers this
# share of the picture; its own rim of a few pixels is neither black nor data.
BLACK, LEAST_RIM, RIM_WIDTH = 0.02, 0.001, 2
FILL = 1 / 16  # deviation of the filling of what has no data, as a share of the side
# A dead pixel differs from the median around by 8 deviations (11.9 median distances), by 0.15
# of the logarithm at least, and more than its neighbours do.
DEAD, DEAD_LOG, DEAD_NEIGHBOURS = 11.9, 0.15, 8.0


@dataclass(frozen=True, eq=False)
class LogPair:
    """Logarithms of foreground and background, the white of f, and where b has data."""

    y: FloatArray
    b: FloatArray
    white: float
    valid: BoolArray

    @property
    def side(self) -> float:
        """Side of the square of the same area, in pixels."""
        return math.sqrt(self.y.size)


def log_pair(sources: Sources, background: int, offset: float) -> LogPair:
    """Return the logarithms of a foreground and one of its backgrounds."""
    white = foreground_white(sources)
    number = np.float32
    planes = (sources.image(0, c, number) for c in range(sources.channels))
    y = sum(np.log(x + number(offset * white)) for x in planes) / number(sources.channels)
    bands = 1 if sources.is_one_band(background) else sources.channels
    raw = sum(sources.image(background, c, number) for c in range(bands)) / number(bands)
    top = max(percentile(raw, WHITE), LEAST_WHITE)
    valid = ~rim(raw, BLACK * top) if sources.valid is None else sources.valid
    b = filled(np.log(raw + number(offset * top)), np.asarray(y), valid)
    return LogPair(np.asarray(y), without_dead_pixels(b), white, valid)


def foreground_white(sources: Sources) -> float:
    """Return the white of the foreground: that of its brightest channel."""
    channels = (sources.image(0, c, np.float32) for c in range(sources.channels))
    return max(LEAST_WHITE, *(percentile(x, WHITE) for x in channels))


def percentile(x: FloatArray, percent: float) -> float:
    """Return a percentile of a plane, of a regular sample of large ones."""
    flat = x.ravel()
    return float(np.percentile(flat[:: max(1, flat.size // SAMPLES)], percent))


def rim(b: FloatArray, level: float) -> BoolArray:
    """Return the mask of dark regions that touch the border of the picture."""
    dark = b < level
    if not (dark[0].any() or dark[-1].any() or dark[:, 0].any() or dark[:, -1].any()):
        return np.zeros(b.shape, bool)
    parts, _ = ndimage.label(dark)
    ends = np.unique(np.concatenate([parts[0], parts[-1], parts[:, 0], parts[:, -1]]))
    sizes = np.bincount(parts.ravel())
    large = [k for k in ends if k and sizes[k] > LEAST_RIM * b.size]
    found = np.isin(parts, large)
    return np.asarray(ndimage.binary_dilation(found, iterations=RIM_WIDTH)) if large else found


def filled(b: FloatArray, y: FloatArray, valid: BoolArray) -> FloatArray:
    """Return b, and y at b's level where b has no data, so that no edge arises there."""
    if valid.all():
        return b
    sigma, known = FILL * math.sqrt(b.size), valid.astype(b.dtype)
    level = smooth(known * (y - b), sigma) / np.maximum(smooth(known, sigma), 1e-6)
    return np.where(valid, b, y - level)


def without_dead_pixels(b: FloatArray) -> FloatArray:
    """Return b with isolated pixels far from their neighbours replaced by the median around."""
    median = ndimage.median_filter(b, 3)
    off = np.abs(b - median)
    dead = off > max(DEAD * percentile(off, 50.0), DEAD_LOG)
    if not dead.any():
        return b
    dead &= off > DEAD_NEIGHBOURS * ndimage.median_filter(off, 5) + DEAD_LOG
    alone = ndimage.uniform_filter(dead.astype(np.float32), 3) < 1.5 / 9
    return np.where(dead & alone, median, b)
