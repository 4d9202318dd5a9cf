r"""Tones that stay between black and white when light changes.

Light multiplies a picture, but multiplying bright parts would clip them. Above the knee k W, with W
just below white, the odds :math:`x / (W - x)` are multiplied instead of x, by a power of the factor
that makes the curve smooth at the knee.
"""

from __future__ import annotations

import numpy as np

from osmofuse.typing import FloatArray

KNEE = 0.8  # k; 0.7..0.85 looks alike
BELOW_WHITE = 0.995  # share of white that light approaches: the last level of 8 bits but one
EDGE = 1e-3  # relative distance from that level below which tones count as equal to it
FOOT = 0.02  # below it tones are bent towards black


def lit(x: FloatArray, logarithm: float, white: float) -> FloatArray:
    r"""Return samples in light changed by a factor, given by its logarithm :math:`\psi`.

    With :math:`\varphi = \log x` up to the knee, and
    :math:`\varphi' = (1 - k) (1/x + 1/(W - x))` above, it is
    :math:`\varphi^{-1}(\varphi(x) + \psi)` for brighter light; darker light, which cannot burn,
    is the factor itself.

    Examples
    --------
    >>> lit(np.array([0.2, 0.7, 0.95]), np.log(2.0), 1.0).round(2).tolist()
    [0.4, 0.98, 0.99]
    """
    if logarithm <= 0.0:
        return np.asarray(x * np.exp(logarithm))
    white *= BELOW_WHITE
    knee, share = KNEE * white, 1.0 - KNEE
    first = np.log(KNEE / share)
    z = np.minimum(x, (1.0 - EDGE) * white)
    odds = np.log(np.maximum(z, knee) / (white - np.maximum(z, knee))) - first
    y = np.where(z > knee, share * odds, np.log(np.maximum(z, 1e-12) / knee)) + logarithm
    high = white / (1.0 + np.exp(-(np.maximum(y, 0.0) / share + first)))
    bright = np.where(y > 0.0, high, knee * np.exp(np.minimum(y, 0.0)))
    return np.asarray(np.where(x >= white, x, bright))


def within(x: FloatArray, knee: float | FloatArray, white: float) -> FloatArray:
    """Return samples bent into the range from black to white.

    Up to the knee, one or one for each sample, they are unchanged; above, they approach white.
    Below `FOOT` they approach black likewise.
    """
    room = np.maximum(BELOW_WHITE * white - knee, EDGE * white)
    over = np.maximum(x - knee, 0.0)
    high = knee + room * over / (over + room)
    low = FOOT**2 / (2.0 * FOOT - np.minimum(x, FOOT))
    return np.asarray(np.where(x > knee, high, np.where(x < FOOT, low, x)))
