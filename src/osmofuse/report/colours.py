"""The colours of maps and tints, which need no extra: the same on sheets, pages and previews."""

from __future__ import annotations

from functools import cache

import numpy as np

from osmofuse.typing import Array, FloatArray

__all__ = ["TINT", "brightest", "coloured", "colours", "shades"]

TINT = (0.80, 0.05, 0.45)  # where the background enters; in no old page, no skin and no field
_COUNT = 256
_FIRST, _LAST = 0.04, 0.97  # brightness of the first and of the last colour
_START, _TURN, _DEPTH = 0.033, 0.5, 1.8  # of the helix: angles in turns, and how far from grey
_BRIGHTEST = 99.0  # percentile of the values that the last colour stands for


@cache
def colours() -> FloatArray:
    r"""Return the table, (256, 3), from black to white through violet, rose and amber.

    Brightness :math:`\ell = 0.30 R + 0.59 G + 0.11 B` rises evenly, so that it reads in grey and by
    the colour-blind; around the grey diagonal the colours go along a helix,

    .. math:: (R, G, B) = \ell + \tfrac{1}{2} s\, \ell (1 - \ell) (p \cos\varphi + q \sin\varphi),

    with p and q across the direction of brightness, after D. A. Green, "A colour scheme for the
    display of astronomical intensity images", Bull. Astron. Soc. India 39, 2011.
    """
    t = np.linspace(0.0, 1.0, _COUNT)
    brightness = _FIRST + (_LAST - _FIRST) * t
    angle = 2 * np.pi * (_START + _TURN * t)
    depth = 0.5 * _DEPTH * brightness * (1.0 - brightness)
    across = np.array([[-0.14861, 1.78277], [-0.29227, -0.90649], [1.97294, 0.0]])
    turned = np.cos(angle)[:, None] * across[:, 0] + np.sin(angle)[:, None] * across[:, 1]
    table: FloatArray = np.clip(brightness[:, None] + depth[:, None] * turned, 0.0, 1.0)
    table.flags.writeable = False
    return table


def coloured(values: Array, highest: float) -> FloatArray:
    """Return a map in colours, from 0 to `highest` and above."""
    return np.asarray(colours()[shades(values, highest)])


def shades(values: Array, highest: float) -> Array:
    """Return the place in the table of every value, as uint8."""
    shares = np.clip(np.asarray(values, np.float32) / np.float32(highest), 0.0, 1.0)
    return np.asarray(np.rint(shares * (_COUNT - 1)), np.uint8)


def brightest(values: Array | list[FloatArray]) -> float:
    """Return the value of the last colour, in two digits; 1 where there is no error at all."""
    return float(f"{np.percentile(values, _BRIGHTEST):.2g}") or 1.0
