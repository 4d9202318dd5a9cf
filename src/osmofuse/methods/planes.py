r"""Pictures of a fusion as planes, all in the foreground's channels.

A background of one band has no colour of its own. It is repeated in every channel, or it takes
the foreground's chromaticity,

.. math::

    b_c = b \, \frac{f_c}{\mathrm{GCM}(f)}, \qquad \mathrm{GCM}(f) = \Big(\prod_c f_c\Big)^{1/C},

with :math:`C` channels, and an offset added to all pictures; where the foreground has strokes of
another colour, that of the ground around them can take its place ("coarse"). Filters use the
planes of `Layers`, in which the foreground replaces a background that is not valid: a filter would
see a hole as a dark area with edges. Osmosis uses those of `channels_of` and `pictures_of`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np

from osmofuse.energies import Channel
from osmofuse.errors import InputError
from osmofuse.linalg import inside
from osmofuse.linalg.stencil import zeros
from osmofuse.methods.background_bands import averaged
from osmofuse.methods.cost import Cost
from osmofuse.methods.ground import CoarseGround, Ground
from osmofuse.methods.plane_kernels import store
from osmofuse.methods.sources import Sources
from osmofuse.methods.statistics import Statistics
from osmofuse.typing import BoolArray, FloatArray

Band: TypeAlias = Literal["keep", "repeat"]
AnyBand: TypeAlias = Literal["keep", "repeat", "coarse"]
Start: TypeAlias = Literal["foreground", "composite", "means", "target"]
Pictures: TypeAlias = tuple[list[FloatArray], list[FloatArray]]
"""Planes of a channel, foreground first, and the weight of each at every pixel."""

# Default offset of variational osmosis, so that all methods colour a band alike.
OFFSET = 1.0

# Rec. 601, for pictures of three channels. Some programs have 0.2989 for red, among them that of
# the authors of guided-filter fusion: its scores on pictures of 8 bits are the same with both.
LUMA = (0.299, 0.587, 0.114)


@dataclass(frozen=True, eq=False)
class Layers:
    """Pictures of a fusion as planes, white at 1.0.

    A background of one band has the foreground's chromaticity ("keep") or is grey ("repeat").
    """

    sources: Sources
    band: Band
    dtype: type

    def image(self, source: int, channel: int) -> FloatArray:
        """Return a channel of a source as a new plane; source 0 is the foreground.

        Where a background is not valid, the foreground replaces it.
        """
        sources, dtype = self.sources, self.dtype
        plane = sources.image(source, channel, dtype)
        if source > 0 and self.band == "keep" and sources.is_one_band(source):
            colour = (sources.image(0, channel, dtype) + dtype(OFFSET)) / self._chromatic_mean
            plane = (plane + dtype(OFFSET)) * colour - dtype(OFFSET)
        if source > 0 and sources.valid is not None:
            unknown = ~sources.valid
            plane[unknown] = sources.image(0, channel, dtype)[unknown]
        return plane

    def weight(self, source: int, channel: int) -> FloatArray:
        """Return the weight of a source in a channel, as a new plane."""
        return self.sources.weight(source, channel, self.dtype)

    def grey(self, source: int) -> FloatArray:
        """Return a source without its colours: the luma of three channels, else their mean."""
        channels = self.sources.channels
        parts = LUMA if channels == 3 else (1.0 / channels,) * channels
        planes = (self.dtype(part) * self.image(source, c) for c, part in enumerate(parts))
        return np.asarray(sum(planes))

    def is_own(self, source: int, radius: int) -> BoolArray | bool:
        """Return the mask of pixels whose neighbours up to a radius are a source's own samples.

        Elsewhere a filter of that radius may respond to the seam with the foreground.
        """
        if source == 0 or self.sources.valid is None:
            return True
        from scipy.ndimage import minimum_filter

        return np.asarray(minimum_filter(self.sources.valid, 2 * radius + 1, mode="nearest"))

    @property
    def rounding(self) -> float:
        """Differences that rounding can explain, as a part of the largest sample.

        64 units in the last place of the pictures' types, for a few sums of samples. Levels of
        integers are exact.
        """
        pictures = (self.sources.foreground, *self.sources.backgrounds)
        depths = [x.dtype if x.dtype.kind == "f" else np.dtype(np.float64) for x in pictures]
        return 64.0 * max(float(np.finfo(depth).eps) for depth in depths)

    @cached_property
    def _chromatic_mean(self) -> FloatArray:
        return chromatic_mean(self.sources, OFFSET, self.dtype)


class Filling(Protocol):
    """Target of given pictures, channel by channel."""

    def fill(
        self, w: FloatArray, images: Sequence[FloatArray], weights: Sequence[FloatArray]
    ) -> None:
        """Set the target `w` in one channel, a positive plane.

        `images` are the planes of the channel, positive and not to be changed: the foreground, then
        each background; the `weights` of all sum to 1.
        """
        ...


@runtime_checkable
class Target(Filling, Protocol):
    """Rule for the target of the structure; an instance is given as ``target=``."""

    @property
    def cost(self) -> Cost:
        """Memory and time in addition to those of the solver."""
        ...


@runtime_checkable
class WholeTarget(Protocol):
    """Target that needs all channels at once; it is asked for its planes once for all."""

    @property
    def finds_map(self) -> bool:
        """True if it finds where a background enters."""
        ...

    @property
    def cost(self) -> Cost:
        """Memory and time in addition to those of the solver."""
        ...

    def for_sources(
        self, sources: Sources, known: Statistics, reach: float | None = None
    ) -> Filling:
        """Return the target of these pictures, to fill its planes channel by channel.

        Numbers of the whole picture are asked of `known`; `reach` is the reach in pixels, if it
        was given.
        """
        ...


@runtime_checkable
class Found(Filling, Protocol):
    """Target made for pictures, with what was found in them."""

    @property
    def reach(self) -> float:
        """Width in pixels of the structure that enters."""
        ...

    @property
    def alpha(self) -> FloatArray | None:
        """1 where nothing of the backgrounds enters."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the user on the pictures."""
        ...


@runtime_checkable
class Replacing(Filling, Protocol):
    """Target in which ink of the foreground is gone."""

    @property
    def replaced(self) -> FloatArray | None:
        """Part of the foreground's ink that is gone, 0 to 1, or None if nothing is.

        With "coarse" its colour goes, too.
        """
        ...


@runtime_checkable
class Adapted(Filling, Protocol):
    """Target with pictures or maps of its own."""

    @property
    def sources(self) -> Sources:
        """Pictures with a foreground that nothing covers; maps that leave out what is no data."""
        ...


@dataclass(frozen=True)
class Reading:
    """Settings on which the planes of variational osmosis depend, as in `VariationalOsmosis`.

    `offsets` are added to the pictures, the foreground's first. `ground` is the foreground's, for
    the band "coarse"; the bands of backgrounds marked in `single` are averaged. With `held`, u is
    held where alpha is 1 and free elsewhere (gamma is infinite).
    """

    offsets: tuple[float, ...]
    band: AnyBand
    ground: Ground | CoarseGround | None
    single: tuple[bool, ...]
    start: Start
    target: Filling
    held: bool
    dtype: Any


def channels_of(sources: Sources, reading: Reading, *, padded: bool = False) -> Iterator[Channel]:
    """Yield the planes of each channel; `padded` by a frame of zeros (`linalg.stencil`)."""
    shape, dtype = sources.shape, reading.dtype
    sources = averaged(sources, reading.single)
    if isinstance(reading.target, Adapted):
        sources = reading.target.sources

    def plane() -> tuple[FloatArray, FloatArray]:
        whole = zeros(shape, dtype) if padded else np.empty(shape, dtype)
        return whole, inside(whole, shape) if padded else whole

    spare = [np.empty(shape, dtype) for _ in range(2 * sources.count - 2)]
    colours = _colours(sources, reading.offsets[0], reading.band, dtype, reading.ground)
    for c in range(sources.channels):
        (f, f_inside), (alpha, alpha_inside), (w, w_inside) = plane(), plane(), plane()
        images = [f_inside, *spare[: sources.count - 1]]
        weights = [alpha_inside, *spare[sources.count - 1 :]]
        _read(sources, c, reading.offsets, colours, images, weights)
        reading.target.fill(w_inside, images, weights)
        if colours is not None and isinstance(reading.target, Replacing):
            _recolour(w_inside, f_inside, alpha_inside, colours, reading.target)
        start = f
        if reading.start == "target":
            start = w.copy()
        elif reading.start != "foreground":
            start, start_inside = plane()
            start_inside[...] = initial(images, weights, reading)
        if reading.held:
            np.equal(alpha, 1.0, out=alpha)
        yield Channel(f, alpha, w, start)


def _recolour(
    w: FloatArray, f: FloatArray, alpha: FloatArray, colours: Colours, target: Replacing
) -> None:
    """Take the colour of ink that is gone out of a target's channel, but where f is kept."""
    if colours.ground is not None and (gone := target.replaced) is not None:
        w *= colours.change(f, gone * (alpha != 1.0))


def pictures_of(sources: Sources, *, offset: float, band: Band, dtype: Any) -> Iterator[Pictures]:
    """Yield the pictures of each channel, offset included, and their weights.

    The planes of the backgrounds are reused for every channel.
    """
    colours = _colours(sources, offset, band, dtype)
    spare = [np.empty(sources.shape, dtype) for _ in range(2 * sources.count - 2)]
    for c in range(sources.channels):
        images = [np.empty(sources.shape, dtype), *spare[: sources.count - 1]]
        weights = [np.empty(sources.shape, dtype), *spare[sources.count - 1 :]]
        _read(sources, c, (offset,) * sources.count, colours, images, weights)
        yield images, weights


def _read(
    sources: Sources,
    channel: int,
    offsets: Sequence[float],
    colours: Colours | None,
    images: Sequence[FloatArray],
    weights: Sequence[FloatArray],
) -> None:
    """Set the planes of a channel."""
    dtype: Any = images[0].dtype.type
    for k, (image, alpha) in enumerate(zip(images, weights, strict=True)):
        sources.image(k, channel, dtype, image)
        np.add(image, dtype(offsets[k]), out=image)
        if k == 1 and sources.count == 2:
            np.subtract(dtype(1.0), weights[0], out=alpha)
        else:
            sources.weight(k, channel, dtype, alpha)
    check_positive(images, sources, min(offsets))
    for k in range(1, sources.count):
        if colours is not None and sources.is_one_band(k):
            image = images[k]
            image *= colours.of(images[0])


def initial(
    images: Sequence[FloatArray], weights: Sequence[FloatArray], reading: Reading
) -> FloatArray:
    """Return the initial u that is neither the foreground nor the target."""
    u = np.zeros_like(images[0])
    for image, alpha in zip(images, weights, strict=True):
        u += alpha * (_mean(image, alpha) if reading.start == "means" else image)
    if reading.held:
        np.copyto(u, images[0], where=weights[0] == 1.0)
    return u


def _mean(image: FloatArray, alpha: FloatArray) -> FloatArray:
    """Return the alpha-weighted mean of a plane; 0, which has no effect, if alpha is 0."""
    total = float(alpha.sum(dtype=np.float64))
    mean = float(np.sum(alpha * image, dtype=np.float64)) / total if total > 0 else 0.0
    return np.asarray(mean, image.dtype)


def chromatic_mean(sources: Sources, offset: float, dtype: type) -> FloatArray:
    """Return the geometric mean of the foreground's channels, offset included."""
    total: FloatArray = np.zeros(sources.shape, dtype)
    plane: FloatArray = np.empty(sources.shape, dtype)
    for c in range(sources.channels):
        sources.image(0, c, dtype, plane)
        plane += dtype(offset)
        with np.errstate(divide="ignore"):  # where a sample is 0
            total += np.log(plane, out=plane)
    total /= dtype(sources.channels)
    return np.asarray(np.exp(total, out=total))


@dataclass(frozen=True, eq=False)
class Colours:
    """Colours of the foreground for a background of one band; with a ground, those around ink.

    A coarse ground is only for ink that is gone.
    """

    mean: FloatArray
    ground: Ground | CoarseGround | None

    def of(self, f: FloatArray) -> FloatArray:
        """Return the colours in a channel, from the foreground's plane: 1 is grey."""
        own = f / self.mean
        return own * self.change(f, self.ground.ink) if isinstance(self.ground, Ground) else own

    def change(self, f: FloatArray, part: FloatArray) -> FloatArray:
        """Return the factor that turns a part of the colours in a channel into the ground's."""
        if self.ground is None:
            return np.ones_like(f)
        own = np.log(f / self.mean)
        return np.asarray(np.exp(part * (self.ground.fill(own) - own)))


def _colours(
    sources: Sources,
    offset: float,
    band: AnyBand,
    dtype: type,
    ground: Ground | CoarseGround | None = None,
) -> Colours | None:
    """Return the colours that a background of one band needs, or None."""
    bands = (sources.is_one_band(k) for k in range(1, sources.count))
    if band == "repeat" or not (ground is not None or any(bands)):
        return None
    return Colours(chromatic_mean(sources, offset, dtype), ground)


def check_positive(images: Sequence[FloatArray], sources: Sources, offset: float) -> None:
    """Check that the planes of a channel are positive, if no offset is added to them."""
    if offset > 0:  # samples are not negative
        return
    names = ["foreground", "background"]
    for name, image in zip(names + names[1:] * len(images), images, strict=False):
        seen = image if sources.valid is None or name == "foreground" else image[sources.valid]
        if not float(seen.min(initial=1.0)) > 0:
            raise InputError(
                f"{name}: samples of 0 with offset {offset:g}; use a positive offset, e.g. 1"
            )


def picture_of(
    planes: Sequence[FloatArray], sources: Sources, offset: float, *, held: bool = False
) -> FloatArray:
    """Return planes as a picture without the offset.

    With `held`, the foreground's own bits where alpha is 1.
    """
    picture: FloatArray = np.empty((*sources.shape, sources.channels), sources.dtype)
    store(picture, planes, offset)
    for c in range(len(planes)) if held else ():
        kept = sources.weight(0, c, np.float64) == 1.0
        np.copyto(picture[..., c], sources.image(0, c, sources.dtype), where=kept)
    return picture.reshape(sources.foreground.shape)
