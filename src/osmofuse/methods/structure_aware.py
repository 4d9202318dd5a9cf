r"""Structure-aware fusion (Li, Xie, Zhou, Han and Zhan 2018, Optik 172, pages 1-11).

Channel by channel, each picture is smoothed except for its strong edges. The remaining structure,

.. math::

    |S_{i+1,j} - S_{i,j}| + |S_{i,j+1} - S_{i,j}|,

is compared: the foreground wins where it has more in the window around a pixel. The map of where
it wins is smoothed along the edges of the foreground by a domain transform, rounded to 0 and 1
and smoothed again, a few times; the last is the weight p in :math:`u = p f + (1 - p)\, b`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from osmofuse.checks import number, whole
from osmofuse.errors import InputError
from osmofuse.filters import DomainTransform, box_mean, lee
from osmofuse.methods.contract import Fusion
from osmofuse.methods.cost import Cost
from osmofuse.methods.passes import Passes, fuse_by_passes
from osmofuse.methods.planes import Layers
from osmofuse.methods.sources import Sources
from osmofuse.progress import Guard, Watch
from osmofuse.typing import FloatArray

STRUCTURE_TIE = 1e-10  # part of the largest sample: rounding of filters in double precision


@dataclass(frozen=True)
class StructureAwareFusion:
    r"""Structure-aware fusion of two pictures.

    It decides by itself what to take from which picture: **alpha is not used**. Every value of
    the result lies between those of the two pictures. They are not treated quite alike: where
    both are flat, and at ties, the background wins, and the foreground's edges shape the seams.
    A background of one band is taken for each channel.

    Parameters
    ----------
    radius : int, 0 to 10000
        Radius of the windows of smoothing and comparison, in pixels. Raise it for noisy pictures.
    epsilon : float, 1e-20 to 1e6
        Variance above which a window is an edge and stays sharp, white at 1.0,
        :math:`\varepsilon`. Raise it if noise is taken for structure.
    sigma_space : float, 0.01 to 1e6
        Smoothing of the weight in flat parts of the foreground, in pixels, :math:`\sigma_s`. Raise
        it for wider transitions.
    sigma_range : float, 1e-6 to 1e6
        Step of the foreground that stops that smoothing, white at 1.0, :math:`\sigma_r`. Lower it
        to make transitions follow weaker edges.
    rounds : int, 0 to 100
        Number of smoothings; the weight is rounded to 0 and 1 before each. Raise it to remove
        small islands.

    Notes
    -----
    The defaults are those of the authors. Windows shrink at the border. Beyond the last row and
    column the smoothed pictures count as 0, as in the authors' program: there a bright picture
    has more structure than a dark one. Filters compute in double precision.

    Where `valid` is False the foreground is kept, and hides the hole from the filters.
    """

    radius: int = 3
    epsilon: float = 0.01
    sigma_space: float = 10.0
    sigma_range: float = 0.2
    rounds: int = 3

    cost: ClassVar[Cost] = Cost(50, 85, 0.2)

    def __post_init__(self) -> None:
        whole("radius", self.radius, least=0, most=10_000)
        whole("rounds", self.rounds, least=0, most=100)
        number("epsilon", self.epsilon, least=1e-20, most=1e6)
        number("sigma_space", self.sigma_space, least=0.01, most=1e6)
        number("sigma_range", self.sigma_range, least=1e-6, most=1e6)

    def __call__(self, sources: Sources, *, watch: Watch | None = None) -> Fusion:
        """Fuse a foreground and one background."""
        if sources.count > 2:
            raise InputError(
                f"background: {sources.count - 1} pictures, but structure-aware fusion compares "
                "the foreground with one; give one, or use the method 'guided-filter'"
            )
        return fuse_by_passes(self, sources, self._passes(sources), Guard(watch))

    def _passes(self, sources: Sources) -> Passes:
        layers = Layers(sources, "repeat", np.float64)
        # Up to here the seam between a background and its filling has an effect on structure.
        own = layers.is_own(1, radius=self.radius + 1)
        for c in range(sources.channels):
            f, b = (layers.image(k, c) for k in range(2))
            more = self._structure(f) - self._structure(b) * own
            yield None
            tie = max(STRUCTURE_TIE, layers.rounding) * max(float(f.max()), float(b.max()))
            weight: FloatArray = (box_mean(more, self.radius) > tie).astype(np.float64)
            smooth = DomainTransform.of(
                f, sigma_space=self.sigma_space, sigma_range=self.sigma_range
            )
            for _ in range(self.rounds):
                weight = smooth((weight > 0.5).astype(np.float64))
                yield None
            yield f + (1.0 - weight) * (b - f)

    def _structure(self, x: FloatArray) -> FloatArray:
        """Return the strength of the edges that stay when a plane is smoothed."""
        smooth = lee(x, radius=self.radius, epsilon=self.epsilon)
        down, right = (np.diff(smooth, axis=axis, append=0.0) for axis in range(2))
        return np.asarray(np.abs(down) + np.abs(right))
