r"""The background's writing on the level of the foreground's ground.

For writing that is covered by other ink, not missing. In the logarithm, y of the foreground and b
of the background, with levels :math:`l_y, l_b` of their grounds,

.. math:: \log w = y + q\,(l_y + b - l_b - y), \qquad q = \max(q_b, r\,q_y) :

f itself where neither has ink; the background's writing, on f's ground, where b has ink
(:math:`q_b`) or f has ink (:math:`q_y`) that covers some. r is 1 for ink of the foreground that
lies over writing of the background, and 0 for ink below which the background shows none: that
stays. With a map, r is 1. Without one, writing that both show stays as f has it; the sharper f is,
the less the two need to agree. The brightness of the background does not matter. A background that
does not fit is held back, with a note, as by `osmofuse.methods.union`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from osmofuse.methods.cost import Cost
from osmofuse.methods.ground import COARSE, STROKE_PARTS, Ground, between, ground_of, grown
from osmofuse.methods.sources import Sources
from osmofuse.methods.statistics import Statistics, gridded
from osmofuse.methods.union.bands import TINY, Structure
from osmofuse.methods.union.doubts import doubts, named
from osmofuse.methods.union.fit import Fit
from osmofuse.methods.union.layer import FINE_BANDS, without_grain
from osmofuse.methods.union.missing import Windows, inner_of, sound_contrast, trust_in
from osmofuse.methods.union.pair import LogPair, grey_of, log_pair
from osmofuse.methods.union.settings import UnionSettings
from osmofuse.methods.union.target import entry, measured_and_moved
from osmofuse.typing import FloatArray

# Largest window in which both are compared, as a share of the side: the scale of what is
# missing may be much coarser than strokes of both. 1/200 to 1/120 work.
MOST_WINDOW = 1 / 160
PIECE = 0.5  # strokes above this are one piece of ink if they touch; anything in 0.3..0.7 works


@dataclass(frozen=True, eq=False)
class Writing:
    """Writing of a background: its layer on the ground, its strokes, and where it enters.

    `shown` is 1 where the foreground shows it as well. `pair`, `fit` and `trust` tell how well
    both pictures fit.
    """

    layer: FloatArray
    strokes: FloatArray
    ink: FloatArray
    entry: FloatArray
    shown: FloatArray
    width: float
    pair: LogPair
    fit: Fit
    trust: float


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
        ground, above the second ink. (0.1, 0.3) to (0.15, 0.45) work; higher ones lose faint
        writing.
    cover : tuple of float
        The same of the foreground's ink.
    covering : tuple of float
        Share of a piece of the foreground's ink that lies on writing of the background: below the
        first it stays, above the second it goes. (0.03, 0.1) to (0.2, 0.4) work.
    smoothing : float
        Total variation removed from the writing, in deviations of its noise and structure scales.
        Less leaves grain in broad strokes, more blurs fine ones.
    sharpness : float
        Exponent of the contrast of the foreground's sound writing relative to the background's,
        at least 1, by which their squared correlation is multiplied: a blurred background explains
        less of sharp strokes.
    different : tuple of float
        Unexplained part, one less that product, in windows of the structure scale: below the first
        both show the same writing, which stays as the foreground has it; above the second not.
    sound : tuple of float
        Part of that contrast from which such writing is sound, likewise. (0.2, 0.4) to (0.6, 1)
        work.
    """

    window: float = 5.0
    ink: tuple[float, float] = (0.12, 0.36)
    cover: tuple[float, float] = STROKE_PARTS
    covering: tuple[float, float] = (0.1, 0.3)
    smoothing: float = 1.5
    sharpness: float = 4.0
    different: tuple[float, float] = (0.05, 0.25)
    sound: tuple[float, float] = (0.5, 0.8)

    finds_map: ClassVar[bool] = True

    @property
    def cost(self) -> Cost:
        """Planes in single precision."""
        return Cost(20, 60, 0.6)

    def for_sources(
        self, sources: Sources, known: Statistics, reach: float | None = None
    ) -> LevelFilling:
        """Return the target of these pictures; it does not depend on a reach."""
        writings, numbers = list[Writing](), list[Statistics]()
        for k in range(1, sources.count):
            numbers.append(known.within(f"background {k}"))
            pair = log_pair(sources, k, UnionSettings().offset, numbers[-1])
            writings.append(self._writing(pair, entry(sources, k), numbers[-1]))
        sigma = self._sigma(pair, writings[0].width, known)
        ground = ground_of(pair.y, sigma, self.cover, known.within("foreground"))
        found = self._filling(pair.y, ground, writings, has_map(sources))
        told = (
            doubts(one.pair, gridded(grey_of(sources, k)), layer, one.fit, one.trust, its)
            for k, (one, layer, its) in enumerate(
                zip(writings, found.layers, numbers, strict=True), 1
            )
        )
        return replace(found, notes=named(tuple(told)), layers=())

    def _sigma(self, pair: LogPair, width: float, known: Statistics) -> float:
        """Return the deviation of the window of levels, in pixels."""
        return max(self.window * width, COARSE * known("side", lambda: pair.side))

    def _writing(self, pair: LogPair, where: FloatArray, known: Statistics) -> Writing:
        """Return the writing of a background."""
        settings = UnionSettings()
        pair, structure, windows, fit = measured_and_moved(pair, settings, known)
        trust = trust_in(windows, fit, settings, known)
        sigma = self._sigma(pair, structure.scale, known)
        ground = ground_of(structure.b, sigma, self.ink, known.within("level"), one_sided=True)
        noise = math.sqrt(sum(structure.noise[:FINE_BANDS]))
        size = self.smoothing * structure.scale * noise
        layer = ground.on_side(without_grain(structure.b - ground.level, size))
        where = np.float32(trust) * where * inner_of(pair, structure.scale)
        here = np.float32(trust) * self._shown(pair, structure, windows, known)
        width = structure.scale
        return Writing(layer, ground.strokes, ground.ink, where, here, width, pair, fit, trust)

    def _shown(
        self, pair: LogPair, structure: Structure, windows: Windows, known: Statistics
    ) -> FloatArray:
        """Return 1 in windows where both pictures show the same strokes, the foreground in full."""
        most = MOST_WINDOW * known("side", lambda: pair.side)
        if structure.scale > most:
            known = known.within("fine")
            windows = Windows.of(pair, replace(structure, scale=most), known)
        k = UnionSettings()
        gain = known("contrast", lambda: sound_contrast(windows, pair.tints, k))
        part = np.maximum(windows.c, 0.0) / (gain * windows.s_b + TINY)
        same = np.square(np.maximum(windows.c, 0.0)) / (windows.s_b * windows.s_f + TINY)
        apart = 1.0 - np.float32(gain**self.sharpness) * same
        return between(part, *self.sound) * (1.0 - between(apart, *self.different))

    def _filling(
        self, y: FloatArray, ground: Ground, writings: Sequence[Writing], told: bool
    ) -> LevelFilling:
        """Return the foreground's ground with the writing of all backgrounds.

        If a map has `told` where they enter, all ink of the foreground goes there.
        """
        entries = [one.entry for one in writings]
        covers, enters = ground.ink, entries
        if not told:
            strokes = np.maximum.reduce([one.strokes * one.entry for one in writings])
            lost = np.minimum.reduce([1.0 - one.shown for one in writings])
            covers = covers * covering(ground.strokes, strokes, self.covering, ground.edge) * lost
            enters = [one.entry * (1.0 - one.shown) for one in writings]
        enters = [
            np.maximum(one.ink, covers) * where for one, where in zip(writings, enters, strict=True)
        ]
        covers = covers * np.maximum.reduce(entries)
        rise, part = ground.fill(y) - y, np.maximum.reduce(enters)
        layers = [share * one.layer for one, share in zip(writings, enters, strict=True)]
        psi = part * rise + strongest(layers)
        reach = UnionSettings().reach * writings[0].width
        changes = tuple(share * rise + x for share, x in zip(enters, layers, strict=True))
        return LevelFilling(psi, covers, 1.0 - part, reach, changes)


def strongest(layers: Sequence[FloatArray]) -> FloatArray:
    """Return the layer that is farthest from 0 at each pixel: several may show one stroke.

    >>> strongest([np.array([0.0, -2.0]), np.array([1.0, -1.0])])
    array([ 1., -2.])
    """
    found = layers[0]
    for layer in layers[1:]:
        found = np.where(np.abs(layer) > np.abs(found), layer, found)
    return found


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
    of the backgrounds enters; `reach` is about the width of their strokes, in pixels. `layers` are
    what each background alone would change, until the notes are made.
    """

    psi: FloatArray
    replaced: FloatArray
    alpha: FloatArray
    reach: float
    layers: tuple[FloatArray, ...]
    notes: tuple[str, ...] = ()

    def fill(
        self, w: FloatArray, images: Sequence[FloatArray], weights: Sequence[FloatArray]
    ) -> None:
        """Set w to the foreground with the layer."""
        np.exp(self.psi, out=w, casting="same_kind")
        w *= images[0]
