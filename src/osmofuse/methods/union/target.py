r"""Target :math:`w_c = f_c\,e^{\psi}`, offset included: chromaticity is kept, no map is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from osmofuse.methods.cost import Cost
from osmofuse.methods.sources import Sources
from osmofuse.methods.statistics import Statistics, spacing
from osmofuse.methods.union.bands import Structure, structure_of
from osmofuse.methods.union.cover import uncovered
from osmofuse.methods.union.doubts import NOTHING, doubts, named
from osmofuse.methods.union.fit import Fit
from osmofuse.methods.union.layer import cleaned, layer_of
from osmofuse.methods.union.missing import Missing, Windows, contrary_share, missing_of
from osmofuse.methods.union.pair import LogPair, grey_of, log_pair
from osmofuse.methods.union.settings import UnionSettings
from osmofuse.methods.union.shifts import fitted
from osmofuse.typing import FloatArray

SEEN_DIFFERENCE = 1 / 512  # difference of samples that counts: half a level of 8 bits


@dataclass(frozen=True, eq=False)
class Layer:
    """Layer that one background adds, with what was measured on the way.

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
        whole = where_allowed(sources, uncovered(sources, self.offset, known))
        cover = None if whole is sources else changed(sources, whole)
        sources, layers = whole, list[Layer]()
        for k in range(1, sources.count):
            numbers = known.within(f"background {k}")
            layers.append(self.layer(sources, k, layers, numbers, reach))
        return LayerTarget(tuple(layers), sources, cover)

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
        pair, structure, windows, fit = measured_and_moved(pair, self, known)
        reach = self.reach * structure.scale if reach is None else reach
        missing = missing_of(pair, windows, fit, self, known).within(entry(sources, k))
        raw = layer_of(structure, missing, reach, self, known)
        psi = cleaned(raw, structure, missing, self, known)
        b = grey_of(sources, k, step=spacing(psi.size))
        found = doubts(pair, b, psi, fit, missing.trust, known)
        return Layer(psi, missing, reach, found)


def measured(pair: LogPair, k: UnionSettings, known: Statistics) -> tuple[Structure, Windows, Fit]:
    """Return the structure of a background, its windows, and how well the pictures fit."""
    structure = structure_of(pair, k, known)
    windows = Windows.of(pair, structure, known)
    contrary = known("contrary", lambda: contrary_share(windows))
    fit = Fit.of(windows.h_b, windows.h_y, windows.scale, contrary, known)
    return structure, windows, fit


def measured_and_moved(
    pair: LogPair, k: UnionSettings, known: Statistics
) -> tuple[LogPair, Structure, Windows, Fit]:
    """Return a pair, its background moved if it was shifted, and what was measured.

    The fit is that before the background was moved, and tells what this gained.
    """
    structure, windows, fit = measured(pair, k, known)
    if fit.shifted:
        pair = replace(pair, b=fitted(pair.b, pair.y, structure.scale, pair.side))
        structure, windows, moved = measured(pair, k, known.within("moved"))
        fit = replace(fit, gained=moved.agreement / max(fit.agreement, 1e-6))
    return pair, structure, windows, fit


def where_allowed(before: Sources, after: Sources) -> Sources:
    """Return the sources after a change, with the foreground before it where the map keeps it."""
    if after is before:
        return after
    where = 1.0 - mean_weight(before, 0)
    if bool((where == 1.0).all()):
        return after
    planes = [
        before.image(0, c, np.float32) * (1.0 - where) + after.image(0, c, np.float32) * where
        for c in range(before.channels)
    ]
    return after.with_foreground(np.stack(planes, axis=-1).astype(after.dtype, copy=False))


def changed(before: Sources, after: Sources) -> FloatArray:
    """Return 1 where the foregrounds of two sources differ."""
    found = np.zeros(before.shape, bool)
    for c in range(before.channels):
        found |= (
            np.abs(after.image(0, c, np.float32) - before.image(0, c, np.float32)) > SEEN_DIFFERENCE
        )
    return found.astype(np.float32)


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
    """Foreground times the exponential of layers; without what covered it, where `cover` is 1."""

    layers: tuple[Layer, ...]
    sources: Sources
    cover: FloatArray | None

    @property
    def reach(self) -> float:
        """Width of the strokes of the first background, in pixels."""
        return self.layers[0].reach

    @property
    def alpha(self) -> FloatArray:
        """1 where nothing of the backgrounds enters; what is held back does not."""
        parts = [np.float32(one.missing.trust) * one.missing.m for one in self.layers]
        return np.asarray(
            1.0 - np.maximum.reduce(parts if self.cover is None else [*parts, self.cover])
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Doubts about the backgrounds."""
        found = [one.doubts for one in self.layers]
        if self.cover is None:
            return named(found)
        healed = f"foreground: {self.cover.mean():.0%} of it was covered, and was healed"
        # The result is not the foreground, even if there is no layer beside what was healed.
        return (healed, *named([[words for words in one if words != NOTHING] for one in found]))

    def fill(
        self, w: FloatArray, images: Sequence[FloatArray], weights: Sequence[FloatArray]
    ) -> None:
        """Set w to the foreground with the layers."""
        np.multiply(images[0], self._factor, out=w, casting="same_kind")

    @cached_property
    def _factor(self) -> FloatArray:
        """Exponential of the layers, for all channels."""
        first, *others = (one.psi for one in self.layers)
        return np.exp(sum(others, start=first))
