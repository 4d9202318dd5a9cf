r"""What the foreground lacks: where the background shows structure that the foreground does not.

In windows of the structure scale s, the high-passed logarithms have energies :math:`s_b, s_f` and a
cross energy c. :math:`\beta = c / (g (s_b + n))` is the part of b's structure that f shows already,
with g the contrast of f relative to b where both show the same, and n the noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy import ndimage

from osmofuse.filters import smooth
from osmofuse.methods.union.bands import TINY, Structure, smoothstep
from osmofuse.methods.union.pair import LogPair, percentile
from osmofuse.methods.union.settings import UnionSettings
from osmofuse.typing import BoolArray, FloatArray

STRONG = 70.0  # percentile of energies above which a window has structure
HIGH_PASS = 3.0  # structure scales: what is coarser is light, not structure
LEAST_SOUND = 0.01  # of the pixels; fewer prove no contrast
# Misregistration: windows in which a shift could matter, and by how much c must grow in half.
LEAST_SHIFTED, SHIFTED_CORRELATION, SHIFTED_GAIN = 50, 0.4, 1.05
ALONG_AXES = tuple((d * y, d * x) for d in (-2, -1, 1, 2) for y, x in ((0, 1), (1, 0)))
AROUND = tuple((d * y, d * x) for d in (1, 2) for y, x in product((-1, 0, 1), repeat=2) if y or x)


@dataclass(frozen=True, eq=False)
class Missing:
    """Map m of what is missing, strength a of what is to be added, and contrast g."""

    m: FloatArray
    a: FloatArray
    gain: float
    sound: float
    shifted: bool


def missing_of(pair: LogPair, structure: Structure, k: UnionSettings) -> Missing:
    """Return where and how strongly the background's structure is to enter."""
    s = structure.scale
    h_b, h_y = (x - smooth(x, HIGH_PASS * s) for x in (structure.b, pair.y))
    s_b, s_f, c = smooth(h_b * h_b, s), smooth(h_y * h_y, s), smooth(h_b * h_y, s)
    noise = percentile(s_b, k.noise_quantile)
    strong = s_b > percentile(s_b, STRONG)
    gain, sound = _contrast(s_b, s_f, c, strong, k)
    shifted = _is_shifted(h_b, h_y, s_b, s_f, c, strong, s)
    if shifted:
        c = np.maximum(c, _best_cross(h_b, h_y, s, AROUND))
    beta = c / (s_b + noise + TINY) / gain
    certain = float(smoothstep(sound, *k.sound_share))
    low, high = (x + certain * (y - x) for x, y in zip(k.strict, k.lenient, strict=True))
    rest = np.maximum(s_b - noise, 0.0)
    m = (1.0 - smoothstep(np.abs(beta), low, high)) * rest / (rest + 2.0 * noise + TINY)
    if not pair.valid.all():
        away = ndimage.distance_transform_edt(pair.valid) / (2.0 * s)
        m = m * smoothstep(away, 0.5, 1.5)
    m = m.astype(np.float32)
    a = (m * (1.0 - np.clip(beta, 0.0, 1.0))).astype(np.float32)
    return Missing(m, a, gain, sound, shifted)


def _contrast(
    s_b: FloatArray, s_f: FloatArray, c: FloatArray, strong: BoolArray, k: UnionSettings
) -> tuple[float, float]:
    """Return the contrast of f relative to b, and the share of windows in which both agree."""
    ratio = c / (s_b + TINY)
    sound = strong & (c * c > k.sound_correlation * s_b * s_f) & (ratio > k.sound_gain)
    share = np.count_nonzero(sound) / max(np.count_nonzero(strong), 1)
    if sound.mean() < LEAST_SOUND:
        return 1.0, share
    return float(np.clip(np.median(ratio[sound]), 1.0, k.most_gain)), share


def _is_shifted(
    h_b: FloatArray,
    h_y: FloatArray,
    s_b: FloatArray,
    s_f: FloatArray,
    c: FloatArray,
    strong: BoolArray,
    s: float,
) -> bool:
    """Return True if structure of both pictures would fit better after a shift of a pixel or two."""
    best = _best_cross(h_b, h_y, s, ALONG_AXES)
    seen = strong & (s_f > percentile(s_f, STRONG))
    seen &= np.maximum(c, best) ** 2 > SHIFTED_CORRELATION * s_b * s_f
    if np.count_nonzero(seen) < LEAST_SHIFTED:
        return False
    return bool((best > SHIFTED_GAIN * c)[seen].mean() > 0.5)


def _best_cross(
    h_b: FloatArray, h_y: FloatArray, s: float, shifts: tuple[tuple[int, int], ...]
) -> FloatArray:
    """Return the largest cross energy over shifts of the background."""
    moved = (smooth(np.roll(h_b, shift, (0, 1)) * h_y, s) for shift in shifts)
    best = next(moved)
    for one in moved:
        np.maximum(best, one, out=best)
    return best
