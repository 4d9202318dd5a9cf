r"""Target for scenes of a visible and a thermal camera: what is hot or hidden stands out.

Luminance alone changes, by differences, so that differences of colour stay:
:math:`w_c = f_c + (1-\alpha)\,\psi`. With y the luminance of f, its shadows lifted a little,
relative to white, and b the thermal picture relative to its ground, the layer :math:`\psi` has
three parts.

- **Detail.** On each edge the drift is that of the picture with more energy in a small window, and
  strong edges gain contrast. What b contributes is integrated with a longer tie than what y gains:
  the one is things, the other is sharpness.
- **Heat.** What is warmer than the robust level around it moves towards its brightness in b, or
  glows a little where the scene is brighter than that.
- **Headroom.** Where this exceeds white or black, the surroundings give way, so that a person in
  front of a headlight is not clipped.

A gain of the thermal picture changes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from osmofuse.errors import InputError
from osmofuse.filters import MAD, smooth
from osmofuse.linalg.integral import Integral, add_drift
from osmofuse.maps.auto_alpha import smoothstep
from osmofuse.methods.cost import Cost
from osmofuse.methods.planes import Layers
from osmofuse.methods.sources import Sources
from osmofuse.methods.statistics import Statistics, percentile
from osmofuse.methods.union.bands import TINY
from osmofuse.methods.union.layer import ground_level
from osmofuse.methods.union.pair import (
    LEAST_WHITE,
    RIM_BLACK,
    WHITE,
    bright_lines,
    dark_regions,
    filled,
    from_each_side,
    white_of,
)
from osmofuse.typing import BoolArray, FloatArray

# Level of the ground's median, where thermal cameras put it; the hottest is at most white. Anything
# in 0.35..0.45 works.
GROUND = 0.39
# Noise of the thermal picture is this percentile of its energies. Anything in 30..70 works.
QUIET_PERCENT = 50.0
# The hottest is this percentile: a person is rarely smaller. Anything in 99.9..99.95 works.
HOTTEST = 99.9
# The hottest in deviations of the ground: noise reaches 3, pairs of VIFB 8 to 36.
NOTHING_HOT = (4.0, 7.0)
# A line at the border is no data if its median is below this part of the line's that lies this
# share of the side inside. Anything in 0.3..0.7 works: lines of JPEG files are not quite black.
DARK, FRAME = 0.5, 0.03
# Distance from where b has no data, in pixels: blocks of JPEG carry its edge so far.
NEAR_NO_DATA = (2.0, 10.0)
CAP = 1.5  # of the hottest: a single lamp or exhaust is not brighter than that
DETAIL_CYCLES = 3  # V-cycles: with so short ties the error is below 2e-4 of white
LEAST = 0.01  # of the foreground: the target is positive. Anything in 0.001..0.1 works.


@dataclass(frozen=True)
class SceneTarget:
    """Foreground in which what is hot or hidden stands out.

    Parameters
    ----------
    window : float
        Deviation of the windows in which energies are compared, in pixels.
    contrast : float
        Contrast that strong edges gain, of either picture.
    strong : float
        Percentile of the foreground's energies from which edges count as strong.
    tie : float
        Distance in pixels over which this contrast acts.
    depth : float
        Distance in pixels over which edges of the thermal picture act.
    shadows : float
        Exponent of the foreground's luminance.
    level : float
        Part of the way to the mean brightness of the thermal picture that all moves.
    heat : float
        Part of the way to its thermal brightness that what is hot moves.
    glow : float
        Least brightness that the hottest gains, as a part of white.
    hot : tuple of float
        Heat relative to the hottest, between which things begin to stand out.
    surroundings : float
        Deviation of the window of the ground's level, as a share of the side.
    headroom : float
        Distance in pixels over which surroundings give way.
    """

    window: float = 2.0
    contrast: float = 0.22
    strong: float = 50.0
    tie: float = 1.5
    depth: float = 6.0
    shadows: float = 0.96
    level: float = 0.05
    heat: float = 0.37
    glow: float = 0.07
    hot: tuple[float, float] = (0.4, 0.7)
    surroundings: float = 0.05
    headroom: float = 2.0

    finds_map: ClassVar[bool] = True

    @property
    def cost(self) -> Cost:
        """Planes in single precision and a multigrid hierarchy."""
        return Cost(25, 60, 0.5)

    def for_sources(
        self, sources: Sources, known: Statistics, reach: float | None = None
    ) -> AddedLayer:
        """Return the target of these pictures; it does not depend on a reach."""
        return AddedLayer(scene_layer(sources, self, known))


@dataclass(frozen=True, eq=False)
class AddedLayer:
    """Foreground plus a layer, where alpha lets it enter."""

    psi: FloatArray

    def fill(
        self, w: FloatArray, images: Sequence[FloatArray], weights: Sequence[FloatArray]
    ) -> None:
        """Set w to the foreground plus the layer."""
        np.subtract(1.0, weights[0], out=w)
        w *= self.psi
        w += images[0]
        np.maximum(w, w.dtype.type(LEAST) * images[0], out=w)


def scene_layer(sources: Sources, k: SceneTarget, known: Statistics) -> FloatArray:
    """Return the layer that is added to every channel, white at 1.0."""
    if sources.count > 2:
        raise InputError(
            f"background: {sources.count - 1} pictures; the target 'scene' takes one, the thermal"
        )
    layers = Layers(sources, "repeat", np.float32)
    white = np.float32(white_of(sources, 0, known))
    grey = layers.grey(0) / white
    b, valid = thermal(layers.grey(1), grey, sources.valid, known)
    y = np.power(np.maximum(grey, 0.0), np.float32(k.shadows))
    trust = _trust(valid)
    u = y + detail(y, b, trust, k, known)
    u += np.float32(k.level * known("level", lambda: mean_of(b - y, trust))) * trust
    u += heat(b, u, trust, k, known)
    # A foreground of floats may be brighter than white, and is not clipped.
    brightest = known("brightest", lambda: max(1.0 / float(white), float(y.max())))
    u = with_headroom(u, brightest, k.headroom)
    return np.asarray((u - grey) * white)


def thermal(
    raw: FloatArray, grey: FloatArray, valid: BoolArray | None, known: Statistics
) -> tuple[FloatArray, BoolArray]:
    """Return the thermal picture relative to its ground, and where it has data."""
    there = valid
    if there is None:
        white = max(known("thermal white", lambda: percentile(raw, WHITE)), LEAST_WHITE)
        there = ~(dark_regions(raw, RIM_BLACK * white) | dark_frame(raw) | bright_lines(raw))
    seen = raw[there] if there.any() else raw
    middle = max(known("thermal ground", lambda: percentile(seen, 50.0)), LEAST_WHITE)
    most = max(known("thermal most", lambda: percentile(seen, HOTTEST)), LEAST_WHITE)
    return filled(raw * np.float32(min(GROUND / middle, 1.0 / most)), grey, there), there


def dark_frame(b: FloatArray) -> BoolArray:
    """Return the mask of dark rows and columns at the border, which many thermal cameras leave."""
    found = np.zeros(b.shape, bool)
    for lines, mask in zip(from_each_side(b), from_each_side(found), strict=True):
        levels = np.median(lines[: 1 + math.ceil(FRAME * len(lines))], axis=1)
        dark = np.flatnonzero(levels < DARK * levels[-1])
        mask[: dark[-1] + 1 if dark.size else 0] = True
    return found


def _trust(known: BoolArray) -> FloatArray:
    """Return 1 away from where the thermal picture has no data, 0 there."""
    from scipy import ndimage

    if known.all():
        return np.ones(known.shape, np.float32)
    away = ndimage.distance_transform_edt(known)
    near, far = NEAR_NO_DATA
    return smoothstep((away - near) / (far - near)).astype(np.float32)


def mean_of(x: FloatArray, weight: FloatArray) -> float:
    """Return the weighted mean of a plane."""
    total = float(weight.sum(dtype=np.float64))
    return float((weight * x).sum(dtype=np.float64)) / max(total, 1.0)


def detail(
    y: FloatArray, b: FloatArray, trust: FloatArray, k: SceneTarget, known: Statistics
) -> FloatArray:
    """Return the integral of what changes in the drift of y: chosen edges of b, stronger ones of y.

    The choice is soft, by squares of energies.
    """
    own, other = energy(y, k.window), energy(b, k.window)
    quiet = known.percentile("quiet", other, QUIET_PERCENT)
    other = np.square(np.maximum(other - quiet, 0.0))
    chosen = trust * other / (other + np.square(own) + TINY)
    strong = np.square(own)
    strong /= strong + known.percentile("strong", own, k.strong) ** 2 + TINY
    sharper, hidden = np.zeros((2, 2, *y.shape), np.float32)
    add_drift(sharper, y, np.float32(k.contrast) * strong * (1.0 - chosen))
    add_drift(hidden, y, -chosen)
    add_drift(hidden, b, np.float32(1.0 + k.contrast) * chosen)
    integral = Integral((y.shape[0], y.shape[1]))
    found = np.zeros_like(y)
    for drift, tie in ((sharper, k.tie), (hidden, k.depth)):
        integral.set_start(0.0)
        integral.set_drift(drift)
        integral.set_mass(tie**-2.0)
        found += integral.cycle(DETAIL_CYCLES)
    return found


def energy(x: FloatArray, sigma: float) -> FloatArray:
    """Return the squared gradient in windows."""
    squares = np.zeros_like(x)
    squares[:-1] = np.square(np.diff(x, axis=0))
    squares[:, :-1] += np.square(np.diff(x, axis=1))
    return smooth(squares, sigma)


def heat(
    b: FloatArray, u: FloatArray, trust: FloatArray, k: SceneTarget, known: Statistics
) -> FloatArray:
    """Return the brightness that what is hotter than its surroundings gains in the scene u.

    There is none if nothing stands out.
    """
    # `ground_level` ends with windows of half the reach.
    above = b - ground_level(b, 2.0 * k.surroundings * math.sqrt(b.size), known)
    seen = above[trust > 0.5]
    if not seen.size:
        return np.zeros_like(b)
    spread = known("spread", lambda: MAD * percentile(np.abs(seen), 50.0))
    most = known("hottest", lambda: percentile(seen, HOTTEST))
    low, high = NOTHING_HOT
    stands_out = float(smoothstep((most / (spread + float(TINY)) - low) / (high - low)))
    t = np.minimum(above / max(most, float(TINY)), CAP)
    first, last = k.hot
    stands = np.float32(stands_out) * trust * smoothstep((t - first) / (last - first))
    gain = np.maximum(np.float32(k.heat) * (b - u), np.float32(k.glow) * t)
    return np.asarray(stands * gain, np.float32)


def with_headroom(u: FloatArray, white: float, distance: float) -> FloatArray:
    """Return u with the surroundings of what exceeds white or black moved by as much."""
    from scipy import ndimage

    side = 2 * math.ceil(distance) + 1
    for sign, limit in ((1.0, white), (-1.0, 0.0)):
        excess = np.maximum(np.float32(sign) * (u - np.float32(limit)), 0.0)
        if excess.any():
            u = u - np.float32(sign) * smooth(ndimage.maximum_filter(excess, side), distance)
    return u
