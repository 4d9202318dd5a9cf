"""Where something covers the foreground: its levels break the relation they keep elsewhere."""

from __future__ import annotations

import numpy as np

from osmofuse.filters import gaussian
from osmofuse.typing import BoolArray, FloatArray

BINS = 32
ORDINARY, STRANGE = 2.0, 4.0  # deviations from the relation, in robust standard deviations
LEAST = 0.02  # a deviation that is never strange, beside the pictures' own spread


def cover(f: FloatArray, b: FloatArray, seen: BoolArray) -> FloatArray:
    r"""Return how surely something covers the foreground, from 0 to 1.

    Pixels whose background is alike have foregrounds that are mostly alike. With
    :math:`\hat f(b)` their median and :math:`\sigma(b)` the robust deviation from it,
    :math:`|f - \hat f(b)|` is ordinary up to :math:`2\sigma` and strange from :math:`4\sigma`.
    What covers the background is not found: there, pixels whose background is alike have
    foregrounds of all kinds, and nothing is strange.

    Parameters
    ----------
    f, b : array, (rows, cols)
        The pictures, of one kind, in grey; white at 1.0.
    seen : array of bool, (rows, cols)
        Where there is a background; elsewhere the result is 0.
    """
    if not seen.any():
        return np.zeros(f.shape)
    f, b = gaussian(f, 1.0), gaussian(b, 1.0)
    ends = np.quantile(b[seen], np.arange(1, BINS) / BINS)
    bins = np.searchsorted(ends, b)
    typical, spread = np.zeros(BINS), np.zeros(BINS)
    for k in np.unique(bins[seen]):
        alike = f[seen & (bins == k)]
        typical[k] = np.median(alike)
        spread[k] = np.median(np.abs(alike - typical[k]))
    away = np.abs(f - typical[bins])
    spread = np.maximum(spread, np.median(away[seen])) / 0.6745 + LEAST
    strange = smoothstep((away / spread[bins] - ORDINARY) / (STRANGE - ORDINARY))
    return np.where(seen, strange, 0.0)


def smoothstep(x: FloatArray | float) -> FloatArray:
    """Return 0 up to 0, 1 from 1 on, and a smooth rise between."""
    t = np.clip(x, 0.0, 1.0)
    return np.asarray(t * t * (3.0 - 2.0 * t))
