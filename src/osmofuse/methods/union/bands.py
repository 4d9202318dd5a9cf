r"""Noise of the background by band, and the scale of the structure that the foreground lacks.

Bands are differences of Gaussians, :math:`b_j = (G_{\sigma_{j-1}} - G_{\sigma_j})\, b` with
:math:`\sigma_j = 0.6 \cdot 2^j`. In windows of :math:`2\sigma_j` they have energies :math:`E_j`;
the noise :math:`n_j` is a low quantile of them, and grows less from band to band than structure.
What exceeds it, :math:`S = (E - 3n)_+`, is structure: :math:`S/(S + 3n)` of the band is kept.
Noise that does not depend on brightness does so in the logarithm: deep shadows, as of a night sky,
have :math:`n_j \max(1, e^{p (m - \bar b)} / 2)` with b's low-pass and its median m. The slope p is
0 for noise in proportion to brightness, 1 for that of light and 2 for that of a camera.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from osmofuse.filters import enlarged, reduced, smooth
from osmofuse.kernels import fast_kernel, pixel, prange
from osmofuse.methods.statistics import Statistics, ranked, spacing
from osmofuse.methods.union.pair import LogPair, where_known
from osmofuse.methods.union.settings import UnionSettings
from osmofuse.typing import BoolArray, FloatArray

FINEST_BAND = 0.6  # deviation of the finest band, in pixels
COARSEST = 1 / 8  # largest deviation, as a share of the side
LEAST_BANDS = 3
LEAST_WINDOW = 0.85  # pixels; smaller windows hold one pixel
FULL_BANDS = 3  # at full size; the next ones have no detail that half the size would lose
# Noise of shadows up to this many times that of medium brightness is removed with the latter: the
# threshold of 3 n has this margin. 2..3 works; with 1 strokes are lost, 0.2 to 0.7 dB.
MARGIN = 2.5
# Slope p of the logarithm of noise: the least between the fifth of these classes of brightness and
# those that are darker by so much. Structure may add energy there, but nothing takes noise away.
CLASSES, MEDIUM, STEEPEST, DARKER = 8, 4, 2.0, 0.2
TINY = np.float32(1e-30)  # keeps 0 / 0 from becoming NaN


@dataclass(frozen=True, eq=False)
class Structure:
    """Background without noise, its noise energies by band, and the scale s in pixels."""

    b: FloatArray
    noise: tuple[float, ...]
    scale: float


def structure_of(pair: LogPair, k: UnionSettings, known: Statistics) -> Structure:
    """Measure noise and scale of a background, and shrink its noise band by band.

    Coarse bands are measured on reduced copies.
    """
    noise: list[float] = []
    missing: list[float] = []
    kept: list[FloatArray] = []
    low, beside = pair.b, pair.y
    valid = pair.valid.astype(np.float32)
    for j in range(band_count(pair.side)):
        if j >= FULL_BANDS:
            fine, low, beside = low, reduced(low, 2), reduced(beside, 2)
            valid = reduced(valid, 2)
            kept[-1] += fine - enlarged(low, 2, (fine.shape[0], fine.shape[1]))
        sigma = FINEST_BAND * 2.0 ** min(j, FULL_BANDS - 1)
        further = sigma if j == 0 else math.sqrt(0.75) * sigma
        band, other = low, beside
        low, beside = smooth(low, further), smooth(beside, further)
        band, other = band - low, other - beside
        energy, cross = smooth(band * band, 2 * sigma), smooth(band * other, 2 * sigma)
        seen = valid == 1.0
        if j == 0:
            slope = known("noise slope", partial(noise_slope, energy, low, seen, k))
            medium = known.percentile("medium", where_known(low, seen), 50.0)
        noise.append(band_noise(j, where_known(energy, seen), noise, k, known))
        if j == 0 or j >= FULL_BANDS:
            kept.append(np.zeros_like(band))
        sums = np.zeros(len(band))
        keep_structure(
            kept[-1],
            band,
            energy,
            cross,
            noises(noise[-1], low, slope, medium),
            k.shrink,
            *k.shared,
            sums,
        )
        missing.append(math.sqrt(sums.sum() / band.size))
    scale = known("scale", lambda: max(k.scale * 2.0 ** mean_band(missing), LEAST_WINDOW))
    return Structure(collapsed(kept, low), tuple(noise), scale)


def noises(usual: float, low: FloatArray, slope: float, medium: float) -> FloatArray:
    """Return the noise energy of a band in every pixel, which is larger in shadows."""
    if slope == 0.0:
        return np.full_like(low, usual)
    shadows = np.exp(np.float32(slope) * (np.float32(medium) - low)) / np.float32(MARGIN)
    return np.asarray(np.float32(usual) * np.maximum(shadows, 1.0))


def collapsed(kept: list[FloatArray], low: FloatArray) -> FloatArray:
    """Return the sum of planes, each half as large as the one before, and of a low-pass."""
    for plane in reversed(kept):
        if low.shape != plane.shape:
            low = enlarged(low, 2, (plane.shape[0], plane.shape[1]))
        low = low + plane
    return low


def band_count(side: float) -> int:
    """Return the number of bands of a picture."""
    return max(LEAST_BANDS, math.floor(math.log2(max(COARSEST * side / FINEST_BAND, 1.0))) + 1)


def band_noise(
    j: int, energy: FloatArray, finer: list[float], k: UnionSettings, known: Statistics
) -> float:
    """Return the noise energy of a band, bounded by that of the next finer one."""
    found = known.percentile(f"noise {j}", energy, k.noise_quantile)
    if not finer:
        return found
    return min(found, (k.noise_growth if j <= 2 else k.noise_fall) * finer[-1])


def noise_slope(energy: FloatArray, level: FloatArray, valid: BoolArray, k: UnionSettings) -> float:
    """Return how the logarithm of the least energies falls with that of brightness, 0 to 2."""
    grid = spacing(energy.size)
    there = valid[::grid, ::grid]
    e, x = (where_known(plane[::grid, ::grid], there).ravel() for plane in (energy, level))
    parts = np.array_split(np.argsort(x), CLASSES)[: MEDIUM + 1]
    if parts[-1].size == 0:
        return 0.0
    least = [math.log(ranked(e[part], k.noise_quantile) + TINY) for part in parts]
    levels = [ranked(x[part], 50.0) for part in parts]
    slopes = [
        (one - least[-1]) / (levels[-1] - level)
        for one, level in zip(least, levels, strict=True)
        if level < levels[-1] - DARKER
    ]
    return min(max(min(slopes, default=0.0), 0.0), STEEPEST)


def mean_band(missing: list[float]) -> float:
    """Return the mean band of the missing structure, up to where it falls by half.

    The fourth power lets the strongest bands decide: weak ones vary with the resolution.

    >>> mean_band([1.0, 1.0, 0.1, 5.0])
    0.5
    """
    end = next(
        (j for j in range(1, len(missing)) if missing[j] < 0.5 * max(missing[:j])), len(missing)
    )
    weights = np.asarray(missing[:end]) ** 4
    return float((weights * np.arange(end)).sum() / max(weights.sum(), float(TINY)))


@pixel
def step(x: float, low: float, high: float) -> float:
    """Return a smooth step from 0 at `low` to 1 at `high`."""
    t = min(max((x - low) / (high - low), 0.0), 1.0)
    return t * t * (3.0 - 2.0 * t)


@fast_kernel
def keep_structure(
    clean: FloatArray,
    band: FloatArray,
    energy: FloatArray,
    cross: FloatArray,
    noises: FloatArray,
    shrink: float,
    low: float,
    high: float,
    sums: FloatArray,
) -> None:
    """Add the structure of a band to `clean`; sum the energy of what f lacks, row by row."""
    rows, cols = band.shape
    for i in prange(rows):
        total = 0.0
        to, b, e, c, noise = clean[i], band[i], energy[i], cross[i], noises[i]
        for j in range(cols):
            rest = max(e[j] - shrink * noise[j], 0.0)
            kept = rest / (rest + shrink * noise[j] + TINY) * b[j]
            to[j] += kept
            r = c[j] / (rest + noise[j] + TINY)
            lacks = (1.0 - step(abs(r), low, high)) * (1.0 - min(max(r, 0.0), 1.0)) * kept
            total += lacks * lacks
        sums[i] = total
