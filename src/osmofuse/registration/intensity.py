r"""Refinement by grey values: enhanced correlation coefficient (ECC) and mutual information.

.. math:: I = \sum_{ab} p_{ab} \log \frac{p_{ab}}{p_a p_b}

is the mutual information of the joint histogram of grey values; it holds whatever the relation of
the two pictures' greys.
"""

from __future__ import annotations

import numpy as np

from osmofuse.registration.opencv import opencv
from osmofuse.registration.starts import log_gradient
from osmofuse.registration.transform import Kind, basis, carried, corners, fitted, scaling
from osmofuse.registration.views import Frame, View, frame_of
from osmofuse.typing import BoolArray, FloatArray

_ECC_PIXELS = (8_000, 30_000, 120_000, 500_000)  # pixels of the frame, coarse to fine
_ECC_SIGMA = 2.0  # pixels: Gaussian before the gradient
_ITERATIONS = 100  # of ECC at a level
_CLOSE = 1e-6  # change of the coefficient that ends ECC


def by_correlation(
    moving: View, fixed: View, transform: FloatArray, kind: Kind
) -> FloatArray | None:
    r"""Maximise the correlation of :math:`\log(1 + |\nabla G_2 I| / k)`, coarse to fine.

    Returns the refined matrix; None if it converged at no level.
    """
    found = None
    for pixels in _ECC_PIXELS:
        frame = frame_of(moving, fixed, transform, pixels)
        if frame is None:
            return None
        change = _ecc_change(frame, transform, kind)
        if change is not None:
            found = transform = frame.changed(transform, change)
    return found


def _ecc_change(frame: Frame, transform: FloatArray, kind: Kind) -> FloatArray | None:
    cv2 = opencv()
    here = frame.carried(transform)
    motion = {"translation": cv2.MOTION_TRANSLATION, "homography": cv2.MOTION_HOMOGRAPHY}.get(
        kind, cv2.MOTION_AFFINE
    )
    start = np.eye(3 if kind == "homography" else 2, 3, dtype=np.float32)
    rule = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, _ITERATIONS, _CLOSE)
    try:
        _, found = cv2.findTransformECC(
            log_gradient(frame.fixed, _ECC_SIGMA),
            log_gradient(here, _ECC_SIGMA),
            start,
            motion,
            rule,
            here.mask,
            5,
        )
    except cv2.error:  # it did not converge
        return None
    # It takes the fixed picture to the moving one.
    back: FloatArray = np.linalg.inv(np.vstack([found, [0, 0, 1]])[:3].astype(np.float64))
    if kind == "similarity":
        ends = corners(frame.shape)
        back = fitted("similarity", ends, carried(back, ends))
    return back


_BINS = 40  # of the joint histogram, along each axis
_MI_PIXELS = (30_000, 250_000)  # pixels of the frame, coarse to fine
_POINTS = 20_000  # pixels sampled for an evaluation
_MI_SIGMA = 1.0  # pixels: Gaussian before sampling
_CALLS = 300  # most evaluations at a level


def mutual_information(one: FloatArray, other: FloatArray, where: BoolArray) -> float:
    """Return the mutual information in nats of two planes about [0, 1] over the pixels `where`."""
    return _information(one[where], other[where]) if where.any() else 0.0


def by_information(
    moving: View, fixed: View, transform: FloatArray, kind: Kind
) -> FloatArray | None:
    """Maximise the mutual information by Powell's method, on a regular sample of pixels.

    Returns the refined matrix; None if the pictures no longer overlap.
    """
    from scipy.optimize import minimize

    for pixels in _MI_PIXELS:
        frame = frame_of(moving, fixed, transform, pixels)
        if frame is None:
            return None
        search = _Objective(frame, transform, kind)
        simple = np.zeros(len(basis(kind)))
        options = {"maxfev": _CALLS, "xtol": 1e-3, "ftol": 1e-6}
        best = minimize(search, simple, method="Powell", options=options)
        if best.fun < search(simple):
            transform = frame.changed(transform, search.change(best.x))
    return transform


class _Objective:
    """Minus the mutual information after a small change; its parameters are in pixels."""

    def __init__(self, frame: Frame, transform: FloatArray, kind: Kind) -> None:
        cv2 = opencv()
        here = frame.carried(transform)
        self.plane = cv2.GaussianBlur(here.values, (0, 0), _MI_SIGMA)
        self.mask, self.kind = here.mask, kind
        rows, cols = frame.shape
        step = max(1, round((rows * cols / _POINTS) ** 0.5))
        down, across = np.mgrid[0:rows:step, 0:cols:step]
        self.points = np.column_stack([across.ravel(), down.ravel()]).astype(np.float64)
        self.shown = frame.fixed.mask[::step, ::step] > 0
        self.target = cv2.GaussianBlur(frame.fixed.values, (0, 0), _MI_SIGMA)[::step, ::step]
        half = max(rows, cols) / 2
        self.shrink = scaling(1 / half, (-cols / 2 / half, -rows / 2 / half))
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
    """Return the mutual information, values shared between two bins so that it is smooth."""
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
