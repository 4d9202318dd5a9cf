"""Maps beside places without data: what ends there should end softly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from osmofuse.filters import box_mean
from osmofuse.typing import BoolArray, FloatArray

__all__ = ["FADE", "kept_around_gaps"]

FADE = 16  # pixels, over which the background enters beside a gap


def kept_around_gaps(
    alphas: Sequence[FloatArray], valid: BoolArray, feather: int = FADE
) -> list[FloatArray]:
    r"""Return maps of which the foreground's rises to 1 towards where there is no data.

    The foreground is kept there, so a background that entered up to the edge would end in a
    seam. With t from 0 in the gaps to 1 beyond `feather` pixels,

    .. math:: \alpha_0' = 1 - (1 - \alpha_0)\, t, \qquad \alpha_k' = \alpha_k\, t .

    Parameters
    ----------
    alphas : sequence of array, each a number or (rows, cols) or (rows, cols, channels)
        The foreground's map, then those of the backgrounds if there are any.
    valid : array of bool, (rows, cols)
        False where the backgrounds have no data.
    feather : int
        Over how many pixels it rises.
    """
    from scipy.ndimage import minimum_filter

    half = max(feather // 2, 1)
    # Gaps that have grown by half the way, and are smoothed over the other half.
    t = minimum_filter(valid, 2 * half + 1, mode="nearest").astype(np.float32)
    t = np.where(valid, box_mean(t, half, border="replicate"), 0.0)

    def entering(alpha: FloatArray) -> FloatArray:
        return np.asarray(t[..., np.newaxis] if alpha.ndim == 3 else t)

    first, *others = alphas
    kept = np.asarray(1.0 - (1.0 - first) * entering(first))
    return [kept, *(np.asarray(other * entering(other)) for other in others)]
