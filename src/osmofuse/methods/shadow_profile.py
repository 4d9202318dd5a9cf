r"""Drift of a shadow across its boundary.

A picture is the lit scene times the shadow, :math:`f = v\,s`. In the band of the boundary
:math:`\log s` rises from one side to the other. It is written as

.. math::

    \log s_c = J_c\, q(t), \qquad t \in [0, 1],

with the position t across the band, a jump :math:`J_c` for each channel, and a profile q
that rises monotonically from 0 to 1 and varies slowly along the band. Pixels that face each other
across the band show the same ground, in most places; the jump is the robust mean of their
differences. The slope of the profile
is the least-squares fit to the differences of :math:`\log f` along :math:`\nabla t`, from
all channels, within a Gaussian window. The drift of the lit scene is that of f
less that of s; so the texture in the band remains.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import ndimage

from osmofuse.filters import gaussian
from osmofuse.maps.shadow_regions import ShadowRegions
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
    slope : array, (2, rows, cols)
        Differences of q along the edges to the lower and right neighbour.
    """

    jump: FloatArray
    slope: FloatArray

    def drift(self, d: FloatArray, channel: int) -> FloatArray:
        r"""Return the drift d of a picture without that of the shadow.

        Drifts are added as logarithms: an edge from i to j has
        :math:`\log(u_j / u_i) = 2 \operatorname{artanh}(d / 2)`.
        """
        band = self.slope != 0.0
        out = d.copy()
        out[band] = 2.0 * np.tanh(np.arctanh(0.5 * d[band]) - 0.5 * self.jump[channel] * self.slope[band])
        return out


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
    one, other = (
        np.stack([_mean_near(logarithms[..., c], mask)[*place[:, across]] for c in range(logarithms.shape[2])], axis=1)
        for mask, place in ((regions.lit, lit), (regions.changed, changed))
    )
    jump = location(other - one)
    return ShadowProfile(jump, _slopes(logarithms, regions.band, t, jump, width))


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


def _slopes(
    logarithms: FloatArray, band: BoolArray, t: FloatArray, jump: FloatArray, width: float
) -> FloatArray:
    """Return the differences of the profile along the edges that touch the band."""
    grey = logarithms @ (jump / (jump @ jump))  # rises by 1 from the lit to the other side
    edges = [_Edges.along(axis, band, t, grey) for axis in (0, 1)]
    every = _Edges(*(np.concatenate(parts) for parts in zip(*edges, strict=True)))
    profile = _local_profile(every, band.shape, WINDOW * width)
    out = np.zeros((2, *band.shape))
    begin = 0
    for axis, one in enumerate(edges):
        end = begin + one.place.size
        out[axis].ravel()[one.place] = profile[begin:end] * one.across
        begin = end
    return out


class _Edges(NamedTuple):
    """Edges that touch the band: first pixel, differences of t and of log f, and mean of t."""

    place: Array
    across: FloatArray
    rise: FloatArray
    t: FloatArray

    @classmethod
    def along(cls, axis: int, band: BoolArray, t: FloatArray, grey: FloatArray) -> _Edges:
        """Return the edges along an axis across which t changes."""
        here = [slice(None), slice(None)]
        there = [slice(None), slice(None)]
        here[axis], there[axis] = slice(None, -1), slice(1, None)
        one, other = tuple(here), tuple(there)
        across = t[other] - t[one]
        row, col = np.nonzero((band[one] | band[other]) & (across != 0.0))
        next_row, next_col = row + (axis == 0), col + (axis == 1)
        return cls(
            row * band.shape[1] + col,
            across[row, col],
            grey[next_row, next_col] - grey[row, col],
            0.5 * (t[row, col] + t[next_row, next_col]),
        )


def _local_profile(edges: _Edges, shape: tuple[int, ...], sigma: float) -> FloatArray:
    """Return the slope dq/dt at each edge, fitted within a window around it.

    The sums of the fit are collected on a grid as coarse as the window allows.
    """
    factor = max(1, int(sigma / 4.0))
    rows, cols = (-(-n // factor) for n in shape)
    place = (edges.place // shape[1] // factor) * cols + edges.place % shape[1] // factor
    position = np.clip(edges.t * STEPS - 0.5, 0.0, STEPS - 1.0)
    low = np.minimum(position.astype(np.intp), STEPS - 2)
    share = position - low
    fit, weight = np.zeros((2, STEPS, rows * cols))
    for step, part in ((low, 1.0 - share), (low + 1, share)):
        np.add.at(fit, (step, place), part * edges.rise * edges.across)
        np.add.at(weight, (step, place), part * edges.across**2)
    common = np.maximum(fit.sum(axis=1) / np.maximum(weight.sum(axis=1), _NO_ZERO), 0.0)
    profile = np.empty_like(fit)
    for k in range(STEPS):
        top, low_ = (
            gaussian(x[k].reshape(rows, cols), sigma / factor).ravel() for x in (fit, weight)
        )
        trust = TRUST * float(low_.max()) + _NO_ZERO
        profile[k] = np.maximum((top + trust * common[k]) / (low_ + trust), 0.0)
    total = profile.mean(axis=0)
    profile = np.where(total > _NO_ZERO, profile / np.maximum(total, _NO_ZERO), 1.0)
    return (1.0 - share) * profile[low, place] + share * profile[low + 1, place]
