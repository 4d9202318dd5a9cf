r"""Average of the pictures, the same at every pixel: alpha is not used.

.. math::

    u = \frac{\sum_k \omega_k s_k}{\sum_k \omega_k}, \qquad s_0 = f, s_1, \dots

Where a background is not valid the foreground is used instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from osmofuse.checks import choice, number
from osmofuse.errors import SettingError
from osmofuse.methods.contract import Fusion
from osmofuse.methods.cost import Cost
from osmofuse.methods.passes import Passes, fuse_by_passes
from osmofuse.methods.planes import Band, Layers
from osmofuse.methods.sources import Sources
from osmofuse.progress import Guard, Watch


@dataclass(frozen=True)
class Average:
    r"""Fusion by the average.

    Parameters
    ----------
    weights : sequence of float, 0 to 1e6, or None
        Weight of each picture, foreground first, :math:`\omega_k`; only ratios count, and None is
        equal weights. Raise the weight of the picture that should dominate.
    band : {"keep", "repeat"}
        Colour of a background of one band: the foreground's chromaticity, or grey. Use "repeat"
        to follow the paper, or when the band is to enter as grey.

    Examples
    --------
    >>> import numpy as np
    >>> sources = Sources(np.full((1, 1), 0.8), np.full((1, 1), 0.4))
    >>> Average()(sources).image.round(3).tolist()
    [[0.6]]
    >>> Average(weights=(3, 1))(sources).image.round(3).tolist()
    [[0.7]]
    """

    weights: Sequence[float] | None = None
    band: Band = "keep"

    cost: ClassVar[Cost] = Cost(16, 16, 0.02)

    def __post_init__(self) -> None:
        choice("band", self.band, ("keep", "repeat"))
        if self.weights is None:
            return
        if isinstance(self.weights, str) or not isinstance(self.weights, Sequence):
            raise SettingError(f"weights: {self.weights!r}; must be one number for each picture")
        object.__setattr__(self, "weights", tuple(self.weights))
        for weight in self.weights:
            number("weights", weight, most=1e6)
        if not sum(self.weights) > 0:
            raise SettingError(f"weights: {self.weights!r}; one of them must be above 0")

    def __call__(self, sources: Sources, *, watch: Watch | None = None) -> Fusion:
        """Fuse the sources."""
        weights = (1.0,) * sources.count if self.weights is None else self.weights
        if len(weights) != sources.count:
            raise SettingError(
                f"weights: {len(weights)} for {sources.count} pictures; "
                "give the foreground's, then each background's"
            )
        parts = [weight / sum(weights) for weight in weights]
        return fuse_by_passes(self, sources, self._passes(sources, parts), Guard(watch))

    def _passes(self, sources: Sources, parts: list[float]) -> Passes:
        layers = Layers(sources, self.band, sources.dtype)
        for c in range(sources.channels):
            u = layers.image(0, c) * layers.dtype(parts[0])
            for k, part in enumerate(parts[1:], start=1):
                u += layers.image(k, c) * layers.dtype(part)
            yield u
