r"""Features of a plane for feature mutual information, by name.

========  ======================================================================
none      the plane itself
gradient  its derivative along the columns: centred differences, one-sided at the
          borders
edge      Sobel's edges, thinned: 1 on an edge, 0 elsewhere; the paper's choice
dct       its discrete cosine transform (type II, orthonormal)
wavelet   one level of the discrete Meyer wavelet: the four bands in one plane,
          rescaled to [0, 1]
========  ======================================================================
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np

from osmofuse.filters import sobel
from osmofuse.typing import FloatArray

_HALF = 30  # taps of the Meyer filter on each side, as in MATLAB's dmey; a zero makes them 62


def edges(x: FloatArray) -> FloatArray:
    r"""Return Sobel's edges of a plane as 0 and 1, thinned to lines.

    With :math:`s` the squared length of Sobel's gradient, a pixel is an edge if
    :math:`s > 4 \bar s` and if s has a ridge there across the gradient: along the columns where
    the gradient points rather that way, :math:`s_{left} \le s > s_{right}`, and likewise along
    the rows. Outside the plane s is 0.
    """
    down, right = sobel(x)
    strength = down**2
    strength += right**2
    framed = np.pad(strength, 1)
    above, below = framed[:-2, 1:-1], framed[2:, 1:-1]
    before, after = framed[1:-1, :-2], framed[1:-1, 2:]
    steep, level = np.abs(down, out=down), np.abs(right, out=right)
    ridge = (level >= steep) & (before <= strength) & (strength > after)
    ridge |= (steep >= level) & (above <= strength) & (strength > below)
    return np.asarray(ridge & (strength > 4.0 * strength.mean()), np.float64)


def _cosines(x: FloatArray) -> FloatArray:
    from scipy.fft import dctn

    y = dctn(x, norm="ortho")
    # Rounding errors of zeros must not become structure when windows are stretched.
    return np.where(np.abs(y) > 1e-12 * np.abs(y).max(), y, 0.0)


def _wavelet(x: FloatArray) -> FloatArray:
    filters = meyer_filters()
    halves = [_halve(x, taps, axis=1) for taps in filters]
    y = np.block([[_halve(half, taps, axis=0) for half in halves] for taps in filters])
    least, most = y.min(), y.max()
    return np.asarray((y - least) / (most - least) if most > least else np.zeros_like(y))


def _halve(x: FloatArray, taps: FloatArray, *, axis: int) -> FloatArray:
    """Convolve along an axis, borders mirrored, and keep every other sample."""
    from scipy.signal import upfirdn

    reach = len(taps) - 1
    framed = np.pad(x, [(reach, reach) if k == axis else (0, 0) for k in range(2)], "symmetric")
    first = (reach + 1) // 2
    kept = range(first, first + (x.shape[axis] + reach) // 2)
    return np.asarray(upfirdn(taps, framed, down=2, axis=axis).take(kept, axis))


@functools.cache
def meyer_filters() -> tuple[FloatArray, FloatArray]:
    r"""Return the low-pass and the high-pass filter of the discrete Meyer wavelet, 62 taps.

    The low-pass filter has the frequency response :math:`\sqrt2` up to :math:`\pi/3`, 0 from
    :math:`2\pi/3` on, and between them
    :math:`\sqrt2 \cos\big(\tfrac\pi2 \nu(3\omega/\pi - 1)\big)` with
    :math:`\nu(t) = t^4 (35 - 84 t + 70 t^2 - 20 t^3)`; cut off after 30 taps on each side. The
    high-pass filter is its mirror in frequency.
    """
    # The response is smooth and periodic, so the mean over samples is the integral.
    omega = 2.0 * math.pi * np.arange(4096) / 4096
    t = np.clip(3.0 * np.minimum(omega, 2.0 * math.pi - omega) / math.pi - 1.0, 0.0, 1.0)
    response = np.cos(0.5 * math.pi * t**4 * (35.0 - 84.0 * t + 70.0 * t**2 - 20.0 * t**3))
    taps = np.arange(-_HALF, _HALF + 1)
    low = math.sqrt(2.0) * (response * np.cos(np.outer(taps, omega))).mean(axis=1)
    low = np.concatenate([[0.0], low])
    signs = np.where(np.arange(len(low)) % 2, 1.0, -1.0)
    return low, signs * low[::-1]


FEATURES: dict[str, Callable[[FloatArray], FloatArray]] = {
    "edge": edges,
    "gradient": functools.partial(np.gradient, axis=1),
    "dct": _cosines,
    "wavelet": _wavelet,
    "none": np.asarray,
}
