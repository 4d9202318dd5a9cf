r"""Detail inside a boundary that the sources do not explain: blurred, or noisy.

In bands of octaves, the second differences d of the lightness inside (:math:`\alpha < 0.5`) are
compared with those of a source at the same place, in Gaussian windows on the boundary:

.. math::

    k = \min\Big(1, \; \tau \frac{\overline{d_u d_s}}{\overline{d_s d_s}}, \;
        \tau \sqrt{\frac{\overline{d_s d_s}}{\overline{d_u d_u}}} \Big).

The first ratio is the gain by which the source's detail is found again, as in a modulation transfer
function: blur lowers it from the finest band on, whatever the scene and its contrast. The second
is small for detail that comes from no source. The tolerance :math:`\tau` is 1.5.

The result is :math:`1 - k`, its mean over the bands that have any detail, for the source that
explains most. As much detail as outside the boundary is no seam either: the outside is one of the
sources, with only the amounts compared, and the only one if none is given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from osmofuse.metrics.boundary import LEAST_IN_WINDOW, block_means, blocks, windowed
from osmofuse.typing import Array, BoolArray, FloatArray

# Sides of blocks; with 8, correlations change by 0.02, but distant edges count.
_DETAIL_BANDS = 1, 2, 4
_WINDOW_BLOCK = 8  # side of the blocks of the windows, so that their sigma is 12 pixels
_FLAT = 0.02  # second difference that counts as none; 0.01..0.04 change correlations by 0.01
_FEW_BANDS = 0.2  # added to the number of bands with detail; anything in 0.05..1 works
# Factor by which detail may differ from that of a source; 1.25..1.5 change correlations by 0.03.
_DETAIL_TOLERANCE = 1.5


def unexplained_detail(
    fused: FloatArray,
    sources: Sequence[FloatArray],
    factors: Sequence[FloatArray],
    inside: BoolArray,
    places: tuple[Array, ...],
) -> FloatArray:
    """Return the part of the detail that is lost or added, 0 to 1, at each place.

    Parameters
    ----------
    fused, sources : array, (rows, cols, channels)
        Pictures on the scale of `relative_log`.
    factors : sequence of array
        Factor at each place that adjusts a source to the brightness of the fused picture.
    inside : array, (rows, cols)
        Changed part of the picture.
    places : tuple of two arrays
        Rows and columns of the pixels on the boundary.
    """
    lightness = [planes.mean(axis=-1) for planes in (fused, *sources)]
    bands = [_band(lightness, factors, inside, places, side) for side in _DETAIL_BANDS]
    changed, weight = (sum(part) for part in zip(*bands, strict=True))
    return np.asarray((changed / (weight + _FEW_BANDS)).min(axis=0))


def _band(
    lightness: Sequence[FloatArray],
    factors: Sequence[FloatArray],
    inside: BoolArray,
    places: tuple[Array, ...],
    side: int,
) -> tuple[FloatArray, FloatArray]:
    """Return the weighted 1 - k of one band, and the weight, (sources, places), outside first."""
    within, outside = (_windows(mask, places, side) for mask in (inside, ~inside))
    fused, *sources = (_second_differences(block_means(x, side)) for x in lightness)
    amount, around = within(fused * fused), outside(fused * fused)
    squares, products = [around], [np.sqrt(amount * around)]
    for factor, source in zip(factors, sources, strict=True):
        squares.append(factor**2 * within(source * source))
        products.append(factor * within(fused * source))
    expected = np.stack(squares)
    kept = np.minimum(_ratio(np.stack(products), expected), np.sqrt(_ratio(expected, amount)))
    larger = np.maximum(expected, amount)
    known = within(np.ones(())) * (1.0 if sources else outside(np.ones(())))
    weight = known * larger / (larger + _FLAT**2)
    return weight * (1.0 - np.clip(_DETAIL_TOLERANCE * kept, 0.0, 1.0)), weight


def _windows(
    mask: BoolArray, places: tuple[Array, ...], side: int
) -> Callable[[FloatArray], FloatArray]:
    """Return a function that averages over the masked part around the places, 0 where it is not."""
    rows, cols = (n // _WINDOW_BLOCK for n in places)
    part = block_means(mask.astype(np.float32), side)
    weight = np.zeros((2, *part.shape), np.float32)
    weight[0, 1:-1] = part[2:] * part[1:-1] * part[:-2]
    weight[1, :, 1:-1] = part[:, 2:] * part[:, 1:-1] * part[:, :-2]

    def total(x: FloatArray) -> FloatArray:
        return np.asarray(windowed(blocks(x.sum(axis=0), _WINDOW_BLOCK // side))[rows, cols])

    count = np.maximum(total(weight), LEAST_IN_WINDOW)
    return lambda x: total(weight * x) / count


def _second_differences(x: FloatArray) -> FloatArray:
    """Return the second differences along rows and columns, (2, rows, cols), 0 at the borders."""
    found = np.zeros((2, *x.shape), x.dtype)
    found[0, 1:-1] = np.diff(x, 2, axis=0)
    found[1, :, 1:-1] = np.diff(x, 2, axis=1)
    return found


def _ratio(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return x / y, or 1 where y is 0."""
    return np.divide(x, y, out=np.ones_like(x), where=y > 0)
