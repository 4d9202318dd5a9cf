"""A picture: pixels in their stored depth, with the profile and metadata they came with."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from os import PathLike

import numpy as np
from numpy.typing import DTypeLike

from osmofuse.errors import InputError, MismatchError, OsmofuseError
from osmofuse.typing import Array, ArrayLike, BoolArray, FloatArray

__all__ = [
    "Metadata",
    "Picture",
    "as_alpha",
    "checked",
    "divided",
    "quantise",
    "rounding_of",
    "samples",
    "scaled",
    "shown_by",
    "summary",
    "widened",
]

# Depths that a result can be given.
DEPTHS = ("uint8", "uint16", "float32")

# Scene-referred floats may exceed white a little; beyond this they are integers in disguise.
_BRIGHTEST = 16.0

# An integer of 32 bits or more that stays below this part of its range was hardly meant.
_LEAST_OF_WIDE = 1e-3


@dataclass(frozen=True)
class Metadata:
    """What a file says about its picture, in forms that do not depend on the file's format.

    Parameters
    ----------
    exif : bytes, optional
        A TIFF structure without the "Exif" prefix of JPEG; upright, without thumbnail,
        pixel dimensions and resolution (the pixels and `resolution` say these).
    xmp, iptc : bytes, optional
        The XMP packet; the IPTC-IIM records, without Photoshop's wrapping.
    resolution : tuple of float, optional
        Pixels per millimetre along (rows, cols); None if the file states none.
    """

    exif: bytes | None = field(default=None, repr=False)
    xmp: bytes | None = field(default=None, repr=False)
    iptc: bytes | None = field(default=None, repr=False)
    resolution: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Picture:
    """Pixels with the colour profile and metadata that belong to them.

    ``numpy.asarray(picture)`` gives its `samples`; in a notebook it shows itself.

    Parameters
    ----------
    pixels : array, (rows, cols) or (rows, cols, bands)
        Stored depth and values: uint8, uint16, float32, float64, ...
    profile : bytes, optional
        The ICC profile.
    metadata : Metadata, optional
        What else the file said.
    transparency : bool
        The last band is transparency: carried, never fused. Where it is 0 there is no data, see
        `valid`.
    nodata : float, optional
        The value that stands for "nothing was recorded here", see `valid`.
    lossy : bool
        It was read from a format that may have changed samples, as JPEG does.
    """

    pixels: Array = field(repr=False)
    profile: bytes | None = field(default=None, repr=False)
    metadata: Metadata = field(default_factory=Metadata, repr=False)
    transparency: bool = False
    nodata: float | None = None
    lossy: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "pixels", _unmasked(self.pixels, "picture"))
        _check_shape(self.pixels, "picture")
        if self.transparency and (self.pixels.ndim == 2 or self.pixels.shape[2] == 1):
            raise InputError("picture: transparency needs a band beside the colours")

    def __repr__(self) -> str:
        more = [
            "transparency" if self.transparency else "",
            "" if self.nodata is None else f"nodata {self.nodata:g}",
            "profile" if self.profile else "",
        ]
        return f"Picture({', '.join([summary(self.colour), *filter(None, more)])})"

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        if copy is False:
            raise ValueError("samples of a picture are computed: they cannot be had without a copy")
        found: Array = self.samples()
        return found if dtype is None else found.astype(dtype, copy=False)

    def _repr_png_(self) -> bytes | None:
        """Return what a notebook shows; None if nothing can be shown."""
        with suppress(OsmofuseError):
            return _screen[0](self) if _screen else None
        return None

    @property
    def shape(self) -> tuple[int, int]:
        """The size (rows, cols)."""
        return self.pixels.shape[0], self.pixels.shape[1]

    @property
    def depth(self) -> np.dtype[np.generic]:
        """The type in which the pixels are stored."""
        return self.pixels.dtype

    @property
    def colour(self) -> Array:
        """The pixels without the transparency band (a view); (rows, cols) if one band is left."""
        if not self.transparency:
            return self.pixels
        return self.pixels[..., 0] if self.pixels.shape[2] == 2 else self.pixels[..., :-1]

    def samples(self, *, dtype: DTypeLike | None = None) -> FloatArray:
        """Return the colours as floats on the scale where 1.0 is white, to compute with.

        A new array, without the transparency; `with_samples` is the way back.

        Parameters
        ----------
        dtype : dtype, optional
            float32 or float64; by default float64 for float64 and float32 for all else.

        Raises
        ------
        InputError
            The pixels are of a type that has no white, negative, or not finite.
        """
        return samples(self, "picture", dtype=dtype)

    @property
    def valid(self) -> BoolArray | None:
        """Mask of the pixels that were recorded, (rows, cols); None if all were.

        Not valid are the pixels all of whose bands hold `nodata`; if that is NaN, one is enough.
        Nor are those that are fully transparent, unless all are: then transparency says nothing.
        """
        known = self._recorded
        if self.transparency and (seen := np.asarray(self.pixels[..., -1] > 0)).any():
            known = seen if known is None else known & seen
        return None if known is None or known.all() else known

    @property
    def _recorded(self) -> BoolArray | None:
        """Where the no-data value is not; None if there is none."""
        if self.nodata is None:
            return None
        bands = self.colour.reshape(*self.shape, -1)
        if math.isnan(self.nodata):
            return np.asarray(~np.isnan(bands).any(axis=2))
        return np.asarray((bands != self.nodata).any(axis=2))

    def filled(self) -> Picture:
        """Return a picture whose empty pixels hold the colours of the nearest valid one.

        Then nothing of the no-data value can enter its neighbours when the picture is computed
        with; `with_samples` of this picture, not of that, leaves empty what was empty.
        """
        valid = self.valid
        if valid is None:
            return replace(self, nodata=None)
        if not valid.any():
            raise InputError(f"picture: every pixel holds the no-data value {self.nodata:g}")
        return replace(self, pixels=nearest_valid(self.pixels, valid), nodata=None)

    def with_samples(
        self, samples: FloatArray, *, depth: DTypeLike | None = None
    ) -> tuple[Picture, int]:
        """Return this picture with new colours; profile, metadata and transparency stay.

        Empty pixels stay empty, whatever their samples; a valid pixel that would come to hold
        the no-data value goes one level beside it.

        Parameters
        ----------
        samples : array, the shape of `colour`
            Values on the scale where 1.0 is white.
        depth : dtype, optional
            Depth of the new picture; this picture's if not given.

        Returns
        -------
        tuple of Picture and int
            The new picture; how many samples were clipped, see `quantise`.

        Raises
        ------
        MismatchError
            The samples have another shape than `colour`.
        InputError
            The depth cannot hold the no-data value.
        """
        if samples.shape != self.colour.shape:
            raise MismatchError(f"samples: shape {samples.shape} is not {self.colour.shape}")
        valid = None if self.nodata is None else self.valid
        if valid is not None:
            samples = np.where(valid if samples.ndim == 2 else valid[..., None], samples, 0)
        pixels, clipped = quantise(samples, self.depth if depth is None else depth)
        if self.nodata is not None:
            pixels = _with_empty(pixels, self.nodata, valid)
        if self.transparency:
            band = self._transparency(pixels.dtype)
            pixels = np.concatenate([pixels.reshape(*self.shape, -1), band], axis=2)
        return replace(self, pixels=pixels), clipped

    def with_pixels(self, pixels: Array, valid: BoolArray) -> Picture:
        """Return this picture with other pixels, of any size but its depth and bands.

        Parameters
        ----------
        pixels : array, (rows, cols) or (rows, cols, bands)
            With transparency if this picture has it; never changed.
        valid : array of bool, (rows, cols)
            Where False, nothing is recorded: there the new picture holds the no-data value. If
            this picture has none, it is 0, or NaN in floats; what is valid never holds it.
        """
        nodata = self.nodata
        if nodata is None:
            if valid.all():
                return replace(self, pixels=pixels)
            nodata = math.nan if pixels.dtype.kind == "f" else 0.0
        new = replace(self, pixels=pixels.copy(), nodata=nodata)
        if self.transparency:
            bands = _with_empty(new.colour.copy(), nodata, valid).reshape(*new.shape, -1)
            new.pixels[..., :-1] = bands
            new.pixels[~valid, -1] = 0
        else:
            _with_empty(new.pixels, nodata, valid)
        return new

    def _transparency(self, depth: np.dtype[np.generic]) -> Array:
        band = self.pixels[..., -1:]
        if depth == self.depth:
            return band
        return quantise(samples(band, "transparency", dtype=np.float64), depth)[0]


_screen = list[Callable[[Picture], bytes]]()


def shown_by(draw: Callable[[Picture], bytes]) -> Callable[[Picture], bytes]:
    """Let a function draw pictures in notebooks: `io` encodes files, and lies above this room."""
    _screen[:] = [draw]
    return draw


def summary(pixels: Array) -> str:
    """Return the size as viewers give it, width first, the bands and the depth.

    Examples
    --------
    >>> summary(np.zeros((800, 1200, 3), np.uint16))
    '1200 × 800, 3 bands, uint16'
    """
    rows, cols = pixels.shape[:2]
    bands = bands_of(pixels)
    return f"{cols} × {rows}, {bands} band{'' if bands == 1 else 's'}, {pixels.dtype}"


def nearest_valid(pixels: Array, valid: BoolArray) -> Array:
    """Return pixels with the colours of the nearest valid one where they are not valid."""
    from scipy.ndimage import distance_transform_edt

    rows, cols = distance_transform_edt(~valid, return_distances=False, return_indices=True)
    filled: Array = pixels[rows, cols]
    return filled


def checked(
    pixels: ArrayLike | Picture,
    name: str,
    *,
    valid: BoolArray | None = None,
    bounded: bool = True,
) -> Array:
    """Return pixels as an array in their stored type, or say why they cannot be used.

    Parameters
    ----------
    pixels : array_like or Picture, (rows, cols) or (rows, cols, channels)
        Never changed. Of a Picture, its `colour`.
    name : str
        The argument's name, for messages.
    valid : array of bool, (rows, cols), optional
        Where False, samples are not checked.
    bounded : bool
        Floats must lie between 0 and 16; results of a fusion need not.

    Returns
    -------
    array
        The pixels themselves: a view of the input where it is an array.

    Raises
    ------
    InputError
        Another type, wrong dimensions, nothing in it, NaN, infinite, negative or above 16.
    MismatchError
        `valid` has another size than the pixels.
    """
    array = _as_array(pixels, name)
    _check_shape(array, name)
    if array.dtype == np.int16 and not isinstance(pixels, Picture):
        # In files int16 are levels; in a bare array they may as well be differences.
        raise InputError(f"{name}: type int16; convert to uint8, uint16 or float")
    shown = array if valid is None else array[fitting(valid, array, name)]
    if white_of(array.dtype, name) == 1 or array.dtype.kind == "i":
        _check_values(shown, name, bounded)
    return array


def samples(
    pixels: ArrayLike | Picture,
    name: str,
    *,
    dtype: DTypeLike | None = None,
    bounded: bool = True,
) -> FloatArray:
    """Bring pixels to the scale where 1.0 is white, or say why that cannot be.

    uint8 is divided by 255, uint16 by 65535, int16 (of a Picture only) by 32767; floats are
    taken as they are.

    Parameters
    ----------
    pixels, name, bounded
        As for `checked`.
    dtype : dtype, optional
        float32 or float64; by default float64 for float64 and float32 for all else.

    Returns
    -------
    array
        Always a new, writable, C-contiguous array; never a view of the input.

    Raises
    ------
    InputError
        As for `checked`.
    """
    array = checked(pixels, name, bounded=bounded)
    return scaled(array, dtype or (np.float64 if array.dtype == np.float64 else np.float32))


def scaled(array: Array, dtype: DTypeLike, out: FloatArray | None = None) -> FloatArray:
    """Bring checked pixels to the scale where 1.0 is white: in `out`, or in a new array."""
    result: FloatArray = np.empty(array.shape, dtype) if out is None else out
    result[...] = array
    white = white_of(array.dtype, "array")
    if white != 1:
        result /= white
    return result


def quantise(samples: FloatArray, depth: DTypeLike) -> tuple[Array, int]:
    """Store samples on the scale where 1.0 is white in a depth, and count what was clipped.

    Parameters
    ----------
    samples : array of floats
        Never changed.
    depth : dtype
        uint8, uint16 or int16: rounded to the nearest level, half to even, and clipped.
        float32 or float64: cast, nothing is clipped.

    Returns
    -------
    tuple of array and int
        A new array of that depth; how many samples lay outside [0, 1] by more than half a level.

    Raises
    ------
    InputError
        The depth is another one, the samples are no floats, or some are NaN.
    """
    depth = np.dtype(depth)
    if samples.dtype.kind != "f":
        raise InputError(f"samples of type {samples.dtype} are no floats")
    if depth in (np.float32, np.float64):
        return samples.astype(depth), 0
    if depth not in (np.uint8, np.uint16, np.int16):
        raise InputError(f"depth {depth}: use uint8, uint16, int16, float32 or float64")
    if np.isnan(samples).any():
        raise InputError(f"{np.isnan(samples).sum()} samples are NaN and cannot become {depth}")
    white = int(np.iinfo(depth).max)
    half = 0.5 / white
    clipped = np.count_nonzero((samples < -half) | (samples > 1 + half))
    # float16 cannot tell 65535 levels apart; the product needs float32 at least.
    levels = np.clip(samples, 0, 1).astype(np.promote_types(samples.dtype, np.float32), copy=False)
    levels *= white
    return np.rint(levels, out=levels).astype(depth), int(clipped)


def widened(array: Array, bits: int) -> Array:
    """Return samples of so many bits over the whole range of their type, which may have more."""
    white = int(np.iinfo(array.dtype).max)
    if white == 2**bits - 1:
        return array
    stretched: Array = np.rint(array * (white / (2**bits - 1))).astype(array.dtype)
    return stretched


def divided(array: Array) -> Array:
    """Return pixels whose colours were multiplied by the last band, as they were before."""
    whole = array.dtype.kind != "f"
    white = np.iinfo(array.dtype).max if whole else 1
    found = np.empty_like(array)
    found[..., -1] = array[..., -1]
    for row, stored in zip(found, array, strict=True):  # row by row, for the memory it takes
        alpha = stored[:, -1:].astype(np.float64)
        factor = np.divide(white, alpha, where=alpha > 0, out=np.zeros_like(alpha))
        colours = stored[:, :-1] * factor
        row[:, :-1] = np.rint(np.clip(colours, 0, white)) if whole else colours
    return found


def rounding_of(pixels: ArrayLike | Picture, scaled: FloatArray) -> float:
    r"""Return the largest standard deviation that rounding can explain in a flat picture.

    Parameters
    ----------
    pixels : array_like or Picture
        The picture as stored; only its type is used.
    scaled : array of floats
        Its samples with white at 1.0: those that are valid, or as many as tell their size.

    Returns
    -------
    float
        :math:`q/2`, which a plane has whose samples differ by one level q. Floats are assumed to
        be exact but for their last three bits: q is eight times the spacing at their root mean
        square.
    """
    depth = _as_array(pixels, "picture").dtype
    if depth.kind != "f":
        return 0.5 / white_of(depth, "picture")
    square = float(np.mean(np.square(scaled, dtype=np.float64))) if scaled.size else 0.0
    return 4.0 * float(np.finfo(depth).eps) * math.sqrt(square)


def bands_of(array: Array) -> int:
    """Return how many bands an array of pixels has."""
    return 1 if array.ndim == 2 else array.shape[2]


def plane_of(array: Array, channel: int) -> Array:
    """Return a channel of an array of pixels, or the only one there is; a view."""
    return array if array.ndim == 2 else array[..., min(channel, array.shape[2] - 1)]


def as_alpha(
    alpha: ArrayLike | Picture, *, dtype: type = np.float64, name: str = "alpha"
) -> FloatArray:
    """Bring an alpha map to [0, 1], or say why that cannot be.

    Parameters
    ----------
    alpha : array_like or Picture
        bool becomes 0 and 1; integers are divided by their type's maximum, but for a map
        whose maximum is 1, which is a mask; floats must lie in [0, 1] already.
    dtype : type
        float32 or float64.
    name : str
        The argument's name, for messages.

    Returns
    -------
    array
        Of the shape of `alpha`; never stretched, blurred or thresholded.
    """
    if isinstance(alpha, Picture) and alpha.transparency:
        raise InputError(
            f"{name}: a picture with transparency; say which is the map: its "
            "pixels[..., -1] or its colour"
        )
    array = _as_array(alpha, name)
    if array.size == 0:
        raise InputError(f"{name}: empty (shape {array.shape})")
    if array.dtype == np.bool_:
        return array.astype(dtype)
    if array.dtype.kind in "ui":
        return _from_integers(array, dtype, name)
    if array.dtype.kind != "f":
        raise InputError(f"{name}: type {array.dtype}; use bool, integers or floats in [0, 1]")
    low, high = float(array.min()), float(array.max())
    if not (math.isfinite(low) and math.isfinite(high)):
        raise InputError(f"{name}: NaN or infinite values; replace them by numbers in [0, 1]")
    if low < 0 or high > 1:
        hint = "; divide by 255?" if high > 1 else ""
        raise InputError(f"{name}: values from {low:.4g} to {high:.4g} leave [0, 1]{hint}")
    return array.astype(dtype)


def _as_array(pixels: ArrayLike | Picture, name: str) -> Array:
    if isinstance(pixels, Picture):
        return pixels.colour
    if isinstance(pixels, str | PathLike):
        raise InputError(f"{name}: a path; read it first, with osmofuse.read({str(pixels)!r})")
    try:
        array = np.asarray(pixels)
    except ValueError as error:
        raise InputError(f"{name}: not an array of pixels ({error})") from error
    return array if array is pixels else _unmasked(pixels, name)


def _unmasked(pixels: ArrayLike, name: str) -> Array:
    """Return an array without the mask that NumPy would drop in silence, if it hides nothing."""
    if isinstance(pixels, np.ma.MaskedArray) and np.ma.is_masked(pixels):
        count = np.count_nonzero(np.ma.getmaskarray(pixels))
        raise InputError(
            f"{name}: {count} samples are masked; fill them with a value, "
            f"{name}.filled(...), or crop them away"
        )
    return np.asarray(pixels)


def _from_integers(array: Array, dtype: type, name: str) -> FloatArray:
    low, high = int(array.min()), int(array.max())
    if low < 0:
        raise InputError(f"{name}: negative values (minimum {low}); must lie in [0, 1]")
    top = int(np.iinfo(array.dtype).max)
    if high <= 1:
        return array.astype(dtype)
    if array.ndim == 0:
        raise InputError(f"{name}: {high}; a number must lie in [0, 1]")
    if array.dtype.itemsize > 2 and high < _LEAST_OF_WIDE * top:
        raise InputError(
            f"{name}: maximum {high} in an array of {array.dtype}, whose white is {top}; "
            "convert it to uint8 or uint16, or divide it into [0, 1]"
        )
    return (array / top).astype(dtype)


def _with_empty(pixels: Array, nodata: float, valid: BoolArray | None) -> Array:
    """Put the no-data value where nothing is valid, and nowhere else; changes `pixels`."""
    depth = pixels.dtype
    if depth.kind != "f" and not (
        nodata == round(nodata) and np.iinfo(depth).min <= nodata <= np.iinfo(depth).max
    ):
        raise InputError(f"depth {depth}: cannot hold the no-data value {nodata:g}; use float32")
    value = depth.type(nodata)
    bands = pixels.reshape(*pixels.shape[:2], -1)
    beside = value + 1 if depth.kind != "f" and value < 1 else value - 1
    if depth.kind == "f":
        beside = np.nextafter(value, depth.type(0.5))
    bands[(bands == value).all(axis=2)] = beside
    if valid is not None:
        bands[~valid] = value
    return pixels


def _check_shape(array: Array, name: str) -> None:
    if array.ndim not in (2, 3):
        form = "(rows, cols) or (rows, cols, channels)"
        raise InputError(f"{name}: shape {array.shape}; must be {form}")
    if array.size == 0:
        raise InputError(f"{name}: empty (shape {array.shape}); give at least one pixel")


def white_of(dtype: np.dtype[np.generic], name: str) -> int:
    """Return the value that stands for white in a type of pixels."""
    if dtype.kind == "u" and dtype.itemsize <= 2:
        return 255 if dtype.itemsize == 1 else 65535
    if dtype == np.int16:
        return 32767
    if dtype.kind == "f" and dtype.itemsize <= 8:
        return 1
    raise InputError(f"{name}: type {dtype}; convert to uint8, uint16 or float")


def fitting(valid: BoolArray, array: Array, name: str) -> BoolArray:
    """Return a mask of valid pixels that is one, and has the size of a picture.

    Raises
    ------
    InputError, MismatchError
        It is no mask, or has another size.
    """
    valid = np.asarray(valid)
    if valid.dtype != np.bool_:
        raise InputError(f"valid: type {valid.dtype}; must be bool")
    if valid.shape != array.shape[:2]:
        raise MismatchError(f"valid: shape {valid.shape}; {name} has {array.shape[:2]}")
    return valid


def _check_values(array: Array, name: str, bounded: bool) -> None:
    low, high = float(array.min(initial=0.0)), float(array.max(initial=0.0))
    if not np.isfinite([low, high]).all():
        count = array.size - np.count_nonzero(np.isfinite(array))
        noun = "sample is" if count == 1 else "samples are"
        raise InputError(f"{name}: {count} {noun} NaN or infinite; mask them or replace them")
    if low < 0 and bounded:
        raise InputError(f"{name}: negative values (minimum {low:.4g}); clip or shift them")
    if high > _BRIGHTEST and bounded and array.dtype.kind == "f":
        white = 255 if high <= 255 else 65535
        raise InputError(f"{name}: maximum {high:.6g} looks like 0..{white}: divide by {white}")
