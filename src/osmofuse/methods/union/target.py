r"""Target :math:`w_c = (f_c + o)\,e^{\psi} - o`: chromaticity is kept, and no map is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from osmofuse.methods.cost import Cost
from osmofuse.methods.sources import Sources
from osmofuse.methods.union.bands import structure_of
from osmofuse.methods.union.layer import cleaned, layer_of
from osmofuse.methods.union.missing import missing_of
from osmofuse.methods.union.pair import log_pair
from osmofuse.methods.union.settings import UnionSettings
from osmofuse.typing import FloatArray


@dataclass(frozen=True, eq=False)
class Layer:
    """The layer of one pair, with what was measured on the way."""

    psi: FloatArray
    missing: FloatArray
    reach: float
    gain: float
    sound: float
    shifted: bool


def union_layer(sources: Sources, settings: UnionSettings | None = None) -> Layer:
    """Return the layer of the first background that the foreground lacks."""
    k = UnionSettings() if settings is None else settings
    pair = log_pair(sources, 1, k.offset)
    structure = structure_of(pair, k)
    missing = missing_of(pair, structure, k)
    psi = cleaned(layer_of(structure, missing, k), structure, missing, k)
    reach = k.reach * structure.scale
    return Layer(psi, missing.m, reach, missing.gain, missing.sound, missing.shifted)


@dataclass(frozen=True)
class UnionTarget(UnionSettings):
    """The foreground with the layer that it lacks."""

    @property
    def cost(self) -> Cost:
        """Planes in single precision."""
        return Cost(20, 60, 0.6)

    def for_sources(self, sources: Sources) -> LayerTarget:
        """Return the target of these pictures."""
        return LayerTarget(union_layer(sources, self).psi)


@dataclass(frozen=True, eq=False)
class LayerTarget:
    """Foreground times the exponential of a layer."""

    psi: FloatArray

    def fill(
        self, w: FloatArray, images: Sequence[FloatArray], weights: Sequence[FloatArray]
    ) -> None:
        """Set w to the foreground with the layer."""
        np.exp(self.psi, out=w, casting="same_kind")
        w *= images[0]
