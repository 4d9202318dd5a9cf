r"""Legibility of writing: contrast of ink and ground, with a map of the ink or without.

Grey is :math:`0.299 R + 0.587 G + 0.114 B`, rounded to levels from 0 to 255. With the map, ink and
ground are known pixel by pixel, and

.. math::

    d' = \frac{\mu_\text{ground} - \mu_\text{ink}}
              {\sqrt{(\sigma^2_\text{ground} + \sigma^2_\text{ink})/2}}

is the discriminability of signal detection theory; `legibility_f` is the F-measure of a reader who
takes everything up to Otsu's threshold for ink (Otsu 1979, doi:10.1109/TSMC.1979.4310076).
"""

from __future__ import annotations

import math

import numpy as np

from osmofuse.errors import InputError, MismatchError
from osmofuse.filters import gaussian, robust_deviation
from osmofuse.metrics.grey_levels import COUNT, check_side
from osmofuse.metrics.metric import Metric
from osmofuse.picture import Picture, as_array
from osmofuse.pixels import bands_of, plane_of
from osmofuse.typing import ArrayLike, BoolArray, FloatArray

# Luma weights to three digits, as the published figures of legibility have them.
WEIGHTS = (0.299, 0.587, 0.114)
# Window of the ground's level in `stroke_contrast`, as a share of the side; it must exceed the
# strokes. 1/12..1/6 change its rank correlation with d' by less than 0.02.
GROUND_WINDOW = 1 / 8
# Offset of the logarithm relative to white, below which darkness does not count as contrast.
BLACK = 0.05
# Quantile that stands for white: a few glints are not.
WHITE = 99.0
# Difference of logarithms that rounding explains; a level of 8 bits is 0.004 and more.
ROUNDED_SPREAD = 1e-5
# Least side in pixels: a smaller picture has no strokes with ground around.
SIDE = 16


def legibility(fused: FloatArray, ink: ArrayLike | Picture) -> float:
    """Return d', the distance of ink and ground in standard deviations; see the module.

    Parameters
    ----------
    fused : array, (rows, cols) or (rows, cols, channels)
        White at 1.0.
    ink : array or Picture, (rows, cols)
        0 or False on ink, the type's maximum (1.0 for floats) or True on ground, anything else
        undecided.

    Raises
    ------
    InputError
        The map has no ink or no ground, or another shape.

    Examples
    --------
    >>> import numpy as np
    >>> page = np.array([[0.2, 0.4, 0.8, 1.0]])
    >>> round(legibility(page, np.array([[0, 0, 1, 1]], bool)), 3)
    6.0
    """
    inked, ground = ink_and_ground(fused, ink)
    y = grey(fused)
    spread = math.sqrt(0.5 * (float(y[inked].var()) + float(y[ground].var())))
    distance = float(y[ground].mean()) - float(y[inked].mean())
    if spread == 0.0:
        return math.copysign(math.inf, distance) if distance else math.nan
    return distance / spread


def legibility_f(fused: FloatArray, ink: ArrayLike | Picture) -> float:
    """Return the F-measure of Otsu's threshold: 2 / (1/precision + 1/recall).

    Parameters
    ----------
    fused, ink : array
        As for `legibility`. The threshold is that of the whole picture.

    Raises
    ------
    InputError
        The map has no ink or no ground, or another shape.
    """
    inked, ground = ink_and_ground(fused, ink)
    y = grey(fused)
    dark = y <= otsu(y)
    right = int(np.count_nonzero(dark & inked))
    read = right + int(np.count_nonzero(dark & ground))
    return 2.0 * right / (read + int(np.count_nonzero(inked)))


def stroke_contrast(fused: FloatArray) -> float:
    r"""Return the contrast of dark strokes over the noise of their ground, without a map.

    .. math:: (\mu_\text{ground} - \mu_\text{stroke}) / \sigma_\text{ground}

    of :math:`\log(y + 0.05\,q_{99})` minus its level around, a Gaussian mean over an eighth of the
    side of the pixels that are not darker than it. Strokes are what Otsu's threshold parts from
    the ground; :math:`\sigma` is 1.4826 × the ground's median absolute deviation. A gain has no
    effect. A picture without strokes has a value too, near 2 for noise.

    Raises
    ------
    InputError
        The picture is smaller than 16 pixels, or flat.
    """
    check_side(fused, SIDE)
    y = np.maximum(_luma(fused), 0.0)
    y = np.log(y + BLACK * max(float(np.percentile(y, WHITE)), 1e-6))
    y -= _level(y)
    low, high = (float(q) for q in np.percentile(y, (0.1, 99.9)))
    if high - low <= ROUNDED_SPREAD:
        raise InputError("fused: a flat picture has no strokes")
    levels = np.clip(np.rint((COUNT - 1) * (y - low) / (high - low)), 0, COUNT - 1)
    dark = levels <= otsu(levels)
    ground = y[~dark]
    spread = float(robust_deviation(ground))
    if spread <= ROUNDED_SPREAD:
        raise InputError("fused: the ground is flat; there is no noise to compare with")
    return (float(ground.mean()) - float(y[dark].mean())) / spread


def ink_map(ink: ArrayLike | Picture) -> FloatArray:
    """Return a map of the ink as one plane: 0 on ink, 1 on ground, 0.5 undecided."""
    plane = as_array(ink, "ink")
    if plane.ndim == 3 and plane.size and (plane == plane[..., :1]).all():
        plane = plane[..., 0]
    if plane.ndim != 2:
        raise InputError(f"ink: shape {plane.shape}; the map must be one plane, (rows, cols)")
    if plane.dtype.kind not in "biuf":
        raise InputError(f"ink: type {plane.dtype}; convert to bool, uint8, uint16 or float")
    white = np.iinfo(plane.dtype).max if plane.dtype.kind in "iu" else 1
    return np.where(plane == 0, 0.0, np.where(plane == white, 1.0, 0.5))


def ink_and_ground(fused: FloatArray, ink: ArrayLike | Picture) -> tuple[BoolArray, BoolArray]:
    """Return the masks of ink and of ground; raise an InputError if one is empty."""
    plane = ink_map(ink)
    if plane.shape != fused.shape[:2]:
        raise MismatchError(f"ink: shape {plane.shape} does not fit fused, {fused.shape}")
    inked, ground = plane == 0.0, plane == 1.0
    if not inked.any() or not ground.any():
        raise InputError(
            "ink: the map needs ink (0) and ground (white: the type's maximum, 1.0 for floats), "
            f"it has {np.count_nonzero(inked)} and {np.count_nonzero(ground)} pixels of them"
        )
    return inked, ground


def grey(fused: FloatArray) -> FloatArray:
    """Return the rounded grey levels of a picture, 0 to 255."""
    return np.asarray(np.rint(255.0 * np.clip(_luma(fused), 0.0, 1.0)))


def _luma(fused: FloatArray) -> FloatArray:
    if bands_of(fused) == 1:
        return np.array(plane_of(fused, 0), np.float64)
    return sum((w * np.asarray(plane_of(fused, c), np.float64) for c, w in enumerate(WEIGHTS)),
               np.zeros(fused.shape[:2]))  # fmt: skip


def otsu(levels: FloatArray) -> int:
    """Return Otsu's threshold of whole numbers from 0 to 255; the darker class is up to it."""
    counts = np.bincount(levels.astype(np.intp).ravel(), minlength=COUNT).astype(np.float64)
    below = np.cumsum(counts)
    above = below[-1] - below
    sums = np.cumsum(counts * np.arange(COUNT))
    with np.errstate(invalid="ignore", divide="ignore"):
        between = below * above * (sums / below - (sums[-1] - sums) / above) ** 2
    return int(np.nanargmax(np.where(above * below > 0, between, 0.0)))


def _level(y: FloatArray) -> FloatArray:
    """Return the level of the ground: a mean over a wide window, darker pixels left out."""
    sigma = GROUND_WINDOW * math.sqrt(y.size)
    rough = gaussian(y, sigma)
    share = (y >= rough).astype(np.float64)
    return np.asarray(gaussian(share * y, sigma) / np.maximum(gaussian(share, sigma), 1e-6))


METRICS = {
    "legibility": Metric(
        lambda p: legibility(p.fused, p.required_ink),
        better="high",
        definition="d' of ink and ground: difference of their mean grey over the root of the mean "
        "of their variances",
        channels="0.299 R + 0.587 G + 0.114 B, in rounded levels of 8 bits",
        source="signal detection theory (Green and Swets 1966)",
        check="6 for ink of grey 51, 102 and ground of 204, 255",
    ),
    "legibility_f": Metric(
        lambda p: legibility_f(p.fused, p.required_ink),
        better="high",
        range=(0.0, 1.0),
        definition="F-measure of Otsu's threshold against the map of the ink",
        channels="0.299 R + 0.587 G + 0.114 B, in rounded levels of 8 bits",
        source="Otsu 1979; DIBCO's measure",
        check="1 for two levels that are the map's",
    ),
    "stroke_contrast": Metric(
        lambda p: stroke_contrast(p.fused),
        better="high",
        definition="contrast of dark strokes over the noise of the ground around, in the "
        "logarithm, without a map of the ink",
        channels="0.299 R + 0.587 G + 0.114 B",
        source="osmofuse",
        check="the same for a picture and its half",
    ),
}
