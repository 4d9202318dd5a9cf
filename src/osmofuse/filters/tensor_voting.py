r"""Tensor voting with steerable filters.

Franken, van Almsick, Rongen, Florack and ter Haar Romeny 2006, "An efficient method for tensor
voting using steerable filters", ECCV, LNCS 3954.

Each pixel has a stick: a direction :math:`\beta` and a saliency s. It votes for the directions of
pixels around it along circular arcs, with a weight that falls with the distance and, as
:math:`\cos^4`, with the angle :math:`\varphi` from its own direction,

.. math::

    s\, e^{-|x|^2/2\sigma^2} (2\cos\varphi)^4\, e^{2 i (\beta + 2 \varphi)} .

A vote is steerable: with :math:`c_m = s\, e^{-i m \beta}` and
:math:`w_m = e^{-|x|^2/2\sigma^2} e^{i m \varphi}` (1 in the centre), all of them together are

.. math::

    U_{-2} &= w_0 * \bar c_2 + 4\, w_2 * c_0 + 6\, w_4 * c_2 + 4\, w_6 * c_4 + w_8 * c_6, \\
    U_0 &= \operatorname{Re}(6\, w_0 * c_0 + 8\, w_2 * c_2 + 2\, w_4 * c_4) .

:math:`U_{-2}` has twice the elected direction as its argument, and its modulus is the part of the
votes :math:`U_0` that agree.

Angles are in radians from the direction of the columns' axis towards that of the rows': 0 is along
a row, to the right; :math:`\pi/2` is down a column. So a complex number has its real part along
columns and its imaginary part along rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from osmofuse.typing import Array, BoolArray, FloatArray

CUT_OFF = 3.0  # deviations after which a vote, 1 % of that in the centre, is dropped
TILE = 256  # least rows and columns that are transformed at a time, to limit memory


class Votes(NamedTuple):
    """Result of tensor voting.

    `doubled` is :math:`U_{-2}`, complex: half its argument is the direction, its modulus the
    stickness. `total` is :math:`U_0`.
    """

    doubled: Array
    total: FloatArray


def sticks(saliency: FloatArray, angle: FloatArray) -> Array:
    r"""Return :math:`c_m = s e^{-i m \beta}` for m = 0, 2, 4 and 6, as (4, rows, cols)."""
    turn = np.exp(-2j * angle)
    return np.stack([saliency * turn**k for k in range(4)])


def tensor_voting(c: Array, sigma: float, where: BoolArray | None = None) -> Votes:
    """Return the votes of sticks.

    Parameters
    ----------
    c : array of complex, (4, rows, cols)
        From `sticks`; those of several channels may be added.
    sigma : float
        Deviation of the votes' weight in pixels; it is cut off at three deviations.
    where : array of bool, (rows, cols), optional
        Pixels whose votes are of interest: tiles without any of them are left 0.

    Returns
    -------
    Votes
        Nothing votes from outside the picture.

    Notes
    -----
    Convolutions are made by FFT, on tiles that overlap by the radius of a vote: memory grows with
    sigma, not with the picture.

    Examples
    --------
    >>> import numpy as np
    >>> s = np.zeros((9, 9))
    >>> s[4, 4] = 1.0
    >>> votes = tensor_voting(sticks(s, np.zeros((9, 9))), 2.0)
    >>> float(votes.total[4, 7].round(4)), float(abs(votes.total[7, 4]).round(4))
    (5.1944, 0.0)
    """
    radius = math.ceil(CUT_OFF * sigma)
    doubled, total = np.zeros(c.shape[1:], complex), np.zeros(c.shape[1:])
    for inner, outer, cut in _tiles(c.shape[1:], radius, max(TILE, 4 * radius)):
        part = c[(slice(None), *outer)]
        if part.any() and (where is None or where[inner].any()):
            found = _convolved(part, sigma, radius)
            doubled[inner], total[inner] = found.doubled[cut], found.total[cut]
    return Votes(doubled, total)


def _tiles(
    shape: tuple[int, ...], radius: int, side: int
) -> Iterator[tuple[tuple[slice, ...], tuple[slice, ...], tuple[slice, ...]]]:
    """Yield tiles, the same with a margin, and the tile within that."""
    for i, j in np.ndindex(*(-(-size // side) for size in shape)):
        begins, ends = (i * side, j * side), ((i + 1) * side, (j + 1) * side)
        stops = [min(end, size) for end, size in zip(ends, shape, strict=True)]
        starts = [max(begin - radius, 0) for begin in begins]
        inner = tuple(slice(a, b) for a, b in zip(begins, stops, strict=True))
        outer = tuple(slice(a, b + radius) for a, b in zip(starts, stops, strict=True))
        cut = tuple(slice(a - s, b - s) for a, b, s in zip(begins, stops, starts, strict=True))
        yield inner, outer, cut


def _convolved(c: Array, sigma: float, radius: int) -> Votes:
    """Return the votes on a tile; zeros beyond it."""
    from scipy import fft

    rows, cols = c.shape[1:]
    size = tuple(fft.next_fast_len(n + 2 * radius) for n in (rows, cols))
    c0, c2, c4, c6 = (fft.fft2(plane, size) for plane in c)
    mirrored = fft.fft2(np.conj(c[1]), size)
    w0, w2, w4, w6, w8 = (fft.fft2(w, size) for w in _windows(sigma, radius))
    doubled = fft.ifft2(w0 * mirrored + 4 * w2 * c0 + 6 * w4 * c2 + 4 * w6 * c4 + w8 * c6)
    total = fft.ifft2(6 * w0 * c0 + 8 * w2 * c2 + 2 * w4 * c4)
    inside = np.s_[radius : radius + rows, radius : radius + cols]
    return Votes(doubled[inside], np.maximum(total[inside].real, 0.0))


def _windows(sigma: float, radius: int) -> Iterator[Array]:
    """Yield w_m for m = 0, 2, 4, 6 and 8."""
    i, j = np.mgrid[-radius : radius + 1, -radius : radius + 1]
    square = i * i + j * j
    weight = np.where(square <= radius * radius, np.exp(-square / (2.0 * sigma * sigma)), 0.0)
    turn = np.ones(square.shape, complex)
    np.divide((j + 1j * i) ** 2, square, out=turn, where=square > 0)
    for k in range(5):
        yield weight * turn**k
