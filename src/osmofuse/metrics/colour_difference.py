r"""Perceived difference of colours: CIEDE2000.

Samples are those of sRGB under its white D65. From CIELAB the formula computes differences of
lightness, chroma and hue and divides each by a weighting function,

.. math::

    \Delta E_{00} = \sqrt{ l^2 + c^2 + h^2 + R_T\, c\, h }, \qquad
    l = \frac{\Delta L'}{S_L}, \quad c = \frac{\Delta C'}{S_C}, \quad h = \frac{\Delta H'}{S_H},

with reference viewing conditions (:math:`k_L = k_C = k_H = 1`). A difference of 1 is just visible
between adjacent colours; 5 is obvious.

References
----------
G. Sharma, W. Wu, E. N. Dalal, "The CIEDE2000 color-difference formula: implementation notes,
supplementary test data, and mathematical observations", Color Res. Appl. 30(1), 2005.
"""

from __future__ import annotations

import numpy as np

from osmofuse.errors import InputError
from osmofuse.typing import FloatArray

# From linear sRGB to XYZ over D65's white (IEC 61966-2-1).
_XYZ = np.array(
    [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
) / np.array([[0.9505], [1.0], [1.089]])
_TOE = 6.0 / 29.0  # below its cube the root of CIELAB is a straight line (CIE 15)
_25_TO_7 = 25.0**7  # constant of the formula


def colour_difference_map(fused: FloatArray, reference: FloatArray) -> FloatArray:
    """Return the difference CIEDE2000 at every pixel.

    Parameters
    ----------
    fused, reference : array, (rows, cols, 3)
        sRGB, white at 1.0; clipped to [0, 1], as in files.

    Returns
    -------
    array, (rows, cols)
        0 where the colours are the same.
    """
    for name, picture in (("fused", fused), ("reference", reference)):
        if picture.ndim != 3 or picture.shape[2] != 3:
            raise InputError(f"{name}: shape {picture.shape}; a colour has three channels")
    return ciede2000(lab(fused), lab(reference))


def lab(srgb: FloatArray) -> FloatArray:
    """Return the CIELAB coordinates of sRGB samples, along the last axis."""
    samples = np.clip(srgb, 0.0, 1.0)
    light = np.where(samples <= 0.04045, samples / 12.92, ((samples + 0.055) / 1.055) ** 2.4)
    t = light @ _XYZ.T.astype(light.dtype)
    roots = np.where(t > _TOE**3, np.cbrt(t), t / (3.0 * _TOE**2) + 4.0 / 29.0)
    x, y, z = (roots[..., i] for i in range(3))
    return np.stack([116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)], axis=-1)


def ciede2000(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the difference CIEDE2000 of CIELAB coordinates along the last axis."""
    chroma = (np.hypot(first[..., 1], first[..., 2]) + np.hypot(second[..., 1], second[..., 2])) / 2
    stretch = 1.0 + 0.5 * (1.0 - _saturation(chroma))
    c1, h1 = _chroma_and_hue(first, stretch)
    c2, h2 = _chroma_and_hue(second, stretch)
    # Greys have no hue; any value will do, since it is multiplied by c1 c2 = 0.
    turn = (h2 - h1 + 180.0) % 360.0 - 180.0
    lightness = (first[..., 0] + second[..., 0]) / 2
    chroma = (c1 + c2) / 2
    hue = _mean_hue(h1, h2)
    away = (lightness - 50.0) ** 2
    l = (second[..., 0] - first[..., 0]) / (1.0 + 0.015 * away / np.sqrt(20.0 + away))  # noqa: E741
    c = (c2 - c1) / (1.0 + 0.045 * chroma)
    h = 2.0 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2))
    h = h / (1.0 + 0.015 * chroma * _hue_weight(hue))
    rotation = -np.sin(np.radians(60.0 * np.exp(-(((hue - 275.0) / 25.0) ** 2))))
    rotation = rotation * 2.0 * _saturation(chroma)
    return np.asarray(np.sqrt(np.maximum(l**2 + c**2 + h**2 + rotation * c * h, 0.0)))


def _saturation(chroma: FloatArray) -> FloatArray:
    seventh = chroma**7
    return np.asarray(np.sqrt(seventh / (seventh + _25_TO_7)))


def _chroma_and_hue(colour: FloatArray, stretch: FloatArray) -> tuple[FloatArray, FloatArray]:
    a, b = stretch * colour[..., 1], colour[..., 2]
    return np.hypot(a, b), np.degrees(np.arctan2(b, a)) % 360.0


def _mean_hue(h1: FloatArray, h2: FloatArray) -> FloatArray:
    """Return the mean of two angles along the shorter arc, from 0 to 360 degrees."""
    mean = (h1 + h2) / 2
    across = np.where(mean < 180.0, mean + 180.0, mean - 180.0)
    return np.where(np.abs(h1 - h2) > 180.0, across, mean)


def _hue_weight(hue: FloatArray) -> FloatArray:
    angle = np.radians(hue)
    return np.asarray(
        1.0
        - 0.17 * np.cos(angle - np.radians(30.0))
        + 0.24 * np.cos(2.0 * angle)
        + 0.32 * np.cos(3.0 * angle + np.radians(6.0))
        - 0.20 * np.cos(4.0 * angle - np.radians(63.0))
    )
