r"""Ten of the metrics of VIFB, a benchmark of visible and infrared image fusion, by its formulas.

All values are of pictures in grey levels, white at 255. Four names carry the prefix ``vifb_``,
since the benchmark defines them differently from common usage. The remaining three of its
metrics are in :mod:`~osmofuse.metrics.edge_preservation` (`qabf`) and
:mod:`~osmofuse.metrics.contrast_sensitivity` (`qcb`, `qcv`).

X. Zhang, P. Ye, G. Xiao, "VIFB: a visible and infrared image fusion benchmark", CVPR Workshops
2020, doi:10.1109/CVPRW50498.2020.00060.
"""

from __future__ import annotations

import math

import numpy as np

from osmofuse.filters import sobel
from osmofuse.metrics.grey_levels import (
    COUNT,
    counts,
    entropies,
    in_levels,
    joint_counts,
    mean_over_channels,
    stretched,
)
from osmofuse.metrics.metric import Metric
from osmofuse.metrics.truth import mean_similarities
from osmofuse.metrics.windows import sum_over_strips
from osmofuse.pixels import bands_of
from osmofuse.typing import FloatArray


def entropy(fused: FloatArray) -> float:
    r"""Return the entropy :math:`-\sum_k p_k \log_2 p_k` of the 256 grey levels, in bits.

    Samples between two levels count as the lower one. Noise counts as information, too.
    """
    return mean_over_channels(_entropy, fused)


def _entropy(u: FloatArray) -> float:
    p = counts(u) / u.size
    p = p[p > 0]
    return abs(float((p * np.log2(p)).sum()))


def cross_entropy(fused: FloatArray, foreground: FloatArray, background: FloatArray) -> float:
    r"""Return the cross entropy of sources and fused picture, in bits.

    .. math::

        \tfrac12 \sum_{s \in \{f, b\}} \sum_k p^s_k \log_2 \frac{p^s_k}{p^u_k}

    over the levels k that occur in both pictures. Since the others are left out, the value may be
    negative, down to :math:`-\log_2(e)/e`, for pictures that have few levels in common.
    """
    return mean_over_channels(_cross_entropy, fused, foreground, background)


def _cross_entropy(u: FloatArray, *sources: FloatArray) -> float:
    p_fused = counts(u) / u.size
    total = 0.0
    for source in sources:
        p = counts(source) / u.size
        both = (p > 0) & (p_fused > 0)
        total += float((p[both] * np.log2(p[both] / p_fused[both])).sum())
    return total / len(sources)


def mutinf(fused: FloatArray, foreground: FloatArray, background: FloatArray) -> float:
    r"""Return the mutual information :math:`\mathrm{MI}(f, u) + \mathrm{MI}(b, u)` in nats.

    Each picture is first stretched to 0..255 and rounded, halves upwards; a constant picture
    becomes 0 and shares no information.
    """
    return mean_over_channels(_mutinf, fused, foreground, background, prepare=stretched)


def _mutinf(u: FloatArray, *sources: FloatArray) -> float:
    return sum(entropies(joint_counts(source, u)).mutual for source in sources)


def vifb_rmse(fused: FloatArray, foreground: FloatArray, background: FloatArray) -> float:
    r"""Return the mean over the sources s of :math:`\sqrt{\sum (s - u)^2} / n`, n pixels.

    The benchmark takes the root before the mean, so this is the root mean square error in grey
    levels divided by :math:`\sqrt n`: it decreases with the size of the picture.
    """
    return mean_over_channels(_error, fused, foreground, background)


def _error(u: FloatArray, *sources: FloatArray) -> float:
    squares = [float(sum_over_strips(lambda x, y: (x - y) ** 2, s, u)) for s in sources]
    return math.fsum(math.sqrt(square) / u.size for square in squares) / len(sources)


def vifb_psnr(fused: FloatArray, foreground: FloatArray, background: FloatArray) -> float:
    r"""Return :math:`20 \log_{10}(255 / \sqrt e)` in decibels, with e the value of `vifb_rmse`.

    The benchmark uses e in place of a mean square, so values are far higher than those of `psnr`
    and grow with the size of the picture. Equal pictures give infinity.
    """
    return mean_over_channels(_decibels, fused, foreground, background)


def _decibels(*planes: FloatArray) -> float:
    error = _error(*planes)
    return 20.0 * math.log10(255.0 / math.sqrt(error)) if error > 0 else math.inf


def vifb_ssim(fused: FloatArray, foreground: FloatArray, background: FloatArray) -> float:
    """Return the structural similarity to the foreground plus that to the background, at most 2."""
    planes = fused, foreground, background
    return mean_over_channels(lambda *x: sum(mean_similarities(*x, white=255.0)), *planes)


def avg_gradient(fused: FloatArray) -> float:
    r"""Return :math:`\sum \sqrt{(g_r^2 + g_c^2)/2} \,/\, ((rows - 1)(cols - 1))` in grey levels.

    The gradient is of centred differences, one-sided at the borders; the sum is over all pixels.
    """
    return mean_over_channels(_avg_gradient, fused, side=2)


def _avg_gradient(u: FloatArray) -> float:
    rows, cols = u.shape
    total = float(sum_over_strips(_gradient_length, u, reach=1))
    return total / float((rows - 1) * (cols - 1))


def _gradient_length(u: FloatArray) -> FloatArray:
    down, right = np.gradient(u)
    return np.asarray(np.sqrt((down**2 + right**2) / 2.0))


def edge_intensity(fused: FloatArray) -> float:
    """Return the mean length of Sobel's gradient in grey levels, kernels not divided by 8.

    Borders are replicated.
    """
    return mean_over_channels(_edge_intensity, fused)


def _edge_intensity(u: FloatArray) -> float:
    return float(sum_over_strips(_sobel_length, u, reach=1)) / u.size


def _sobel_length(u: FloatArray) -> FloatArray:
    down, right = sobel(u)
    return np.asarray(np.sqrt(down**2 + right**2))


def spatial_frequency(fused: FloatArray) -> float:
    r"""Return the root of the mean squared differences along rows and columns, added.

    .. math::

        \sqrt{\frac{\sum (u_{i,j} - u_{i,j-1})^2 + \sum (u_{i,j} - u_{i-1,j})^2}{n}}

    in grey levels, with n the number of all samples, though there are fewer differences. As in the
    benchmark, the channels lie side by side in one plane: in each row, the last sample of a
    channel is also compared with the first of the next.
    """
    squares, last = 0.0, None
    for c in range(bands_of(fused)):
        u = in_levels(fused, c)
        squares += _squares(np.diff(u, axis=1)) + _squares(np.diff(u, axis=0))
        squares += 0.0 if last is None else _squares(u[:, 0] - last)
        last = u[:, -1]
    return math.sqrt(squares / fused.size)


def _squares(x: FloatArray) -> float:
    return float(np.square(x, out=x).sum())


def vifb_variance(fused: FloatArray) -> float:
    """Return the standard deviation in grey levels, which the benchmark calls variance."""
    return mean_over_channels(lambda u: float(u.std()), fused)


METRICS = {
    "entropy": Metric(
        lambda p: entropy(p.fused),
        better="high",
        range=(0.0, 8.0),
        definition="entropy of the fused picture's 256 grey levels, in bits",
        channels="mean over them",
        source="van Aardt, Journal of Applied Remote Sensing 2008; conventions of VIFB",
        check="7.5117 for GFF on VIFB's carLight",
    ),
    "cross_entropy": Metric(
        lambda p: cross_entropy(p.fused, p.foreground, p.background),
        better="low",
        range=(-math.log2(math.e) / math.e, math.inf),
        definition="mean over the sources of the sum of p log2(p/q), with p and q the shares of a "
        "grey level in source and fused picture, over levels that both have",
        channels="mean over them",
        source="Bulanon et al., Biosystems Engineering 2009; conventions of VIFB",
        check="1.5809 for GFF on VIFB's carLight",
    ),
    "mutinf": Metric(
        lambda p: mutinf(p.fused, p.foreground, p.background),
        better="high",
        range=(0.0, 2.0 * math.log(COUNT)),
        definition="sum over the sources of the mutual information of grey levels, in nats, each "
        "picture first stretched to 0..255",
        channels="mean over them",
        source="Qu, Zhang and Yan, Electronics Letters 2002; conventions of VIFB",
        check="3.0793 for GFF on VIFB's carLight",
    ),
    "vifb_rmse": Metric(
        lambda p: vifb_rmse(p.fused, p.foreground, p.background),
        better="low",
        range=(0.0, math.inf),
        definition="mean over the sources of the root of the sum of squared differences in grey "
        "levels, divided by the number of pixels (not a root mean square)",
        channels="mean over them",
        source="Jagalingam and Hegde, Aquatic Procedia 2015, as VIFB computes it",
        check="0.074542 for GFF on VIFB's carLight",
    ),
    "vifb_psnr": Metric(
        lambda p: vifb_psnr(p.fused, p.foreground, p.background),
        better="high",
        range=(-math.inf, math.inf),
        definition="20 log10(255/sqrt(e)) in dB, with e the value of vifb_rmse (not a mean square)",
        channels="mean over them",
        source="Jagalingam and Hegde, Aquatic Procedia 2015, as VIFB computes it",
        check="59.407 for GFF on VIFB's carLight",
    ),
    "vifb_ssim": Metric(
        lambda p: vifb_ssim(p.fused, p.foreground, p.background),
        better="high",
        range=(-2.0, 2.0),
        definition="sum over the sources of the structural similarity: Gaussian window 11 by 11, "
        "sigma 1.5, K = (0.01, 0.03), inside only",
        channels="mean over them",
        source="Wang et al., IEEE TIP 2004; conventions of VIFB",
        check="1.5882 for GFF on VIFB's carLight",
    ),
    "avg_gradient": Metric(
        lambda p: avg_gradient(p.fused),
        better="high",
        range=(0.0, math.inf),
        definition="sum of the lengths of the fused picture's gradient, over the root of 2, "
        "divided by (rows - 1)(cols - 1); centred differences, one-sided at borders",
        channels="mean over them",
        source="Cui et al., Optics Communications 2015; conventions of VIFB",
        check="2.3055 for GFF on VIFB's carLight",
    ),
    "edge_intensity": Metric(
        lambda p: edge_intensity(p.fused),
        better="high",
        range=(0.0, math.inf),
        definition="mean length of Sobel's gradient of the fused picture, kernels not divided by "
        "8, borders replicated",
        channels="mean over them",
        source="Rajalingam and Priya 2018; conventions of VIFB",
        check="23.06 for GFF on VIFB's carLight",
    ),
    "spatial_frequency": Metric(
        lambda p: spatial_frequency(p.fused),
        better="high",
        range=(0.0, math.inf),
        definition="root of the sum of squared first differences along rows and columns of the "
        "fused picture, divided by the number of samples",
        channels="side by side in one plane, with a difference across each seam",
        source="Eskicioglu and Fisher, IEEE Transactions on Communications 1995; "
        "conventions of VIFB",
        check="10.368 for GFF on VIFB's carLight",
    ),
    "vifb_variance": Metric(
        lambda p: vifb_variance(p.fused),
        better="high",
        range=(0.0, math.inf),
        definition="standard deviation of the fused picture in grey levels (not a variance)",
        channels="mean over them",
        source="Rao, Measurement Science and Technology 1997; conventions of VIFB",
        check="51.682 for GFF on VIFB's carLight",
    ),
}
