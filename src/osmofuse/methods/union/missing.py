r"""Missing structure: what the background shows and the foreground does not.

In windows of the structure scale s, the high-passed logarithms have energies :math:`s_b, s_f` and a
cross energy c. :math:`\beta = c / (g (s_b + n))` is the part of b's structure that f shows already,
with g the contrast of f relative to b where both show the same, and n the noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from osmofuse.filters import smooth
from osmofuse.kernels import kernel, prange
from osmofuse.maps.auto_alpha import smoothstep
from osmofuse.methods.statistics import Statistics, gridded
from osmofuse.methods.union.bands import TINY, Structure, step
from osmofuse.methods.union.fit import Fit
from osmofuse.methods.union.pair import LogPair, where_known
from osmofuse.methods.union.settings import UnionSettings
from osmofuse.typing import BoolArray, FloatArray

STRONG = 70.0  # percentile of energies above which a window has structure
HIGH_PASS = 3.0  # structure scales: what is coarser is light, not structure
LEAST_SOUND = 0.01  # of the pixels; fewer prove no contrast
ERROR = (0.1, 0.3)  # contrasts this much above 1 may be errors of a compressed picture; are none
EMPTY = 1e-10  # energy of a background without any structure: 1e-5 of the logarithm
# Squared correlation from which windows have common structure, of either sign. 0 to 0.5 work.
COMMON = 0.2
SHARED = (0.5, 0.3)  # squared correlation and ratio from which structure is shared at all
# Shifts of b, of a pixel or two, among which structure of misregistered pictures fits best.
AROUND = tuple((d * y, d * x) for d in (1, 2) for y, x in product((-1, 0, 1), repeat=2) if y or x)


@dataclass(frozen=True, eq=False)
class Windows:
    """High-passed logarithms and their energies in windows of the structure scale.

    `strong` marks windows in which b has structure. Where it has no data it has none: what fills it
    there is the foreground, with which it would agree.
    """

    h_b: FloatArray
    h_y: FloatArray
    s_b: FloatArray
    s_f: FloatArray
    c: FloatArray
    strong: BoolArray
    scale: float

    @classmethod
    def of(cls, pair: LogPair, structure: Structure, known: Statistics) -> Windows:
        """Measure a pair."""
        s = structure.scale
        h_b, h_y = (x - smooth(x, HIGH_PASS * s) for x in (structure.b, pair.y))
        h_b = h_b if pair.valid.all() else np.where(pair.valid, h_b, np.float32(0.0))
        s_b, s_f, c = smooth(h_b * h_b, s), smooth(h_y * h_y, s), smooth(h_b * h_y, s)
        strong = known.percentile("strong", where_known(s_b, pair.valid), STRONG)
        return cls(h_b, h_y, s_b, s_f, c, s_b > strong, s)

    def sampled(self) -> Windows:
        """Return some windows on a regular grid, enough for shares and medians."""
        planes = self.h_b, self.h_y, self.s_b, self.s_f, self.c
        h_b, h_y, s_b, s_f, c = map(gridded, planes)
        return Windows(h_b, h_y, s_b, s_f, c, gridded(self.strong), self.scale)


@dataclass(frozen=True, eq=False)
class Missing:
    """Map m of what is missing, strength a of what is to be added, and contrast g.

    `sound` is the share of b's structure that f shows fully; `trust` is the part of the rest that
    is added.
    """

    m: FloatArray
    a: FloatArray
    gain: float
    sound: float
    trust: float

    def within(self, where: FloatArray) -> Missing:
        """Return the same where a map is 1, and nothing where it is 0."""
        return replace(self, m=self.m * where, a=self.a * where)


def missing_of(
    pair: LogPair, windows: Windows, fit: Fit, k: UnionSettings, known: Statistics
) -> Missing:
    """Return where and how strongly the background's structure is to enter."""
    noise = known.percentile("window noise", where_known(windows.s_b, pair.valid), k.noise_quantile)
    gain, sound = contrast(windows, pair.tints, k, known)
    trust = trust_in(windows, fit, k, known)
    c = windows.c
    for shift in AROUND if fit.shifted else ():
        moved = np.roll(windows.h_b, shift, (0, 1))
        c = np.maximum(c, smooth(moved * windows.h_y, windows.scale))
    usual = known("usual", lambda: usual_part(windows, gain, noise))
    low, high = thresholds(sound, usual, k)
    m, a = np.empty_like(c), np.empty_like(c)
    fill_missing(m, a, c, windows.s_b, noise, gain, low, high, trust)
    found = Missing(m, a, gain, sound, trust)
    return found if pair.valid.all() else found.within(inner_of(pair, windows.scale))


def contrast(
    w: Windows, tints: Sequence[FloatArray], k: UnionSettings, known: Statistics
) -> tuple[float, float]:
    """Return the contrast of f relative to b, and the share of windows in which both agree."""

    def gain() -> float:
        more = sound_contrast(w, tints, k) - 1.0
        return 1.0 + more * float(smoothstep((more - ERROR[0]) / (ERROR[1] - ERROR[0])))

    def share() -> float:
        few = w.sampled()
        sound, _ = sound_windows(few, k)
        return int(np.count_nonzero(sound)) / max(int(np.count_nonzero(few.strong)), 1)

    return known("gain", gain), known("sound", share)


def sound_contrast(w: Windows, tints: Sequence[FloatArray], k: UnionSettings) -> float:
    """Return the median contrast of f relative to b in sound windows, at least 1; 1 without any."""
    sound, ratio = sound_windows(w.sampled(), k)
    if sound.mean() < LEAST_SOUND:
        return 1.0
    found = weighted_median(ratio[sound], gridded(neutral(w, tints, k.tint))[sound])
    return min(max(found, 1.0), k.most_gain)


def sound_windows(w: Windows, k: UnionSettings) -> tuple[BoolArray, FloatArray]:
    """Return windows in which both show the same, f with contrast, and the ratio of contrasts."""
    ratio = w.c / (w.s_b + TINY)
    alike = w.c * w.c > k.sound_correlation * w.s_b * w.s_f
    return w.strong & alike & (ratio > k.sound_gain), ratio


def neutral(w: Windows, tints: Sequence[FloatArray], least: float) -> FloatArray:
    """Return the weight of windows as a measure of contrast: little at edges between colours.

    A layer adds no colour. What differs in colour is two pigments, whose contrast in infrared
    tells nothing of that of strokes.
    """
    squares = np.zeros_like(w.s_f)
    for tint in tints:
        squares += np.square(tint - smooth(tint, HIGH_PASS * w.scale))
    energy = smooth(squares, w.scale)
    return np.asarray(1.0 / (1.0 + np.square(energy / (np.float32(least) * w.s_f + TINY))))


def weighted_median(x: FloatArray, weight: FloatArray) -> float:
    """Return the weighted median of samples.

    >>> weighted_median(np.array([3.0, 1.0, 2.0]), np.array([5.0, 1.0, 1.0]))
    3.0
    """
    order = np.argsort(x)
    total = np.cumsum(weight[order], dtype=np.float64)
    return float(x[order[np.searchsorted(total, 0.5 * total[-1])]])


def trust_in(w: Windows, fit: Fit, k: UnionSettings, known: Statistics) -> float:
    """Return the part of the layer to be added: less than 1 if the pictures fit badly.

    They do if both have structure and share none, or show it with opposite signs; or if one had to
    be moved, and the contrast of what both show still scatters.
    """
    if float(w.s_b.mean()) < EMPTY:
        return 1.0
    low, high = k.strangers
    rich = known("richness", lambda: float(w.s_f.mean() / (w.s_b.mean() + TINY))) > k.blank
    trust = agreeing(fit.contrary, k) if rich else 1.0
    if rich and fit.agreement < high:
        return trust * float(smoothstep((fit.agreement - low) / (high - low)))
    if not fit.shifted:
        return trust
    low, high = k.scatter
    scatter = known("scatter", lambda: contrast_scatter(w))
    return trust * (1.0 - (1.0 - k.least_trust) * float(smoothstep((scatter - low) / (high - low))))


def agreeing(contrary: float, k: UnionSettings) -> float:
    """Return 1 if both pictures show structure with the same signs, 0 if often with opposite."""
    low, high = k.contrary
    return 1.0 - float(smoothstep((contrary - low) / (high - low)))


def contrary_share(w: Windows) -> float:
    """Return the share of common structure that is bright in one picture and dark in the other."""
    w = w.sampled()
    common = w.strong & (w.c * w.c > COMMON * w.s_b * w.s_f)
    c = w.c[common].astype(np.float64)
    return float(-np.minimum(c, 0.0).sum() / (np.abs(c).sum() + TINY))


def contrast_scatter(w: Windows) -> float:
    """Return the ratio of the quartiles of f's contrast relative to b, where they share any."""
    w = w.sampled()
    ratio = w.c / (w.s_b + TINY)
    alike = w.c * w.c > SHARED[0] * w.s_b * w.s_f
    shared = ratio[w.strong & alike & (ratio > SHARED[1])]
    if shared.size < LEAST_SOUND * ratio.size:
        return 1.0
    first, last = np.quantile(shared, (0.25, 0.75))
    return float(last / first)


def usual_part(w: Windows, gain: float, noise: float) -> float:
    """Return the part that f shows of most of b's structure; 0 without any."""
    w = w.sampled()
    if not w.strong.any():
        return 0.0
    s_b, c = w.s_b[w.strong], w.c[w.strong]
    return weighted_median(c / (gain * (s_b + noise + TINY)), s_b)


def thresholds(sound: float, usual: float, k: UnionSettings) -> tuple[float, float]:
    """Return the parts of b's structure between which it counts as shown by f.

    Without sound windows, most of it has faded alike, and what f shows better is not missing.
    """
    certain = float(smoothstep((sound - k.sound_share[0]) / (k.sound_share[1] - k.sound_share[0])))
    most = min(max(usual, 0.0), k.faded)
    low, high = (
        most + above + certain * (part - most - above)
        for above, part in zip(k.strict, k.lenient, strict=True)
    )
    return low, high


def inner_of(pair: LogPair, scale: float) -> FloatArray:
    """Return 1 inside of what has data, and less within three scales of its border."""
    from scipy.ndimage import distance_transform_edt

    away = distance_transform_edt(pair.valid) / (2.0 * scale)
    return smoothstep(away - 0.5).astype(np.float32)


@kernel
def fill_missing(
    m: FloatArray,
    a: FloatArray,
    c: FloatArray,
    s_b: FloatArray,
    noise: float,
    gain: float,
    low: float,
    high: float,
    trust: float,
) -> None:
    """Set m and a from the energies."""
    rows, cols = m.shape
    for i in prange(rows):
        for j in range(cols):
            beta = c[i, j] / (gain * (s_b[i, j] + noise + TINY))
            rest = max(s_b[i, j] - noise, 0.0)
            here = rest / (rest + 2.0 * noise + TINY) * (1.0 - step(abs(beta), low, high))
            m[i, j] = here
            a[i, j] = trust * here * (1.0 - min(max(beta, 0.0), 1.0))
