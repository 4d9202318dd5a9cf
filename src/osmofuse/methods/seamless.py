r"""Target without seams: the integral of the mixed drifts, blind to the backgrounds' brightness.

Where the map varies, the product :math:`\prod_k s_k^{\alpha_k}` has an edge as large as the
difference of the pictures' brightness. Without it, the drift on an edge is
:math:`\sum_k \bar\alpha_k \Delta \log s_k`, and :math:`\log w = \log f + \psi` with

.. math::

    \psi = \arg\min \sum_e \Big(\Delta\psi - \sum_k \bar\alpha_k \Delta \log \frac{s_k}{f}\Big)^2
         + \sum_i \lambda_i \psi_i^2, \qquad
    \lambda = 1 \text{ where } \alpha = 1, \text{ else }
    \frac{t}{r^2} + \frac{1}{\text{tie}^2}, \quad t = \frac{1}{(1 + \psi^2/\kappa^2)^2}:

what nearly agrees with f keeps f's own brightness, at a distance r already; what differs, such as
ink, an object or land under a cloud, is let go. All channels have one t, from the largest of their
:math:`\psi^2`, found in rounds on reduced copies. Backgrounds of one band know no colours: relief,
which is as often brighter as darker, is then held at a longer distance; ink of f that gives way to
something brighter is not held at all, and with ``band="coarse"`` its colour is replaced by that of
the ground around. Where a background is black up to the border, or has a white strip there, it has
no data, and f is kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar, Literal

import numpy as np

from osmofuse.checks import number_or_auto
from osmofuse.filters import enlarged, reduced, smooth
from osmofuse.linalg.integral import Integral
from osmofuse.methods.cost import Cost
from osmofuse.methods.ground import COARSE, GROUND_FINE, CoarseGround, between, halved
from osmofuse.methods.sources import Sources
from osmofuse.methods.statistics import Statistics, percentile
from osmofuse.methods.union.bands import TINY
from osmofuse.methods.union.pair import RIM_BLACK, grey_of, rim, white_of
from osmofuse.methods.union.settings import UnionSettings
from osmofuse.typing import BoolArray, FloatArray

LEAST_TIE, MOST_TIE = 0.1, 1e6  # pixels; beyond, the foreground or nothing holds the target
# Shares of the side of a square with the picture's area: distance r of the robust tie in colour
# (1/105 to 1/75 works) and of a background of one band (1/140 to 1/105), and the tie of such a
# background, in which the brightness of a large area tells nothing of its colour (1/18 to 1/12).
HOLDING, HOLDING_SHADES, ONE_BAND = 1 / 90, 1 / 120, 1 / 14
# Difference of logarithms that counts as one, of a background of one band; 0.11..0.16 works.
KAPPA = 0.14
# In colour it is this number over the squared height of what differs by more than SEEN: where that
# is little, as of two faces, shades are held; of an object in another colour all is let go.
# 0.02..0.04 works. Faces have heights of 0.3, objects and clouds of 0.5 to 0.9.
HEIGHT_KAPPA, SEEN = 0.03, 0.15
LEAST_KAPPA, MOST_KAPPA = 0.06, 0.3
# Of backgrounds of one band: tie of relief and the window in which it is sought, in distances r
# (1.2 to 1.8 works); and the share of both signs from which it is relief, (0.16, 0.5) to
# (0.24, 0.7) works.
RELIEF, TWO_SIDED = 1.5, (0.2, 0.6)
# Of the same: mean difference of logarithms, in windows of r, between which ink of f gives way;
# (0.02, 0.1) to (0.04, 0.15) works.
UNCOVERED = (0.03, 0.12)
TIE_PIXELS = 50_000  # pixels of the copies on which t is found: what it holds is wide
COARSE_CYCLES = 5  # V-cycles of an integral that begins with zero; each more than halves the error
TIE_ROUNDS = 8  # of t, a V-cycle each: more change the gallery's results by less than 0.1 dB
# V-cycles of each size of the integral after half of it, and sweeps of the whole. On pages,
# portraits and land the logarithm is then right within 0.0001 to 0.007, root mean square.
HALF_CYCLES, FINE_SWEEPS = 1, 2
SMALLEST = 100_000  # pixels of the integral that begins with zero; affects cost only


@dataclass(frozen=True)
class Seamless:
    """The integral of the mixed drifts.

    Parameters
    ----------
    tie : float or "auto"
        Distance in pixels from which on the foreground's own brightness rules; "auto" is a
        fourteenth of the side for backgrounds of one band, and no limit for those in colour.
    """

    tie: float | Literal["auto"] = "auto"

    finds_map: ClassVar[bool] = False

    def __post_init__(self) -> None:
        number_or_auto("tie", self.tie, least=LEAST_TIE, most=MOST_TIE)

    @property
    def cost(self) -> Cost:
        """A multigrid hierarchy and the planes of the drift."""
        return Cost(16, 48, 0.15)

    def for_sources(
        self, sources: Sources, known: Statistics, reach: float | None = None
    ) -> TiedTarget:
        """Return the target of these pictures."""
        del reach  # no setting of this target
        side = known("side", lambda: math.sqrt(sources.shape[0] * sources.shape[1]))
        shades = sources.channels == 1 or any(map(sources.is_one_band, range(1, sources.count)))
        auto = max(ONE_BAND * side, LEAST_TIE) if shades else MOST_TIE
        tie = auto if self.tie == "auto" else self.tie
        near = min(max((HOLDING_SHADES if shades else HOLDING) * side, 1.0), tie)
        sources = without_rims(sources, side, known)
        factor = math.ceil(side / math.sqrt(TIE_PIXELS))
        shared = shares_map(sources)
        drifts, lengths = _small(sources, factor, known), (near / factor, tie / factor)
        t, psi = alike(drifts, *lengths, known, shared=shared, in_colour=not shades)
        if not shades:
            return TiedTarget(near, tie, factor, t, shared, sources)
        gone = ink_gone(psi, np.mean([one.kept for one in drifts], axis=0), lengths[0])
        t = np.maximum(t, relief_of(psi, lengths[0])) * (np.float32(1.0) - gone)
        ground = None
        if gone.any() and all(map(sources.is_one_band, range(1, sources.count))):
            sigmas = halved(COARSE * side / factor, GROUND_FINE * side / factor)
            ground = CoarseGround(gone, sources.shape, factor, sigmas)
        return TiedTarget(near, tie, factor, t, shared, sources, ground)


@dataclass(frozen=True, eq=False)
class TiedTarget:
    """Seamless target of given pictures; `t` is on copies reduced by `factor`.

    The maps of `sources` keep the foreground where a background has no data. `ground` is that
    around ink which goes, None if all stays. Channels that share a map share the matrices of their
    integrals.
    """

    near: float
    tie: float
    factor: int
    t: FloatArray
    shared: bool
    sources: Sources
    ground: CoarseGround | None = None
    _grids: list[_Grid] = field(default_factory=list)

    @property
    def replaced(self) -> FloatArray | None:
        """Part of the foreground's ink that is gone; None if all stays."""
        return None if self.ground is None else self.ground.ink

    def fill(
        self, w: FloatArray, images: Sequence[FloatArray], weights: Sequence[FloatArray]
    ) -> None:
        """Set w to the foreground times the exponential of the integral."""
        kind = w.dtype.type
        if not (self.shared and self._grids and self._grids[0].kind is kind):
            t = enlarged(self.t, self.factor, (w.shape[0], w.shape[1])).astype(kind, copy=False)
            mass = _mass((weights[0] == 1.0).astype(kind), t, self.near, self.tie)
            self._grids[:] = _grids(mass, weights[1:], levels=1)
        ratios = [image / images[0] for image in images[1:]]
        for ratio in ratios:
            np.log(ratio, out=ratio)
        np.exp(integrated(ratios, weights[1:], self._grids), out=w)
        w *= images[0]


@dataclass(frozen=True, eq=False)
class _Grid:
    """Integral of one size, and the maps of half that size, if it needs them."""

    integral: Integral
    kind: type
    halves: list[FloatArray]


@dataclass(frozen=True, eq=False)
class _Drift:
    """Logarithms of the backgrounds relative to the foreground in a channel, and their weights."""

    ratios: list[FloatArray]
    weights: list[FloatArray]
    kept: FloatArray


def _small(sources: Sources, factor: int, known: Statistics) -> list[_Drift]:
    """Return reduced copies of all channels, the offsets relative to white."""
    others, offset = range(1, sources.count), UnionSettings.offset
    lifts = [offset * white_of(sources, k, known.within(f"source {k}")) for k in (0, *others)]

    def logarithm(k: int, c: int) -> FloatArray:
        plane = sources.image(k, c, np.float32)
        return np.asarray(np.log(reduced(plane, factor) + np.float32(lifts[k])))

    def maps(c: int) -> tuple[list[FloatArray], FloatArray]:
        kept = sources.weight(0, c, np.float32) == 1.0
        weights = [reduced(sources.weight(k, c, np.float32), factor) for k in others]
        return weights, reduced(kept.astype(np.float32), factor)

    f = [logarithm(0, c) for c in range(sources.channels)]
    grey, one_map = np.asarray(sum(f) / np.float32(len(f))), maps(0)
    found = []
    for c, plane in enumerate(f):
        ratios = [logarithm(k, c) - (grey if sources.is_one_band(k) else plane) for k in others]
        found.append(_Drift(ratios, *(one_map if shares_map(sources) else maps(c))))
    return found


def without_rims(sources: Sources, side: float, known: Statistics) -> Sources:
    """Return sources that keep the foreground at black or white rims of a background."""
    rims = []
    for k in range(1, sources.count):
        found = np.zeros(sources.shape, bool)
        open_to = _enters(sources, k)
        if any(line.any() for line in (open_to[0], open_to[-1], open_to[:, 0], open_to[:, -1])):
            b = grey_of(sources, k)
            level = RIM_BLACK * white_of(sources, k, known.within(f"source {k}"))
            # What does not enter is no border of black things that do.
            b[~open_to] = max(percentile(b, 50.0), level)
            found = rim(b, level, side) & open_to
        rims.append(found)
    return sources.keeping(rims) if any(found.any() for found in rims) else sources


def _enters(sources: Sources, k: int) -> BoolArray:
    """Return the mask of pixels at which a background enters in any channel."""
    maps = 1 if shares_map(sources) else sources.channels
    found = sources.weight(k, 0, np.float32) > 0.0
    for c in range(1, maps):
        found |= sources.weight(k, c, np.float32) > 0.0
    return np.asarray(found)


def shares_map(sources: Sources) -> bool:
    """Return True if all channels have one map."""
    return all(alpha.ndim < 3 for alpha in sources.alphas)


def alike(
    channels: Sequence[_Drift],
    near: float,
    tie: float,
    known: Statistics,
    *,
    shared: bool,
    in_colour: bool,
) -> tuple[FloatArray, FloatArray]:
    """Return t, which is 1 where the mixed drifts lead to the foreground, and the mean of psi.

    Lengths are in pixels. Channels with one map have `shared` matrices.
    """
    shape = (channels[0].kept.shape[0], channels[0].kept.shape[1])
    first = Integral(shape)
    others = [first.twin() if shared else Integral(shape) for _ in channels[1:]]
    t: FloatArray = np.zeros(shape, np.float32)
    for number_of_round in range(TIE_ROUNDS + 1):
        squares, total = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        for one, integral in zip(channels, (first, *others), strict=True):
            if number_of_round == 0:
                integral.set_mixed(one.ratios, one.weights)
            if integral is first or not shared:
                integral.set_mass(_mass(one.kept, t, near, tie))
            psi = integral.cycle(1 if number_of_round else COARSE_CYCLES)
            np.maximum(squares, np.square(psi), out=squares)
            total += psi
        kappa = known("kappa", partial(kappa_of, squares)) if in_colour else KAPPA
        t = 1.0 / np.square(1.0 + squares / np.float32(kappa**2))
    return t, total / np.float32(len(channels))


def relief_of(psi: FloatArray, near: float) -> FloatArray:
    """Return the part of t with which relief is held."""
    return np.float32(RELIEF**-2.0) * two_sided(psi, RELIEF * near)


def two_sided(psi: FloatArray, sigma: float) -> FloatArray:
    """Return 1 where a plane is as often above 0 as below, and 0 where it has one sign."""
    mean, height = np.abs(smooth(psi, sigma)), smooth(np.abs(psi), sigma)
    return between(1.0 - mean / (height + TINY), *TWO_SIDED)


def ink_gone(psi: FloatArray, kept: FloatArray, sigma: float) -> FloatArray:
    """Return 1 where ink of the foreground gives way to something brighter."""
    return (np.float32(1.0) - kept) * between(smooth(psi, sigma), *UNCOVERED)


def kappa_of(squares: FloatArray) -> float:
    """Return the difference that counts as one, from those of the first integral, squared."""
    seen = squares[squares > SEEN**2]
    if seen.size == 0:
        return MOST_KAPPA
    return min(max(HEIGHT_KAPPA / float(np.median(seen)), LEAST_KAPPA), MOST_KAPPA)


def _mass(kept: FloatArray, t: FloatArray, near: float, tie: float) -> FloatArray:
    kind = t.dtype.type
    return kept + (kind(1.0) - kept) * (t * kind(near**-2.0) + kind(tie**-2.0))


def _grids(
    mass: FloatArray, weights: Sequence[FloatArray], levels: int | None = None
) -> list[_Grid]:
    """Return the integrals tied by a mass, of its size and of halves of it.

    The halves have V-cycles; their result is so close that the whole needs only sweeps.
    """
    shape, kind = (mass.shape[0], mass.shape[1]), mass.dtype.type
    small = mass.size <= SMALLEST
    integral = Integral(shape, kind, levels=None if small else levels)
    integral.set_mass(mass)
    if small:
        return [_Grid(integral, kind, [])]
    halves = [reduced(weight, 2) for weight in weights]
    return [_Grid(integral, kind, halves), *_grids(4.0 * reduced(mass, 2), halves)]


def integrated(
    ratios: Sequence[FloatArray], weights: Sequence[FloatArray], grids: Sequence[_Grid]
) -> FloatArray:
    """Return the integral of the mixed drift, from that of half the size."""
    integral = grids[0].integral
    integral.set_mixed(ratios, weights)
    if len(grids) == 1:
        integral.set_start(0.0)
        return integral.cycle(COARSE_CYCLES)
    half = integrated([reduced(x, 2) for x in ratios], grids[0].halves, grids[1:])
    flat = ratios[0] * weights[0]
    for ratio, weight in zip(ratios[1:], weights[1:], strict=True):
        flat += ratio * weight
    flat += enlarged(half - reduced(flat, 2), 2, integral.shape)
    integral.set_start(flat)
    return integral.sweep(FINE_SWEEPS) if integral.levels == 1 else integral.cycle(HALF_CYCLES)
