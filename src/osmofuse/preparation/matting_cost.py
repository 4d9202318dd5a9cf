"""Memory and time of each matting method."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["MatteCost", "matte_cost_of"]


@dataclass(frozen=True)
class MatteCost:
    """Memory and time to find a map, measured on a portrait and rounded up.

    Parameters
    ----------
    bytes, seconds : float
        For each pixel, and for a million pixels.
    more_bytes, more_seconds : float
        What pixels take in addition that the trimap leaves open.
    """

    bytes: float
    seconds: float
    more_bytes: float = 0.0
    more_seconds: float = 0.0


_COSTS = {
    "combined": MatteCost(450, 22.0, 2200, 32.0),
    "knn": MatteCost(590, 15.0, 190, 28.0),
    "closed-form": MatteCost(460, 10.0),
    "lbdm": MatteCost(2600, 20.0),
    "lkm": MatteCost(460, 17.0),
    "random-walk": MatteCost(600, 11.0),
}


def matte_cost_of(method: str) -> MatteCost:
    """Return what a way of matting costs."""
    return _COSTS[method]
