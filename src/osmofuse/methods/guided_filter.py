r"""Fusion with guided filtering (Li, Kang and Hu 2013, doi:10.1109/TIP.2013.2244222).

Each picture :math:`s_k` is split into a base, its mean over large windows, and the detail that is
left. At each pixel the picture with the most salient grey values, those of the largest Laplacian,
wins; the map of where a picture wins, smoothed along the edges of that picture by a guided filter,
is its weight: broadly for the bases and finely for the details. With weights that sum to 1,

.. math::

    u = \sum_k p_k\, \bar s_k + \sum_k q_k\, (s_k - \bar s_k) .
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from osmofuse.checks import number, whole
from osmofuse.filters import box_mean, gaussian, guided, laplacian
from osmofuse.methods.contract import Fusion
from osmofuse.methods.cost import Cost
from osmofuse.methods.passes import Pass, Passes, fuse_by_passes
from osmofuse.methods.planes import Layers
from osmofuse.methods.sources import Sources
from osmofuse.pixels import white_of
from osmofuse.progress import Guard, Watch
from osmofuse.typing import Array, FloatArray

SALIENCY_TIE = 1e-12  # part of the largest sample: rounding of filters in double precision
LEAST_SUM = 1e-12  # added to weights, so that their sum is not 0


@dataclass(frozen=True)
class GuidedFilterFusion:
    r"""Fusion with guided filtering.

    It decides by itself what to take from which picture: **alpha is not used**, and foreground
    and background are treated alike, except that the first of equally salient pictures wins. Any
    number of backgrounds can be fused; one of a single band is taken for each channel.

    Parameters
    ----------
    split_radius : int, 0 to 10000
        Radius of the mean filter that splits base and detail, in pixels; 15 is a window of 31 × 31.
        Raise it to move larger structures into the detail layer.
    saliency_sigma : float, 0.01 to 1000
        Standard deviation of the Gaussian that spreads saliency, in pixels. Raise it for large,
        coherent decisions.
    base_radius, detail_radius : int, 0 to 10000
        Radius of the guided filter of the base or the detail weights, in pixels. Raise it for
        smoother transitions.
    base_epsilon, detail_epsilon : float, 1e-20 to 1e6
        Variance that counts as an edge in that filter, white at 1.0, :math:`\varepsilon`. Lower it
        to make transitions follow edges more closely.

    Notes
    -----
    The defaults are those of the authors. Their weights were rounded to 8 bits, and their result
    clipped; these are not. Grey values are rounded to the levels of the picture's own depth, as
    theirs were; those of floats are not. Filters compute in double precision. Bases replicate the
    border, as do the Laplacian and the Gaussian; windows of guided filters shrink there.

    Where `valid` is False the foreground is kept, and hides the hole from the filters.
    """

    split_radius: int = 15
    saliency_sigma: float = 5.0
    base_radius: int = 45
    base_epsilon: float = 0.3
    detail_radius: int = 7
    detail_epsilon: float = 1e-6

    cost: ClassVar[Cost] = Cost(55, 145, 0.6)

    def __post_init__(self) -> None:
        for name in ("split_radius", "base_radius", "detail_radius"):
            whole(name, getattr(self, name), least=0, most=10_000)
        number("saliency_sigma", self.saliency_sigma, least=0.01, most=1000.0)
        for name in ("base_epsilon", "detail_epsilon"):
            number(name, getattr(self, name), least=1e-20, most=1e6)

    def __call__(self, sources: Sources, *, watch: Watch | None = None) -> Fusion:
        """Fuse the sources."""
        return fuse_by_passes(self, sources, self._passes(sources), Guard(watch))

    def _passes(self, sources: Sources) -> Passes:
        layers = Layers(sources, "repeat", np.float64)
        greys = _greys(layers)
        winner = yield from self._winner(layers, greys)
        bases = yield from _weights(winner, greys, self.base_radius, self.base_epsilon)
        details = yield from _weights(winner, greys, self.detail_radius, self.detail_epsilon)
        for c in range(sources.channels):
            u = np.zeros(sources.shape)
            for k in range(sources.count):
                image = layers.image(k, c)
                mean = box_mean(image, self.split_radius, border="replicate")
                u += bases[k] * mean + details[k] * (image - mean)
            yield u

    def _winner(self, layers: Layers, greys: list[FloatArray]) -> Pass[Array]:
        """Return the number of the most salient picture at each pixel."""
        shape = layers.sources.shape
        winner, best = np.zeros(shape, np.intp), np.full(shape, -math.inf)
        tie = max(SALIENCY_TIE, layers.rounding) * max(float(grey.max()) for grey in greys)
        for k, grey in enumerate(greys):
            strength = np.abs(laplacian(grey)) * layers.is_own(k, radius=1)
            radius = math.ceil(self.saliency_sigma)
            saliency = gaussian(strength, self.saliency_sigma, radius=radius)
            better = saliency > best + tie
            winner[better] = k
            np.copyto(best, saliency, where=better)
            yield None
        return winner


def _weights(
    winner: Array, greys: list[FloatArray], radius: int, epsilon: float
) -> Pass[list[FloatArray]]:
    """Return the weight of each picture: where it wins, smoothed along its own edges."""
    weights = []
    for k, grey in enumerate(greys):
        wins = (winner == k).astype(np.float64)
        weights.append(np.clip(guided(wins, grey, radius=radius, epsilon=epsilon), 0.0, 1.0))
        weights[k] += LEAST_SUM
        yield None
    total = np.sum(weights, axis=0)
    return [weight / total for weight in weights]


def _greys(layers: Layers) -> list[FloatArray]:
    """Return the grey values of each picture, in the levels of its depth."""
    pictures = (layers.sources.foreground, *layers.sources.backgrounds)
    whites = (white_of(picture.dtype, "picture") for picture in pictures)
    return [_rounded(layers.grey(k), white) for k, white in enumerate(whites)]


def _rounded(grey: FloatArray, white: int) -> FloatArray:
    """Round to the levels of a depth, half up."""
    return grey if white == 1 else np.asarray(np.floor(grey * white + 0.5) / white)
