"""Endings of fusions in words, for those who do not know the names of statuses."""

from __future__ import annotations

from math import isinf

from osmofuse.methods import Fusion
from osmofuse.progress import Status

NOT_AS_ASKED = 5  # the exit code: written, but not converged, or not the pixels of the record
ENDINGS = {
    Status.reached: "stopped at the given reach",
    Status.energy_rate: "converged, energy change below tolerance",
    Status.converged: "converged, change below tolerance",
    Status.stationary: "converged to the steady state",
    Status.direct: "computed directly, without iterations",
    Status.max_iter: "reached the largest number of iterations",
    Status.stalled: "no step lowered the energy any more",
    Status.nonfinite: "a number overflowed; this is the last valid picture",
    Status.cancelled: "cancelled",
    Status.refused: "the pictures could not be registered",
}
REMEDIES = {
    Status.max_iter: "allow more with --set max_iter=N, or accept less with a larger --set rtol=N",
    Status.stalled: "look at the result, it may do; else try --set solver=flow or other settings",
    Status.nonfinite: "try --set precision=double, or settings nearer to their defaults",
}


def summary(fusion: Fusion, clipped: int) -> str:
    """Return how long a fusion took, how it ended, how far it went and what was clipped."""
    far = fusion.reach
    reach = "" if far is None or isinf(far) else f", reach {far:.1f} px"
    return (
        f"Fused in {fusion.seconds:.2f} s: {ENDINGS[fusion.status]} ({fusion.status}{reach}). "
        f"{clipped} of {fusion.image.size} samples lay outside the depth's range and were clipped."
    )


def warning(status: Status) -> str:
    """Return what to do about a fusion that did not end as it should."""
    return (
        f"did not converge ({status}): {ENDINGS[status]}. The result is written as far as it "
        f"came; {REMEDIES[status]}"
    )


def unfinished(name: str, status: Status) -> str:
    """Return what to say of one of several fusions that did not end as it should."""
    return f"{name} did not converge ({status}): {ENDINGS[status]}. It is written as far as it came"
