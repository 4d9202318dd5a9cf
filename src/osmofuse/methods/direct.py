r"""Direct matting: the pictures laid over each other by alpha.

.. math::

    u = \alpha f + (1 - \alpha) b, \qquad
    u = \sum_k \alpha_k s_k \quad\text{for several sources } s_0 = f, s_1, \dots

in every channel. Where alpha is 1 the foreground keeps its bits; no value leaves the range
that the pictures span at its pixel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from osmofuse.checks import choice
from osmofuse.methods.contract import Fusion
from osmofuse.methods.cost import Cost
from osmofuse.methods.passes import Passes, fuse_by_passes
from osmofuse.methods.planes import Band, Layers
from osmofuse.methods.sources import Sources
from osmofuse.progress import Guard, Watch


@dataclass(frozen=True)
class DirectMatting:
    """Fusion by direct matting, also called cloning or alpha blending.

    Parameters
    ----------
    band : {"keep", "repeat"}
        Colour of a background of one band: the foreground's chromaticity, or grey. Use "repeat"
        to follow the paper, or when the band is to enter as grey.

    Notes
    -----
    The paper blurs alpha first: give ``soften(alpha)``.

    Examples
    --------
    >>> import numpy as np
    >>> sources = Sources(np.full((1, 2), 0.8), np.full((1, 2), 0.4), np.array([[1.0, 0.5]]))
    >>> DirectMatting()(sources).image.round(3).tolist()
    [[0.8, 0.6]]
    """

    band: Band = "keep"

    cost: ClassVar[Cost] = Cost(16, 16, 0.02)
    wants_soft_map: ClassVar[bool] = True  # a hard edge shows as a line

    def __post_init__(self) -> None:
        choice("band", self.band, ("keep", "repeat"))

    def __call__(self, sources: Sources, *, watch: Watch | None = None) -> Fusion:
        """Fuse the sources."""
        return fuse_by_passes(self, sources, self._passes(sources), Guard(watch))

    def _passes(self, sources: Sources) -> Passes:
        layers = Layers(sources, self.band, sources.dtype)
        for c in range(sources.channels):
            u = layers.weight(0, c) * layers.image(0, c)
            for k in range(1, sources.count):
                u += layers.weight(k, c) * layers.image(k, c)
            yield u
