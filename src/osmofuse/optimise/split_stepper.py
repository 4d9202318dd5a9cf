"""What the schemes on a split matrix have in common."""

from __future__ import annotations

from dataclasses import dataclass

from osmofuse.linalg import SplitMatrix


@dataclass(frozen=True, eq=False)
class SplitStepper:
    """Steps of one length with one matrix.

    Parameters
    ----------
    A : SplitMatrix
        The matrix, in its two directions.
    tau : float
        The length of a step.
    """

    A: SplitMatrix
    tau: float
