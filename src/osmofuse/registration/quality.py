"""Quality of an estimated transform, and the reason why it cannot be trusted.

A transform is tested on tiles of the overlap, and by the correlation of its quarters. If it is
right, most tiles that have structure match where they are; of unrelated pictures a few do by
chance. Of a visible and a thermal picture few tiles match, but most quarters correlate nowhere
else.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

from osmofuse.registration.correlation_peak import widespread_significance
from osmofuse.registration.intensity import mutual_information
from osmofuse.registration.local_shifts import Shifts, likeness, local_shifts, orientation
from osmofuse.registration.opencv import opencv
from osmofuse.registration.refine import tile_side
from osmofuse.registration.transform import area, carried, corners, rates
from osmofuse.registration.views import Frame, View, frame_of
from osmofuse.typing import BoolArray, FloatArray

_PIXELS = 300_000  # of the frame in which a transform is tested
# Broad edges resist blur and noise; fine ones resist structure that only one picture shows.
_SIGMAS = (2.0, 0.8)
_RADIUS = 8  # pixels of the frame: search radius of a tile
_NEAR = 1.5  # pixels of the frame: largest shift of an inlier
_LEAST_TILES = 14  # with structure; fewer prove nothing, see below
# Measured after optimising the transform: unrelated pictures have up to 10 of 17 or 17 of 42
# inliers and correlations of 0.17, rarely 0.2; related ones mostly all, and 0.6 and more. With
# fine edges, unrelated pictures have less of both.
_LEAST_AGREEMENT = 0.45
_LEAST_LIKENESS = 0.22
_MOST_UNCERTAIN = 1.5  # pixels of the frame, at the corners
# Unrelated pictures have a significance of at most 5.1, also pages that share some words; right
# transforms of six pairs in different light 8.2 and more. The limit is the geometric mean.
_SIGNIFICANT = 6.4
# Limits where the significance excludes chance. Transforms that are right in a part only have
# 36 % of inliers at most, right ones 45 % and more; uncertain by 4 pixels, errors are near 2.
_AGREEMENT_IF_SIGNIFICANT = 0.4
_UNCERTAIN_IF_SIGNIFICANT = 4.0
# Ratio of the true error to the uncertainty: 0.49, 0.59 and 0.70 for three real pairs with known
# homographies; for 36 pairs of the gallery 0.3 in the median, 0.76 at the 90th percentile.
_ERROR_RATIO = 0.6
_LEAST_OVERLAP = 0.15  # of the smaller picture
_MOST_STRETCH = 1.6  # one direction against the other
_MOST_TILT = 3.0  # area at one corner against another
_MOST_SCALE = 16.0  # magnification, or its inverse


Level: TypeAlias = Literal["good", "look closely", "refused"]


@dataclass(frozen=True, eq=False)
class Quality(Mapping[str, float]):
    """Quality of an alignment: a level, an estimated error, and a mapping of all figures.

    Attributes
    ----------
    level : {"good", "look closely", "refused"}
        "look closely" where few places fit, or the corners are uncertain.
    figure : float
        Estimated error in pixels of the foreground: 0.6 times the ``uncertainty``; infinite for
        control points that the tiles do not confirm.
    figures : mapping
        All figures by name; ``quality["tiles"]`` is short for ``quality.figures["tiles"]``.
    """

    level: Level = "refused"
    figure: float = math.inf
    figures: Mapping[str, float] = field(default_factory=dict)

    @property
    def note(self) -> str | None:
        """Advice where the alignment should be looked at."""
        if self.level != "look closely":
            return None
        if math.isinf(self.figure):
            return "look closely at the alignment: too few places fit to confirm it"
        return (
            "look closely at the alignment: it is likely right, but may be off by about "
            f"{self.figure:.1f} pixels"
        )

    @property
    def error(self) -> str:
        """Estimated error in words."""
        known = math.isfinite(self.figure)
        return f"error about {self.figure:.2f} pixels" if known else "error unknown"

    def __getitem__(self, name: str) -> float:
        return self.figures[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.figures)

    def __len__(self) -> int:
        return len(self.figures)


@dataclass(frozen=True)
class Evidence:
    """Figures of the quality of a transform.

    Attributes
    ----------
    tiles : int
        Tiles that have structure in both pictures.
    agreement : float
        Inlier ratio: the share of these tiles that match within 1.5 pixels.
    peak : float
        Median correlation of those, at most 1.
    residual : float
        Median length of their shifts in pixels of the fixed picture.
    uncertainty : float
        Standard error of the transform at the corners of the overlap, from the scatter of the
        shifts, in pixels of the fixed picture.
    likeness : float
        Correlation of edge orientations over the overlap, at most 1.
    significance : float
        Correlation peak in standard deviations of its sidelobes, in three quarters of the overlap.
    information : float
        Mutual information in nats.
    overlap : float
        Overlap, as a share of the smaller picture.
    reduction : float
        Pixels of the fixed picture in a pixel of the copy that was tested, along a side.
    """

    tiles: int = 0
    agreement: float = 0.0
    peak: float = 0.0
    residual: float = math.inf
    uncertainty: float = math.inf
    likeness: float = 0.0
    significance: float = 0.0
    information: float = 0.0
    overlap: float = 0.0
    reduction: float = 1.0

    @property
    def score(self) -> float:
        """One number in [0, 1] by which candidates are compared."""
        return self.agreement * max(0.0, self.likeness) ** 0.5 if self.tiles else 0.0

    @property
    def doubt(self) -> str | None:
        """Reason why the transform cannot be trusted; None if it can."""
        if self.significance < _SIGNIFICANT:
            if self.likeness < _LEAST_LIKENESS and self.tiles >= _LEAST_TILES:
                return f"the edges of the two pictures hardly correlate ({self.likeness:.2f})"
            return self._shortfall(self._least_agreement, _MOST_UNCERTAIN)
        return self._shortfall(_AGREEMENT_IF_SIGNIFICANT, _UNCERTAIN_IF_SIGNIFICANT)

    @property
    def level(self) -> Level:
        """Level of the quality, see `Quality`."""
        if self.doubt is not None:
            return "refused"
        good = self._shortfall(self._least_agreement, _MOST_UNCERTAIN) is None
        return "good" if good and self.significance >= _SIGNIFICANT else "look closely"

    @property
    def _least_agreement(self) -> float:
        """Inlier ratio that excludes chance."""
        return _LEAST_AGREEMENT + 0.9 / math.sqrt(max(1, self.tiles))

    def _shortfall(self, needed: float, most_uncertain: float) -> str | None:
        """Return the limit that the tiles miss, in words."""
        if self.tiles < _LEAST_TILES:
            return f"only {self.tiles} places have structure in both pictures"
        if self.agreement < needed:
            return f"only {self.agreement:.0%} of {self.tiles} places fit; {needed:.0%} are needed"
        if self.uncertainty > most_uncertain * self.reduction:
            return (
                "the matching places lie too close together to determine the corners "
                f"(± {self.uncertainty:.1f} pixels)"
            )
        return None

    def quality(self, level: Level, more: Mapping[str, float]) -> Quality:
        """Return the figures, and `more` of them, with a level."""
        figures = {**vars(self), "score": self.score, **more}
        # Control points are accepted despite a doubt; then the tiles tell nothing of their error.
        unknown = level != "refused" and self.doubt is not None
        return Quality(level, math.inf if unknown else _ERROR_RATIO * self.uncertainty, figures)


def evidence(moving: View, fixed: View, transform: FloatArray, field: Any = None) -> Evidence:
    """Measure the quality of a transform, followed by a deformation if one is given."""
    frame = frame_of(moving, fixed, transform, _PIXELS)
    if frame is None:
        return Evidence()
    here = frame.carried(transform, field)
    both = (here.mask > 0) & (frame.fixed.mask > 0)
    smaller = min(math.prod(fixed.shape), area(carried(transform, corners(moving.shape))))
    common: dict[str, Any] = {
        "reduction": 1 / frame.scale,
        "information": mutual_information(here.values, frame.fixed.values, both),
        "overlap": min(1.0, np.count_nonzero(both) / frame.scale**2 / max(smaller, 1.0)),
    }
    fields = [(orientation(here, s), orientation(frame.fixed, s), s) for s in _SIGMAS]
    common["significance"] = widespread_significance(fields)
    tests = (_tested(frame, one, other, common) for one, other, _ in fields)
    return max(tests, key=lambda one: (one.doubt is None, one.score))


def _tested(
    frame: Frame, moving: FloatArray, fixed: FloatArray, common: dict[str, Any]
) -> Evidence:
    """Measure the quality by edges of one width."""
    shifts = local_shifts(moving, fixed, size=tile_side(frame.shape), radius=_RADIUS)
    common = common | {"tiles": len(shifts), "likeness": likeness(moving, fixed)}
    near = shifts.lengths < _NEAR
    if not near.any():
        return Evidence(**common)
    return Evidence(
        agreement=float(near.mean()),
        peak=float(np.median(shifts.peaks[near])),
        residual=float(np.median(shifts.lengths[near])) / frame.scale,
        uncertainty=_uncertainty(frame, shifts, near),
        **common,
    )


def _uncertainty(frame: Frame, shifts: Shifts, near: BoolArray) -> float:
    """Return the standard error at the corners of a homography fitted to the agreeing tiles."""
    if np.count_nonzero(near) < 4:
        return math.inf
    half = max(frame.shape) / 2
    centre = np.array(frame.shape[::-1]) / 2

    def slopes(points: FloatArray) -> FloatArray:
        return rates("homography", (points - centre) / half).reshape(2 * len(points), -1)

    scatter = float(np.sqrt((shifts.shifts[near] ** 2).mean()))
    # Tiles overlap by half, so that four of them are about one observation.
    normal = slopes(shifts.centres[near])
    inverse = np.linalg.pinv(normal.T @ normal / 4, rcond=1e-10, hermitian=True)
    ends = slopes(corners(frame.shape))
    variance = np.einsum("ij,jk,ik->i", ends, inverse, ends)
    return 2 * scatter * float(np.sqrt(variance.mean())) / frame.scale


def implausible(
    transform: FloatArray, moving: tuple[int, int], fixed: tuple[int, int]
) -> str | None:
    """Return the reason why a transform is implausible, or None."""
    ends = corners(moving)
    if not np.isfinite(transform).all() or (ends @ transform[2, :2] + transform[2, 2]).min() <= 0:
        return "the transform turns the picture inside out"
    areas = [float(np.linalg.det(_jacobian(transform, point))) for point in ends]
    if min(areas) <= 0:
        return "the transform mirrors the picture"
    middle = np.linalg.svd(_jacobian(transform, ends.mean(axis=0)), compute_uv=False)
    return _distorted(areas, middle[0] / middle[1]) or _apart(carried(transform, ends), fixed)


def _distorted(areas: list[float], stretch: float) -> str | None:
    scale = math.sqrt(float(np.mean(areas)))
    if not 1 / _MOST_SCALE < scale < _MOST_SCALE:
        return f"the transform scales the picture by {scale:.3g}"
    if max(areas) > _MOST_TILT * min(areas):
        return f"the transform tilts the picture ({max(areas) / min(areas):.1f} between corners)"
    if stretch > _MOST_STRETCH:
        return f"the transform stretches the picture by {stretch:.2f} one way"
    return None


def _apart(outline: FloatArray, fixed: tuple[int, int]) -> str | None:
    frame = corners(fixed).astype(np.float32)
    shared, _ = opencv().intersectConvexConvex(outline.astype(np.float32), frame)
    part = shared / max(1.0, min(area(outline), area(frame)))
    if part < _LEAST_OVERLAP:
        return f"the pictures would overlap by {part:.0%} only"
    return None


def _jacobian(transform: FloatArray, point: FloatArray) -> FloatArray:
    depth = float(transform[2, :2] @ point + transform[2, 2])
    end = carried(transform, point[None])[0]
    slope: FloatArray = (transform[:2, :2] - np.outer(end, transform[2, :2])) / depth
    return slope
