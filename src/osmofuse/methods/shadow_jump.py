r"""Part of the light that a shadow leaves, from pixels that face each other across its boundary.

In most places both sides of the boundary show the same ground. There the difference of
:math:`\log f` between the two sides is the jump :math:`J_c` of the shadow; where a joint or
another ground lies between them it is not. A pair counts less the steeper the picture is between
its ends, apart from the shadow itself; the jump is the robust mean of the others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from osmofuse.maps.shadow_regions import ShadowRegions
from osmofuse.typing import Array, BoolArray, FloatArray

NEAR = 2.0  # deviation of the window on each side of the band, in pixels; any of 1..4 works
RADIUS = 4  # of that window
PAIRS = 20_000  # at most; neighbouring pairs tell nearly the same
STATIONS = 17  # between the ends of a pair, where the picture is looked at
STEEP = 1.75  # steepness without weight, in medians; any of 1.2..2 works
CUT = 3.0  # distance without weight, in medians; any of 2..5 works
ROUNDS = 10  # of the biweight; it has converged by then
_NO_ZERO = 1e-12


@dataclass(frozen=True, eq=False)
class Facing:
    """Pairs of pixels that face each other across a boundary.

    Attributes
    ----------
    lit, changed : array of int, (2, pairs)
        Rows and columns of the ends, on the lit and on the other side.
    rise : array, (pairs, channels)
        Change of the logarithm from the lit end to the other, in small windows.
    """

    lit: Array
    changed: Array
    rise: FloatArray

    def jump(self, steepness: FloatArray | None = None) -> FloatArray:
        """Return the jump of each channel.

        Parameters
        ----------
        steepness : array, (rows, cols), optional
            Steepness of the picture without the shadow.
        """
        if steepness is None:
            return location(self.rise)
        steepest = np.zeros(len(self.rise))
        for share in np.linspace(0.0, 1.0, STATIONS):
            place = np.rint(self.lit + share * (self.changed - self.lit)).astype(np.intp)
            np.maximum(steepest, steepness[*place], out=steepest)
        return location(self.rise, _biweight(steepest, STEEP * float(np.median(steepest))))


def facing(
    logarithms: FloatArray, regions: ShadowRegions, lit: Array, changed: Array, used: BoolArray
) -> Facing:
    """Return the pairs whose ends are the pixels nearest to those of the boundary.

    Parameters
    ----------
    logarithms : array, (rows, cols, channels)
        Logarithm of the picture.
    regions : ShadowRegions
        The regions on both sides.
    lit, changed : array of int, (2, rows, cols)
        The nearest pixel of each region.
    used : array of bool, (rows, cols)
        Pixels of the boundary that are used.
    """
    places = np.flatnonzero(used)
    places = places[:: -(-len(places) // PAIRS)]
    one, other = (nearest.reshape(2, -1)[:, places] for nearest in (lit, changed))
    rise = _mean_near(logarithms, regions.changed, other) - _mean_near(logarithms, regions.lit, one)
    return Facing(one, other, rise)


def _mean_near(x: FloatArray, mask: BoolArray, places: Array) -> FloatArray:
    """Return the mean of the pixels of a mask in a small window around each place."""
    rows, cols, channels = x.shape
    where, back = np.unique(places[0] * cols + places[1], return_inverse=True)
    total, weight = np.zeros((len(where), channels)), np.zeros((len(where), 1))
    reach = range(-RADIUS, RADIUS + 1)
    for down, right in ((i, j) for i in reach for j in reach):
        i = np.clip(where // cols + down, 0, rows - 1)
        j = np.clip(where % cols + right, 0, cols - 1)
        w = mask[i, j, None] * np.exp(-0.5 * (down**2 + right**2) / NEAR**2)
        total += w * x[i, j]
        weight += w
    return np.asarray((total / np.maximum(weight, _NO_ZERO))[back])


def location(x: FloatArray, weight: FloatArray | None = None) -> FloatArray:
    """Return the place of most vectors of a set, by Tukey's biweight from the median.

    Parameters
    ----------
    x : array, (count, channels)
        Vectors; those far from most others have no weight.
    weight : array, (count,), optional
        Weight of each vector; 1 by default.
    """
    own = np.ones(len(x)) if weight is None else weight
    most = own >= 0.25 * own.max()
    middle = np.median(x[most], axis=0)
    for _ in range(ROUNDS):
        away = np.sqrt(np.sum((x - middle) ** 2, axis=1))
        now = own * _biweight(away, CUT * float(np.median(away[most])))
        middle = now @ x / now.sum()
    return np.asarray(middle)


def _biweight(x: FloatArray, end: float) -> FloatArray:
    """Return weights that fall from 1 at 0 to 0 at the end."""
    return np.asarray(np.maximum(1.0 - (x / (end + _NO_ZERO)) ** 2, 0.0) ** 2)
