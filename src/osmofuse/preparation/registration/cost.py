"""Memory and time to lay a picture over another."""

from __future__ import annotations

__all__ = ["alignment_cost"]

# Bytes a pixel, and how many pixels are looked at; above what 12 and 100 megapixels were measured
# to take. Seconds: the search, and for a million pixels.
_BYTES, _LOOKED_AT = 300, 3_000_000
_SEARCH, _SECONDS = 4.0, 2.0


def alignment_cost(pixels: int) -> tuple[float, float]:
    """Return the bytes beyond the pictures themselves, and the seconds, to find a transform.

    Parameters
    ----------
    pixels : int
        Of the larger picture.
    """
    seen = min(pixels, _LOOKED_AT)
    return _BYTES * seen, _SEARCH + _SECONDS * seen / 1e6
