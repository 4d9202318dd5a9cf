r"""Common parts of the boundary metrics: scale, windows, and edges explained by the sources.

Samples are mapped to

.. math::

    \ell(x) = 2 \log\Big(1 + \frac{x}{\bar x}\Big),

with :math:`\bar x` the mean of the whole picture, so a gain has no effect. Near the mean, a
difference of l is the relative difference; in the dark, where a plain logarithm would amplify
invisible noise, it becomes the absolute difference. l minus its mean over the channels is the
logarithm of the geometric chromaticity :math:`z/\mathrm{GCM}(z)`, with :math:`\bar x` as offset.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from osmofuse.errors import MismatchError
from osmofuse.filters import gaussian
from osmofuse.metrics.grey_levels import check_sources
from osmofuse.metrics.windows import RADIUS, SIGMA
from osmofuse.typing import BoolArray, FloatArray

# Margin of the box around the boundary: the widest window, 5 blocks of 8 pixels.
MARGIN = 40

# Factor by which a jump may exceed that of a source, since two pictures of one object differ in
# contrast; 1.1..1.5 change scores by 0.02.
TOLERANCE = 1.25

# Weight of a window with hardly a pixel on one side; anything in 1e-7..1e-3 works.
LEAST_IN_WINDOW = 1e-4

Box = tuple[slice, slice]


def one_map(alpha: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    """Return alpha as one plane of float32, the mean over channels."""
    planes = np.asarray(alpha, np.float32)
    plane = planes.mean(axis=2) if planes.ndim == 3 else planes
    if plane.shape not in ((), shape[:2]):
        raise MismatchError(f"alpha: shape {planes.shape} does not fit fused, {shape}")
    return np.broadcast_to(plane, shape[:2])


def box_around(places: BoolArray) -> Box:
    """Return the bounding box of all True pixels, with a margin for the windows."""
    hits = [np.flatnonzero(places.any(axis=axis)) for axis in (1, 0)]
    rows, cols = (slice(max(int(n[0]) - MARGIN, 0), int(n[-1]) + MARGIN + 1) for n in hits)
    return rows, cols


def relative_log(picture: FloatArray, box: Box) -> FloatArray:
    """Return l of the picture inside the box, (rows, cols, channels), float32."""
    mean = float(np.maximum(picture, 0.0).mean())
    x = np.asarray(np.atleast_3d(picture)[box], np.float32)
    return np.asarray(2.0 * np.log1p(np.maximum(x, 0.0) / np.float32(mean if mean > 0 else 1.0)))


def checked_sources(sources: Sequence[FloatArray | None], fused: FloatArray) -> list[FloatArray]:
    """Return the sources that are not None, one band repeated; check that they fit."""
    check_sources(fused, *sources)
    shape = np.atleast_3d(fused).shape
    return [
        np.broadcast_to(np.atleast_3d(source), shape) for source in sources if source is not None
    ]


def unexplained(
    found: FloatArray, sources: Sequence[FloatArray], *, tolerance: float = TOLERANCE
) -> FloatArray:
    """Return the part of a jump that the jumps of the sources do not explain.

    Any value between the smallest and the largest of 0 and the sources' jumps is explained: a
    fusion may keep an edge of either source, or any part of it.
    """
    least = np.minimum.reduce([np.zeros_like(found), *sources]) * tolerance
    most = np.maximum.reduce([np.zeros_like(found), *sources]) * tolerance
    return np.asarray(found - np.clip(found, least, most))


def lightness_and_chroma(x: FloatArray) -> FloatArray:
    """Return the mean over the channels (last axis), and the channels' differences from it."""
    mean = x.mean(axis=-1, keepdims=True)
    return np.concatenate([mean, x - mean], axis=-1)


def blocks(x: FloatArray, side: int) -> FloatArray:
    """Return the sums over blocks of side × side pixels, zeros beyond the borders."""
    rows, cols = x.shape
    padded = np.pad(x, ((0, -rows % side), (0, -cols % side)))
    return np.asarray(padded.reshape(-(-rows // side), side, -1, side).sum(axis=(1, 3)))


def block_means(x: FloatArray, side: int) -> FloatArray:
    """Return the means over blocks of side × side pixels, smaller ones at the borders."""
    if side == 1:
        return x
    rows, cols = (np.minimum(side, n - np.arange(0, n, side)) for n in x.shape)
    return np.asarray(blocks(x, side) / np.multiply.outer(rows, cols).astype(np.float32))


def gradient(x: FloatArray) -> FloatArray:
    """Return the forward differences along rows and columns, (2, rows, cols), 0 at the end."""
    found = np.zeros((2, *x.shape), x.dtype)
    found[0, :-1] = np.diff(x, axis=0)
    found[1, :, :-1] = np.diff(x, axis=1)
    return found


def windowed(x: FloatArray, side: int = 1) -> FloatArray:
    """Return the sums in Gaussian windows around blocks of a side, up to a common factor.

    The window is that of the structural similarity, in pixels or blocks of pixels.
    """
    coarse = x if side == 1 else blocks(x, side)
    return gaussian(np.pad(coarse, RADIUS), SIGMA, radius=RADIUS)[RADIUS:-RADIUS, RADIUS:-RADIUS]
