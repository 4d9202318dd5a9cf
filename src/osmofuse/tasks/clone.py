r"""Copy of an object from one picture into another.

A rough mask holds the object and some of its ground. There are two ways to copy it, and `clone`
chooses one by the pictures (docs/clone.md):

- the two grounds are alike, or the object cannot be separated from its own: the patch enters *with*
  its ground, by linear osmosis on the patch alone, held at its rim, as if lit like the place; what
  would leave the range from black to white is bent into it (`osmofuse.tasks.tones`);
- else the object is cut from its ground (`osmofuse.maps.own_ground`) and keeps its colours. Its
  brightness follows the logarithm l of the ratio of the grounds, up to where that cannot be light
  alone: by :math:`l / (1 + (l / l_0)^2)`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, cast, get_args

import numpy as np

from osmofuse.checks import choice, number, sequence, whole
from osmofuse.errors import InputError, MismatchError
from osmofuse.io import in_profile_of
from osmofuse.maps.map_file import mask_of_picture
from osmofuse.picture import Picture, as_alpha, as_array, checked, samples
from osmofuse.pixels import bands_of, scaled, size_of
from osmofuse.progress import Guard, Status, Watch, check_watch
from osmofuse.tasks.edited import Edited
from osmofuse.tasks.patch import RAMP, Patch, patch_of
from osmofuse.tasks.placing import Turned, turned
from osmofuse.tasks.prepare import Given
from osmofuse.typing import ArrayLike, BoolArray, FloatArray

Model = Literal["auto", "osmosis", "seamless", "cut"]
MODELS: tuple[Model, ...] = get_args(Model)
LEAST_SCALE, MOST_SCALE = 0.01, 100.0
FARTHEST = 1_000_000  # pixels; limit of a place
WHITE_FRAME = 0.8  # share of white along the frame of a mask that seems inverted


@dataclass(frozen=True, eq=False, repr=False)
class Cloned(Edited):
    """Result of `clone`.

    Attributes
    ----------
    model : str
        "osmosis", "seamless" or "cut": how it was copied.
    at : tuple of int
        Row and column of the upper left corner of the object's frame.
    mask : array, (rows, cols)
        Share of the object in each pixel of the picture, from 0 to 1. Where it is 0 the picture
        has its own bits.
    """

    model: str = "osmosis"
    at: tuple[int, int] = (0, 0)
    mask: FloatArray = field(default_factory=lambda: np.zeros((1, 1)))


def clone(
    into: Given,
    object: Given,
    mask: Given | None = None,
    *,
    at: tuple[int, int] | None = None,
    scale: float = 1.0,
    rotate: float = 0.0,
    model: Model = "auto",
    relight: float = 1.0,
    watch: Watch | None = None,
) -> Cloned:
    """Copy an object into a picture.

    Parameters
    ----------
    into : array or Picture
        The picture that receives the object.
    object : array or Picture
        The picture of the object, of any size. Its colours are converted to the profile of
        `into`; a grey one may enter a picture in colour.
    mask : array or Picture, optional
        White on the object, of the size of `object`; a rough outline will do. bool, integers, or
        floats in [0, 1]. A soft edge is used as it is, a hard one softened. By default the
        transparency of `object`.
    at : tuple of int, optional
        Row and column in `into` of the upper left corner of the object's picture, after scaling
        and rotation; they may be negative. By default the centres of the pictures coincide.
    scale : float, 0.01 to 100
        Magnification of the object.
    rotate : float, -360 to 360
        Clockwise turn in degrees.
    model : {"auto", "osmosis", "seamless", "cut"}
        "osmosis" copies all that the mask holds, as if lit like the place; "seamless" does so by
        variational osmosis; "cut" finds the object in the mask and leaves its ground behind.
        "auto" chooses "osmosis" or "cut" from the pictures.
    relight : float, 0 to 1
        With "cut": how far the object takes on the brightness of the place; 0 keeps its own.
    watch : callable, optional
        Called with a `Progress` at intervals; if it returns True, nothing is copied.

    Returns
    -------
    Cloned
        In the size of `into`; see `Cloned.picture` for its depth and metadata.

    Raises
    ------
    InputError
        The mask is empty, the object lies outside, or a picture cannot be used.
    MismatchError
        The mask differs in size from the object, or colours do not fit.

    Examples
    --------
    >>> import numpy as np
    >>> wall, flower = np.full((60, 80, 3), 180, np.uint8), np.full((20, 20, 3), 90, np.uint8)
    >>> flower[5:15, 5:15] = 200, 40, 60
    >>> mask = np.zeros((20, 20), bool)
    >>> mask[2:18, 2:18] = True
    >>> made = clone(wall, flower, mask, at=(30, 10))
    >>> made.model, made.picture()[0].pixels[40, 20].tolist() != [180, 180, 180]
    ('cut', True)
    """
    check_settings(at, scale, rotate, model, relight)
    check_watch(watch)
    guard = Guard(watch)
    guard.next_pass()
    ground, thing, notes = _pictures(into, object)
    f = samples(ground.filled(), "into")
    planes = f.reshape(*ground.shape, -1)
    laid, more = _laid(thing, mask, planes, scale, rotate)
    corner = _centred(laid.mask.shape, ground.shape) if at is None else (int(at[0]), int(at[1]))
    patch = patch_of(planes, laid, corner, matte=mask is None)
    chosen = _chosen(patch, mask is None) if model == "auto" else model
    notes += [*more, _words(patch, chosen, relight)]
    if chosen != "cut" and patch.hard:
        notes.append(f"mask: its edge is hard; softened over {RAMP:g} pixels inside")
    u, share, status = _joined(patch, chosen, relight, guard, watch)
    image, whole_mask = planes.copy(), np.zeros(ground.shape, f.dtype)
    image[patch.box] = np.where((share > 0.0)[..., None], u, image[patch.box])
    whole_mask[patch.box] = share
    return Cloned(
        image=image.reshape(f.shape),
        status=status,
        notes=tuple(notes),
        seconds=guard.seconds,
        original=ground,
        changed=whole_mask > 0.0,
        model=chosen,
        at=corner,
        mask=whole_mask,
    )


def _laid(
    thing: Picture, mask: Given | None, planes: FloatArray, scale: float, rotate: float
) -> tuple[Turned, tuple[str, ...]]:
    """Return the object, scaled and turned, with the channels of the picture; and notes."""
    cover, known, notes = _mask(mask, thing, planes.dtype)
    b = samples(thing.filled(), "object", dtype=planes.dtype).reshape(*thing.shape, -1)
    b = np.broadcast_to(b, (*thing.shape, planes.shape[2]))
    return turned(np.ascontiguousarray(b), cover, known, scale, rotate), notes


def _centred(size: tuple[int, ...], shape: tuple[int, int]) -> tuple[int, int]:
    """Return the place at which the centres of the object and of a picture coincide."""
    return (shape[0] - size[0]) // 2, (shape[1] - size[1]) // 2


def _joined(
    patch: Patch, model: Model, relight: float, guard: Guard, watch: Watch | None
) -> tuple[FloatArray, FloatArray, Status]:
    """Return the patch with the object, its share in each pixel, and the status."""
    status = Status.direct
    if not guard.next_pass():
        return patch.into, np.zeros_like(patch.mask), Status.cancelled
    if model == "cut":
        u, share = patch.cut(relight)
        guard.next_pass()
    else:
        u, share, fusion = patch.copied(model, watch)
        status = fusion.status
    if guard.cancelled or status is Status.cancelled:
        return u, np.zeros_like(share), Status.cancelled
    return u, share, status


def _chosen(patch: Patch, matte: bool) -> Model:
    """Return the model that suits a patch."""
    if matte or (patch.separable and not patch.keeps_ground):
        return "cut"
    return "osmosis"


def _words(patch: Patch, model: Model, relight: float) -> str:
    """Return a note on the model."""
    if model != "cut":
        why = (
            "its ground is like that of the place" if patch.keeps_ground else "as the mask holds it"
        )
        return f"object: entered with its ground, {why} (model {model})"
    if patch.own is None:
        return "object: cut out by its mask as it is (model cut)"
    words = f"object: cut from its ground, {patch.own.ground:.0%} of the mask (model cut)"
    if patch.grounds is None or relight == 0.0:
        return words
    factor = math.exp(relight * patch.grounds.light)
    return f"{words}; its brightness times {factor:.2f}, to suit the place"


def check_settings(
    at: object, scale: object, rotate: object, model: object, relight: object
) -> None:
    """Check the settings of `clone`."""
    if at is not None:
        for name, one in zip(("row", "column"), sequence("at", at, least=2, most=2), strict=True):
            whole(f"at ({name})", one, least=-FARTHEST, most=FARTHEST)
    number("scale", scale, least=LEAST_SCALE, most=MOST_SCALE)
    number("rotate", rotate, least=-360.0, most=360.0)
    choice("model", model, MODELS)
    number("relight", relight, most=1.0)


def _pictures(into: Given, thing: Given) -> tuple[Picture, Picture, list[str]]:
    """Return both as pictures with colours that fit, and notes."""
    ground = into if isinstance(into, Picture) else Picture(checked(into, "into"))
    if not isinstance(thing, Picture):
        pixels = checked(thing, "object")
        layered = bands_of(pixels) == 4 and bands_of(ground.colour) in (1, 3)
        thing = Picture(pixels, transparency=layered)
    for one, name in ((ground, "into"), (thing, "object")):
        checked(one, name, valid=one.valid)
    bands, own = bands_of(ground.colour), bands_of(thing.colour)
    if own not in (1, bands):
        fix = "convert INTO to colour, or the object to grey" if bands == 1 else "use RGB for both"
        raise MismatchError(f"object: {own} bands, but INTO has {bands}; {fix}")
    converted, words = in_profile_of(thing, ground)
    notes = [f"object: {words}"] if words else []
    if own < bands:
        notes.append("object: grey; it takes its colour from the place, or stays grey")
    return ground, converted, notes


def _mask(
    mask: Given | None, thing: Picture, dtype: np.dtype[np.floating]
) -> tuple[FloatArray, BoolArray, tuple[str, ...]]:
    """Return the mask of an object, where its picture has data, and notes."""
    layer = None
    if thing.transparency:
        layer = scaled(thing.pixels[..., -1], np.dtype(dtype))
    valid = thing.valid
    known = np.ones(thing.shape, bool) if valid is None else valid
    if mask is None:
        if layer is None or layer.min() == layer.max():
            raise InputError(
                "mask: none given, and the object's picture has no transparency; give a picture "
                "that is white on the object"
            )
        return np.asarray(layer), known, ()
    found, notes = _levels(mask)
    if found.shape != thing.shape:
        raise MismatchError(
            f"mask: {size_of(found.shape)} pixels, but the object's picture has "
            f"{size_of(thing.shape)}; draw it on that picture"
        )
    found = found.astype(dtype) if layer is None else found.astype(dtype) * layer
    if not (found >= 0.5).any():
        raise InputError("mask: empty, no pixel is white or light grey; it is white on the object")
    if _looks_inverted(found):
        notes += (
            "mask: white around and black inside, as if inverted; here it is white on the object, "
            "unlike the maps of fuse",
        )
    return found, known, notes


def _looks_inverted(mask: FloatArray) -> bool:
    """Return True for a mask that is white along most of its frame, and black inside."""
    inside = np.zeros(mask.shape, bool)
    inside[1:-1, 1:-1] = True
    white = mask >= 0.5
    return bool(white[~inside].mean() > WHITE_FRAME and not white.all())


def _levels(mask: Given) -> tuple[FloatArray, tuple[str, ...]]:
    """Return a mask in [0, 1], of any kind, and notes."""
    if not isinstance(mask, Picture):
        array = as_array(cast(ArrayLike, mask), "mask")
        if array.ndim == 2:
            return as_alpha(array, name="mask"), ()
        mask = Picture(array, transparency=array.ndim == 3 and array.shape[2] in (2, 4))
    found = mask_of_picture(mask, name="mask")
    return found.alpha, tuple(f"mask: {words}" for words in found.notes)
