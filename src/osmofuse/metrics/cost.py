"""What it costs to score a picture: memory and time."""

from __future__ import annotations

__all__ = ["score_cost"]

_BYTES, _SECONDS = 40, 1.0  # a sample, and a million samples


def score_cost(samples: int) -> tuple[float, float]:
    """Return the bytes beyond the pictures themselves, and the seconds, to score one.

    Parameters
    ----------
    samples : int
        Of the picture, in all its bands.
    """
    return _BYTES * samples, _SECONDS * samples / 1e6
