r"""The background's writing on the level of the foreground's ground.

For writing that is covered by other ink, not missing. In the logarithm, y of the foreground and b
of the background, with levels :math:`l_y, l_b` of their grounds,

.. math:: \log w = y + q\,(l_y + b - l_b - y), \qquad q = \max(q_b, r\,q_y) :

f itself where neither has ink; the background's writing, on f's ground, where b has ink
(:math:`q_b`) or f has ink (:math:`q_y`) that covers some. r is 1 for ink of the foreground that
lies over writing of the background, and 0 for ink below which the background shows none: that
stays. With a map, r is 1. Without one, if f is the sharper picture, writing that both show stays as
f has it. The brightness of the background does not matter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from osmofuse.maps.auto_alpha import smoothstep
from osmofuse.methods.cost import Cost
from osmofuse.methods.ground import COARSE, STROKE_PARTS, Ground, between, ground_of, grown
from osmofuse.methods.sources import Sources
from osmofuse.methods.statistics import Statistics
from osmofuse.methods.union.bands import TINY, structure_of
from osmofuse.methods.union.layer import FINE_BANDS, without_grain
from osmofuse.methods.union.missing import Windows, contrast, inner_of
from osmofuse.methods.union.pair import LogPair, log_pair
from osmofuse.methods.union.settings import UnionSettings
from osmofuse.methods.union.target import entry
from osmofuse.typing import FloatArray

PIECE = 0.5  # strokes above this are one piece of ink if they touch; anything in 0.3..0.7 works


@dataclass(frozen=True, eq=False)
class Writing:
    """Writing of a background: its layer on the ground, its strokes, and where it enters.

    `shown` is 1 where the foreground shows it as well, in its own sharpness.
    """

    layer: FloatArray
    strokes: FloatArray
    ink: FloatArray
    entry: FloatArray
    shown: FloatArray
    width: float


@dataclass(frozen=True)
class LevelTarget:
    """The background's writing on the level of the foreground's ground.

    Parameters
    ----------
    window : float
        Deviation of the window of a level, in structure scales; at least a 16th of the side.
        Anything in 4..8 works.
    ink : tuple of float
        Height of the background's strokes relative to their strength: below the first it is
        ground, above the second ink. (0.1, 0.3) to (0.2, 0.5) work; higher ones lose faint writing.
    cover : tuple of float
        The same of the foreground's ink.
    covering : tuple of float
        Share of a piece of the foreground's ink that lies on writing of the background: below the
        first it stays, above the second it goes. (0.03, 0.1) to (0.2, 0.4) work.
    smoothing : float
        Total variation removed from the writing, in deviations of its noise. Anything in 1..8
        works: less leaves grain in broad strokes, more blurs fine ones.
    sharper : tuple of float
        Contrast of the foreground's sound writing relative to the background's from which the
        foreground is the sharper picture, whose own writing is kept: not below the first, all above
        the second. Sharp backgrounds have 1 to 1.1, blurred or pale ones 1.3 to 3.
    sound : tuple of float
        Part of that contrast from which writing is sound, likewise. (0.2, 0.4) to (0.6, 1) work.
    alike : tuple of float
        Squared correlation of both in windows of the structure scale from which they show the same
        writing, likewise. (0.1, 0.3) to (0.3, 0.6) work.
    """

    window: float = 5.0
    ink: tuple[float, float] = (0.15, 0.45)
    cover: tuple[float, float] = STROKE_PARTS
    covering: tuple[float, float] = (0.1, 0.3)
    smoothing: float = 3.0
    sharper: tuple[float, float] = (1.1, 1.3)
    sound: tuple[float, float] = (0.5, 0.8)
    alike: tuple[float, float] = (0.2, 0.4)

    finds_map: ClassVar[bool] = True

    @property
    def cost(self) -> Cost:
        """Planes in single precision."""
        return Cost(20, 60, 0.6)

    def for_sources(
        self, sources: Sources, known: Statistics, reach: float | None = None
    ) -> LevelFilling:
        """Return the target of these pictures; it does not depend on a reach."""
        writings = []
        for k in range(1, sources.count):
            numbers = known.within(f"background {k}")
            pair = log_pair(sources, k, UnionSettings().offset, numbers)
            writings.append(self._writing(pair, entry(sources, k), numbers))
        sigma = self._sigma(pair, writings[0].width, known)
        ground = ground_of(pair.y, sigma, self.cover, known.within("foreground"))
        return self._filling(pair.y, ground, writings, has_map(sources))

    def _sigma(self, pair: LogPair, width: float, known: Statistics) -> float:
        """Return the deviation of the window of levels, in pixels."""
        return max(self.window * width, COARSE * known("side", lambda: pair.side))

    def _writing(self, pair: LogPair, where: FloatArray, known: Statistics) -> Writing:
        """Return the writing of a background."""
        settings = UnionSettings()
        structure = structure_of(pair, settings, known)
        sigma = self._sigma(pair, structure.scale, known)
        ground = ground_of(structure.b, sigma, self.ink, known.within("level"), one_sided=True)
        noise = math.sqrt(sum(structure.noise[:FINE_BANDS]))
        layer = ground.on_side(without_grain(structure.b - ground.level, self.smoothing * noise))
        where = where * inner_of(pair, structure.scale)
        windows = Windows.of(pair, structure, known)
        gain, _ = contrast(windows, pair.tints, settings, known)
        first, last = self.sharper
        sharper = np.float32(smoothstep((gain - first) / (last - first)))
        here = sharper * shown(windows, gain, self.sound, self.alike)
        return Writing(layer, ground.strokes, ground.ink, where, here, structure.scale)

    def _filling(
        self, y: FloatArray, ground: Ground, writings: Sequence[Writing], told: bool
    ) -> LevelFilling:
        """Return the foreground's ground with the writing of all backgrounds.

        If a map has `told` where they enter, all ink of the foreground goes there.
        """
        covers = ground.ink * np.maximum.reduce([one.entry for one in writings])
        if not told:
            strokes = np.maximum.reduce([one.strokes * one.entry for one in writings])
            covers *= covering(ground.strokes, strokes, self.covering, ground.edge)
            lost = np.minimum.reduce([1.0 - one.shown for one in writings])
            covers *= lost
        enters = [np.maximum(one.ink * one.entry, covers) for one in writings]
        if not told:
            enters = [part * (1.0 - one.shown) for part, one in zip(enters, writings, strict=True)]
        psi = np.maximum.reduce(enters) * (ground.fill(y) - y)
        for one, share in zip(writings, enters, strict=True):
            psi += share * one.layer
        reach = UnionSettings().reach * writings[0].width
        return LevelFilling(psi, covers, 1.0 - np.maximum.reduce(enters), reach)


def shown(
    w: Windows, gain: float, sound: tuple[float, float], alike: tuple[float, float]
) -> FloatArray:
    """Return 1 in windows where both pictures show the same strokes, the foreground in full."""
    part = np.maximum(w.c, 0.0) / (gain * w.s_b + TINY)
    same = np.square(np.maximum(w.c, 0.0)) / (w.s_b * w.s_f + TINY)
    return between(part, *sound) * between(same, *alike)


def has_map(sources: Sources) -> bool:
    """Return True for a map that is not only the ramp around pixels without data."""
    return sources.alpha.ndim > 1 and (sources.valid is None or bool(sources.valid.all()))


def covering(
    strokes: FloatArray, below: FloatArray, limits: tuple[float, float], edge: int
) -> FloatArray:
    """Return 1 on pieces of ink that lie over strokes below them, 0 on others and elsewhere."""
    from scipy import ndimage

    pieces, count = ndimage.label(strokes > PIECE)
    size, shared = (
        np.bincount(pieces.ravel(), plane.ravel(), count + 1)
        for plane in (strokes, strokes * below)
    )
    share = between(shared / np.maximum(size, 1e-9), *limits)
    share[0] = 0.0  # what is no piece
    return grown(share[pieces].astype(np.float32), edge, 2)


@dataclass(frozen=True, eq=False)
class LevelFilling:
    """Foreground times the exponential of a layer.

    `replaced` is the part of the foreground's ink that is gone, 0 to 1; `alpha` is 1 where nothing
    of the backgrounds enters; `reach` is about the width of their strokes, in pixels.
    """

    psi: FloatArray
    replaced: FloatArray
    alpha: FloatArray
    reach: float
    notes: tuple[str, ...] = ()

    def fill(
        self, w: FloatArray, images: Sequence[FloatArray], weights: Sequence[FloatArray]
    ) -> None:
        """Set w to the foreground with the layer."""
        np.exp(self.psi, out=w, casting="same_kind")
        w *= images[0]
