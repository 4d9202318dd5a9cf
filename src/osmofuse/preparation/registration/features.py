"""Starts from features: SIFT, matched in both polarities, and a homography that many agree on."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from osmofuse.preparation.registration.opencv import opencv
from osmofuse.preparation.registration.views import ROUNDING, Plane
from osmofuse.typing import Array, FloatArray

_RATIO = 0.8  # of the distances to the best and second-best match
_NEAR = 3.0  # pixels from where the homography puts it
_MOST = 3000  # features of a picture
_LEAST_INLIERS = 8
TONES, EDGES = "tones", "edges"


def from_features(moving: Plane, fixed: Plane, look: str) -> FloatArray | None:
    """Find a homography by SIFT.

    Parameters
    ----------
    moving, fixed : Plane
        Grey copies.
    look : {"tones", "edges"}
        At the grey values, or at the strength of their edges.

    Returns
    -------
    array of shape (3, 3) or None
        Takes points of the moving picture to the fixed one; None where too few matches agree.
    """
    seen = _tones if look == TONES else _edges
    matrix = _matched(seen(moving), seen(fixed), moving.mask, fixed.mask)
    return None if matrix is None else np.linalg.inv(fixed.matrix) @ matrix @ moving.matrix


def _tones(plane: Plane) -> Array:
    return _as_bytes(plane.values)


def _edges(plane: Plane) -> Array:
    """Return the logarithm of the strength of edges: alike for rising and falling contrast."""
    strength = log_gradient(plane, 1.0)
    top = float(np.percentile(strength, 99.5)) or 1.0
    return _as_bytes(strength / top)


def _as_bytes(values: FloatArray) -> Array:
    return np.rint(np.clip(values, 0, 1) * 255).astype(np.uint8)


def log_gradient(plane: Plane, sigma: float) -> FloatArray:
    r"""Return :math:`\log(1 + |\nabla G_\sigma I| / k)`, with :math:`k` the median strength."""
    cv2 = opencv()
    smooth = cv2.GaussianBlur(plane.values, (0, 0), sigma, borderType=cv2.BORDER_REPLICATE)
    strength = cv2.magnitude(
        cv2.Scharr(smooth, cv2.CV_32F, 1, 0), cv2.Scharr(smooth, cv2.CV_32F, 0, 1)
    )
    k = float(np.median(strength[::3, ::3])) + ROUNDING
    return cast(FloatArray, np.log1p(strength / k))


def _matched(moving: Array, fixed: Array, *masks: Array) -> FloatArray | None:
    cv2 = opencv()
    sift = cv2.SIFT_create(_MOST, contrastThreshold=0.02)
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
    matrix, inliers = cv2.findHomography(here, there, cv2.USAC_MAGSAC, _NEAR, None, 5000, 0.999)
    if matrix is None or int(inliers.sum()) < _LEAST_INLIERS:
        return None
    return cast(FloatArray, matrix)


def _rooted(words: FloatArray) -> FloatArray:
    """Return descriptors whose Euclidean distance is Hellinger's: bins of one edge count less."""
    return cast(FloatArray, np.sqrt(words / (words.sum(axis=1, keepdims=True) + 1e-9)))


def _reversed(words: FloatArray) -> FloatArray:
    """Return the descriptors that the same places have where light and dark are exchanged.

    Gradients and the direction of the keypoint turn by 180° together, so the histograms stay
    what they are and only the cells of the grid change places.
    """
    cells: Any = words.reshape(-1, 4, 4, 8)
    return cast(FloatArray, np.ascontiguousarray(cells[:, ::-1, ::-1]).reshape(-1, 128))


def _paired(words: FloatArray, others: FloatArray) -> list[tuple[float, int, int]]:
    cv2 = opencv()
    matches = cv2.BFMatcher(cv2.NORM_L2).knnMatch(words, others, k=2)
    return [
        (one.distance, one.queryIdx, one.trainIdx)
        for one, two in (pair for pair in matches if len(pair) == 2)
        if one.distance < _RATIO * two.distance
    ]
