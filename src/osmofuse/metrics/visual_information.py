r"""Visual information fidelity: `vif` and `viff`.

The model of Sheikh and Bovik (IEEE TIP 2006), in its scalar form on pixels: in a window the
changed picture is the reference with a gain and noise added, :math:`y = g x + n`, and the eye adds
noise of variance :math:`\sigma_e^2` to what it sees. From the local moments

.. math::

    g = \sigma_{xy} / \sigma_x^2, \qquad \sigma_n^2 = \sigma_y^2 - g\,\sigma_{xy}, \qquad
    I = \ln\Big(1 + \frac{\sigma_x^2}{\sigma_e^2}\Big), \qquad
    J = \ln\Big(1 + \frac{g^2 \sigma_x^2}{\sigma_n^2 + \sigma_e^2}\Big):

I is the information that the eye would have from the reference, J the part of it that it has from
the changed picture. A negative g is replaced by 0: no information.

There are four scales, with windows of 17, 9, 5 and 3 pixels, each Gaussian with a deviation of a
fifth of its side; before each scale but the first both pictures are smoothed by that scale's window
and every second row and column is taken. Windows and smoothing only where they fit inside.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from osmofuse.errors import InputError
from osmofuse.metrics.grey_levels import mean_over_channels
from osmofuse.metrics.metric import Metric
from osmofuse.metrics.windows import local_moments, window_mean
from osmofuse.typing import FloatArray

RADII = (8, 4, 2, 1)  # of the authors' four windows
VIF_SIDE = 41  # smallest picture: the scales have sides 41, 17, 7 and 3, the last window 3

VIF_NOISE = 2.0  # variance of the eye's noise, in the program of Sheikh and Bovik
# Variance of the eye's noise, weights of the scales and constant in the program of Han et al.
VIFF_NOISE = 0.005 * 255.0**2
VIFF_WEIGHTS = tuple(weight / 2.15 for weight in (1.0, 0.0, 0.15, 1.0))
VIFF_CONSTANT = 1e-7 * math.log(10.0)  # theirs is added to logarithms to base 10


class Information(NamedTuple):
    """Gain g, kept information J and whole information I in each window of a scale."""

    gain: FloatArray
    kept: FloatArray
    whole: FloatArray


def scales(reference: FloatArray, changed: FloatArray, noise: float) -> Iterator[Information]:
    """Yield the information of two planes in grey levels, from the finest scale to the coarsest.

    They have at least `VIF_SIDE` pixels both ways; `noise` is the variance of the eye's noise.
    """
    x, y = reference, changed
    for scale, radius in enumerate(RADII):
        sigma = (2 * radius + 1) / 5.0
        if scale > 0:
            x, y = (window_mean(z, sigma, radius)[::2, ::2] for z in (x, y))
        yield _information(x, y, sigma, radius, noise)


def _information(
    x: FloatArray, y: FloatArray, sigma: float, radius: int, eye: float
) -> Information:
    _, _, var_x, var_y, cov = local_moments(x, y, sigma, radius)
    seen = (var_x > 0.0) & (var_y > 0.0) & (cov > 0.0)
    gain = np.divide(cov, var_x, out=np.zeros_like(cov), where=seen)
    noise = np.maximum(var_y - gain * cov, 0.0)
    return Information(gain, np.log1p(gain**2 * var_x / (noise + eye)), np.log1p(var_x / eye))


def vif(fused: FloatArray, foreground: FloatArray, background: FloatArray) -> float:
    r"""Return the sum of the visual information fidelities to the two sources.

    .. math::

        \mathrm{VIF}(s, u) = \sum J \Big/ \sum I, \qquad
        \mathrm{vif} = \mathrm{VIF}(f, u) + \mathrm{VIF}(b, u)

    over all windows of all scales (Sheikh and Bovik, IEEE TIP 15(2), 2006,
    doi:10.1109/TIP.2005.859378). This is the multiscale form on pixels that the authors published,
    often called VIFp; the form on wavelet coefficients has other values. The source is the
    reference; the two values are added, not averaged, as most users do. VIF(s, s) = 1; more
    contrast than in the source gives more than 1. Undefined if a source is flat in a channel.
    Needs 41 pixels in both directions, as `viff` does.
    """
    return mean_over_channels(_vif, fused, foreground, background, side=VIF_SIDE)


def _vif(u: FloatArray, f: FloatArray, b: FloatArray) -> float:
    return _fidelity(f, u, "foreground") + _fidelity(b, u, "background")


def _fidelity(source: FloatArray, u: FloatArray, name: str) -> float:
    kept = whole = 0.0
    for scale in scales(source, u, VIF_NOISE):
        kept += float(scale.kept.sum())
        whole += float(scale.whole.sum())
    if not whole > 0.0:
        raise InputError(f"{name}: flat in a channel; it has no information to be kept")
    return kept / whole


def viff(fused: FloatArray, foreground: FloatArray, background: FloatArray) -> float:
    r"""Return the visual information fidelity for fusion.

    In each window the source with the smaller gain towards the fused picture counts (the
    background where they are equal). With I and J of that source,

    .. math::

        F_k = \frac{\sum (J + c)}{\sum (I + c)}, \qquad
        \mathrm{viff} = \frac{F_1 + 0\,F_2 + 0.15\,F_3 + F_4}{2.15}

    for the scales from fine to coarse, with logarithms to base 10 and :math:`c = 10^{-7}`; the
    eye's noise has variance 0.005 · 255² (Han, Cai, Cao and Xu, Information Fusion 14(2), 2013,
    pages 127 to 135; numbers of the authors' program, which takes the lightness of CIELAB instead
    of channels). It is 1 if both sources are the fused picture itself, and if all are flat.
    """
    return mean_over_channels(_viff, fused, foreground, background, side=VIF_SIDE)


def _viff(u: FloatArray, f: FloatArray, b: FloatArray) -> float:
    value = 0.0
    pairs = zip(scales(f, u, VIFF_NOISE), scales(b, u, VIFF_NOISE), strict=True)
    for weight, (of_f, of_b) in zip(VIFF_WEIGHTS, pairs, strict=True):
        smaller = of_f.gain < of_b.gain
        kept = np.where(smaller, of_f.kept, of_b.kept) + VIFF_CONSTANT
        whole = np.where(smaller, of_f.whole, of_b.whole) + VIFF_CONSTANT
        value += weight * float(kept.sum()) / float(whole.sum())
    return value


METRICS = {
    "vif": Metric(
        lambda p: vif(p.fused, p.foreground, p.background),
        better="high",
        range=(0.0, math.inf),
        definition="VIF(f, u) + VIF(b, u), visual information fidelity on pixels (VIFp), four "
        "scales, variance of the eye's noise 2",
        channels="mean over them",
        source="Sheikh and Bovik, IEEE TIP 2006; the pixel form of their program",
        check="2 if both sources are the fused picture; "
        "1.028 for direct matting of the paper's face pair",
    ),
    "viff": Metric(
        lambda p: viff(p.fused, p.foreground, p.background),
        better="high",
        range=(0.0, math.inf),
        definition="visual information fidelity for fusion: in each window the source with the "
        "smaller gain, four scales weighted 1, 0, 0.15, 1, variance of the eye's noise 0.005 · "
        "255²",
        channels="mean over them (the authors: lightness)",
        source="Han et al., Information Fusion 2013",
        check="1 if both sources are the fused picture; "
        "0.319 for direct matting of the paper's face pair",
    ),
}
