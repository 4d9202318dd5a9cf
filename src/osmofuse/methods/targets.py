r"""Targets :math:`w` of the structure v, one class each.

All pictures carry the offset and are positive. With sources :math:`s_0 = f, s_1, \dots` and weights
:math:`\alpha_k` that sum to 1, the paper's target is :math:`w = \prod_k s_k^{\alpha_k}`; with two
sources, :math:`f^\alpha b^{1-\alpha}`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from osmofuse.checks import number
from osmofuse.kernels import kernel, prange
from osmofuse.linalg.integral import Integral, add_drift
from osmofuse.methods.cost import Cost
from osmofuse.methods.planes import Target, WholeTarget
from osmofuse.methods.scene_target import SceneTarget
from osmofuse.methods.spectral_tv import SpectralTV
from osmofuse.methods.union import UnionTarget
from osmofuse.optimise.spectrum import filtered
from osmofuse.typing import FloatArray

# Part of the darker picture below which a spectral target is cut off: bands that do not fit
# together may sum to 0 or less. Anything in 0.001..0.1 works.
LEAST_TARGET = 0.01
LEAST_TIE, MOST_TIE = 0.1, 1e6  # pixels; beyond, the foreground or nothing holds the target
# V-cycles of the seamless target: the error of the logarithm is then below 0.001.
SEAMLESS_CYCLES = 6


@dataclass(frozen=True)
class Product:
    r"""The paper's target, the product :math:`\prod_k s_k^{\alpha_k}`."""

    @property
    def cost(self) -> Cost:
        """Nothing in addition to the solver."""
        return Cost(0, 0, 0.0)

    def fill(
        self, w: FloatArray, images: Sequence[FloatArray], weights: Sequence[FloatArray]
    ) -> None:
        """Set w to the product of all pictures to the power of their weights."""
        w.fill(1.0)
        for image, alpha in zip(images, weights, strict=True):
            multiply_power(w, image, alpha)


@dataclass(frozen=True)
class Spectral:
    r"""The product, with the foreground's coarse bands in the backgrounds.

    Differences in brightness or lighting of the background would otherwise enter as structure. With
    the first band :math:`f_1` of the foreground and all but the first of the background
    (`osmofuse.optimise.spectrum`),

    .. math::

        w = f^\alpha\, \tilde b^{\,1-\alpha}, \qquad \tilde b = f_1 + b - b_1 :

    large shapes of f, fine ones of b. Bands are those of `osmofuse.methods.SpectralTV`.
    """

    @property
    def cost(self) -> Cost:
        """Cost of the bands, in double precision."""
        return Cost(20, 40, SpectralTV.cost.seconds)

    def fill(
        self, w: FloatArray, images: Sequence[FloatArray], weights: Sequence[FloatArray]
    ) -> None:
        """Set w to the product of the foreground and the changed backgrounds."""
        Product().fill(w, with_coarse_of_first(images), weights)


@dataclass(frozen=True)
class Seamless:
    r"""The integral of the mixed drifts, which does not know how bright the backgrounds are.

    With :math:`d_k = \Delta \log s_k` on an edge, :math:`\log w` minimises

    .. math::

        \sum_e \Big(\Delta\varphi - \sum_k \bar\alpha_k d_k\Big)^2
        + \sum_i \lambda_i (\varphi_i - \log f_i)^2,
        \qquad \lambda = 1 \text{ where } \alpha = 1, \text{ else } 1/\text{tie}^2 :

    where the map varies, the product has an edge as large as the difference of the pictures'
    brightness; this target has none.

    Parameters
    ----------
    tie : float or "auto"
        Distance in pixels from which on the foreground's own values rule; "auto" is an eighth of
        the side of a square of the same area.
    """

    tie: float | Literal["auto"] = "auto"

    def __post_init__(self) -> None:
        if self.tie != "auto":
            number("tie", self.tie, least=LEAST_TIE, most=MOST_TIE)

    @property
    def cost(self) -> Cost:
        """A multigrid hierarchy and the planes of the drift."""
        return Cost(16, 48, 0.2)

    def fill(
        self, w: FloatArray, images: Sequence[FloatArray], weights: Sequence[FloatArray]
    ) -> None:
        """Set w to the foreground times the exponential of the integral."""
        shape, kind = (w.shape[0], w.shape[1]), w.dtype.type
        drift = np.zeros((2, *shape), kind)
        for image, alpha in zip(images[1:], weights[1:], strict=True):
            add_drift(drift, np.log(image / images[0]), alpha)
        tie = math.sqrt(w.size) / 8.0 if self.tie == "auto" else self.tie
        integral = Integral(shape, kind)
        integral.set_drift(drift)
        integral.set_mass(np.where(weights[0] == 1.0, 1.0, tie**-2.0))
        np.exp(integral.cycle(SEAMLESS_CYCLES), out=w)
        w *= images[0]


TARGETS: dict[str, Target | WholeTarget] = {
    "product": Product(),
    "spectral": Spectral(),
    "seamless": Seamless(),
    "union": UnionTarget(),
    "scene": SceneTarget(),
}


def with_coarse_of_first(images: Sequence[FloatArray]) -> list[FloatArray]:
    """Return the planes of a channel, all but the first with the coarsest band of the first.

    The first is returned itself, the others as new planes, positive and of the same type.
    """
    scales = SpectralTV().scales
    first, others = [1.0, *[0.0] * len(scales.times)], [0.0, *[1.0] * len(scales.times)]
    coarse, found = filtered(images[0][None].astype(np.float64), scales, first)[0], [images[0]]
    for image in images[1:]:
        mixed = coarse + filtered(image[None].astype(np.float64), scales, others)[0]
        least = LEAST_TARGET * np.minimum(images[0], image)
        found.append(np.maximum(mixed[0], least).astype(image.dtype))
    return found


@kernel
def multiply_power(w: FloatArray, image: FloatArray, alpha: FloatArray) -> None:
    """Multiply w by image^alpha; most maps are mostly 0 and 1, where no power is needed."""
    rows, cols = w.shape
    for i in prange(rows):
        for j in range(cols):
            a = alpha[i, j]
            if a == 1.0:
                w[i, j] *= image[i, j]
            elif a != 0.0:
                w[i, j] *= image[i, j] ** a
