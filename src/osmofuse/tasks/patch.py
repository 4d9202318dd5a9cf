r"""Object and place in one frame, and the two ways to join them.

`Patch.copied` lets the object enter with its ground, by osmosis on the patch alone. `Patch.cut`
leaves the ground behind,

.. math:: u = (1 - a) f + a F',

with the object's share a and colours F from `osmofuse.maps.own_ground`, and F' in the light of the
place (`osmofuse.tasks.tones.lit`). Where the object runs out of its own picture inside the other
there is no edge that could be kept: a correction :math:`\xi` is added, which is f - F' there and
fades, :math:`\min \sum |D \xi|^2 + \sum \xi^2 / \ell^2`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from osmofuse.filters import gaussian, robust_deviation
from osmofuse.linalg.integral import Integral
from osmofuse.maps.own_ground import OwnGround, opponent, own_ground
from osmofuse.methods import Fusion, LinearOsmosis, Sources, VariationalOsmosis
from osmofuse.progress import Watch
from osmofuse.tasks.placing import Turned, overlap
from osmofuse.tasks.tones import KNEE, lit, within
from osmofuse.typing import Array, BoolArray, FloatArray

RAMP = 4.0  # pixels within a hard mask over which it rises to 1, for osmosis; 2..8 works
CUT_RAMP = 2.5  # the same for a cut, which has an edge of its own; 1.5..4 works
HARD = 1.5  # pixels: a mask whose edge is narrower is hard
OFFSET = 0.1  # of the ratios in osmosis, in parts of white; 0.05..0.2 works
# Grounds are alike: root mean square difference of logarithms, that of the colours alone, and the
# factor between textures.
ALIKE, ALIKE_COLOURS, TEXTURES, NO_TEXTURE = 0.45, 0.3, 1.5, 0.015
LEAST_GROUND, LIKE_RIM = 0.3, 0.9  # share of ground in a mask that is drawn with its ground
MOST_GROUND, MOST_INSIDE = 0.85, 0.5  # share of ground in the mask, and in its depth, for a cut
LIGHT = 1.0  # logarithm of a ratio that cannot be light alone; 0.6..1.2 works
FADE = 0.12  # distance over which an object fades at a straight cut, in its sides; 0.08..0.2 works
FADE_CYCLES = 8  # V-cycles, from 0
BRIGHT = 0.995  # quantile of the place up to which tones stay as osmosis makes them
HIGHEST_KNEE = 0.95  # of white; pixels of the place that are brighter stay as they are
RTOL = 1e-5  # of osmosis, a thousandth at its end: far below a level of 16 bits


@dataclass(frozen=True, eq=False)
class Grounds:
    """Comparison of the grounds around an object, in its picture and at its place.

    Attributes
    ----------
    differs : array, (channels,)
        Mean difference of the logarithms, with an offset of a tenth of white.
    alike : bool
        True if light may be all that differs.
    """

    differs: FloatArray
    alike: bool

    @property
    def light(self) -> float:
        """Logarithm of the factor by which light differs, as far as it can be light alone."""
        mean = float(self.differs.mean())
        return mean / (1.0 + (mean / LIGHT) ** 2)


@dataclass(frozen=True, eq=False)
class Patch:
    """Box of a picture with an object laid over it, and a pixel of margin.

    Attributes
    ----------
    box : tuple of slice
        Its place: rows, columns.
    into : array, (rows, cols, channels)
        The picture there.
    image, mask : array
        Object and mask; beyond its own picture, its last pixels and 0.
    framed : array of bool, (rows, cols)
        True within the object's own picture.
    opacity, colours : array
        The object without its ground; the mask and the image if no ground is known.
    own : OwnGround or None
        What was found in the object's own picture.
    grounds : Grounds or None
        None if they cannot be compared.
    """

    box: tuple[slice, slice]
    into: FloatArray = field(repr=False)
    image: FloatArray = field(repr=False)
    mask: FloatArray = field(repr=False)
    framed: BoolArray = field(repr=False)
    opacity: FloatArray = field(repr=False)
    colours: FloatArray = field(repr=False)
    own: OwnGround | None
    grounds: Grounds | None

    @property
    def separable(self) -> bool:
        """True if an object can be told from its ground."""
        own = self.own
        return own is not None and own.ground < MOST_GROUND and own.ground_inside < MOST_INSIDE

    @property
    def keeps_ground(self) -> bool:
        """True if the grounds are alike, and the mask holds much of one."""
        if self.own is None or self.grounds is None or not self.grounds.alike:
            return False
        return self.own.ground > LEAST_GROUND and self.own.like_rim > LIKE_RIM

    @property
    def hard(self) -> bool:
        """True if the edge of the mask is narrower than `HARD` pixels."""
        inside = self.mask >= 0.5
        edge = np.count_nonzero(inside[1:] != inside[:-1])
        edge += np.count_nonzero(inside[:, 1:] != inside[:, :-1])
        between = np.count_nonzero((self.mask > 0.02) & (self.mask < 0.98))
        return bool(between <= HARD * edge)

    def softened(self, width: float) -> FloatArray:
        """Return the mask; a hard one rises to 1 over a width inside it."""
        if not self.hard:
            return self.mask
        from scipy.ndimage import distance_transform_edt

        inside = self.mask >= 0.5
        if inside.all():
            return np.ones_like(self.mask)
        ramp = np.clip((distance_transform_edt(inside) - 0.5) / width, 0.0, 1.0)
        return np.asarray(ramp, self.mask.dtype)

    def copied(self, model: str, watch: Watch | None) -> tuple[FloatArray, FloatArray, Fusion]:
        """Return the picture with the object and its ground, its share, and the fusion."""
        share = self.softened(RAMP)
        sources = Sources(self.into, [self.image], 1.0 - share.astype(np.float64))
        method: LinearOsmosis | VariationalOsmosis = VariationalOsmosis(target="seamless")
        if model == "osmosis":
            method = LinearOsmosis(
                extent="local", time=math.inf, threshold=0.99, drift="soft", offset=OFFSET,
                rtol=RTOL,
            )  # fmt: skip
        fusion = method(sources, watch=watch)
        made = fusion.image.reshape(self.into.shape)
        white = _white(self.into, self.image)
        rim = self.into[(share < 0.5) | (share < share.max())]
        bright = float(np.quantile(rim, BRIGHT)) if rim.size else KNEE * white
        knee = min(max(bright, KNEE * white), HIGHEST_KNEE * white)
        return within(made, np.maximum(knee, self.into), white), share, fusion

    def cut(self, relight: float) -> tuple[FloatArray, FloatArray]:
        """Return the picture with the object alone, and its share."""
        share = self.mask if self.own is None else self.softened(CUT_RAMP) * self.opacity
        image, white = self.colours, _white(self.into, self.colours)
        if self.grounds is not None and relight > 0.0:
            image = lit(image, relight * self.grounds.light, white)
        ends = self._ends(share)
        if ends.any():
            faded = np.maximum(image + _faded(self.into - image, ends, share), 0.0)
            # An end takes on the values of the place; what is brighter than both must not clip.
            image = within(faded, np.maximum(image, self.into), white)
        a = share[..., None]
        return (1.0 - a) * self.into + a * image, share

    def _ends(self, share: FloatArray) -> BoolArray:
        """Return True where the object runs out of its own picture."""
        from scipy.ndimage import binary_dilation

        return np.asarray((share > 0.0) & binary_dilation(~self.framed, iterations=2))


def _faded(off: FloatArray, ends: BoolArray, share: FloatArray) -> FloatArray:
    """Return a correction that is `off` at the ends and fades from there."""
    side = math.sqrt(np.count_nonzero(share >= 0.5))
    tie = np.where(ends, 1.0, max(FADE * side, 2.0) ** -2.0).astype(np.float32)
    integral, found = Integral((tie.shape[0], tie.shape[1])), np.empty_like(off)
    for c in range(off.shape[2]):
        integral.set_target(tie, np.where(ends, off[..., c], 0.0))
        integral.set_start(0.0)
        found[..., c] = integral.cycle(FADE_CYCLES)
    return found


def patch_of(f: FloatArray, laid: Turned, at: tuple[int, int], *, matte: bool) -> Patch:
    """Lay an object into a picture, and compare the grounds.

    Parameters
    ----------
    f : array, (rows, cols, channels)
        The picture.
    laid : Turned
        The object.
    at : tuple of int
        Row and column of its upper left corner.
    matte : bool
        The mask is exact: it holds no ground.
    """
    shape = (f.shape[0], f.shape[1])
    box = tuple(
        slice(max(one.start - 1, 0), min(one.stop + 1, size))
        for one, size in zip(overlap(laid.mask, at, shape).place, shape, strict=True)
    )
    own = None if matte else own_ground(laid.image, laid.mask, laid.known)
    opacity = laid.mask > 0.0 if own is None else own.opacity
    colours = laid.image if own is None else own.colours
    frame = np.ones(laid.mask.shape, bool)
    return Patch(
        box=(box[0], box[1]),
        into=f[box],
        image=_placed(laid.image, at, box, "edge"),
        mask=_placed(laid.mask, at, box),
        framed=_placed(frame, at, box),
        opacity=_placed(opacity.astype(f.dtype), at, box),
        colours=_placed(colours, at, box, "edge"),
        own=own,
        grounds=None if own is None else _compared(f, laid, own.ring, at),
    )


def _placed(x: Array, at: tuple[int, int], box: tuple[slice, ...], mode: str = "zero") -> Array:
    """Return the part of an array at a place that lies in a box, continued by 0 or its edge."""
    lines = [np.arange(one.start, one.stop) - begin for one, begin in zip(box, at, strict=True)]
    inside = [np.clip(n, 0, size - 1) for n, size in zip(lines, x.shape, strict=False)]
    part = x[np.ix_(*inside)]
    if mode == "edge":
        return part
    known = [n == k for n, k in zip(lines, inside, strict=True)]
    return np.asarray(part * (known[0][:, None] & known[1]), x.dtype)


def _compared(f: FloatArray, laid: Turned, ring: BoolArray, at: tuple[int, int]) -> Grounds | None:
    """Compare the grounds where both are known; None if nowhere."""
    box = tuple(
        slice(max(begin, 0), min(begin + size, whole))
        for begin, size, whole in zip(at, ring.shape, f.shape, strict=False)
    )
    around = _placed(ring, at, box)
    if not around.any():
        return None
    there, here = f[box], _placed(laid.image, at, box, "edge")
    y, z = (np.log(np.maximum(x, 0.0) + OFFSET) for x in (there, here))
    differs = np.asarray((y - z)[around].mean(axis=0))
    textures = [_texture(x, around) + NO_TEXTURE for x in (y, z)]
    ratio = np.abs(np.log(textures[0] / textures[1]))
    alike = (
        math.sqrt(float(np.mean(differs**2))) <= ALIKE
        and float(differs.std()) <= ALIKE_COLOURS
        and bool((ratio <= math.log(TEXTURES)).all())
    )
    return Grounds(differs, alike)


def _texture(y: FloatArray, around: BoolArray) -> FloatArray:
    """Return the robust deviation of the fine parts of lightness and colour."""
    planes = opponent(y)[..., :2]
    fine = (planes - gaussian(planes, 3.0))[around]
    return robust_deviation(fine, axis=0)


def _white(*pictures: FloatArray) -> float:
    return max(1.0, *(float(x.max()) for x in pictures))
