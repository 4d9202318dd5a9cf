"""Starts without features: turns and scales are tried, shifts come from a correlation of edges."""

from __future__ import annotations

import math
from typing import cast

import numpy as np

from osmofuse.preparation.registration.orientation import orientation
from osmofuse.preparation.registration.transform import corners
from osmofuse.preparation.registration.views import Plane, View
from osmofuse.progress import Guard
from osmofuse.typing import FloatArray

_SIDE = 144  # of the copies that are searched
_SIGMA = 1.5
_TURNS = np.deg2rad(np.arange(-12, 13, 4))
_SCALES = 1.09 ** np.arange(-4, 5)
_LEAST_OVERLAP = 0.35


def from_search(
    moving: View, fixed: View, guard: Guard, most: int = 4
) -> list[tuple[FloatArray, float]]:
    """Find similarities by correlation.

    Parameters
    ----------
    moving, fixed : View
        The pictures. If their sizes differ by more than a quarter, they are taken for
        pictures of one resolution, and also for pictures of one field of view.
    guard : Guard
        Asked before each turn; when it cancels, nothing is found.
    most : int
        How many to return.

    Returns
    -------
    list of tuple of array and float
        Matrices that take points of the moving picture to the fixed one, best first, with
        their scores: the correlation in units of what chance gives.
    """
    there = fixed.whole(_SIDE * _SIDE)
    target = orientation(there, _SIGMA)
    here = moving.whole(4 * _SIDE * _SIDE)
    found = []
    for ratio in _ratios(moving.shape, fixed.shape):
        for scale in _SCALES * ratio:
            for turn in _TURNS:
                if not guard.next_pass():
                    return []
                found += _best_shifts(here, target, there.matrix, scale, turn)
    found.sort(key=lambda one: -one[1])
    return _distinct(found, moving.shape, fixed.shape, most)


def _ratios(moving: tuple[int, int], fixed: tuple[int, int]) -> list[float]:
    ratio = math.sqrt(fixed[0] * fixed[1] / (moving[0] * moving[1]))
    return [1.0] if 0.8 < ratio < 1.25 else [1.0, ratio]


def _best_shifts(
    here: Plane, target: FloatArray, reduce: FloatArray, scale: float, turn: float
) -> list[tuple[FloatArray, float]]:
    """Return the best shift of a turned and scaled picture, as a transform, with its score."""
    c, s = scale * math.cos(turn), scale * math.sin(turn)
    linear = reduce @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
    outline = corners(here.shape) @ np.linalg.inv(here.matrix)[:2, :2].T @ linear[:2, :2].T
    low, high = outline.min(axis=0), outline.max(axis=0)
    shape = (math.ceil(high[1] - low[1]) + 1, math.ceil(high[0] - low[0]) + 1)
    if min(shape) < 16 or max(shape) > 4 * max(target.shape):
        return []
    place = np.array([[1, 0, -low[0]], [0, 1, -low[1]], [0, 0, 1.0]]) @ linear
    field = orientation(here.into(place, shape), _SIGMA)
    score = _correlation(field, target)
    row, col = np.unravel_index(int(score.argmax()), score.shape)
    down, across = row - (shape[0] - 1), col - (shape[1] - 1)
    move = np.array([[1, 0, across], [0, 1, down], [0, 0, 1.0]])
    return [(np.linalg.inv(reduce) @ move @ place, float(score[row, col]))]


def _correlation(field: FloatArray, target: FloatArray) -> FloatArray:
    """Return for all shifts the correlation, in units of its spread for unrelated pictures."""
    from scipy.fft import fft2, ifft2, next_fast_len

    shape = [a + b - 1 for a, b in zip(field.shape[:2], target.shape[:2], strict=True)]
    size = [next_fast_len(n) for n in shape]

    def transformed(z: FloatArray) -> FloatArray:
        return cast(FloatArray, fft2(z, size))

    one, two = (f[..., 0] + 1j * f[..., 1] for f in (field, target))
    flip = one[::-1, ::-1].conj()
    product = ifft2(transformed(flip) * transformed(two)).real
    power = ifft2(transformed(abs(flip) ** 2) * transformed(abs(two) ** 2)).real
    support = ifft2(transformed((flip != 0).astype(float)) * transformed((two != 0).astype(float)))
    least = _LEAST_OVERLAP * min(np.count_nonzero(one), np.count_nonzero(two))
    allowed = support.real > max(least, 1)
    score = np.where(allowed, product / np.sqrt(np.maximum(power, 1e-3 * power.max() + 1e-9)), -1)
    return cast(FloatArray, score[: shape[0], : shape[1]])


def _distinct(
    found: list[tuple[FloatArray, float]],
    moving: tuple[int, int],
    fixed: tuple[int, int],
    most: int,
) -> list[tuple[FloatArray, float]]:
    """Return the best that differ from one another by more than a step of the search."""
    from osmofuse.preparation.registration.transform import carried

    near = 0.06 * max(fixed)
    kept: list[tuple[FloatArray, float]] = []
    for matrix, score in found:
        ends = carried(matrix, corners(moving))
        others = (carried(other, corners(moving)) for other, _ in kept)
        if all(np.hypot(*(ends - other).T).mean() > near for other in others):
            kept.append((matrix, score))
        if len(kept) == most:
            break
    return kept
