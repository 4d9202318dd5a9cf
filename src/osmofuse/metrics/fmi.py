r"""Feature mutual information of the fused picture with its sources.

Fast-FMI (Haghighat and Razian, AICT 2014). A feature of each picture is cut into windows of
w × w pixels. A window, stretched to [0, 1] and divided by its sum, is taken as a distribution p
over its positions, and the same window of the fused picture as q. Their joint distribution is
estimated from the correlation c of p and q. Of all joint distributions with these marginals, those
that pair the positions in order (:math:`c \ge 0`) or in reverse order have the extreme covariance
of the positions (Fréchet's bounds). With m the extreme one,

.. math::

    \varphi = c \, \Big/ \frac{\operatorname{cov}(m)}{\sigma_p \sigma_q}, \qquad
    j = \varphi \, m + (1 - \varphi) \, p \otimes q, \qquad
    \mathrm{score} = \frac{2 \, (H_p + H_q - H_j)}{H_p + H_q},

with entropies in bits. Equal windows score 1; a window without variation, 0 unless the other
is equal. FMI is the mean over windows, both sources and channels.

The feature "edge" is the default of the authors' program and that of the paper's table. Most of
its windows are empty in all pictures, hence equal: almost any fusion has a value near 0.89, and
methods differ in the third digit only.
"""

from __future__ import annotations

import math

import numpy as np

from osmofuse.checks import choice
from osmofuse.errors import SettingError
from osmofuse.kernels import kernel, pixel, prange, threads_for
from osmofuse.metrics.fmi_features import FEATURES
from osmofuse.metrics.grey_levels import check_side, check_sources, in_levels
from osmofuse.metrics.metric import Metric
from osmofuse.pixels import bands_of
from osmofuse.typing import Array, FloatArray

WINDOW = 3  # the authors' default, and that of the paper's table


def fmi(
    fused: FloatArray,
    foreground: FloatArray,
    background: FloatArray,
    *,
    feature: str = "edge",
    window: int = WINDOW,
) -> float:
    """Return the feature mutual information of a fused picture with its two sources.

    Parameters
    ----------
    fused, foreground, background : array, (rows, cols) or (rows, cols, channels)
        White at 1.0. A source of one band is compared with every channel.
    feature : {"edge", "gradient", "dct", "wavelet", "none"}
        Feature that is compared, see `fmi_features`.
    window : int
        Side of the windows in pixels, odd; the pictures must not be smaller.

    Returns
    -------
    float
        In [0, 1]; 1 if both sources are the fused picture itself.
    """
    choice("feature", feature, tuple(FEATURES))
    if not isinstance(window, int) or window < 3 or window % 2 == 0:
        raise SettingError(f"window: {window!r}; must be an odd number from 3")
    check_side(fused, window)
    check_sources(fused, foreground, background)
    scores: list[float] = []
    for c in range(bands_of(fused)):
        planes = [_feature(x, c, feature) for x in (fused, foreground, background)]
        scores += [_mean_score(planes[0], source, window) for source in planes[1:]]
    # Windows with phi > 1 may lead out of the range if the picture is tiny.
    return min(max(math.fsum(scores) / len(scores), 0.0), 1.0)


def _feature(picture: FloatArray, channel: int, feature: str) -> FloatArray:
    # Differences of whole grey levels are exact, so flat windows stay flat.
    levels = in_levels(picture, channel)
    return np.require(FEATURES[feature](levels), requirements=("C", "W"))


def _mean_score(fused: FloatArray, source: FloatArray, window: int) -> float:
    with threads_for(fused.size):
        rows = _score_rows(fused, source, window)
    return float(rows.sum() / (len(rows) * (fused.shape[1] - window + 1)))


@kernel
def _score_rows(x: FloatArray, y: FloatArray, window: int) -> FloatArray:
    """Return the sum of the windows' scores for each row of windows."""
    rows, cols = x.shape[0] - window + 1, x.shape[1] - window + 1
    size = window * window
    total = np.zeros(rows)
    for i in prange(rows):
        p, q, log_p, log_q = np.empty((4, size))
        pairs, masses = np.empty((2 * size, 2), np.int64), np.empty(2 * size)
        s = 0.0
        for j in range(cols):
            if _equal(x, y, i, j, window):
                s += 1.0
            elif _distribution(x, i, j, window, p) and _distribution(y, i, j, window, q):
                s += _score(p, q, log_p, log_q, pairs, masses)
        total[i] = s
    return total


@pixel
def _equal(x: FloatArray, y: FloatArray, i: int, j: int, window: int) -> bool:
    for k in range(i, i + window):
        for n in range(j, j + window):
            if x[k, n] != y[k, n]:
                return False
    return True


@pixel
def _distribution(x: FloatArray, i: int, j: int, window: int, p: FloatArray) -> bool:
    """Fill p with a window, column by column, stretched, with sum 1; False if it is flat."""
    least = most = x[i, j]
    for n in range(window):
        for k in range(window):
            value = x[i + k, j + n]
            p[n * window + k] = value
            least, most = min(least, value), max(most, value)
    if not most > least:
        return False
    total = 0.0
    for k in range(p.size):
        p[k] = (p[k] - least) / (most - least)
        total += p[k]
    for k in range(p.size):
        p[k] /= total
    return True


@pixel
def _score(
    p: FloatArray,
    q: FloatArray,
    log_p: FloatArray,
    log_q: FloatArray,
    pairs: Array,
    masses: FloatArray,
) -> float:
    """Return the normalised mutual information of two distributions, as estimated above."""
    c = _correlation(p, q)
    mean_p, deviation_p = _moments(p)
    mean_q, deviation_q = _moments(q)
    count = _bound(p, q, c >= 0.0, pairs, masses)
    cov = 0.0
    for n in range(count):
        cov += masses[n] * (pairs[n, 0] - mean_p) * (pairs[n, 1] - mean_q)
    if c == 0.0 or cov == 0.0:
        return 0.0  # the joint distribution is the product, also if p or q is a single pixel
    phi = c * deviation_p * deviation_q / cov
    apart = _entropy(p, log_p) + _entropy(q, log_q)
    # Entropy of the product, corrected at the pairs to which the bound gives mass.
    rest = 1.0 - phi
    log_rest = _log(rest)
    joint = rest * (apart - log_rest)
    for n in range(count):
        i, j = pairs[n]
        product = rest * p[i] * q[j]
        both = phi * masses[n] + product
        joint += product * (log_rest + log_p[i] + log_q[j]) - both * _log(both)
    return 2.0 * (apart - joint) / apart


@pixel
def _correlation(p: FloatArray, q: FloatArray) -> float:
    """Return Pearson's correlation of the values; both vary, and their mean is 1 / size."""
    mean = 1.0 / p.size
    pp = qq = pq = 0.0
    for k in range(p.size):
        pp += (p[k] - mean) ** 2
        qq += (q[k] - mean) ** 2
        pq += (p[k] - mean) * (q[k] - mean)
    return float(pq / np.sqrt(pp * qq))


@pixel
def _moments(p: FloatArray) -> tuple[float, float]:
    """Return mean and standard deviation of the position under p."""
    mean = variance = 0.0
    for k in range(p.size):
        mean += k * p[k]
    for k in range(p.size):
        variance += (k - mean) ** 2 * p[k]
    return mean, np.sqrt(variance)


@pixel
def _entropy(p: FloatArray, log_p: FloatArray) -> float:
    """Return the entropy of p, and fill log_p."""
    total = 0.0
    for k in range(p.size):
        log_p[k] = _log(p[k])
        total -= p[k] * log_p[k]
    return total


@pixel
def _log(t: float) -> float:
    """Return log |t|, and 0 for 0: with phi > 1 the joint distribution has negative entries."""
    return float(np.log(abs(t))) if t != 0.0 else 0.0


@pixel
def _bound(p: FloatArray, q: FloatArray, ordered: bool, pairs: Array, masses: FloatArray) -> int:
    """Fill pairs of positions and their masses under Fréchet's bound; return their number.

    The masses of p are moved to q in order, or to q in reverse order. Each move empties a position
    of p or fills one of q, so there are fewer than twice as many moves as positions.
    """
    k, n, step = (0, 0, 1) if ordered else (0, q.size - 1, -1)
    left, room = p[k], q[n]
    count = 0
    while True:
        mass = min(left, room)
        if mass > 0.0:
            pairs[count, 0], pairs[count, 1], masses[count] = k, n, mass
            count += 1
        left -= mass
        room -= mass
        if left <= room:
            k += 1
            if k == p.size:
                return count
            left = p[k]
        else:
            n += step
            if n in (-1, q.size):
                return count
            room = q[n]


METRICS = {
    "fmi": Metric(
        lambda p: fmi(p.fused, p.foreground, p.background),
        better="high",
        range=(0.0, 1.0),
        definition="feature mutual information of edges in windows of 3 by 3",
        channels="mean over them",
        source="Haghighat and Razian, AICT 2014",
        check="0.895 for direct matting of the paper's face pair",
    ),
}
