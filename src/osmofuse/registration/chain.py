"""Chain of estimates: cheap ones first, others if those are weak; the best score wins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from osmofuse.progress import Guard
from osmofuse.registration.intensity import by_correlation, by_information
from osmofuse.registration.quality import Evidence, evidence, implausible
from osmofuse.registration.refine import ROUGH, refined, sharpened
from osmofuse.registration.starts import EDGES, TONES, from_features, from_search
from osmofuse.registration.transform import Kind, carried, corners, fitted, normalised
from osmofuse.registration.views import View
from osmofuse.typing import FloatArray

AlignMethod = Literal["auto", "features", "correlation", "mutual-information", "points"]
ALIGN_METHODS: tuple[AlignMethod, ...] = get_args(AlignMethod)

_FEATURE_PIXELS = 1_000_000  # of the copies in which features are detected
_BENT = 0.2  # score that ends the search if a deformation follows
_CHANCE_AGREEMENT = 0.3  # agreement of unrelated pictures, which is not refined further
_RIVAL = 0.8  # share of the best score at which another place is a rival
_ELSEWHERE = 0.02  # of the longer side: least distance of a rival, beside the uncertainties

_Refiner: TypeAlias = Callable[[View, View, FloatArray, Kind], FloatArray | None]
_REFINERS: dict[str, _Refiner] = {
    "correlation": by_correlation,
    "mutual-information": by_information,
}


@dataclass(frozen=True, eq=False)
class Candidate:
    """Estimated transform with its origin, its quality and the objection to it."""

    matrix: FloatArray
    origin: str
    evidence: Evidence
    objection: str | None

    @property
    def is_good(self) -> bool:
        """True if it is plausible and of good quality, which ends the search."""
        return self.objection is None and self.evidence.level == "good"

    @property
    def rank(self) -> tuple[bool, float]:
        """Key by which candidates are compared."""
        return self.objection is None, self.evidence.score


def best_candidate(
    moving: View,
    fixed: View,
    kind: Kind,
    method: AlignMethod,
    guard: Guard,
    *,
    start: FloatArray | None = None,
    bending: bool = False,
) -> tuple[Candidate | None, str | None]:
    """Return the best candidate, if any, and the reason if it is refused.

    The estimates to make are those of the method, see `align`; a rough transform `start` is tried
    first. The guard is called before each pass. If a deformation follows (`bending`), the transform
    need fit only in part.
    """
    tried: list[Candidate] = []
    for candidate in _candidates(moving, fixed, kind, method, guard, start):
        tried.append(candidate)
        if candidate.is_good:
            return candidate, None
        if bending and candidate.rank >= (True, _BENT):
            break
    if not tried:
        return None, "nothing was found that the two pictures have in common"
    tried.sort(key=lambda one: one.rank, reverse=True)
    best = tried[0]
    return best, best.objection or best.evidence.doubt or _rivalled(tried, moving.shape)


def _candidates(
    moving: View,
    fixed: View,
    kind: Kind,
    method: AlignMethod,
    guard: Guard,
    start: FloatArray | None,
) -> Iterator[Candidate]:
    last: list[Candidate] = []

    def offered(matrix: FloatArray | None, origin: str) -> Iterator[Candidate]:
        if matrix is not None and np.isfinite(matrix).all():
            last.append(tested(moving, fixed, matrix, origin))
            yield last[-1]

    for matrix, origin, rough in _starts(moving, fixed, kind, method, guard, start):
        near = refined(moving, fixed, matrix, kind, ROUGH) if rough else matrix
        refine = _REFINERS.get(method, sharpened)
        if not guard.next_pass():
            return
        yield from offered(refine(moving, fixed, matrix if near is None else near, kind), origin)
    if method != "auto" or not last:
        return
    # Weak so far: try whether other refinements of the best candidate fit better.
    best = max(last, key=lambda one: one.rank)
    if best.evidence.agreement < _CHANCE_AGREEMENT:
        return
    for name, refine in _REFINERS.items():
        near = refine(moving, fixed, best.matrix, kind) if guard.next_pass() else None
        if near is not None and guard.next_pass():
            yield from offered(sharpened(moving, fixed, near, kind), f"{best.origin}, {name}")


def _starts(
    moving: View,
    fixed: View,
    kind: Kind,
    method: AlignMethod,
    guard: Guard,
    start: FloatArray | None,
) -> Iterator[tuple[FloatArray, str, bool]]:
    """Yield matrices, their origins, and True for rough ones."""
    if start is not None:
        yield start, "points", True
    if method in ("auto", "features"):
        here, there = moving.whole(_FEATURE_PIXELS), fixed.whole(_FEATURE_PIXELS)
        for look in (TONES, EDGES):
            found = from_features(here, there, look) if guard.next_pass() else None
            if found is not None:
                yield _as_kind(found, kind, moving.shape), f"features of {look}", False
    if method != "features":
        for matrix, _ in from_search(moving, fixed, guard, most=4):
            if not guard.next_pass():
                return
            yield _as_kind(matrix, kind, moving.shape), "search", True


def _as_kind(matrix: FloatArray, kind: Kind, shape: tuple[int, int]) -> FloatArray:
    """Return the transform of a kind that comes closest to a homography."""
    if kind == "homography":
        return matrix
    rows, cols = np.meshgrid(np.linspace(0, shape[0] - 1, 5), np.linspace(0, shape[1] - 1, 5))
    points = np.column_stack([cols.ravel(), rows.ravel()])
    return fitted(kind, points, carried(matrix, points))


def tested(moving: View, fixed: View, matrix: FloatArray, origin: str) -> Candidate:
    """Return a transform of two pictures as a candidate, with its quality."""
    objection = implausible(matrix, moving.shape, fixed.shape)
    found = Evidence() if objection else evidence(moving, fixed, matrix)
    return Candidate(normalised(matrix), origin, found, objection)


def _rivalled(ranked: list[Candidate], shape: tuple[int, int]) -> str | None:
    """Return a message if another place fits nearly as well as the best."""
    best, ends = ranked[0], corners(shape)
    for other in ranked[1:]:
        apart = np.hypot(*(carried(other.matrix, ends) - carried(best.matrix, ends)).T).mean()
        scale = np.sqrt(abs(np.linalg.det(best.matrix[:2, :2])))
        explained = best.evidence.uncertainty + other.evidence.uncertainty
        if (
            other.objection is None
            and other.evidence.score > _RIVAL * best.evidence.score
            and apart > _ELSEWHERE * max(shape) * scale + explained
        ):
            return f"another place fits nearly as well, {apart:.0f} pixels away"
    return None
