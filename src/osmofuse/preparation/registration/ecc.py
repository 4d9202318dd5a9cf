"""Refinement by the enhanced correlation coefficient of log-gradient magnitudes."""

from __future__ import annotations

import numpy as np

from osmofuse.preparation.registration.features import log_gradient
from osmofuse.preparation.registration.frame import Frame, frame_of
from osmofuse.preparation.registration.opencv import opencv
from osmofuse.preparation.registration.transform import Kind, carried, corners, fitted
from osmofuse.preparation.registration.views import View
from osmofuse.typing import FloatArray

_LEVELS = (8_000, 30_000, 120_000, 500_000)  # pixels
_SIGMA = 2.0
_ITERATIONS = 100
_CLOSE = 1e-6


def by_correlation(
    moving: View, fixed: View, transform: FloatArray, kind: Kind
) -> FloatArray | None:
    r"""Maximise the correlation of :math:`\log(1 + |\nabla G_2 I| / k)`, coarse to fine.

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
        None where it did not converge at any level.
    """
    found = None
    for pixels in _LEVELS:
        frame = frame_of(moving, fixed, transform, pixels)
        if frame is None:
            return None
        change = _change(frame, transform, kind)
        if change is not None:
            found = transform = frame.changed(transform, change)
    return found


def _change(frame: Frame, transform: FloatArray, kind: Kind) -> FloatArray | None:
    cv2 = opencv()
    here = frame.carried(transform)
    motion = {"translation": cv2.MOTION_TRANSLATION, "homography": cv2.MOTION_HOMOGRAPHY}.get(
        kind, cv2.MOTION_AFFINE
    )
    start = np.eye(3 if kind == "homography" else 2, 3, dtype=np.float32)
    rule = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, _ITERATIONS, _CLOSE)
    try:
        _, found = cv2.findTransformECC(
            log_gradient(frame.fixed, _SIGMA),
            log_gradient(here, _SIGMA),
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
