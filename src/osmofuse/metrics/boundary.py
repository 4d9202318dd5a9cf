r"""What the metrics of the fusion's boundary share: the measure, the windows, the excuse.

Samples are taken as

.. math::

    \ell(x) = 2 \log\Big(1 + \frac{x}{\bar x}\Big),

with :math:`\bar x` the mean of the whole picture. A gain of the picture changes nothing. Near the
mean a difference of l is the relative difference; in the dark, where a logarithm makes steps of
noise and the eye sees nothing, it goes to the plain one. l minus its mean over the channels is the
logarithm of the geometric chromaticity :math:`z/\mathrm{GCM}(z)`, the mean taking the part of
the offset.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from osmofuse.errors import MismatchError
from osmofuse.filters import gaussian
from osmofuse.pixels import bands_of
from osmofuse.typing import BoolArray, FloatArray

SIGMA, RADIUS = 1.5, 5  # the finest window, in pixels; coarser ones are of blocks of pixels
MARGIN = 40  # no window looks further

# What a source has across the boundary excuses as much in the fused picture, and a quarter more:
# contrasts of two pictures of one thing are never quite the same.
_TOLERANCE = 1.25

Box = tuple[slice, slice]


def one_map(alpha: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    """Return alpha as one plane of float32; of a map for each channel, the mean."""
    planes = np.asarray(alpha, np.float32)
    plane = planes.mean(axis=2) if planes.ndim == 3 else planes
    return np.broadcast_to(plane, shape[:2])


def box_around(places: BoolArray) -> Box:
    """Return the rectangle that holds all places that are True, with a margin for the windows."""
    first = []
    for axis in (0, 1):
        hits = np.flatnonzero(places.any(axis=1 - axis))
        first.append(slice(max(int(hits[0]) - MARGIN, 0), int(hits[-1]) + MARGIN + 1))
    return first[0], first[1]


def relative_log(picture: FloatArray, box: Box) -> FloatArray:
    """Return l of the picture inside the box, (rows, cols, channels), float32."""
    mean = float(np.maximum(picture, 0.0).mean())
    x = np.asarray(_with_bands(picture)[box], np.float32)
    return np.asarray(2.0 * np.log1p(np.maximum(x, 0.0) / np.float32(mean if mean > 0 else 1.0)))


def checked_sources(sources: Sequence[FloatArray | None], fused: FloatArray) -> list[FloatArray]:
    """Return the sources that are there, one band repeated; they must fit the fused picture."""
    given = [source for source in sources if source is not None]
    for source in given:
        if source.shape[:2] != fused.shape[:2] or bands_of(source) not in (1, bands_of(fused)):
            raise MismatchError(f"source: shape {source.shape} does not fit fused, {fused.shape}")
    return [np.broadcast_to(_with_bands(source), _with_bands(fused).shape) for source in given]


def _with_bands(picture: FloatArray) -> FloatArray:
    return picture if picture.ndim == 3 else picture[..., np.newaxis]


def unexcused(found: FloatArray, sources: Sequence[FloatArray]) -> FloatArray:
    """Return what is left of a jump when the jumps of the sources are taken for natural.

    Natural is what lies between the least and the largest of 0 and the sources' jumps: a
    fusion may keep an edge of either source, or any part of it.
    """
    least = np.minimum.reduce([np.zeros_like(found), *sources]) * _TOLERANCE
    most = np.maximum.reduce([np.zeros_like(found), *sources]) * _TOLERANCE
    return np.asarray(found - np.clip(found, least, most))


def lightness_and_chroma(x: FloatArray) -> FloatArray:
    """Return the mean over the channels (last axis), and the channels' differences from it."""
    mean = x.mean(axis=-1, keepdims=True)
    return np.concatenate([mean, x - mean], axis=-1)


def blocks(x: FloatArray, side: int) -> FloatArray:
    """Return the sums over blocks of side × side pixels; beyond the borders there is nothing."""
    rows, cols = x.shape
    padded = np.pad(x, ((0, -rows % side), (0, -cols % side)))
    return np.asarray(padded.reshape(-(-rows // side), side, -1, side).sum(axis=(1, 3)))


def windowed(x: FloatArray, side: int = 1) -> FloatArray:
    """Return the sums in Gaussian windows around blocks of a side, up to a common factor."""
    coarse = x if side == 1 else blocks(x, side)
    return gaussian(np.pad(coarse, RADIUS), SIGMA, radius=RADIUS)[RADIUS:-RADIUS, RADIUS:-RADIUS]
