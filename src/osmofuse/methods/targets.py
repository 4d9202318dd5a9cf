r"""Targets :math:`w` of the structure v, one class each.

All pictures carry the offset and are positive. With sources :math:`s_0 = f, s_1, \dots` and weights
:math:`\alpha_k` that sum to 1, the paper's target is :math:`w = \prod_k s_k^{\alpha_k}`; with two
sources, :math:`f^\alpha b^{1-\alpha}`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from osmofuse.kernels import kernel, prange
from osmofuse.methods.cost import Cost
from osmofuse.methods.level_target import LevelTarget
from osmofuse.methods.planes import Target, WholeTarget
from osmofuse.methods.seamless import Seamless
from osmofuse.methods.spectral_tv import SpectralTV
from osmofuse.methods.union import UnionTarget
from osmofuse.optimise.spectrum import filtered
from osmofuse.typing import FloatArray

# Part of the darker picture below which a spectral target is cut off: bands that do not fit
# together may sum to 0 or less. Anything in 0.001..0.1 works.
LEAST_TARGET = 0.01


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


TARGETS: dict[str, Target | WholeTarget] = {
    "product": Product(),
    "spectral": Spectral(),
    "seamless": Seamless(),
    "union": UnionTarget(),
    "level": LevelTarget(),
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
