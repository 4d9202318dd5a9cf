"""Maps beside places without data: what ends there should end softly."""

from __future__ import annotations

import numpy as np

from osmofuse.filters import box_mean
from osmofuse.typing import BoolArray, FloatArray

__all__ = ["FADE", "kept_around_gaps"]

FADE = 16  # pixels, over which the background enters beside a gap


def kept_around_gaps(alpha: FloatArray, valid: BoolArray) -> FloatArray:
    r"""Return a map that rises to 1 towards where the background has no data.

    The foreground is kept there, so a background that entered up to the edge would end in a
    seam. With t from 0 in the gaps to 1 beyond 16 pixels,

    .. math:: \alpha' = 1 - (1 - \alpha)\, t .

    Parameters
    ----------
    alpha : array, a number or (rows, cols) or (rows, cols, channels)
        The map.
    valid : array of bool, (rows, cols)
        False where the background has no data.
    """
    from scipy.ndimage import minimum_filter

    half = FADE // 2
    # Gaps that have grown by half the way, and are smoothed over the other half.
    t = minimum_filter(valid, 2 * half + 1, mode="nearest").astype(np.float32)
    t = np.where(valid, box_mean(t, half, border="replicate"), 0.0)
    return np.asarray(1.0 - (1.0 - alpha) * (t[..., np.newaxis] if alpha.ndim == 3 else t))
