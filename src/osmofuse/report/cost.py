"""Memory and time to write the page of a result."""

from __future__ import annotations

__all__ = ["page_cost"]

# Bytes a sample and bytes a pixel while pictures are scored and drawn, twice that in double
# precision; bytes a sample more for linear light; seconds a million samples.
_SAMPLE, _PIXEL, _LINEAR, _SECONDS = 50, 70, 24, 1.0


def page_cost(
    pixels: int, samples: int, *, wide: bool = False, linear: bool = False
) -> tuple[float, float]:
    """Return the bytes beyond the pictures themselves, and the seconds, to write a page.

    Parameters
    ----------
    pixels, samples : int
        Of the result; a pixel has a sample in each band.
    wide : bool
        A picture is in double precision.
    linear : bool
        It was fused in linear light.
    """
    drawing = (2 if wide else 1) * (_SAMPLE * samples + _PIXEL * pixels)
    return drawing + linear * _LINEAR * samples, _SECONDS * samples / 1e6
