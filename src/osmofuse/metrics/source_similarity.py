r"""Similarity of the fused picture to both sources: `nmi`, `scd` and `qy`."""

from __future__ import annotations

import numpy as np

from osmofuse.errors import InputError
from osmofuse.metrics.grey_levels import (
    entropies,
    joint_counts,
    mean_over_channels,
    rounding_in,
    stretched,
)
from osmofuse.metrics.metric import Metric
from osmofuse.metrics.windows import local_moments
from osmofuse.typing import BoolArray, FloatArray

# Constants of Yang et al.: the window, and the similarity from which the sources agree.
SIGMA, QY_RADIUS, AGREE = 1.5, 3, 0.75


def nmi(fused: FloatArray, foreground: FloatArray, background: FloatArray) -> float:
    r"""Return the normalised mutual information with both sources, in [0, 2].

    .. math::

        2\,\Big[ \frac{I(f, u)}{H(f) + H(u)} + \frac{I(b, u)}{H(b) + H(u)} \Big]

    with entropies H and mutual information I from histograms of 256 levels, each picture stretched
    to 0..255 (Hossny, Nahavandi and Creighton, Electronics Letters 44(18), 2008,
    doi:10.1049/el:20081754). This corrects the sum I(f, u) + I(b, u) of Qu et al., which prefers
    the source with the larger entropy. It is 2 if the levels of each source and of the fused
    picture determine each other, and undefined if the fused picture and a source are both flat.
    """
    return mean_over_channels(_nmi, fused, foreground, background, prepare=stretched)


def _nmi(u: FloatArray, f: FloatArray, b: FloatArray) -> float:
    return _share(f, u, "foreground") + _share(b, u, "background")


def _share(source: FloatArray, u: FloatArray, name: str) -> float:
    nats = entropies(joint_counts(source, u))
    total = nats.x + nats.y
    if not total > 0.0:
        raise InputError(f"fused, {name}: both flat in a channel; there is nothing to be shared")
    return min(2.0 * nats.mutual / total, 1.0)


def scd(fused: FloatArray, foreground: FloatArray, background: FloatArray) -> float:
    r"""Return the sum of the correlations of differences, in [-2, 2].

    .. math::

        \operatorname{corr}(u - b, f) + \operatorname{corr}(u - f, b)

    over all pixels of a channel: the fused picture without one source should be the other
    (Aslantas and Bendes, AEÜ 69(12), 2015, doi:10.1016/j.aeue.2015.09.004). It is 2 for the sum of
    both sources. The paper does not define the correlation with a flat picture; here it is 0.
    """
    return mean_over_channels(_scd, fused, foreground, background)


def _scd(u: FloatArray, f: FloatArray, b: FloatArray) -> float:
    return _correlation(u - b, f, rounding_in(u, b)) + _correlation(u - f, b, rounding_in(u, f))


def _correlation(x: FloatArray, y: FloatArray, flat: float) -> float:
    """Return the correlation of two planes; 0 if x deviates by at most `flat`, or y is flat."""
    level = rounding_in(y)
    x, y = x - x.mean(), y - y.mean()
    deviation_x, deviation_y = (float(np.sqrt(np.mean(z * z))) for z in (x, y))
    if deviation_x <= flat or deviation_y <= level:
        return 0.0
    c = float(np.mean(x * y)) / (deviation_x * deviation_y)
    return min(max(c, -1.0), 1.0)


def qy(fused: FloatArray, foreground: FloatArray, background: FloatArray) -> float:
    r"""Return Yang's similarity-based quality of fusion, in [-1, 1].

    With the structural similarity S in Gaussian windows of 7 × 7 pixels, :math:`\sigma = 1.5`, and
    :math:`\lambda = \sigma_f^2 / (\sigma_f^2 + \sigma_b^2)`, it is the mean over the windows that
    fit of

    .. math::

        Q = \begin{cases}
            \lambda\, S(f, u) + (1 - \lambda)\, S(b, u) & \text{if } S(f, b) \ge 0.75 \\
            \max\{S(f, u), S(b, u)\} & \text{else:}
        \end{cases}

    where the sources agree the fused picture should be like both, else like one of them (Yang,
    Zhang, Wang and Liu, Information Fusion 9(2), 2008, pages 156 to 160). S has no stabilising
    constants,

    .. math::

        S(x, y) = \frac{2 \mu_x \mu_y}{\mu_x^2 + \mu_y^2} \cdot
                  \frac{2 \sigma_{xy}}{\sigma_x^2 + \sigma_y^2},

    (the common program adds 2·10⁻¹⁶, less than its rounding errors): a factor 0/0, of two black or
    of two flat windows, is 1, and :math:`\lambda = 1/2` where both sources are flat.
    Needs 7 pixels in both directions.
    """
    return mean_over_channels(_qy, fused, foreground, background, side=2 * QY_RADIUS + 1)


def _qy(u: FloatArray, f: FloatArray, b: FloatArray) -> float:
    between, var_f, var_b = _similarity(f, b)
    to_f, to_b = (_similarity(source, u)[0] for source in (f, b))
    part = _ratio(var_f, var_f + var_b, 0.5)
    together = part * to_f + (1.0 - part) * to_b
    return float(np.where(between >= AGREE, together, np.maximum(to_f, to_b)).mean())


def _similarity(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the similarity of two planes, and their variances, in each window."""
    mean_x, mean_y, var_x, var_y, cov = local_moments(x, y, SIGMA, QY_RADIUS)
    cov[(var_x == 0.0) | (var_y == 0.0)] = 0.0
    bright = np.hypot(mean_x, mean_y) > rounding_in(x, y)
    luminance = _ratio(2.0 * mean_x * mean_y, mean_x**2 + mean_y**2, 1.0, where=bright)
    structure = _ratio(2.0 * cov, var_x + var_y, 1.0)
    return np.clip(luminance * structure, -1.0, 1.0), var_x, var_y


def _ratio(
    part: FloatArray, whole: FloatArray, otherwise: float, *, where: BoolArray | None = None
) -> FloatArray:
    there = whole > 0.0 if where is None else where
    return np.where(there, part / np.where(there, whole, 1.0), otherwise)


METRICS = {
    "scd": Metric(
        lambda p: scd(p.fused, p.foreground, p.background),
        better="high",
        range=(-2.0, 2.0),
        definition="corr(u - b, f) + corr(u - f, b), 0 for a correlation with a flat picture",
        channels="mean over them",
        source="Aslantas and Bendes, AEÜ 2015",
        check="2 for the sum of both sources; 1.018 for direct matting of the paper's face pair",
    ),
    "nmi": Metric(
        lambda p: nmi(p.fused, p.foreground, p.background),
        better="high",
        range=(0.0, 2.0),
        definition="2 [I(f, u) / (H(f) + H(u)) + I(b, u) / (H(b) + H(u))], histograms of 256 "
        "levels, each picture stretched to them",
        channels="mean over them",
        source="Hossny et al., Electronics Letters 2008, correcting Qu et al. 2002",
        check="2 if both sources are the fused picture; "
        "1.002 for direct matting of the paper's face pair",
    ),
    "qy": Metric(
        lambda p: qy(p.fused, p.foreground, p.background),
        better="high",
        range=(-1.0, 1.0),
        definition="structural similarity to both sources, weighted by their variances, where "
        "these agree to 0.75, else to the nearer one; Gaussian window 7 by 7, sigma 1.5, no "
        "constants",
        channels="mean over them",
        source="Yang et al., Information Fusion 2008",
        check="1 if both sources are the fused picture; "
        "0.992 for direct matting of the paper's face pair",
    ),
}
