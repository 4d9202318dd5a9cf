r"""Target :math:`w_c = f_c\,e^{\psi}`, offset included: chromaticity is kept, no map is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from osmofuse.methods.cost import Cost
from osmofuse.methods.sources import Sources
from osmofuse.methods.statistics import Statistics
from osmofuse.methods.union.bands import structure_of
from osmofuse.methods.union.cover import uncovered
from osmofuse.methods.union.doubts import doubts
from osmofuse.methods.union.layer import cleaned, layer_of
from osmofuse.methods.union.missing import Missing, missing_of
from osmofuse.methods.union.pair import grey_of, log_pair
from osmofuse.methods.union.settings import UnionSettings
from osmofuse.typing import Array, FloatArray


@dataclass(frozen=True, eq=False)
class Layer:
    """What one background adds, with what was measured on the way.

    `reach` is the width of its strokes in pixels.
    """

    psi: FloatArray
    missing: Missing
    reach: float
    doubts: tuple[str, ...]


@dataclass(frozen=True)
class UnionTarget(UnionSettings):
    """The foreground with the layer that it lacks."""

    finds_map: ClassVar[bool] = True

    @property
    def cost(self) -> Cost:
        """Planes in single precision."""
        return Cost(20, 60, 0.6)

    def for_sources(
        self, sources: Sources, known: Statistics, reach: float | None = None
    ) -> LayerTarget:
        """Return the target of these pictures; a given reach is the tie R of the layer."""
        layers: list[Layer] = []
        seen = uncovered(sources, self.offset, known)
        healed = None if seen is sources else seen.foreground
        sources = seen
        for k in range(1, sources.count):
            numbers = known.within(f"background {k}")
            layers.append(self.layer(sources, k, layers, numbers, reach))
        return LayerTarget(tuple(layers), healed)

    def layer(
        self,
        sources: Sources,
        k: int,
        before: Sequence[Layer],
        known: Statistics,
        reach: float | None = None,
    ) -> Layer:
        """Return the layer of a background that the foreground with those before it lacks."""
        pair = log_pair(sources, k, self.offset, known)
        for one in before:
            pair.y[...] += one.psi
        structure = structure_of(pair, self, known)
        reach = self.reach * structure.scale if reach is None else reach
        missing = missing_of(pair, structure, self, known).within(entry(sources, k))
        raw = layer_of(structure, missing, reach, self, known)
        psi = cleaned(raw, structure, missing, self, known)
        found = doubts(pair, grey_of(sources, k), psi, missing.fit, known)
        return Layer(psi, missing, reach, found)


def entry(sources: Sources, k: int) -> FloatArray:
    r"""Return where a background may enter, :math:`(1 - \alpha_0)\,\alpha_k / \max_j \alpha_j`.

    With one background that is :math:`1 - \alpha`.
    """
    weights = [mean_weight(sources, j) for j in range(sources.count)]
    most = np.maximum.reduce(weights[1:])
    return np.asarray((1.0 - weights[0]) * weights[k] / np.maximum(most, np.float32(1e-6)))


def mean_weight(sources: Sources, k: int) -> FloatArray:
    """Return the mean over channels of a picture's map."""
    channels = sources.channels if sources.alpha.ndim == 3 else 1
    planes = (sources.weight(k, c, np.float32) for c in range(channels))
    return np.asarray(sum(planes) / np.float32(channels))


@dataclass(frozen=True, eq=False)
class LayerTarget:
    """Foreground times the exponential of layers."""

    layers: tuple[Layer, ...]
    foreground: Array | None = None

    @property
    def reach(self) -> float:
        """Width of the strokes of the first background, in pixels."""
        return self.layers[0].reach

    @property
    def alpha(self) -> FloatArray:
        """1 where nothing of the backgrounds enters."""
        return np.asarray(1.0 - np.maximum.reduce([one.missing.m for one in self.layers]))

    @property
    def notes(self) -> tuple[str, ...]:
        """Doubts about the backgrounds."""
        names = ["background", *(f"background {k}" for k in range(2, len(self.layers) + 1))]
        named = zip(names, self.layers, strict=True)
        return tuple(f"{name}: {words}" for name, one in named for words in one.doubts)

    def fill(
        self, w: FloatArray, images: Sequence[FloatArray], weights: Sequence[FloatArray]
    ) -> None:
        """Set w to the foreground with the layers."""
        np.exp(sum(one.psi for one in self.layers), out=w, casting="same_kind")
        w *= images[0]
