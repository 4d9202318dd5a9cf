r"""Structure score: share of the background's structure that was transferred.

The chromaticity error is 0 for the unchanged foreground; this score is its counterpart. It uses
pixels with :math:`\alpha < 1`, with weights :math:`1 - \alpha`. Around each pixel, in a Gaussian
window with those weights, it computes the correlation

.. math::

    \rho(u) = \frac{\operatorname{cov}(u, b)}{\sigma_u \sigma_b}

of fused picture and background in a channel, and 0 where the fused picture is flat. The agreement
:math:`A(u)` is the mean of :math:`\rho(u)` with weights :math:`(1 - \alpha)\,\sigma_b^2`, over
the channels in which the background has structure. The score is the increase of the agreement
from that of the foreground, relative to the largest possible one:

.. math::

    \mathrm{structure}(u) = \frac{A(u) - A(f)}{1 - A(f)} .

Reasons for this definition:

- A correlation does not change with gain or offset of either picture; in windows, gain and offset
  may also vary slowly. Colours are left to the chromaticity error.
- The sign is kept: inverted structure is not the background's, and chance correlations cancel.
- The background's variance as weight selects its edges and texture, and excludes flat regions,
  which contain noise only.
- Two pictures of one object are correlated already: visible and infrared pictures of a page to
  about 0.7. So the foreground is the zero of the scale. 1 is the background's structure unchanged;
  values below 0 mean that common structure was lost.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from osmofuse.errors import InputError
from osmofuse.filters import gaussian
from osmofuse.metrics.grey_levels import rounding_in
from osmofuse.metrics.metric import Metric
from osmofuse.metrics.windows import RADIUS, SIGMA, sum_over_strips
from osmofuse.pixels import bands_of, plane_of
from osmofuse.typing import FloatArray

# Smallest 1 - A(f) for a score; below it only rounding to 8 bits separates f from b.
_LEAST_MISSING = 0.01


def structure_score(
    fused: FloatArray, foreground: FloatArray, background: FloatArray, alpha: FloatArray
) -> float:
    """Return the share of the background's structure that was transferred: 0 none, 1 all.

    Parameters
    ----------
    fused, foreground : array, (rows, cols) or (rows, cols, channels)
        On any scale.
    background : array
        Background of the same size, with as many channels or one band.
    alpha : array
        Number, map, or map for each channel; 1 where the foreground is kept.

    Notes
    -----
    There is no value (an InputError) if alpha is 1 everywhere, the background is flat where it is
    below 1, or the foreground has the background's structure already.
    """
    before = _agreement(foreground, background, alpha)
    if not 1.0 - before > _LEAST_MISSING:
        raise InputError(
            "foreground: has the background's structure already; there is none to transfer"
        )
    return (_agreement(fused, background, alpha) - before) / (1.0 - before)


def structure_map(fused: FloatArray, background: FloatArray, alpha: FloatArray) -> FloatArray:
    """Return the local correlation of fused picture and background.

    Parameters
    ----------
    fused, background, alpha
        As for `structure_score`.

    Returns
    -------
    array, the shape of `fused`
        1 where the structure is the background's, -1 where it is inverted, 0 where the two are
        unrelated, either picture is flat, or alpha is 1 in the whole window.
    """
    planes = [
        _correlation(*planes, floors)[0] for planes, floors in _channels(fused, background, alpha)
    ]
    return np.stack(planes, axis=-1).reshape(fused.shape)


def _agreement(picture: FloatArray, background: FloatArray, alpha: FloatArray) -> float:
    """Return the mean correlation of a picture with the background."""
    means = []
    for planes, floors in _channels(picture, background, alpha):
        local = partial(_weighted, floors=floors)
        agreed, total = sum_over_strips(local, *planes, reach=RADIUS)
        if total > 0:
            means.append(float(agreed / total))
    if means:
        return float(np.mean(means))
    if not np.min(alpha) < 1:
        raise InputError("alpha: 1 everywhere; there is no structure to transfer")
    raise InputError("background: no structure where alpha is below 1")


def _channels(
    picture: FloatArray, background: FloatArray, alpha: FloatArray
) -> Iterator[tuple[tuple[FloatArray, FloatArray, FloatArray], tuple[float, float]]]:
    """Yield for each channel picture and background, centred, and the weight 1 - alpha.

    Also yield the two standard deviations that rounding can explain.
    """
    alpha = np.asarray(alpha, np.float64)
    for c in range(bands_of(picture)):
        x, y = (np.asarray(plane_of(z, c), np.float64) for z in (picture, background))
        weight = np.broadcast_to(1.0 - (plane_of(alpha, c) if alpha.ndim else alpha), x.shape)
        counts = weight > 0
        floors = rounding_in(x[counts]), rounding_in(y[counts])
        yield (_centred(x, weight), _centred(y, weight), weight), floors


def _centred(x: FloatArray, weight: FloatArray) -> FloatArray:
    """Return a plane minus its mean: variances are small differences of squares."""
    total = float(weight.sum())
    return x - float((weight * x).sum()) / total if total > 0 else x


def _weighted(
    x: FloatArray, y: FloatArray, weight: FloatArray, *, floors: tuple[float, float]
) -> FloatArray:
    """Return two maps: the weighted correlation, and its weights."""
    rho, variance = _correlation(x, y, weight, floors)
    variance *= weight
    return np.stack([rho * variance, variance])


def _correlation(
    x: FloatArray, y: FloatArray, weight: FloatArray, floors: tuple[float, float]
) -> tuple[FloatArray, FloatArray]:
    """Return the local correlation of two planes, and the local variance of the second."""
    total = gaussian(weight, SIGMA, radius=RADIUS)
    seen = total > 0
    total = np.where(seen, total, 1.0)

    def mean(z: FloatArray) -> FloatArray:
        return gaussian(weight * z, SIGMA, radius=RADIUS) / total

    def variance(z: FloatArray, mean_z: FloatArray, floor: float) -> FloatArray:
        found = np.maximum(mean(z * z) - mean_z * mean_z, 0.0)
        return np.where(np.sqrt(found) > floor, found, 0.0)

    mean_x, mean_y = mean(x), mean(y)
    var_x, var_y = variance(x, mean_x, floors[0]), variance(y, mean_y, floors[1])
    product = np.sqrt(var_x * var_y)
    cov = np.where(product > 0, mean(x * y) - mean_x * mean_y, 0.0)
    rho = np.clip(cov / np.where(product > 0, product, 1.0), -1.0, 1.0)
    return rho, np.where(seen, var_y, 0.0)


METRICS = {
    "structure": Metric(
        lambda p: structure_score(p.fused, p.foreground, p.background, p.required_alpha),
        better="high",
        range=(-math.inf, 1.0),
        definition="increase of the local correlation with the background where alpha is below 1, "
        "from the foreground's (0) towards the background's own (1)",
        channels="those in which the background has structure, together",
        source="osmofuse",
        check="0 for the foreground itself",
    ),
}
