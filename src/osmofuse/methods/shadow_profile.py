r"""Drift of a shadow across its boundary.

A picture is the lit scene times the shadow, :math:`f = v\,s`. In the band of the boundary
:math:`\log s` rises from one side to the other. It is written as

.. math::

    \log s_c = J_c\, q(t), \qquad t \in [0, 1],

with the position t across the band, a jump :math:`J_c` for each channel, and a profile q
that rises monotonically from 0 to 1 and varies slowly along the band. The jump is that of
`osmofuse.methods.shadow_jump`. The slope of the profile is the least-squares fit to the differences
of :math:`\log f` along :math:`\nabla t`, from all channels, within a Gaussian window. The drift of
the lit scene is that of f minus that of s, so the texture in the band remains.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from osmofuse.filters import gaussian
from osmofuse.maps.shadow_regions import ShadowRegions
from osmofuse.methods.region import Box, box_around
from osmofuse.methods.shadow_jump import facing
from osmofuse.typing import Array, BoolArray, FloatArray

STEPS = 10  # of the profile across the band; any of 5..20 works
WINDOW = 3.0  # deviation of the window along the band, in widths of the band; any of 1..6 works
TRUST = 0.05  # weight of the profile of the whole band, in windows; any of 0.01..0.3 works
MARGIN = 5  # pixels around the boundary that are looked at
_NO_ZERO = 1e-12


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
        out = d.copy()
        for plane, (here, _, rise) in zip(out, self._edges, strict=True):
            edge = plane.ravel()
            edge[here] = _less(edge[here], self.jump[channel] * rise)
        return out

    def along(self, d: FloatArray, here: Array, there: Array, channel: int) -> FloatArray:
        """Return a drift d between pixels, given in raster order, without that of the shadow."""
        t, cell = self.t.ravel(), self.cell.ravel()[here]
        return _less(d, self.jump[channel] * (self._at(t[there], cell) - self._at(t[here], cell)))

    def gain(self, channel: int) -> FloatArray:
        """Return a guess of the factor that removes the shadow."""
        return np.asarray(np.exp(-self.jump[channel] * self._height))

    @cached_property
    def _height(self) -> FloatArray:
        """The profile q of each pixel, by the slopes of its cell."""
        q, inner = self.t.copy(), (self.t > 0.0) & (self.t < 1.0)
        q[inner] = self._at(self.t[inner], self.cell[inner])
        return q

    @cached_property
    def _totals(self) -> FloatArray:
        """Sums of the slopes below each step."""
        return np.append(np.zeros_like(self.slopes[:1]), np.cumsum(self.slopes, axis=0), axis=0)

    def _at(self, t: FloatArray, cell: Array) -> FloatArray:
        """Return the profile q at positions across the band, by the slopes of cells."""
        step = np.minimum((STEPS * t).astype(np.intp), STEPS - 1)
        within = (STEPS * t - step) * self.slopes[step, cell]
        return np.asarray((self._totals[step, cell] + within) / STEPS)

    def steepness(self, logarithms: FloatArray) -> FloatArray:
        """Return the steepness of a picture on the boundary, without that of the shadow."""
        squares = np.zeros(self.t.size)
        pixels = logarithms.reshape(self.t.size, -1)
        for here, there, rise in self._edges:
            left = pixels[there] - pixels[here] - rise[:, None] * self.jump
            squares[here] += np.einsum("ec,ec->e", left, left)
        return gaussian(np.sqrt(squares).reshape(self.t.shape), 1.0)

    @cached_property
    def _edges(self) -> tuple[tuple[Array, Array, FloatArray], ...]:
        """Ends of the edges across which t changes, in raster order, and the rise of q there."""
        rows, cols = self.t.shape
        found = []
        for axis, step in ((0, cols), (1, 1)):
            across = np.zeros((rows, cols), bool)
            across[: rows - 1 + axis, : cols - axis] = np.diff(self.t, axis=axis) != 0.0
            here = np.flatnonzero(across)
            found.append((here, here + step, self._rise(here, here + step)))
        return tuple(found)

    def _rise(self, here: Array, there: Array) -> FloatArray:
        """Return the rise of q between pixels in raster order."""
        t, cell = self.t.ravel(), self.cell.ravel()[here]
        low, share = _step_of(0.5 * (t[here] + t[there]))
        slope = (1.0 - share) * self.slopes[low, cell] + share * self.slopes[low + 1, cell]
        return np.asarray(slope * (t[there] - t[here]))


def _less(d: FloatArray, rise: FloatArray) -> FloatArray:
    r"""Return a drift less a rise of :math:`\log u = 2 \operatorname{artanh}(d / 2)`."""
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
    box = box_around([regions.band], margin=MARGIN)
    assert box is not None, "there is a boundary"
    part = _profile_of(logarithms[box], regions.within(box))
    t = regions.changed.astype(np.float64)
    cell = np.zeros(t.shape, np.intp)
    t[box], cell[box] = part.t, part.cell
    return replace(part, t=t, cell=cell)


def _profile_of(logarithms: FloatArray, regions: ShadowRegions) -> ShadowProfile:
    """Measure a shadow in the box around its boundary."""
    from scipy import ndimage

    (away, lit), (into, changed) = (
        ndimage.distance_transform_edt(~x, return_indices=True)
        for x in (regions.lit, regions.changed)
    )
    wide = away + into
    t = away / wide
    width = float(np.median(wide[regions.band]))
    pairs = facing(logarithms, regions, lit, changed, regions.band & (wide <= 2.0 * width))
    jump = pairs.jump()
    sigma = WINDOW * width
    factor = max(1, int(sigma / 4.0))
    rows, cols = (-(-n // factor) for n in t.shape)
    down, right = (np.arange(n) // factor for n in t.shape)
    cell = down[:, None] * cols + right
    grey = logarithms @ (jump / (jump @ jump))  # rises by 1 from the lit to the other side
    fit = _fit_of(grey, regions.band, t, cell, rows * cols)
    top, below = (x.reshape(STEPS, rows, cols) for x in fit)
    profile = ShadowProfile(jump, t, _smoothed(top, below, sigma / factor), cell)
    return replace(profile, jump=pairs.jump(profile.steepness(logarithms)))


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
