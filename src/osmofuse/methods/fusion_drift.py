r"""Drift of several pictures: on each edge of the grid, that of one picture or a mixture.

Picture k has the weight :math:`\alpha_k` at a pixel (the foreground :math:`\alpha`, one
background :math:`1 - \alpha`) and the canonical drift :math:`d_k` on an edge. The drift there is

- ``averaged``: the mean of :math:`d_k` over the pictures that enter at either end. With two
  pictures, that of the foreground where both ends have :math:`\alpha = 1`, that of the background
  where both have 0, and the mean of both elsewhere;
- ``hard``: that of the picture with the largest weight at both ends together, of the first of
  them where several have it;
- ``soft``: :math:`\sum_k \alpha_k d_k`, with the mean of the weights at both ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

import numpy as np

from osmofuse.kernels import kernel, pixel, prange
from osmofuse.operators.lattice_edges import Links
from osmofuse.operators.osmosis_edges import drift_between
from osmofuse.typing import Array, BoolArray, FloatArray

Rule: TypeAlias = Literal["averaged", "hard", "soft"]

RULES: tuple[Rule, ...] = ("averaged", "hard", "soft")
AVERAGED, HARD, SOFT = range(3)  # the same as numbers, for the kernels
ABSENT = -1.0  # the weight of a picture where it has no data


def fusion_drift(
    images: Sequence[FloatArray],
    weights: Sequence[FloatArray],
    rule: Rule,
    valid: BoolArray | None = None,
) -> FloatArray:
    """Return the drift as (2, rows, cols): to the lower and to the right neighbour.

    The planes of a channel are positive, the foreground first, each with its weight. On edges to
    pixels where `valid` is False only the foreground enters.
    """
    drift = np.zeros((2, *images[0].shape))
    total = np.zeros_like(drift)
    for image, present in _present(images, weights, valid):
        enter(drift, total, image, present, RULES.index(rule))
    return _mean(drift, total, rule)


def drift_along(
    links: Links,
    images: Sequence[FloatArray],
    weights: Sequence[FloatArray],
    rule: Rule,
    valid: BoolArray | None = None,
) -> FloatArray:
    """Return the drift along links, by the same rule; parameters as for `fusion_drift`."""
    drift = np.zeros(links.there.size)
    total, ends = np.zeros_like(drift), (links.here, links.there)
    for image, present in _present(images, weights, valid):
        enter_along(drift, total, image.ravel(), present.ravel(), RULES.index(rule), *ends)
    return _mean(drift, total, rule)


def _present(
    images: Sequence[FloatArray], weights: Sequence[FloatArray], valid: BoolArray | None
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield each picture with its weight, `ABSENT` where it is not valid."""
    for k, (image, weight) in enumerate(zip(images, weights, strict=True)):
        yield image, weight if valid is None or k == 0 else np.where(valid, weight, ABSENT)


def _mean(drift: FloatArray, total: FloatArray, rule: Rule) -> FloatArray:
    """Return the drift divided by the sum of the shares, for rules that mix."""
    if rule != "hard":
        np.divide(drift, total, out=drift, where=total > 0)
    return drift


@pixel
def share(rule: int, here: float, there: float) -> float:
    """Return the share of a picture in an edge, from its weights at both ends."""
    if here < 0.0 or there < 0.0:
        return 0.0
    if rule == AVERAGED:
        return 1.0 if here > 0.0 or there > 0.0 else 0.0
    return here + there


@kernel
def enter(
    d: FloatArray, total: FloatArray, image: FloatArray, weight: FloatArray, rule: int
) -> None:
    """Add the drift of a picture, weighted by its share; or replace that of a smaller share."""
    rows, cols = image.shape
    for i in prange(rows):
        for axis in range(2):
            down, right = 1 - axis, axis
            if i + down >= rows:
                continue
            for j in range(cols - right):
                part = share(rule, weight[i, j], weight[i + down, j + right])
                if part <= (total[axis, i, j] if rule == HARD else 0.0):
                    continue
                step = drift_between(image[i, j], image[i + down, j + right])
                if rule == HARD:
                    d[axis, i, j], total[axis, i, j] = step, part
                else:
                    d[axis, i, j] += part * step
                    total[axis, i, j] += part


@kernel
def enter_along(
    d: FloatArray,
    total: FloatArray,
    image: FloatArray,
    weight: FloatArray,
    rule: int,
    here: Array,
    there: Array,
) -> None:
    """Do the same along links; image and weight are flat."""
    for n in prange(d.size):
        part = share(rule, weight[here[n]], weight[there[n]])
        if part <= (total[n] if rule == HARD else 0.0):
            continue
        step = drift_between(image[here[n]], image[there[n]])
        if rule == HARD:
            d[n], total[n] = step, part
        else:
            d[n] += part * step
            total[n] += part
