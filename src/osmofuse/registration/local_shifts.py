r"""Local shifts: displacements of tiles between two pictures that nearly fit.

Tiles are compared by the orientation of edges, modulo 180°, which visible and infrared pictures
have in common. For the gradient :math:`g = g_x + i g_y` of a smoothed picture,

.. math:: c = \frac{g^2}{|g|^2 + k^2}

turns twice as fast as the edge. It stays the same if the grey values go through any smooth map,
rising or falling, since that multiplies :math:`g` by a real number; in flat parts it fades to 0.
The correlation of c within a search radius has a peak at the shift :math:`d`; its curvature is
the information matrix :math:`W`: along a straight edge a tile is uncertain.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from osmofuse.registration.opencv import in_threads, opencv
from osmofuse.registration.views import ROUNDING, Plane
from osmofuse.typing import BoolArray, FloatArray


def orientation(plane: Plane, sigma: float) -> FloatArray:
    """Return real and imaginary part of :math:`c`, float32 of shape (rows, cols, 2).

    `sigma` is the deviation of the Gaussian before the gradient, in pixels. Zero beside places
    without data. :math:`k^2` is the median of :math:`|g|^2` where there is data, so that half of
    the picture counts as flat.
    """
    cv2 = opencv()
    smooth = cv2.GaussianBlur(plane.values, (0, 0), sigma, borderType=cv2.BORDER_REPLICATE)
    across = cv2.Scharr(smooth, cv2.CV_32F, 1, 0, borderType=cv2.BORDER_REPLICATE)
    down = cv2.Scharr(smooth, cv2.CV_32F, 0, 1, borderType=cv2.BORDER_REPLICATE)
    inner = inside(plane, sigma)
    # In place: most of the time would go into new memory.
    imaginary = across * down
    imaginary *= 2
    across *= across
    down *= down
    strength = across + down
    shown = strength.ravel() if inner.all() else strength[inner]
    k2 = float(np.median(shown[:: max(1, shown.size // 100_000)])) if shown.size else 0.0
    strength += np.float32(k2 + ROUNDING**2)
    weight = np.divide(inner, strength, out=strength)
    real = np.subtract(across, down, out=across)
    real *= weight
    imaginary *= weight
    return np.asarray(cv2.merge([real, imaginary]))


def inside(plane: Plane, sigma: float) -> BoolArray:
    """Return the mask of pixels with data in their whole neighbourhood."""
    cv2 = opencv()
    width = 2 * round(1.5 * sigma) + 1
    near = cv2.erode(
        plane.mask,
        np.ones((width, width), np.uint8),
        borderType=cv2.BORDER_CONSTANT,
        borderValue=255,
    )
    return np.asarray(near > 0)


def likeness(one: FloatArray, other: FloatArray) -> float:
    r"""Return :math:`\sum \Re(c_1 \bar c_2) / \sqrt{\sum|c_1|^2 \sum|c_2|^2}` where both exist."""
    both = np.any(one, axis=2, keepdims=True) & np.any(other, axis=2, keepdims=True)
    one, other = one * both, other * both
    energy = float((one * one).sum()) * float((other * other).sum())
    return float((one * other).sum()) / math.sqrt(energy) if energy > 0 else 0.0


# Of a tile: position (x, y), height and sharpness of the peak; with its centre (x, y) before them.
_Point: TypeAlias = tuple[float, float]
_Peak: TypeAlias = tuple[_Point, float, tuple[_Point, _Point]]
_Match: TypeAlias = tuple[_Point, _Point, float, tuple[_Point, _Point]]

_LEAST_ENERGY = 0.02  # mean |c|^2 below which a tile has no structure
_MOST_TILES = 300  # bounds the time; with more, tiles overlap less


@dataclass(frozen=True, eq=False)
class Shifts:
    """Local shifts of n tiles, found within a search radius in pixels.

    Centres (x, y) in the frame; shifts, the position in the moving picture minus the centre; the
    correlation at the peak, at most 1; and its sharpness, minus the second derivatives, (n, 2, 2).
    """

    centres: FloatArray
    shifts: FloatArray
    peaks: FloatArray
    information: FloatArray
    radius: int

    @property
    def lengths(self) -> FloatArray:
        """Lengths of the shifts, in pixels."""
        return np.asarray(np.hypot(*self.shifts.T))

    def __len__(self) -> int:
        return len(self.peaks)


def local_shifts(moving: FloatArray, fixed: FloatArray, *, size: int, radius: int) -> Shifts:
    """Match the tiles of one orientation field in another, (rows, cols, 2), 0 without data.

    Tiles have a side of `size`; they overlap by half if that makes fewer than 300 of them.
    """
    cv2 = opencv()
    rows, cols = fixed.shape[:2]
    padded = cv2.copyMakeBorder(moving, *[radius] * 4, cv2.BORDER_CONSTANT, value=0)
    # Half a tile apart, or further where there would be too many.
    step = max(size / 2, math.sqrt(rows * cols / _MOST_TILES))
    lefts = _tile_starts(cols, size, step)

    def matched(top: int) -> list[_Match]:
        """Return the matches of a row of tiles."""
        tiles = fixed[top : top + size]
        places = padded[top : top + len(tiles) + 2 * radius]
        parts = (
            (left, places[:, left : left + size + 2 * radius], tiles[:, left : left + size])
            for left in lefts
        )
        found = ((left, tile.shape[1], _match(place, tile)) for left, place, tile in parts)
        down = top + (len(tiles) - 1) / 2
        return [((left + (n - 1) / 2, down), *peak) for left, n, peak in found if peak is not None]

    found = [one for row in in_threads(matched, _tile_starts(rows, size, step)) for one in row]
    if not found:
        return Shifts(np.empty((0, 2)), np.empty((0, 2)), np.empty(0), np.empty((0, 2, 2)), radius)
    centres, shifts, peaks, information = (np.array(part) for part in zip(*found, strict=True))
    return Shifts(centres, shifts - radius, peaks, information, radius)


def _match(place: FloatArray, tile: FloatArray) -> _Peak | None:
    """Return the peak of a tile's correlation with a larger place; None without structure."""
    cv2 = opencv()
    if min(_energy(tile), _energy(place)) < _LEAST_ENERGY:
        return None
    return _peak(cv2.matchTemplate(place, tile, cv2.TM_CCORR_NORMED))


def _tile_starts(length: int, size: int, step: float) -> list[int]:
    """Return the starts of tiles that span a length, about `step` apart."""
    if length <= size:
        return [0]
    count = 1 + round((length - size) / step)
    return [round(k * (length - size) / max(1, count - 1)) for k in range(count)]


def _energy(field: FloatArray) -> float:
    cv2 = opencv()
    return float(cv2.norm(field, cv2.NORM_L2SQR)) / math.prod(field.shape[:2])


def _peak(surface: FloatArray) -> _Peak | None:
    """Return position (x, y), height and sharpness of an inner maximum; None at the border."""
    row, col = np.unravel_index(int(surface.argmax()), surface.shape)
    if not (0 < row < surface.shape[0] - 1 and 0 < col < surface.shape[1] - 1):
        return None
    # Of numbers, not arrays: there are thousands of tiles.
    above, s, below = surface[row - 1 : row + 2, col - 1 : col + 2].astype(np.float64).tolist()
    gx, gy = (s[2] - s[0]) / 2, (below[1] - above[1]) / 2
    xy = -(below[2] + above[0] - above[2] - below[0]) / 4
    xx, yy = -(s[2] - 2 * s[1] + s[0]), -(below[1] - 2 * s[1] + above[1])
    determinant = xx * yy - xy * xy
    if xx <= 0 or determinant <= 0:
        return None
    steps = (yy * gx - xy * gy) / determinant, (xx * gy - xy * gx) / determinant
    across, down = (min(max(step, -1.0), 1.0) for step in steps)
    return (float(col) + across, float(row) + down), s[1], ((xx, xy), (xy, yy))
