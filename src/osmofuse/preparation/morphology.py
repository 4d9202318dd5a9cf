"""The shape of a map: grown, shrunk, feathered, inverted; each only when asked for."""

from __future__ import annotations

import math

import numpy as np

from osmofuse.checks import number
from osmofuse.errors import InputError, SettingError
from osmofuse.picture import Picture
from osmofuse.preparation.alpha import as_map
from osmofuse.typing import ArrayLike, FloatArray

__all__ = ["FARTHEST", "feather", "grow", "invert"]

FARTHEST = 10_000.0  # pixels
WIDEST_DISC = 100.0  # pixels, of a map with values between 0 and 1


def grow(alpha: ArrayLike | Picture, distance: float) -> FloatArray:
    r"""Let what is kept grow by a distance, or shrink if it is negative.

    Every level set grows: a pixel gets the largest value within the distance, or the smallest.
    What lies beyond the border does not count.

    Parameters
    ----------
    alpha : array_like, (rows, cols) or (rows, cols, channels)
        A map or mask.
    distance : float, -10000 to 10000
        In pixels, between centres; Euclidean. From -100 to 100 for a map that is no mask: the
        time that it takes grows with the square.

    Returns
    -------
    array
        float64, in [0, 1].

    Raises
    ------
    InputError, SettingError
        It is no map, or no length.

    Examples
    --------
    >>> import numpy as np
    >>> grow(np.array([[0, 0, 1, 1, 1, 1]]), 1).tolist()
    [[0.0, 1.0, 1.0, 1.0, 1.0, 1.0]]
    """
    from scipy.ndimage import distance_transform_edt, grey_dilation

    array, reach = as_map(alpha), number("distance", distance, least=-FARTHEST, most=FARTHEST)
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
        A map; its edge lies where it crosses 0.5. What it had between 0 and 1 is lost.
    width : float, 0 to 10000
        :math:`w`, of the ramp in pixels; 0 gives the mask itself.

    Returns
    -------
    array
        float64, in [0, 1].

    Raises
    ------
    InputError, SettingError
        It is no map, or no length.

    Examples
    --------
    >>> import numpy as np
    >>> feather(np.array([[0, 0, 0, 1, 1, 1]]), 4).tolist()
    [[0.0, 0.125, 0.375, 0.625, 0.875, 1.0]]
    """
    from scipy.ndimage import distance_transform_edt

    inside, ramp = as_map(alpha) > 0.5, number("width", width, most=FARTHEST)
    if inside.ndim != 2:
        raise InputError(f"alpha: shape {inside.shape}; must be (rows, cols)")
    if ramp == 0 or inside.all() or not inside.any():
        return inside.astype(np.float64)
    # The edge runs half a pixel before the first centre on its other side.
    away = distance_transform_edt(inside) - distance_transform_edt(~inside)
    away -= np.where(inside, 0.5, -0.5)
    return np.asarray(np.clip(0.5 + away / ramp, 0.0, 1.0))


def invert(alpha: ArrayLike | Picture) -> FloatArray:
    """Swap what is kept and what lets the background enter: 1 - alpha."""
    return 1.0 - as_map(alpha)
