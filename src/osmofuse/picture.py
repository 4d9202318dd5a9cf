"""Pictures: pixels in their stored depth with profile and metadata; checks of pixel arguments."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from os import PathLike

import numpy as np
from numpy.typing import DTypeLike

from osmofuse.errors import InputError, MismatchError, OsmofuseError
from osmofuse.pixels import (
    StoredMap,
    check_shape,
    check_values,
    checked_mask,
    nearest_valid,
    quantise,
    scaled,
    summary,
    unmasked,
    white_of,
    with_nodata,
)
from osmofuse.typing import Array, ArrayLike, BoolArray, FloatArray

# A map of 32-bit integers whose maximum is below this share of its range is refused: 0..255 and
# 0..65535 lie at 1e-7 and 3e-5 of it, so anything in 1e-4..0.1 works.
_LEAST_OF_WIDE = 1e-3


@dataclass(frozen=True)
class Metadata:
    """Metadata of a picture, independent of the file format.

    Parameters
    ----------
    exif : bytes, optional
        A TIFF structure without the "Exif" prefix of JPEG; upright, without thumbnail,
        pixel dimensions and resolution (see the pixels and `resolution`).
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

    ``numpy.asarray(picture)`` returns its `samples`; notebooks display it.

    Parameters
    ----------
    pixels : array, (rows, cols) or (rows, cols, bands)
        Stored depth and values: uint8, uint16, float32, float64, ...
    profile : bytes, optional
        The ICC profile.
    metadata : Metadata, optional
        Further metadata of the file.
    transparency : bool
        The last band is transparency: carried, never fused. Where it is 0 there is no data, see
        `valid`.
    nodata : float, optional
        No-data value: marks pixels where nothing was recorded, see `valid`.
    lossy : bool
        True if read from a lossy format such as JPEG.
    """

    pixels: Array = field(repr=False)
    profile: bytes | None = field(default=None, repr=False)
    metadata: Metadata = field(default_factory=Metadata, repr=False)
    transparency: bool = False
    nodata: float | None = None
    lossy: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "pixels", unmasked(self.pixels, "picture"))
        check_shape(self.pixels, "picture")
        if self.transparency and (self.pixels.ndim == 2 or self.pixels.shape[2] == 1):
            raise InputError("picture: transparency needs a band in addition to the colours")

    def __repr__(self) -> str:
        more = [
            "transparency" if self.transparency else "",
            "" if self.nodata is None else f"nodata {self.nodata:g}",
            "profile" if self.profile else "",
        ]
        return f"Picture({', '.join([summary(self.colour), *filter(None, more)])})"

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        if copy is False:
            raise ValueError("samples of a picture are computed: not available without a copy")
        found: Array = self.samples()
        return found if dtype is None else found.astype(dtype, copy=False)

    def _repr_png_(self) -> bytes | None:
        """Return a PNG for notebooks; None if the picture cannot be displayed."""
        with suppress(OsmofuseError):
            return _screen[0](self) if _screen else None
        return None

    @property
    def shape(self) -> tuple[int, int]:
        """Size (rows, cols)."""
        return self.pixels.shape[0], self.pixels.shape[1]

    @property
    def depth(self) -> np.dtype[np.generic]:
        """Type of the stored pixels."""
        return self.pixels.dtype

    @property
    def colour(self) -> Array:
        """Pixels without the transparency band (a view); (rows, cols) if one band is left."""
        if not self.transparency:
            return self.pixels
        return self.pixels[..., 0] if self.pixels.shape[2] == 2 else self.pixels[..., :-1]

    def samples(self, *, dtype: DTypeLike | None = None) -> FloatArray:
        """Return the colours as floats on the scale where 1.0 is white.

        A new array, without the transparency; `with_samples` is the inverse.

        Parameters
        ----------
        dtype : dtype, optional
            float32 or float64; by default float64 for float64 and float32 for all else.
        """
        return samples(self, "picture", dtype=dtype)

    @property
    def valid(self) -> BoolArray | None:
        """Mask of the pixels with data, (rows, cols); None if all have data.

        A pixel is invalid if all its bands hold `nodata` (if that is NaN, one band is enough), or
        if it is fully transparent, unless all pixels are: then transparency is ignored.
        """
        known = self._recorded
        if self.transparency and (seen := np.asarray(self.pixels[..., -1] > 0)).any():
            known = seen if known is None else known & seen
        return None if known is None or known.all() else known

    @property
    def _recorded(self) -> BoolArray | None:
        """Mask of the pixels that do not hold the no-data value; None if there is no such value."""
        if self.nodata is None:
            return None
        bands = self.colour.reshape(*self.shape, -1)
        if math.isnan(self.nodata):
            return np.asarray(~np.isnan(bands).any(axis=2))
        return np.asarray((bands != self.nodata).any(axis=2))

    def filled(self) -> Picture:
        """Return a picture whose invalid pixels hold the colours of the nearest valid one.

        So the no-data value cannot spread to neighbours in computations. To keep invalid pixels
        invalid, call `with_samples` of the original picture, not of the filled one.
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
        """Return this picture with new colours; profile, metadata and transparency are kept.

        Invalid pixels stay invalid, whatever their samples; a valid pixel that would hold the
        no-data value is moved one level off it.

        Parameters
        ----------
        samples : array, the shape of `colour`
            Values on the scale where 1.0 is white.
        depth : dtype, optional
            Depth of the new picture; this picture's if not given.

        Returns
        -------
        tuple of Picture and int
            The new picture; number of clipped samples, see `osmofuse.pixels.quantise`.

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
            pixels = with_nodata(pixels, self.nodata, valid)
        if self.transparency:
            band = self._transparency(pixels.dtype)
            pixels = np.concatenate([pixels.reshape(*self.shape, -1), band], axis=2)
        return replace(self, pixels=pixels), clipped

    def with_pixels(self, pixels: Array, valid: BoolArray) -> Picture:
        """Return this picture with other pixels: of any size, but the same depth and bands.

        Parameters
        ----------
        pixels : array, (rows, cols) or (rows, cols, bands)
            With transparency if this picture has it; never changed.
        valid : array of bool, (rows, cols)
            Where False, the new picture holds the no-data value: this picture's, else 0, or NaN
            in floats. Valid pixels never hold it.
        """
        nodata = self.nodata
        if nodata is None:
            if valid.all():
                return replace(self, pixels=pixels)
            nodata = math.nan if pixels.dtype.kind == "f" else 0.0
        new = replace(self, pixels=pixels.copy(), nodata=nodata)
        if self.transparency:
            bands = with_nodata(new.colour.copy(), nodata, valid).reshape(*new.shape, -1)
            new.pixels[..., :-1] = bands
            new.pixels[~valid, -1] = 0
        else:
            with_nodata(new.pixels, nodata, valid)
        return new

    def _transparency(self, depth: np.dtype[np.generic]) -> Array:
        band = self.pixels[..., -1:]
        if depth == self.depth:
            return band
        return quantise(samples(band, "transparency", dtype=np.float64), depth)[0]


_screen = list[Callable[[Picture], bytes]]()


def shown_by(draw: Callable[[Picture], bytes]) -> Callable[[Picture], bytes]:
    """Register the function that draws pictures in notebooks; it is in `io`, a room above."""
    _screen[:] = [draw]
    return draw


def checked(
    pixels: ArrayLike | Picture,
    name: str,
    *,
    valid: BoolArray | None = None,
    bounded: bool = True,
) -> Array:
    """Return pixels as an array in their stored type, checked: a view, not a copy.

    Parameters
    ----------
    pixels : array_like or Picture, (rows, cols) or (rows, cols, channels)
        Of a Picture, its `colour`.
    name : str
        Name of the argument, for messages.
    valid : array of bool, (rows, cols), optional
        Where False, samples are not checked.
    bounded : bool
        Floats must lie between 0 and 16; results of a fusion need not.
    """
    array = as_array(pixels, name)
    check_shape(array, name)
    if array.dtype == np.int16 and not isinstance(pixels, Picture):
        # In files int16 are grey levels; in a plain array they may be signed differences.
        raise InputError(f"{name}: type int16; convert to uint8, uint16 or float")
    shown = array if valid is None else array[checked_mask(valid, array, name)]
    if white_of(array.dtype, name) == 1 or array.dtype.kind == "i":
        check_values(shown, name, bounded)
    return array


def samples(
    pixels: ArrayLike | Picture,
    name: str,
    *,
    dtype: DTypeLike | None = None,
    bounded: bool = True,
) -> FloatArray:
    """Return checked pixels on the scale where 1.0 is white, in a new C-contiguous array.

    uint8 is divided by 255, uint16 by 65535, int16 (of a Picture only) by 32767; floats are
    not scaled. The type is float64 for float64, by default float32 for all else; other parameters
    are those of `checked`.
    """
    array = checked(pixels, name, bounded=bounded)
    return scaled(array, dtype or (np.float64 if array.dtype == np.float64 else np.float32))


def rounding_of(pixels: ArrayLike | Picture, scaled: FloatArray) -> float:
    r"""Return the largest standard deviation that rounding can cause in a constant picture.

    It is :math:`q/2`, that of two values one level q apart. Floats are assumed exact except for
    their last three bits: q is eight times the spacing at their root mean square, which is taken of
    `scaled`, valid samples with white at 1.0.
    """
    depth = as_array(pixels, "picture").dtype
    if depth.kind != "f":
        return 0.5 / white_of(depth, "picture")
    square = float(np.mean(np.square(scaled, dtype=np.float64))) if scaled.size else 0.0
    return 4.0 * float(np.finfo(depth).eps) * math.sqrt(square)


def as_alpha(
    alpha: ArrayLike | Picture, *, dtype: type = np.float64, name: str = "alpha"
) -> FloatArray:
    """Return an alpha map in [0, 1], checked.

    Parameters
    ----------
    alpha : array_like or Picture
        bool becomes 0 and 1; integers are divided by their type's maximum, except a map
        whose maximum is 1, which is a mask; floats must lie in [0, 1] already.
    dtype : type
        float32 or float64.
    name : str
        Name of the argument, for messages.

    Returns
    -------
    array
        Same shape as `alpha`; never stretched, blurred or thresholded.
    """
    return stored_alpha(alpha, name=name).floats(dtype)


def stored_alpha(alpha: ArrayLike | Picture, *, name: str = "alpha") -> StoredMap:
    """Return an alpha map as it is stored, checked: a view, not a copy; as for `as_alpha`."""
    if isinstance(alpha, Picture) and alpha.transparency:
        raise InputError(
            f"{name}: a picture with transparency; say which is the map: its "
            "pixels[..., -1] or its colour"
        )
    array = as_array(alpha, name)
    if array.size == 0:
        raise InputError(f"{name}: empty (shape {array.shape})")
    if array.dtype == np.bool_:
        return StoredMap(array)
    if array.dtype.kind in "ui":
        return StoredMap(array, _white_of_map(array, name))
    if array.dtype.kind != "f":
        raise InputError(f"{name}: type {array.dtype}; use bool, integers or floats in [0, 1]")
    low, high = float(array.min()), float(array.max())
    if not (math.isfinite(low) and math.isfinite(high)):
        raise InputError(f"{name}: NaN or infinite values; replace them by numbers in [0, 1]")
    if low < 0 or high > 1:
        hint = "; divide by 255?" if high > 1 else ""
        raise InputError(f"{name}: values from {low:.4g} to {high:.4g} leave [0, 1]{hint}")
    return StoredMap(array)


def as_array(pixels: ArrayLike | Picture, name: str) -> Array:
    """Return pixels as an array of any type and shape; of a Picture, its `colour`."""
    if isinstance(pixels, Picture):
        return pixels.colour
    if isinstance(pixels, str | PathLike):
        raise InputError(f"{name}: a path; read it first, with osmofuse.read({str(pixels)!r})")
    try:
        array = np.asarray(pixels)
    except ValueError as error:
        raise InputError(f"{name}: not an array of pixels ({error})") from error
    return array if array is pixels else unmasked(pixels, name)


def _white_of_map(array: Array, name: str) -> int:
    """Return the value of a map of integers that stands for 1."""
    low, high = 0 if array.dtype.kind == "u" else int(array.min()), int(array.max())
    if low < 0:
        raise InputError(f"{name}: negative values (minimum {low}); must lie in [0, 1]")
    top = int(np.iinfo(array.dtype).max)
    if high <= 1:
        return 1
    if array.ndim == 0:
        raise InputError(f"{name}: {high}; a number must lie in [0, 1]")
    if array.dtype.itemsize > 2 and high < _LEAST_OF_WIDE * top:
        raise InputError(
            f"{name}: maximum {high} in an array of {array.dtype}, whose white is {top}; "
            "convert it to uint8 or uint16, or divide it into [0, 1]"
        )
    return top
