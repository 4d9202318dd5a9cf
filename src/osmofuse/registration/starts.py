"""Rough transforms to start from: by SIFT features, or by a search over similarities."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from osmofuse.progress import Guard
from osmofuse.registration.local_shifts import orientation
from osmofuse.registration.opencv import opencv
from osmofuse.registration.transform import carried, corners, scaling
from osmofuse.registration.views import ROUNDING, Plane, View
from osmofuse.typing import Array, FloatArray

_RATIO = 0.8  # Lowe's ratio of best to second-best distance
_MATCHED = 3.0  # pixels: largest reprojection error of an inlier
_MOST_FEATURES = 3000  # features of a picture
_LEAST_INLIERS = 8  # matches that agree on a homography, twice its minimum
TONES, EDGES = "tones", "edges"  # where features are detected: grey values, gradients


def from_features(moving: Plane, fixed: Plane, look: str) -> FloatArray | None:
    """Estimate a homography from SIFT features in grey values or in gradient magnitudes.

    It maps points of the moving picture to the fixed one; None if too few matches agree.
    """
    seen = _tones if look == TONES else _edges
    matrix = _matched(seen(moving), seen(fixed), moving.mask, fixed.mask)
    return None if matrix is None else np.linalg.inv(fixed.matrix) @ matrix @ moving.matrix


def _tones(plane: Plane) -> Array:
    return _as_bytes(plane.values)


def _edges(plane: Plane) -> Array:
    """Return the log gradient magnitude, the same for both signs of contrast."""
    strength = log_gradient(plane, 1.0)
    top = float(np.percentile(strength, 99.5)) or 1.0
    return _as_bytes(strength / top)


def _as_bytes(values: FloatArray) -> Array:
    return np.rint(np.clip(values, 0, 1) * 255).astype(np.uint8)


def log_gradient(plane: Plane, sigma: float) -> FloatArray:
    r"""Return :math:`\log(1 + |\nabla G_\sigma I| / k)`, with :math:`k` the median strength."""
    cv2 = opencv()
    smooth = cv2.GaussianBlur(plane.values, (0, 0), sigma, borderType=cv2.BORDER_REPLICATE)
    across, down = cv2.Scharr(smooth, cv2.CV_32F, 1, 0), cv2.Scharr(smooth, cv2.CV_32F, 0, 1)
    # OpenCV's magnitude rounds according to where in memory its result lies.
    strength = np.sqrt(across * across + down * down)
    k = float(np.median(strength[::3, ::3])) + ROUNDING
    return np.asarray(np.log1p(strength / k))


def _matched(moving: Array, fixed: Array, *masks: Array) -> FloatArray | None:
    cv2 = opencv()
    sift = cv2.SIFT_create(_MOST_FEATURES, contrastThreshold=0.02)
    described = [sift.detectAndCompute(p, m) for p, m in zip((moving, fixed), masks, strict=True)]
    if any(words is None or len(words) < _LEAST_INLIERS for _, words in described):
        return None
    (points, words), (places, others) = described
    words, others = _rooted(words), _rooted(others)
    pairs = [_paired(one, others) for one in (words, _reversed(words))]
    # Of a point that is matched in both polarities, the nearer one counts.
    best: dict[int, tuple[float, int]] = {}
    for matches in pairs:
        for distance, start, end in matches:
            if start not in best or distance < best[start][0]:
                best[start] = distance, end
    if len(best) < _LEAST_INLIERS:
        return None
    here = np.array([points[start].pt for start in best])
    there = np.array([places[end].pt for _, end in best.values()])
    matrix, inliers = cv2.findHomography(here, there, cv2.USAC_MAGSAC, _MATCHED, None, 5000, 0.999)
    if matrix is None or int(inliers.sum()) < _LEAST_INLIERS:
        return None
    return np.asarray(matrix)


def _rooted(words: FloatArray) -> FloatArray:
    """Return RootSIFT descriptors: their Euclidean distance is Hellinger's."""
    return np.asarray(np.sqrt(words / (words.sum(axis=1, keepdims=True) + 1e-9)))


def _reversed(words: FloatArray) -> FloatArray:
    """Return the descriptors of the same points in the negative picture.

    Gradients and the direction of the keypoint turn by 180° together, so the histograms stay the
    same and only the cells of the grid change places.
    """
    cells: Any = words.reshape(-1, 4, 4, 8)
    return np.asarray(np.ascontiguousarray(cells[:, ::-1, ::-1]).reshape(-1, 128))


def _paired(words: FloatArray, others: FloatArray) -> list[tuple[float, int, int]]:
    cv2 = opencv()
    matches = cv2.BFMatcher(cv2.NORM_L2).knnMatch(words, others, k=2)
    return [
        (one.distance, one.queryIdx, one.trainIdx)
        for one, two in (pair for pair in matches if len(pair) == 2)
        if one.distance < _RATIO * two.distance
    ]


_SEARCH_SIDE = 144  # pixels of the copies' side
_SEARCH_SIGMA = 1.5  # pixels: Gaussian before the gradient
_TURNS = np.deg2rad(np.arange(-12, 13, 4))  # searched rotations
_SCALES = 1.09 ** np.arange(-4, 5)  # searched scales: 0.71 to 1.41
_SEARCH_OVERLAP = 0.35  # least overlap, of the smaller picture


def from_search(
    moving: View, fixed: View, guard: Guard, most: int = 4
) -> list[tuple[FloatArray, float]]:
    """Search similarities by correlation of edge orientations.

    If the sizes of the pictures differ by more than a quarter, they are taken for pictures of one
    resolution, and also for pictures of one field of view. Returns at most `most` matrices from
    points of the moving picture to the fixed one, best first, with their scores: the correlation in
    units of what chance gives. The guard is called before each turn; cancelled, nothing is found.
    """
    there = fixed.whole(_SEARCH_SIDE * _SEARCH_SIDE)
    target = orientation(there, _SEARCH_SIGMA)
    here = moving.whole(4 * _SEARCH_SIDE * _SEARCH_SIDE)
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
    place = scaling(1.0, -low) @ linear
    field = orientation(here.into(place, shape), _SEARCH_SIGMA)
    score = _correlation(field, target)
    row, col = np.unravel_index(int(score.argmax()), score.shape)
    down, across = row - (shape[0] - 1), col - (shape[1] - 1)
    move = scaling(1.0, (across, down))
    return [(np.linalg.inv(reduce) @ move @ place, float(score[row, col]))]


def _correlation(field: FloatArray, target: FloatArray) -> FloatArray:
    """Return for all shifts the correlation, in units of its spread for unrelated pictures."""
    from scipy.fft import fft2, ifft2, next_fast_len

    shape = [a + b - 1 for a, b in zip(field.shape[:2], target.shape[:2], strict=True)]
    size = [next_fast_len(n) for n in shape]

    def transformed(z: FloatArray) -> FloatArray:
        return np.asarray(fft2(z, size))

    one, two = (f[..., 0] + 1j * f[..., 1] for f in (field, target))
    flip = one[::-1, ::-1].conj()
    product = ifft2(transformed(flip) * transformed(two)).real
    power = ifft2(transformed(abs(flip) ** 2) * transformed(abs(two) ** 2)).real
    support = ifft2(transformed((flip != 0).astype(float)) * transformed((two != 0).astype(float)))
    least = _SEARCH_OVERLAP * min(np.count_nonzero(one), np.count_nonzero(two))
    allowed = support.real > max(least, 1)
    score = np.where(allowed, product / np.sqrt(np.maximum(power, 1e-3 * power.max() + 1e-9)), -1)
    return np.asarray(score[: shape[0], : shape[1]])


def _distinct(
    found: list[tuple[FloatArray, float]],
    moving: tuple[int, int],
    fixed: tuple[int, int],
    most: int,
) -> list[tuple[FloatArray, float]]:
    """Return the best that differ from one another by more than a step of the search."""
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
