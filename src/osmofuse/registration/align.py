"""Registration of a background with a foreground: `align`, its result and its cost."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from osmofuse.checks import choice
from osmofuse.errors import InputError, SettingError
from osmofuse.picture import Picture, checked
from osmofuse.progress import Guard, Status, Watch, check_watch
from osmofuse.registration.chain import (
    ALIGN_METHODS,
    AlignMethod,
    Candidate,
    best_candidate,
    tested,
)
from osmofuse.registration.control_points import as_points
from osmofuse.registration.opencv import opencv
from osmofuse.registration.quality import Evidence, Level, Quality, evidence
from osmofuse.registration.refine import residual_field
from osmofuse.registration.transform import KINDS, Deformation, Kind, Transform, carried, fitted
from osmofuse.registration.views import View, frame_of
from osmofuse.registration.warp import warped
from osmofuse.typing import Array, ArrayLike, BoolArray, FloatArray

_FIELD_PIXELS = 600_000  # of the frame in which a deformation is estimated
_MOST_DEFORMED = 0.05  # of the longer side: larger deformations are refused


@dataclass(frozen=True, eq=False)
class Alignment:
    """Result of a registration.

    Attributes
    ----------
    image : array or None
        The background in the frame of the foreground, in its own depth; 0 where it has
        nothing to show. None if refused or cancelled.
    transform : Transform or None
        Transform from points (x, y) of the background to the foreground; if refused, the best
        candidate, if any. ``transform.matrix`` is the homography.
    valid : array of bool, (rows, cols), or None
        Mask of the pixels with data. None if refused or cancelled.
    score : float
        Quality in [0, 1]: the share of tiles that fit, times the square root of the
        correlation of edge orientations.
    status : Status
        ``converged``; ``direct`` for control points alone; ``refused``; or ``cancelled``.
    reason : str or None
        Reason for the refusal.
    quality : Quality
        Its ``level`` is "good", "look closely" or "refused", its ``figure`` the estimated error in
        pixels. As a mapping it has the figures ``tiles``, ``agreement``, ``peak``, ``residual``,
        ``uncertainty``, ``likeness``, ``significance``, ``information``, ``overlap``; for control
        points ``points`` and ``points_residual`` in pixels.
    origin : str
        Estimate that gave the transform.
    seconds : float
        Run time.
    """

    image: Array | None = field(repr=False)
    transform: Transform | None
    valid: BoolArray | None = field(repr=False)
    score: float
    status: Status
    reason: str | None = None
    quality: Quality = field(default_factory=Quality)
    origin: str = ""
    seconds: float = 0.0


def align(
    foreground: ArrayLike | Picture,
    background: ArrayLike | Picture,
    *,
    method: AlignMethod = "auto",
    transform: Kind = "homography",
    points: ArrayLike | str | os.PathLike[str] | None = None,
    deformation: bool = False,
    watch: Watch | None = None,
) -> Alignment:
    """Register the background with the foreground.

    The two may differ in size, resolution and kind of light. A transform is accepted only if it is
    plausible and most tiles that have structure in both pictures fit under it, or two fifths of
    them where most of the overlap correlates nowhere else; otherwise the status is ``refused``,
    with the `reason`. Needs OpenCV, which the extra ``opencv`` installs.

    Parameters
    ----------
    foreground, background : array_like or Picture, (rows, cols) or (rows, cols, channels)
        The picture that stays, and the one that is laid over it. Never changed. Where a Picture has
        no data, nothing is compared.
    method : {"auto", "features", "correlation", "mutual-information", "points"}
        "auto" begins with features (SIFT, in both polarities, and a homography that many of them
        agree on), tries turns, scales and shifts where that is weak, refines with local shifts,
        and tries correlation and mutual information where that is weak too; the candidate of
        the best score wins. "features" stops after the first; "correlation" (ECC on log-gradient
        magnitudes) and "mutual-information" start from the search alone. "points" takes the
        control points as they are.
    transform : {"translation", "similarity", "affine", "homography"}
        Kind of the transform.
    points : array_like of shape (n, 4), or path, optional
        Control points background_x, background_y, foreground_x, foreground_y in pixels, or a CSV
        file with that header. With "points" they are all; otherwise a start that is tried first.
    deformation : bool
        Also estimate a smooth field of residual shifts, for warped parchment.
    watch : callable, optional
        Called with a `Progress` between passes: features, tries of the search, refinements. If it
        returns True the work ends, without an image.

    Returns
    -------
    Alignment
        Also where it is refused or cancelled.
    """
    check_watch(watch)
    check_settings(method, transform, points)
    opencv()
    guard = Guard(watch)
    fixed, moving = _image(foreground, "foreground"), _image(background, "background")
    views = View(*moving), View(*fixed)
    pairs = None if points is None else as_points(points)
    start = None if pairs is None else fitted(transform, pairs[:, :2], pairs[:, 2:])
    best: Candidate | None
    if method == "points":
        assert start is not None, "checked above"
        best = tested(*views, start, "points")
        reason = best.objection
    else:
        best, reason = best_candidate(
            *views, transform, method, guard, start=start, bending=deformation
        )
    if best is None or guard.cancelled:
        return _without_image(None, Evidence(), reason, guard)
    result, found = Transform(transform, best.matrix), best.evidence
    if deformation and (reason is None or method != "points") and guard.next_pass():
        result, found, reason = _deformed(views, result, found, reason)
    figures = _point_figures(pairs, result)
    if reason is not None or not guard.next_pass():
        return _without_image(result, found, reason, guard, best.origin, figures)
    image, valid = warped(moving[0], result, views[1].shape, valid=moving[1])
    # Control points alone are taken as they are, however little fits.
    level: Level = "good" if found.level == "good" else "look closely"
    return Alignment(
        image, result, valid, found.score,
        Status.direct if method == "points" else Status.converged,
        quality=found.quality(level, figures), origin=best.origin, seconds=guard.seconds,
    )  # fmt: skip


def check_settings(method: str, transform: str, points: object) -> None:
    """Check the settings of `align`."""
    choice("method", method, ALIGN_METHODS)
    choice("transform", transform, KINDS)
    if method == "points" and points is None:
        raise SettingError(
            "points: the method 'points' needs them; give a CSV file, on the command line with "
            "--points FILE.csv"
        )


def _image(picture: ArrayLike | Picture, name: str) -> tuple[Array, BoolArray | None]:
    if not isinstance(picture, Picture) or (valid := picture.valid) is None:
        return checked(picture, name, bounded=False), None
    if not valid.any():
        raise InputError(f"{name}: every pixel holds the no-data value {picture.nodata:g}")
    # Filled, so that the no-data value does not enter its neighbours.
    return checked(picture.filled(), name, bounded=False), valid


def _without_image(
    transform: Transform | None,
    found: Evidence,
    reason: str | None,
    guard: Guard,
    origin: str = "",
    figures: Mapping[str, float] = MappingProxyType({}),
) -> Alignment:
    """Return the result of a refused or cancelled registration."""
    return Alignment(
        None, transform, None, found.score,
        Status.cancelled if guard.cancelled else Status.refused,
        reason=None if guard.cancelled else reason,
        quality=found.quality("refused", figures), origin=origin, seconds=guard.seconds,
    )  # fmt: skip


def _deformed(
    views: tuple[View, View], result: Transform, found: Evidence, reason: str | None
) -> tuple[Transform, Evidence, str | None]:
    """Add a smooth field to a transform if that raises the score."""
    frame = frame_of(*views, result.matrix, _FIELD_PIXELS)
    bent = frame and residual_field(frame, result.matrix, views[1].shape)
    if not isinstance(bent, Deformation):
        return result, found, reason
    if bent.folds or bent.largest > _MOST_DEFORMED * max(views[1].shape):
        words = f"the deformation is implausible (up to {bent.largest:.0f} pixels)"
        return result, found, reason or words
    after = evidence(*views, result.matrix, bent)
    if after.score <= found.score:
        return result, found, reason
    return Transform(result.kind, result.matrix, bent), after, after.doubt


def _point_figures(pairs: FloatArray | None, transform: Transform) -> dict[str, float]:
    if pairs is None:
        return {}
    off = np.hypot(*(carried(transform.matrix, pairs[:, :2]) - pairs[:, 2:]).T)
    return {"points": len(pairs), "points_residual": float(np.sqrt((off**2).mean()))}


# Bytes for a pixel, and the most pixels used: bounds of measurements at 12 and 100 megapixels.
# Seconds of the search, and for a million pixels.
_ALIGN_BYTES, _PIXELS_USED = 300, 3_000_000
_SEARCH_SECONDS, _ALIGN_SECONDS = 4.0, 2.0


def alignment_cost(pixels: int) -> tuple[float, float]:
    """Return bytes, beyond the pictures, and seconds to register; pixels of the larger picture."""
    seen = min(pixels, _PIXELS_USED)
    return _ALIGN_BYTES * seen, _SEARCH_SECONDS + _ALIGN_SECONDS * seen / 1e6
