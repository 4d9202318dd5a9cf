r"""Mutual information of two pictures in one frame.

.. math:: I = \sum_{ab} p_{ab} \log \frac{p_{ab}}{p_a p_b}

over the joint histogram of grey values: how much one picture tells of the other, whatever the
relation of their greys.
"""

from __future__ import annotations

import numpy as np

from osmofuse.preparation.registration.frame import Frame, frame_of
from osmofuse.preparation.registration.opencv import opencv
from osmofuse.preparation.registration.transform import Kind, basis, carried
from osmofuse.preparation.registration.views import View
from osmofuse.typing import BoolArray, FloatArray

_BINS = 40
_LEVELS = (30_000, 250_000)  # pixels
_POINTS = 20_000
_SIGMA = 1.0
_CALLS = 300  # evaluations at a level


def mutual_information(one: FloatArray, other: FloatArray, where: BoolArray) -> float:
    """Return the mutual information of two planes in nats, over 40 bins of equal width.

    Parameters
    ----------
    one, other : array of floats, (rows, cols)
        Grey values about [0, 1].
    where : array of bool, (rows, cols)
        What counts.
    """
    return _information(one[where], other[where]) if where.any() else 0.0


def by_information(
    moving: View, fixed: View, transform: FloatArray, kind: Kind
) -> FloatArray | None:
    """Maximise the mutual information by Powell's method, on a regular sample of pixels.

    Parameters
    ----------
    moving, fixed : View
        The pictures.
    transform : array of shape (3, 3)
        Where to start.
    kind : {"translation", "similarity", "affine", "homography"}
        What it may do.

    Returns
    -------
    array of shape (3, 3) or None
        None where the pictures came apart.
    """
    from scipy.optimize import minimize

    for pixels in _LEVELS:
        frame = frame_of(moving, fixed, transform, pixels)
        if frame is None:
            return None
        search = _Search(frame, transform, kind)
        simple = np.zeros(len(basis(kind)))
        options = {"maxfev": _CALLS, "xtol": 1e-3, "ftol": 1e-6}
        best = minimize(search, simple, method="Powell", options=options)
        if best.fun < search(simple):
            transform = frame.changed(transform, search.change(best.x))
    return transform


class _Search:
    """Minus the mutual information after a small change; its parameters are in pixels."""

    def __init__(self, frame: Frame, transform: FloatArray, kind: Kind) -> None:
        cv2 = opencv()
        here = frame.carried(transform)
        self.plane = cv2.GaussianBlur(here.values, (0, 0), _SIGMA)
        self.mask, self.kind = here.mask, kind
        rows, cols = frame.shape
        step = max(1, round((rows * cols / _POINTS) ** 0.5))
        down, across = np.mgrid[0:rows:step, 0:cols:step]
        self.points = np.column_stack([across.ravel(), down.ravel()]).astype(np.float64)
        self.shown = frame.fixed.mask[::step, ::step] > 0
        self.target = cv2.GaussianBlur(frame.fixed.values, (0, 0), _SIGMA)[::step, ::step]
        half = max(rows, cols) / 2
        self.shrink = np.array(
            [[1 / half, 0, -cols / 2 / half], [0, 1 / half, -rows / 2 / half], [0, 0, 1]]
        )
        self.unit = 1 / half

    def change(self, x: FloatArray) -> FloatArray:
        """Return the change as a matrix in the frame."""
        matrix = np.eye(3) + np.tensordot(x * self.unit, basis(self.kind), 1)
        whole: FloatArray = np.linalg.inv(self.shrink) @ matrix @ self.shrink
        return whole

    def __call__(self, x: FloatArray) -> float:
        cv2 = opencv()
        places = carried(np.linalg.inv(self.change(x)), self.points).astype(np.float32)
        maps = places[:, 0].reshape(self.shown.shape), places[:, 1].reshape(self.shown.shape)
        values = cv2.remap(self.plane, *maps, cv2.INTER_LINEAR)
        shown = self.shown & (cv2.remap(self.mask, *maps, cv2.INTER_NEAREST) > 0)
        if np.count_nonzero(shown) < 0.3 * shown.size:
            return 0.0
        return -_information(values[shown], self.target[shown])


def _information(one: FloatArray, other: FloatArray) -> float:
    """Return it with each value shared between two bins, so that it changes smoothly."""
    place = np.clip(one, 0, 1) * (_BINS - 1.001)
    low = place.astype(np.intp)
    part = place - low
    column = np.rint(np.clip(other, 0, 1) * (_BINS - 1)).astype(np.intp)
    joint = np.bincount(low * _BINS + column, 1 - part, _BINS * _BINS)
    joint += np.bincount((low + 1) * _BINS + column, part, _BINS * _BINS)
    p = joint.reshape(_BINS, _BINS) / joint.sum()
    product = p.sum(axis=1, keepdims=True) * p.sum(axis=0, keepdims=True)
    some = p > 0
    return float((p[some] * np.log(p[some] / product[some])).sum())
