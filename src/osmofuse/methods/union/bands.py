r"""Noise of the background by band, and the scale of the structure that the foreground lacks.

Bands are differences of Gaussians, :math:`b_j = (G_{\sigma_{j-1}} - G_{\sigma_j}) B` with
:math:`\sigma_j = 0.6 \cdot 2^j`. In windows of :math:`2\sigma_j` they have energies :math:`E_j`; the
noise :math:`n_j` is a low quantile of them, and may not grow from band to band as structure does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from osmofuse.filters import smooth
from osmofuse.methods.union.pair import LogPair, percentile
from osmofuse.methods.union.settings import UnionSettings
from osmofuse.typing import FloatArray

FINEST = 0.6  # deviation of the finest band, in pixels
COARSEST = 1 / 8  # largest deviation, as a share of the side
LEAST_BANDS = 3
TINY = 1e-30  # keeps 0 / 0 from becoming NaN


@dataclass(frozen=True, eq=False)
class Structure:
    """Background without noise, its noise energies by band, and the scale s in pixels."""

    b: FloatArray
    noise: tuple[float, ...]
    scale: float


def structure_of(pair: LogPair, k: UnionSettings) -> Structure:
    """Measure noise and scale of a background, and shrink its noise band by band."""
    noise: list[float] = []
    missing: list[float] = []
    clean = np.zeros_like(pair.b)
    below, beside = pair.b, pair.y
    for j in range(band_count(pair.side)):
        sigma = FINEST * 2.0**j
        low, other = smooth(pair.b, sigma), smooth(pair.y, sigma)
        band, beside_band = below - low, beside - other
        below, beside = low, other
        energy, cross = smooth(band * band, 2 * sigma), smooth(band * beside_band, 2 * sigma)
        noise.append(band_noise(energy, noise, k))
        rest = np.maximum(energy - k.shrink * noise[-1], 0.0)
        kept = rest / (rest + k.shrink * noise[-1] + TINY) * band
        clean += kept
        r = cross / (rest + noise[-1] + TINY)
        lacks = (1.0 - smoothstep(np.abs(r), *k.shared)) * (1.0 - np.clip(r, 0.0, 1.0)) * kept
        missing.append(math.sqrt(float(np.mean(np.square(lacks), dtype=np.float64))))
    return Structure(clean + below, tuple(noise), k.scale * 2.0 ** mean_band(missing))


def band_count(side: float) -> int:
    """Return the number of bands of a picture."""
    return max(LEAST_BANDS, math.floor(math.log2(max(COARSEST * side / FINEST, 1.0))) + 1)


def band_noise(energy: FloatArray, finer: list[float], k: UnionSettings) -> float:
    """Return the noise energy of a band, bounded by that of the next finer one."""
    found = percentile(energy, k.noise_quantile)
    if not finer:
        return found
    return min(found, (k.noise_growth if len(finer) <= 2 else k.noise_fall) * finer[-1])


def mean_band(missing: list[float]) -> float:
    """Return the mean band of the missing structure, up to where it falls by half.

    >>> mean_band([1.0, 1.0, 0.1, 5.0])
    0.5
    """
    end = next(
        (j for j in range(1, len(missing)) if missing[j] < 0.5 * max(missing[:j])), len(missing)
    )
    weights = np.square(missing[:end])
    return float((weights * np.arange(end)).sum() / max(weights.sum(), TINY))


def smoothstep(x: FloatArray | float, low: float, high: float) -> FloatArray:
    """Return a smooth step from 0 at `low` to 1 at `high`."""
    t = np.clip((np.asarray(x) - low) / (high - low), 0.0, 1.0)
    return np.asarray(t * t * (3.0 - 2.0 * t))
