"""Memory and time that methods need."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["TYPICAL", "Cost", "cost_of"]


@dataclass(frozen=True)
class Cost:
    """Memory and time of a method, measured on a manuscript of a megapixel and rounded up.

    A method has it as its attribute ``cost``.

    Parameters
    ----------
    colour, grey : float
        Bytes for each sample beyond the pictures themselves, of three bands or more and of fewer.
    seconds : float
        On one core, for a million samples.
    wide : float
        Factor on the bytes for pictures of float64.
    """

    colour: float
    grey: float
    seconds: float
    wide: float = 1.0


TYPICAL = Cost(130, 300, 5.0)  # of a method without one


def cost_of(method: object) -> Cost:
    """Return the cost of a method, or a typical one if it has none."""
    cost = getattr(method, "cost", TYPICAL)
    return cost if isinstance(cost, Cost) else TYPICAL
