"""Maps and trimaps in files: kind of map, cleaning, and refusal of ambiguous files.

Only here is a map changed before it is used: a mask blurred by JPEG gets its black and white back,
and the transparency of a layer is used as the map. Notes list the changes; an ambiguous file is
refused with a question.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

import numpy as np

from osmofuse.errors import InputError
from osmofuse.io import read
from osmofuse.maps.trimap import Trimap
from osmofuse.picture import Picture, as_alpha
from osmofuse.pixels import scaled
from osmofuse.typing import Array, BoolArray, FloatArray

JPEG_ERROR = 0.15  # largest error attributed to JPEG near an edge
FEW = 0.2  # share of pixels between the levels above which a map is not a mask
# Bands that differ by no more are grey: in any file, and in one whose format changes pixels.
EQUAL, SAME = 8 / 255, 0.1
RARE = 1e-3  # share of pixels that may differ by more


@dataclass(frozen=True, eq=False)
class AlphaFile:
    """Alpha map or trimap read from a file.

    Attributes
    ----------
    alpha : array, (rows, cols)
        float64, in [0, 1].
    notes : tuple of str
        Changes made, and unusual properties.
    scribbled : bool
        True for scribbles in green and red.
    """

    alpha: FloatArray
    notes: tuple[str, ...] = ()
    scribbled: bool = False


def read_alpha(path: str | os.PathLike[str]) -> AlphaFile:
    """Read a map from a file: a mask, a soft map or a trimap, of any depth, colour or layer."""
    return alpha_of_picture(read(path), name=str(path))


def alpha_of_picture(picture: Picture, *, name: str, invert: bool = False) -> AlphaFile:
    """Return the map in a picture, as `read_alpha` does for a file.

    Parameters
    ----------
    picture : Picture
        Picture from `osmofuse.read`.
    name : str
        Name in messages.
    invert : bool
        The picture is white where the background enters, not where the foreground is kept.
    """
    found = mask_of_picture(picture, name=name)
    alpha = 1.0 - found.alpha if invert else found.alpha
    return AlphaFile(alpha, (*found.notes, *_remarks(alpha, inverted=invert)))


def mask_of_picture(picture: Picture, *, name: str) -> AlphaFile:
    """Return the levels of a map or mask, without remarks on what they mean for a fusion."""
    pixels, notes = one_band(picture, name)
    _check_range(pixels, name)
    alpha = as_alpha(pixels, name=name)
    if picture.lossy:
        alpha, more = _without_jpeg_errors(alpha)
        notes += more
    return AlphaFile(alpha, tuple(notes))


def one_band(picture: Picture, name: str) -> tuple[Array, list[str]]:
    """Return the band that holds the map, and notes on the choice."""
    picture, notes = _one_layer(picture, name)
    pixels = picture.pixels
    if pixels.ndim == 2:
        return pixels, notes
    if np.all(pixels == pixels[..., :1]):
        words = f"its {pixels.shape[2]} bands are the same in every pixel; taken for one"
        return pixels[..., 0], [*notes, words]
    levels = scaled(pixels, np.float64)
    apart = np.ptp(levels, axis=2)
    coloured = float(np.mean(apart > (SAME if picture.lossy else EQUAL)))
    if coloured <= RARE:
        words = f"its bands are the same up to {apart.max():.2g} of white; taken for one"
        return levels.mean(axis=2), [*notes, words]
    mask = mask_of_two(pixels)
    if mask is not None:
        return mask, [*notes, "a mask in two colours; the lighter counts as white"]
    raise InputError(_colours_message(levels, coloured, name))


def _one_layer(picture: Picture, name: str) -> tuple[Picture, list[str]]:
    """Return the layer that holds the map, the transparency or the colours, as a picture."""
    if not picture.transparency:
        return picture, []
    colours = picture.colour
    layer = picture.pixels[..., -1]
    if np.all(layer == layer.flat[0]):
        return replace(picture, pixels=colours, transparency=False), []
    grey = colours.ndim == 2 or bool(np.all(colours == colours[..., :1]))
    shown = colours[layer > 0] if layer.any() else colours.reshape(-1, *colours.shape[2:])
    if grey and not np.all(shown == shown[0]):
        raise InputError(
            f"{name}: a picture with transparency, and its colours vary too; say which is the map: "
            "save it without transparency, or make the colours white"
        )
    note = "the map is in the transparency: opaque counts as white"
    return replace(picture, pixels=layer, transparency=False), [note]


def _colours_message(levels: FloatArray, coloured: float, name: str) -> str:
    """Return the message for a file in colours."""
    found = f"a coloured picture, {coloured:.1%} of its pixels are not grey"
    fix = "Is it the right file?"
    if levels.shape[2] == 3 and is_painted(levels):
        found = f"painted in colours ({painted_words(levels)})"
        fix = "From scribbles in green and red, osmofuse matte finds one"
    return (
        f"{name}: {found}; a map is grey, white where the foreground is kept and black where the "
        f"background's structure enters. {fix}"
    )


def _check_range(pixels: Array, name: str) -> None:
    """Check that a 16-bit file does not hold 8-bit levels."""
    if pixels.dtype == np.uint16 and 1 < pixels.max() <= 255:
        raise InputError(
            f"{name}: the brightest pixel has {pixels.max()} of 65535: 8-bit levels in a 16-bit "
            "file? Save it with 8 bits, or stretch it to white"
        )


def _without_jpeg_errors(alpha: FloatArray) -> tuple[FloatArray, list[str]]:
    """Return a mask or trimap without JPEG's errors, and a note; other maps unchanged."""
    levels = [0.0, 1.0]
    between = alpha[(alpha > JPEG_ERROR) & (alpha < 1.0 - JPEG_ERROR)]
    middle = middle_level(between)
    if middle is not None and len(between) > 0.01 * alpha.size:
        levels.append(middle)
    nearest = np.asarray(levels)[np.argmin([np.abs(alpha - x) for x in levels], axis=0)]
    off = np.abs(alpha - nearest)
    if np.mean(off > JPEG_ERROR) > FEW or not off.any():
        return alpha, []
    moved = np.count_nonzero((off <= JPEG_ERROR) & (off > 0))
    kind = "mask" if len(levels) == 2 else "trimap"
    note = f"a {kind} that JPEG has blurred; {moved} pixels got their level back"
    return np.where(off <= JPEG_ERROR, nearest, alpha), [note]


def middle_level(between: FloatArray) -> float | None:
    """Return the one grey level that nearly all pixels between black and white have, if any."""
    if between.size == 0:
        return None
    middle = float(np.median(between))
    # 8-bit levels have no exact half.
    middle = 0.5 if abs(middle - 0.5) < 0.01 else middle
    return middle if np.mean(np.abs(between - middle) <= JPEG_ERROR) >= 0.8 else None


def _remarks(alpha: FloatArray, *, inverted: bool) -> list[str]:
    """Return notes on unusual properties of a map."""
    low, high = float(alpha.min()), float(alpha.max())
    nought, one = ("white", "black") if inverted else ("black", "white")
    between = alpha[(alpha > 0.0) & (alpha < 1.0)]
    if high == 0.0:
        return [f"all {nought}: the background's structure enters everywhere"]
    if low == 1.0:
        return [f"all {one}: the foreground is kept everywhere, and nothing enters"]
    if _is_trimap(alpha, between):
        return [
            f"black, white and one grey: a trimap? It is used as it is, {np.median(between):.2f} "
            "in the grey; osmofuse matte would find the map in it"
        ]
    if high < 0.9:
        return [f"alpha is at most {high:.2f}: the foreground is nowhere kept whole"]
    if np.mean((alpha <= 0.01) | (alpha >= 0.99)) < 0.01:
        values = len(np.unique(alpha))
        return [f"{values} grey values and hardly any black or white; it is used as it is"]
    return []


def _is_trimap(alpha: FloatArray, between: FloatArray) -> bool:
    """Return True for a trimap: black, white and one grey, ignoring blurred edges."""
    if between.size <= 0.01 * alpha.size or alpha.min() > 0.0 or alpha.max() < 1.0:
        return False
    middle = float(np.median(between))
    return 0.3 < middle < 0.7 and bool(np.mean(between == middle) > 0.8)


def read_trimap(path: str | os.PathLike[str]) -> AlphaFile:
    """Read a trimap from a file.

    Three greys: white where the map is 1, black where it is 0, one grey where it is to be found.
    Or scribbles: green where it is 1, red where it is 0, anything or nothing elsewhere.
    """
    return trimap_of_picture(read(path), name=str(path))


def trimap_of_picture(picture: Picture, *, name: str) -> AlphaFile:
    """Return the trimap in a picture, with values 0, 0.5 and 1; see `read_trimap`."""
    scribbles = _scribbles(picture, name)
    if scribbles is not None:
        return scribbles
    pixels, notes = one_band(picture, name)
    levels = as_alpha(pixels, name=name)
    near = JPEG_ERROR if picture.lossy else 0.01
    trimap = np.where(levels <= near, 0.0, np.where(levels >= 1.0 - near, 1.0, 0.5))
    _check_trimap(levels, trimap, name)
    moved = np.count_nonzero((trimap != 0.5) & (trimap != levels))
    if moved:
        notes.append(f"{moved} pixels were nearly black or white, and are taken for it")
    return AlphaFile(trimap, tuple(notes))


def _scribbles(picture: Picture, name: str) -> AlphaFile | None:
    """Return the trimap of a file with strokes in colour, or None if it has none."""
    colours = picture.colour
    if colours.ndim == 2 or colours.shape[2] != 3:
        return None
    levels = scaled(colours, np.float64)
    if picture.transparency:
        levels = levels * (scaled(picture.pixels[..., -1:], np.float64) > 0.5)
    if np.ptp(levels, axis=2).max() < 0.35:
        return None
    kept, entered = strokes_in(levels, name)
    trimap = Trimap(kept, entered).levels
    parts = f"{np.mean(kept):.1%} of the pixels are green and {np.mean(entered):.1%} red"
    return AlphaFile(trimap, (f"scribbles: {parts}",), scribbled=True)


def _check_trimap(levels: FloatArray, trimap: FloatArray, name: str) -> None:
    values = len(np.unique(levels))
    between = levels[trimap == 0.5]
    if between.size == 0:
        raise InputError(
            f"{name}: {values} grey values, black and white but no grey: a mask, in which nothing "
            "is to be found. Say how far from its edge the map is open (--edge PIXELS), or fuse "
            "with it as it is (--alpha FILE)"
        )
    if middle_level(between) is None:
        raise InputError(
            f"{name}: {values} grey values: did you mean a trimap? That has three, black, grey and "
            "white. A soft map is used as it is (--alpha FILE); of a mask with a blurred edge, say "
            "how far from it the map is open (--edge PIXELS)"
        )


FLAT = 12  # most colours of a painted file, apart from blurred edges
PURE = 0.35  # least difference between bands of a painted colour

_COLOUR_NAMES = {
    "red": (1, 0, 0), "green": (0, 1, 0), "blue": (0, 0, 1), "yellow": (1, 1, 0),
    "magenta": (1, 0, 1), "cyan": (0, 1, 1), "black": (0, 0, 0), "white": (1, 1, 1),
    "grey": (0.5, 0.5, 0.5),
}  # fmt: skip


def mask_of_two(pixels: Array) -> BoolArray | None:
    """Return the mask of the lighter of exactly two colours, or None."""
    flat = pixels.reshape(-1, pixels.shape[2])
    first = np.all(pixels == flat[0], axis=2)
    rest = pixels[~first]
    if rest.size == 0 or not np.all(rest == rest[0]):
        return None
    tones = float(flat[0].sum(dtype=np.float64)), float(rest[0].sum(dtype=np.float64))
    if tones[0] == tones[1]:
        return None
    return np.asarray(first if tones[0] > tones[1] else ~first)


def is_painted(levels: FloatArray) -> bool:
    """Return True if nearly all pixels have one of few colours, not all of them grey."""
    colours, counts = _colours(levels)
    chosen = np.argsort(-counts, kind="stable")[:FLAT]
    flat = counts[chosen].sum() >= 0.9 * counts.sum()
    return bool(flat and np.any(np.ptp(colours[chosen], axis=1) >= PURE))


def painted_words(levels: FloatArray) -> str:
    """Return the colours and their shares in words."""
    colours, counts = _colours(levels)
    parts = dict[str, float]()
    for colour, count in zip(colours, counts, strict=True):
        name = min(
            _COLOUR_NAMES, key=lambda word: float(np.abs(colour - _COLOUR_NAMES[word]).sum())
        )
        parts[name] = parts.get(name, 0.0) + count / counts.sum()
    common = sorted(parts.items(), key=lambda item: -item[1])
    return ", ".join(f"{part:.0%} {name}" for name, part in common if part >= 0.005)


def strokes_in(levels: FloatArray, name: str) -> tuple[BoolArray, BoolArray]:
    """Return the masks of green and of red pixels; both must have some."""
    red, green, blue = np.moveaxis(levels, 2, 0)
    kept = green - np.maximum(red, blue) >= PURE
    entered = red - np.maximum(green, blue) >= PURE
    for colour, found in (("green", kept), ("red", entered)):
        if not found.any():
            raise InputError(
                f"{name}: painted in colours ({painted_words(levels)}), but nothing in {colour}; "
                "paint green where the map is 1 and red where it is 0"
            )
    return kept, entered


def _colours(levels: FloatArray) -> tuple[FloatArray, Array]:
    """Return the colours, rounded to 5 bits, and their counts."""
    rough = np.round(levels * 31).astype(np.uint32)
    keys, counts = np.unique(rough @ np.array([1024, 32, 1], np.uint32), return_counts=True)
    return np.stack([keys // 1024, keys // 32 % 32, keys % 32], axis=1) / 31.0, counts
