r"""Ground of a picture: what lies around its strokes.

Strokes stand off a robust level. Their strength is that of what has the energy,

.. math:: A = \sqrt{\textstyle\sum e^4 / \sum e^2}, \qquad e = x - \text{level},

which does not depend on how much of the picture they cover; parts of it are the limits between
ground and stroke. The level under strokes is filled in from the ground around.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from osmofuse.filters import enlarged, reduced, smooth
from osmofuse.maps.auto_alpha import smoothstep
from osmofuse.methods.statistics import Statistics
from osmofuse.methods.union.layer import ground_level
from osmofuse.typing import FloatArray

# Deviations of windows as shares of the side; half or twice works.
COARSE, GROUND_FINE = 1 / 16, 1 / 64
# Parts of the strength: ground below, stroke above; (0.2, 0.4)..(0.4, 0.8) work.
STROKE_PARTS = (0.3, 0.6)
# Of finding strokes and their level; a fourth changes the level by less than 0.01.
GROUND_ROUNDS = 3
EDGE = 1 / 400  # blur of strokes' edges as a share of the side, at least a pixel
# Weight of the coarser level in the next finer one: it counts where no ground is near.
LITTLE = np.float32(0.02)
SOFT = 0.75  # deviation of the blur of grown strokes, in widths of their edges; 0.5..1 work
LEAST_STRENGTH = 1e-3  # in the logarithm; a quarter of a grey level at white


@dataclass(frozen=True, eq=False)
class Ground:
    """Ground of a plane.

    `strokes` are 1 on what stands off it, `ink` also on the soft edges, which are `edge` pixels
    wide; `sign` is that of the strokes, 0 for both; values are filled in over windows of the
    deviations `sigmas`.
    """

    level: FloatArray
    strokes: FloatArray
    ink: FloatArray
    edge: int
    sign: float
    sigmas: Sequence[float]

    def on_side(self, e: FloatArray) -> FloatArray:
        """Return what stands off the ground, on the side of the strokes only."""
        return (
            np.float32(self.sign) * np.maximum(e * np.float32(self.sign), 0.0) if self.sign else e
        )

    def fill(self, x: FloatArray) -> FloatArray:
        """Return a plane's values on the ground, filled in under the ink."""
        return filled(x, self.ink, self.sigmas)


@dataclass(frozen=True, eq=False)
class CoarseGround:
    """Ground around ink that is gone.

    `gone` is on copies reduced by `factor`; `sigmas` are lengths on these copies.
    """

    gone: FloatArray
    shape: tuple[int, int]
    factor: int
    sigmas: Sequence[float]

    @property
    def ink(self) -> FloatArray:
        """Ink in full size, 0 to 1."""
        return enlarged(self.gone, self.factor, self.shape)

    def fill(self, x: FloatArray) -> FloatArray:
        """Return a plane's values on the ground, filled in under the ink."""
        small = filled(reduced(x, self.factor), self.gone, self.sigmas)
        return enlarged(small, self.factor, self.shape)


def ground_of(
    x: FloatArray,
    sigma: float,
    limits: tuple[float, float],
    known: Statistics,
    *,
    one_sided: bool = False,
) -> Ground:
    """Part the strokes of a logarithm from its ground.

    With `one_sided` only strokes of the stronger sign count: ink has no bright side.
    """
    side = known("side", lambda: math.sqrt(x.size))
    edge = max(1, round(EDGE * side))
    level = ground_level(x, 2.0 * sigma, known)
    e = smooth(x - level, edge)
    sign = known("sign", partial(heavier_side, e)) if one_sided else 0.0
    for k in range(GROUND_ROUNDS):
        height = np.maximum(np.float32(sign) * e, 0.0) if sign else np.abs(e)
        most = known(f"strength {k}", partial(strength, height))
        strokes = between(height, limits[0] * most, limits[1] * most)
        # A rim of ink that goes would show; one of ink that comes is part of its stroke.
        ink = grown(strokes, edge, 0 if one_sided else 1)
        level = filled(x, ink, (sigma,))
        e = smooth(x - level, edge)
    return Ground(level, strokes, ink, edge, sign, halved(sigma, GROUND_FINE * side))


def filled(x: FloatArray, ink: FloatArray, sigmas: Sequence[float]) -> FloatArray:
    """Return x where there is no ink, and under it the mean of the ground around.

    Normalised convolutions from coarse to fine: the nearest ground counts.
    """
    weight = np.square(1.0 - ink)
    total = max(float(np.sum(weight, dtype=np.float64)), 1e-9)
    mean = float(np.sum(weight * x, dtype=np.float64)) / total
    found: FloatArray = np.full_like(x, mean)
    for sigma in sigmas:
        near = smooth(weight, sigma) + LITTLE
        found = (smooth(weight * x, sigma) + LITTLE * found) / near
    return found


def heavier_side(e: FloatArray) -> float:
    """Return 1 if the high values of a plane stand farther off than the low ones, else -1."""
    return 1.0 if float(np.sum(e * e * e, dtype=np.float64)) > 0.0 else -1.0


def strength(height: FloatArray) -> float:
    """Return the height of strokes: the root mean square, weighted by energy.

    >>> strength(np.array([0.0, 0.0, 0.0, 2.0]))
    2.0
    """
    energy = np.square(height, dtype=np.float64)
    total = max(float(energy.sum()), 1e-12)
    return max(math.sqrt(float(np.square(energy).sum()) / total), LEAST_STRENGTH)


def between(x: FloatArray, low: float, high: float) -> FloatArray:
    """Return a smooth step from 0 at `low` to 1 at `high`."""
    return smoothstep((x - np.float32(low)) / np.float32(high - low))


def grown(strokes: FloatArray, edge: int, further: int = 0) -> FloatArray:
    """Return strokes with their soft edges, and some pixels further."""
    from scipy import ndimage

    width = 2 * (edge + further) + 1
    wide = ndimage.grey_dilation(strokes, size=(width, width))
    return smooth(np.asarray(wide, np.float32), SOFT * edge)


def halved(first: float, last: float) -> tuple[float, ...]:
    """Return deviations from the first to about the last, each half of the one before.

    >>> halved(16.0, 4.0)
    (16.0, 8.0, 4.0)
    """
    count = max(0, round(math.log2(max(first / last, 1.0))))
    return tuple(first / 2.0**k for k in range(count + 1))
