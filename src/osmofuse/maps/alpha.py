"""Alpha maps: 1 where the foreground is kept, 0 where the background's structure enters.

Maps can be softened, grown, shrunk, feathered, inverted, and faded to 1 towards no-data areas.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from osmofuse.checks import number
from osmofuse.errors import InputError, SettingError
from osmofuse.filters import box_mean, gaussian
from osmofuse.picture import Picture, as_alpha
from osmofuse.typing import ArrayLike, BoolArray, FloatArray

WIDEST_BLUR = 1000.0  # pixels; the time that a blur takes grows with it
NO_BLUR = 0.01  # pixels; below it the weights of all neighbours are 0 in double precision


def soften(alpha: ArrayLike, sigma: float = 5.0) -> FloatArray:
    r"""Blur an alpha map as the paper does.

    Parameters
    ----------
    alpha : array_like, shape (rows, cols) or (rows, cols, channels)
        A map or mask, e.g. ``alpha == 1``.
    sigma : float, 0 to 1000
        Standard deviation of the Gaussian in pixels; its radius is :math:`2\sigma`, borders
        are replicated. 0 leaves the map as it is.

    Returns
    -------
    array
        float64, in [0, 1].
    """
    array = as_map(alpha)
    number("sigma", sigma, most=WIDEST_BLUR)
    if sigma < NO_BLUR:
        return array
    # Rounding must not lead out of [0, 1].
    return np.clip(gaussian(array, float(sigma)), 0.0, 1.0)


def as_map(alpha: ArrayLike | Picture) -> FloatArray:
    """Return alpha in [0, 1], checked to be a map and not a number."""
    array = as_alpha(alpha)
    if array.ndim not in (2, 3):
        form = "(rows, cols) or (rows, cols, channels)"
        raise InputError(f"alpha: shape {array.shape}; must be {form}")
    return array


FARTHEST_EDGE = 10_000.0  # pixels; a limit on settings, anything in 1e3..1e6 works
WIDEST_DISC = 100.0  # pixels; limits the time for soft maps, which grows with its square


def grow(alpha: ArrayLike | Picture, distance: float) -> FloatArray:
    """Grow the kept area by a distance, or shrink it if the distance is negative.

    Every level set grows: a pixel gets the largest value within the distance, or the smallest.
    Pixels beyond the border are ignored.

    Parameters
    ----------
    alpha : array_like, (rows, cols) or (rows, cols, channels)
        A map or mask.
    distance : float, -10000 to 10000
        In pixels, between centres; Euclidean. From -100 to 100 for a map that is not a mask: the
        time grows with the square.

    Returns
    -------
    array
        float64, in [0, 1].

    Examples
    --------
    >>> import numpy as np
    >>> grow(np.array([[0, 0, 1, 1, 1, 1]]), 1).tolist()
    [[0.0, 1.0, 1.0, 1.0, 1.0, 1.0]]
    """
    from scipy.ndimage import distance_transform_edt, grey_dilation

    array = as_map(alpha)
    reach = number("distance", distance, least=-FARTHEST_EDGE, most=FARTHEST_EDGE)
    if reach < 0:
        return 1.0 - grow(1.0 - array, -reach)
    if reach == 0:
        return array
    if np.isin(array, (0.0, 1.0)).all():
        planes = array.reshape(*array.shape[:2], -1)
        near = [
            distance_transform_edt(plane == 0) <= reach if plane.any() else plane
            for plane in np.moveaxis(planes, 2, 0)
        ]
        return np.stack(near, axis=2).reshape(array.shape).astype(np.float64)
    if reach > WIDEST_DISC:
        raise SettingError(
            f"distance: {distance!r}; must be from -{WIDEST_DISC:g} to {WIDEST_DISC:g} for a map "
            "with values between 0 and 1; give a mask, e.g. alpha > 0.5"
        )
    side = np.arange(-math.floor(reach), math.floor(reach) + 1)
    disc = np.hypot(*np.meshgrid(side, side)) <= reach
    disc = disc if array.ndim == 2 else disc[..., None]
    return np.asarray(grey_dilation(array, footprint=disc, mode="nearest"))


def feather(alpha: ArrayLike | Picture, width: float) -> FloatArray:
    r"""Replace the edge of a mask by a ramp.

    .. math:: \alpha = \operatorname{clip}\big(\tfrac12 + d / w, 0, 1\big)

    with d the distance from the edge, positive inside. Unlike a blur it does not round corners
    off, and beyond half the width from the edge nothing changes.

    Parameters
    ----------
    alpha : array_like, (rows, cols)
        A map; its edge lies where it crosses 0.5. Values between 0 and 1 are lost.
    width : float, 0 to 10000
        :math:`w`, of the ramp in pixels; 0 gives the mask itself.

    Returns
    -------
    array
        float64; exactly 0 and 1 beyond half the width from the edge.

    Examples
    --------
    >>> import numpy as np
    >>> feather(np.array([[0, 0, 0, 1, 1, 1]]), 4).tolist()
    [[0.0, 0.125, 0.375, 0.625, 0.875, 1.0]]
    """
    from scipy.ndimage import distance_transform_edt

    inside, ramp = as_map(alpha) > 0.5, number("width", width, most=FARTHEST_EDGE)
    if inside.ndim != 2:
        raise InputError(f"alpha: shape {inside.shape}; must be (rows, cols)")
    if ramp == 0 or inside.all() or not inside.any():
        return inside.astype(np.float64)
    # The edge runs half a pixel before the first centre on its other side.
    away = distance_transform_edt(inside) - distance_transform_edt(~inside)
    away -= np.where(inside, 0.5, -0.5)
    return np.asarray(np.clip(0.5 + away / ramp, 0.0, 1.0))


def invert(alpha: ArrayLike | Picture) -> FloatArray:
    """Return 1 - alpha: kept areas and areas that the background enters change places."""
    return 1.0 - as_map(alpha)


DEFAULT_FEATHER = 16  # pixels: default width of the fade next to a no-data area


def kept_around_gaps(
    alphas: Sequence[FloatArray], valid: BoolArray, feather: int = DEFAULT_FEATHER
) -> list[FloatArray]:
    r"""Return maps faded so that the foreground's map rises to 1 towards no-data areas.

    The foreground is kept there, so a background that entered up to the edge would end in a seam.
    With t from 0 in the gaps (False in `valid`) to 1 beyond `feather` pixels,

    .. math:: \alpha_0' = 1 - (1 - \alpha_0)\, t, \qquad \alpha_k' = \alpha_k\, t .
    """
    from scipy.ndimage import minimum_filter

    half = max(feather // 2, 1)
    # Gaps grown by half the width, and smoothed over the other half.
    t = minimum_filter(valid, 2 * half + 1, mode="nearest").astype(np.float32)
    t = np.where(valid, box_mean(t, half, border="replicate"), 0.0)

    def entering(alpha: FloatArray) -> FloatArray:
        return np.asarray(t[..., np.newaxis] if alpha.ndim == 3 else t)

    first, *others = alphas
    kept = np.asarray(1.0 - (1.0 - first) * entering(first))
    return [kept, *(np.asarray(other * entering(other)) for other in others)]
