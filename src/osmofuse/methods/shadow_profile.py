r"""Drift of a shadow across its boundary.

A picture is the lit scene times the shadow, :math:`f = v\,s`. In the band of the boundary
:math:`\log s` rises from one side to the other. It is written as

.. math::

    \log s_c = J_c\, q(t), \qquad t \in [0, 1],

with the position t across the band, a jump :math:`J_c` for each channel, and a profile q
that rises monotonically from 0 to 1 and varies slowly along the band. In most places, pixels that
face each other across the band show the same ground; the jump is the robust mean of their
differences. The slope of the profile is the least-squares fit to the differences of :math:`\log f`
along :math:`\nabla t`, from all channels, within a Gaussian window. The drift of the lit scene is
that of f minus that of s, so the texture in the band remains.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import ndimage

from osmofuse.filters import gaussian
from osmofuse.maps.shadow_regions import ShadowRegions
from osmofuse.methods.region import Box
from osmofuse.typing import Array, BoolArray, FloatArray

STEPS = 10  # of the profile across the band; any of 5..20 works
WINDOW = 3.0  # deviation of the window along the band, in widths of the band; any of 1..6 works
_NO_ZERO = 1e-12
NEAR = 2.0  # deviation of the window on each side of the band, in pixels; any of 1..4 works
CUT = 3.0  # distance without weight, in medians; any of 2..5 works
ROUNDS = 10  # of the biweight; it has converged by then
TRUST = 0.05  # weight of the profile of the whole band, in windows; any of 0.01..0.3 works


@dataclass(frozen=True, eq=False)
class ShadowProfile:
    """Shadow across a band.

    Attributes
    ----------
    jump : array, (channels,)
        Logarithm of the light that is left, for each channel; positive under a spot of light.
    t : array, (rows, cols)
        Position across the band: 0 on the lit side, 1 on the other.
    slopes : array, (steps, cells)
        Slope dq/dt, piecewise linear in t, in each cell of a coarse grid.
    cell : array of int, (rows, cols)
        Cell of each pixel.
    """

    jump: FloatArray
    t: FloatArray
    slopes: FloatArray
    cell: Array

    def within(self, box: Box) -> ShadowProfile:
        """Return the profile in a part of the picture."""
        return replace(self, t=self.t[box], cell=self.cell[box])

    def drift(self, d: FloatArray, channel: int) -> FloatArray:
        """Return the drift d of a picture on edges, (2, rows, cols), without that of the shadow."""
        number = np.arange(self.t.size).reshape(self.t.shape)
        out = d.copy()
        for axis, part in ((0, number[:-1]), (1, number[:, :-1])):
            here = part.ravel()
            there = here + (self.t.shape[1] if axis == 0 else 1)
            across = self.t.ravel()[here] != self.t.ravel()[there]
            here, there = here[across], there[across]
            plane = out[axis].ravel()
            plane[here] = self.along(plane[here], here, there, channel)
        return out

    def along(self, d: FloatArray, here: Array, there: Array, channel: int) -> FloatArray:
        r"""Return a drift d between pixels without that of the shadow.

        Drifts are added as logarithms: :math:`\log(u_j / u_i) = 2 \operatorname{artanh}(d / 2)`.

        Parameters
        ----------
        d : array
            Drift between each pair of pixels.
        here, there : array of int
            Pixels in raster order.
        """
        t, cell = self.t.ravel(), self.cell.ravel()[here]
        low, share = _step_of(0.5 * (t[here] + t[there]))
        slope = (1.0 - share) * self.slopes[low, cell] + share * self.slopes[low + 1, cell]
        rise = self.jump[channel] * slope * (t[there] - t[here])
        return np.asarray(2.0 * np.tanh(np.arctanh(0.5 * d) - 0.5 * rise))


def shadow_profile(logarithms: FloatArray, regions: ShadowRegions) -> ShadowProfile:
    """Measure a shadow.

    Parameters
    ----------
    logarithms : array, (rows, cols, channels)
        Logarithm of the picture.
    regions : ShadowRegions
        The boundary and what is on both sides.
    """
    (away, lit), (into, changed) = (
        ndimage.distance_transform_edt(~x, return_indices=True)
        for x in (regions.lit, regions.changed)
    )
    t = away / (away + into)
    width = float(np.median((away + into)[regions.band]))
    across = regions.band & (away + into <= 2.0 * width)
    channels = range(logarithms.shape[2])
    one, other = (
        np.stack([_mean_near(logarithms[..., c], mask)[*place[:, across]] for c in channels], 1)
        for mask, place in ((regions.lit, lit), (regions.changed, changed))
    )
    jump = location(other - one)
    sigma = WINDOW * width
    factor = max(1, int(sigma / 4.0))
    rows, cols = (-(-n // factor) for n in t.shape)
    down, right = (np.arange(n) // factor for n in t.shape)
    cell = down[:, None] * cols + right
    grey = logarithms @ (jump / (jump @ jump))  # rises by 1 from the lit to the other side
    fit = _fit_of(grey, regions.band, t, cell, rows * cols)
    top, below = (x.reshape(STEPS, rows, cols) for x in fit)
    slopes = _smoothed(top, below, sigma / factor)
    return ShadowProfile(jump, t, slopes, cell)


def _mean_near(x: FloatArray, mask: BoolArray) -> FloatArray:
    """Return the mean of the pixels of a mask in a small window around each pixel."""
    weight = gaussian(mask.astype(np.float64), NEAR)
    return np.asarray(gaussian(np.where(mask, x, 0.0), NEAR) / np.maximum(weight, _NO_ZERO))


def location(x: FloatArray) -> FloatArray:
    """Return the place of most vectors of a set, by Tukey's biweight from the median.

    Parameters
    ----------
    x : array, (count, channels)
        Vectors; those far from most others have no weight.
    """
    middle = np.median(x, axis=0)
    for _ in range(ROUNDS):
        away = np.sqrt(np.sum((x - middle) ** 2, axis=1))
        scale = CUT * float(np.median(away)) + _NO_ZERO
        weight = np.maximum(1.0 - (away / scale) ** 2, 0.0) ** 2
        middle = weight @ x / weight.sum()
    return middle


def _step_of(t: FloatArray) -> tuple[Array, FloatArray]:
    """Return the step of the profile below a position, and the share of the next one."""
    position = np.clip(t * STEPS - 0.5, 0.0, STEPS - 1.0)
    low = np.minimum(position.astype(np.intp), STEPS - 2)
    return low, position - low


def _fit_of(
    grey: FloatArray, band: BoolArray, t: FloatArray, cell: Array, cells: int
) -> tuple[FloatArray, FloatArray]:
    """Return the sums of the fit of a slope in each step and cell, over the band's edges."""
    fit, weight = np.zeros((2, STEPS * cells))
    for axis in (0, 1):
        across, rise = np.diff(t, axis=axis), np.diff(grey, axis=axis)
        first = tuple(slice(n) for n in across.shape)
        used = band[first] & (across != 0.0)
        across, rise = across[used], rise[used]
        low, share = _step_of(t[first][used] + 0.5 * across)
        for step, part in ((low, 1.0 - share), (low + 1, share)):
            place = step * cells + cell[first][used]
            fit += np.bincount(place, part * rise * across, STEPS * cells)
            weight += np.bincount(place, part * across**2, STEPS * cells)
    return fit, weight


def _smoothed(fit: FloatArray, weight: FloatArray, sigma: float) -> FloatArray:
    """Return the slopes, fitted in a window around each cell; their mean over t is 1."""
    common = fit.sum(axis=(1, 2)) / np.maximum(weight.sum(axis=(1, 2)), _NO_ZERO)
    slopes = np.empty_like(fit)
    for k in range(STEPS):
        top, below = gaussian(fit[k], sigma), gaussian(weight[k], sigma)
        trust = TRUST * float(below.max()) + _NO_ZERO
        slopes[k] = np.maximum((top + trust * common[k]) / (below + trust), 0.0)
    total = slopes.mean(axis=0)
    slopes = np.where(total > _NO_ZERO, slopes / np.maximum(total, _NO_ZERO), 1.0)
    return slopes.reshape(STEPS, -1)
