"""Removal of shadows and spots of light by osmosis."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from inspect import signature
from typing import Any, Literal, TypeAlias

import numpy as np

from osmofuse.checks import choice, number
from osmofuse.errors import InputError, SettingError
from osmofuse.kernels import threads_for
from osmofuse.linalg import FREE, HELD
from osmofuse.linalg.kinds import Kinds
from osmofuse.maps.directions import directions
from osmofuse.maps.shadow_boundary import boundary_of
from osmofuse.maps.shadow_regions import Removed, ShadowRegions, shadow_regions
from osmofuse.methods.region import box_around
from osmofuse.methods.shadow_osmosis import Model, ShadowOsmosis
from osmofuse.methods.shadow_profile import ShadowProfile, shadow_profile
from osmofuse.operators import LatticeOsmosis
from osmofuse.picture import Picture, checked, samples
from osmofuse.progress import Guard, Status, Watch, check_watch, worst
from osmofuse.tasks.edited import Edited
from osmofuse.typing import ArrayLike, BoolArray, FloatArray

Extent: TypeAlias = Literal["global", "local"]
Level: TypeAlias = Literal["lit", "exposure", "mean"]

MODELS: tuple[Model, ...] = ("linear", "anisotropic", "nonlinear")
EXTENTS: tuple[Extent, ...] = ("global", "local")
LEVELS: tuple[Level, ...] = ("lit", "exposure", "mean")
REMOVED: tuple[Removed, ...] = ("auto", "shadow", "light")

FILLED = 0.15  # share of black from which a boundary may be a mask; bands have 1 to 10 %
METER = 2.2  # exponent that turns samples into light, nearly that of sRGB
LUMINANCE = (0.2126, 0.7152, 0.0722)  # share of each channel of sRGB in it
# Deviation of the weight of an exposure meter, in sides of the picture; 0.25..0.35 works.
CENTRE = 0.3


@dataclass(frozen=True, eq=False, repr=False)
class ShadowRemoval(Edited):
    """Result of `remove_shadow`.

    Attributes
    ----------
    boundary : array, (rows, cols)
        The boundary used: 1 where the drift is kept, 0 on the edge of the shadow.
    jump : tuple of float
        Part of the light that the shadow leaves, for each channel; above 1 under a spot of light.
        Empty if it was not measured.
    """

    boundary: FloatArray = field(kw_only=True, repr=False)
    jump: tuple[float, ...] = ()


def remove_shadow(
    picture: ArrayLike | Picture,
    boundary: ArrayLike | Picture | str = "auto",
    *,
    model: Model = "linear",
    extent: Extent = "global",
    mask: bool = False,
    width: float | None = None,
    texture: bool | None = None,
    level: Level | None = None,
    remove: Removed = "auto",
    offset: float = 0.01,
    watch: Watch | None = None,
) -> ShadowRemoval:
    """Remove a shadow, or a spot of light, from a picture.

    Parameters
    ----------
    picture : array or Picture, (rows, cols) or (rows, cols, channels)
        The picture.
    boundary : array, Picture or "auto"
        Map of the shadow's edge: white, 1, where the picture is kept; black, 0, on a band
        that covers the penumbra. "auto" finds the shadow, and raises an InputError if it is not
        sure.
    model : {"linear", "anisotropic", "nonlinear"}
        Diffusion on the band: the same in all directions; along the edges of the ground; or slow
        at jumps.
    extent : {"global", "local"}
        Solve for the whole picture, or only for shadow and band; then all other pixels are kept
        bit for bit, and the boundary must enclose the shadow.
    mask : bool
        The boundary is a mask of the shadow, black or 0 inside; a band is laid around its edge.
    width : float, 1 to 1000, optional
        Width of the band around the edge of a mask or of a shadow that was found, in
        pixels; by default measured from the penumbra.
    texture : bool, optional
        Keep the texture in the band: its drift is the picture's less that of the shadow, not 0
        as in the published models. The default is True.
    level : {"lit", "exposure", "mean"}, optional
        Brightness of the result: that of the lit part stays, the only one for a local extent; or
        for a global one the mean light of the picture stays, with more weight on its centre, as a
        camera would expose the scene without shadow (the default); or the mean of each channel,
        the law of osmosis.
    remove : {"auto", "shadow", "light"}
        Ordinary light is that of the largest region; of the brightest; or of the darkest.
    offset : float, 1e-6 to 100
        Added to the samples, white at 1.0, while computing. Raise it for dark, noisy pictures.
    watch : callable, optional
        As for `osmofuse.fuse`.

    Returns
    -------
    ShadowRemoval
        The picture without shadow, and the boundary used.

    Raises
    ------
    InputError
        The boundary is empty or covers the picture, does not lie on an edge of light, or no shadow
        was found.
    MismatchError
        The boundary has another size.

    Examples
    --------
    >>> from osmofuse.gallery import shadow
    >>> scene = shadow((60, 80))
    >>> result = remove_shadow(scene.foreground, scene.alpha, extent="local")
    >>> result.status.is_success
    True
    """
    check_shadow_settings(model, extent, level, remove, offset, width, texture)
    check_watch(watch)
    guard = Guard(watch)
    original = picture if isinstance(picture, Picture) else Picture(checked(picture, "picture"))
    f = samples(original.filled(), "picture", dtype=np.float64)
    f = f.reshape(*f.shape[:2], -1)
    logarithms = np.log(f + offset)
    keep, notes = boundary_of(boundary, logarithms, mask, width)
    regions = _regions(logarithms, keep, remove, extent)
    profile = None
    if regions is None:
        notes += (_no_region(keep),)
    elif texture is not False:
        profile = shadow_profile(logarithms, regions)
    level = level or ("lit" if extent == "local" else "exposure")
    work = _Work(model, extent, level, offset, keep, regions, profile)
    image, status = work(f, guard)
    dtype = np.float64 if original.depth == np.float64 else np.float32
    return ShadowRemoval(
        image=image.reshape(original.colour.shape).astype(dtype, copy=False),
        status=status,
        notes=notes,
        seconds=guard.seconds,
        original=original,
        changed=(work.kind == FREE) | (extent == "global"),
        boundary=keep,
        jump=() if profile is None else tuple(map(float, np.exp(profile.jump))),
    )


def check_shadow_settings(
    model: Model,
    extent: Extent,
    level: Level | None,
    remove: Removed,
    offset: float,
    width: float | None,
    texture: bool | None,
) -> None:
    """Check the settings of `remove_shadow`."""
    choice("model", model, MODELS)
    choice("extent", extent, EXTENTS)
    choice("level", level, (*LEVELS, None))
    choice("remove", remove, REMOVED)
    number("offset", offset, least=1e-6, most=100.0)
    if width is not None:
        number("width", width, least=1.0, most=1000.0)
    choice("texture", texture, (True, False, None))
    if extent == "local" and level not in ("lit", None):
        raise SettingError(f"level: {level!r} changes the lit part; use it with extent='global'")


# Settings that a recipe can hold, which do not depend on the map, and their defaults.
SETTINGS: Mapping[str, Any] = {
    name: signature(remove_shadow).parameters[name].default
    for name in signature(check_shadow_settings).parameters
}


def _regions(
    logarithms: FloatArray, keep: FloatArray, remove: Removed, extent: Extent
) -> ShadowRegions | None:
    """Return the regions on both sides; a local extent needs them."""
    regions = shadow_regions(logarithms.mean(axis=2), keep < 0.5, remove=remove)
    if regions is None and extent == "local":
        raise InputError(
            "boundary: encloses no region; close it, or let it run to the frame on both ends, "
            "or use extent='global'"
        )
    return regions


def _no_region(keep: FloatArray) -> str:
    """Return a note on a boundary without a lit and a dark side."""
    black = float((keep < 0.5).mean())
    words = "the boundary encloses no region, so what lies on it becomes smooth, without texture"
    if black > FILLED:
        return (
            f"{words}; it is black on {black:.0%} of the picture: if it is a mask of the whole "
            "shadow, give it with --mask (in Python mask=True)"
        )
    return f"{words}; close it, or let it run to the frame on both ends"


@dataclass(frozen=True, eq=False)
class _Work:
    """Removal of a shadow with known boundary."""

    model: Model
    extent: Extent
    level: Level
    offset: float
    keep: FloatArray
    regions: ShadowRegions | None
    profile: ShadowProfile | None

    def __call__(self, f: FloatArray, guard: Guard) -> tuple[FloatArray, Status]:
        """Return the picture without shadow, and the status."""
        kind = self.kind
        box = box_around([kind == FREE])
        assert box is not None, "the band is free"
        cut = np.ascontiguousarray
        profile = None if self.profile is None else self.profile.within(box)
        keep = cut(self.keep[box])
        tensor = _tensor(f[box] + self.offset, keep) if self.model == "anisotropic" else None
        osmosis = ShadowOsmosis(self.model, cut(kind[box]), keep, profile, tensor)
        image, free, ends = f.copy(), kind[box] == FREE, []
        with threads_for(math.prod(free.shape)):
            for c in range(f.shape[2]):
                if not guard.beat():
                    return image, Status.cancelled
                plane = cut(f[box][..., c] + self.offset)
                start = plane if profile is None else plane * profile.gain(c)
                end = osmosis(plane, start, c, guard.beat)
                ends.append(_status(end.solved, guard))
                np.copyto(image[box][..., c], end.u - self.offset, where=free)
        if self.extent == "global":
            self._set_level(image, f)
        return image, worst(ends)

    @cached_property
    def kind(self) -> Kinds:
        """Free pixels: all, or for a local extent those that are not lit.

        With a profile the anisotropic model also holds the lit part; its level is set at the end.
        """
        held = self.extent == "local" or (self.model == "anisotropic" and self.profile is not None)
        if not held or self.regions is None:
            return np.full(self.keep.shape, FREE, np.uint8)
        return np.where(self.regions.lit, HELD, FREE).astype(np.uint8)

    def _set_level(self, image: FloatArray, f: FloatArray) -> None:
        """Scale a picture whose brightness osmosis leaves open."""
        u = image + self.offset
        v = f + self.offset
        if self.level == "mean":
            gain = v.mean(axis=(0, 1)) / u.mean(axis=(0, 1))
        else:
            lit = self._lit()
            gain = np.median(v[lit] / u[lit], axis=0)
        image[...] = u * gain - self.offset
        if self.level == "exposure":
            before, after = _metered(f), _metered(image)
            if after > 0.0:  # light multiplies the samples, without the offset
                image *= (before / after) ** (1.0 / METER)

    def _lit(self) -> BoolArray:
        """Return the lit part; without regions, all but the boundary."""
        lit = self.keep >= 0.5 if self.regions is None else self.regions.lit
        return np.asarray(lit)


def _tensor(f: FloatArray, keep: FloatArray) -> LatticeOsmosis:
    """Return the diffusion along the ground's edges on the boundary, by votes from both sides."""
    band = keep < 1.0
    W = directions(np.log(f), band, method="voting").tensors(band)
    return LatticeOsmosis.diffusion(W)


def _metered(x: FloatArray) -> float:
    """Return the mean luminance of a picture, with more weight on its centre."""
    down, right = (
        np.exp(-0.5 * ((np.arange(n) + 0.5) / n - 0.5) ** 2 / CENTRE**2) for n in x.shape[:2]
    )
    light = np.maximum(x, 0.0) ** METER
    light = light @ np.array(LUMINANCE) if x.shape[2] == 3 else light.mean(axis=2)
    return float(down @ light @ right / (down.sum() * right.sum()))


def _status(solved: bool, guard: Guard) -> Status:
    if guard.cancelled:
        return Status.cancelled
    return Status.stationary if solved else Status.max_iter
