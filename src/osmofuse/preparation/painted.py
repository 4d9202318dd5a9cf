"""Files painted in colours: masks in two of them, labels, and scribbles."""

from __future__ import annotations

import numpy as np

from osmofuse.errors import InputError
from osmofuse.typing import Array, BoolArray, FloatArray

FLAT = 12  # a painting has no more colours than this, but for blurred edges
PURE = 0.35  # the least difference between bands that makes a colour

_NAMES = {
    "red": (1, 0, 0), "green": (0, 1, 0), "blue": (0, 0, 1), "yellow": (1, 1, 0),
    "magenta": (1, 0, 1), "cyan": (0, 1, 1), "black": (0, 0, 0), "white": (1, 1, 1),
    "grey": (0.5, 0.5, 0.5),
}  # fmt: skip


def mask_of_two(pixels: Array) -> BoolArray | None:
    """Return where the lighter of just two colours is; None if there are more, or equal ones."""
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
    """Return what colours there are, in words."""
    colours, counts = _colours(levels)
    parts = dict[str, float]()
    for colour, count in zip(colours, counts, strict=True):
        name = min(_NAMES, key=lambda word: float(np.abs(colour - _NAMES[word]).sum()))
        parts[name] = parts.get(name, 0.0) + count / counts.sum()
    common = sorted(parts.items(), key=lambda item: -item[1])
    return ", ".join(f"{part:.0%} {name}" for name, part in common if part >= 0.005)


def strokes_in(levels: FloatArray, name: str) -> tuple[BoolArray, BoolArray]:
    """Return where green and where red was painted; all else says nothing.

    Raises
    ------
    InputError
        One of them is missing.
    """
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
    """Return the colours to 5 bits, and how often each is there."""
    rough = np.round(levels * 31).astype(np.uint32)
    keys, counts = np.unique(rough @ np.array([1024, 32, 1], np.uint32), return_counts=True)
    return np.stack([keys // 1024, keys // 32 % 32, keys % 32], axis=1) / 31.0, counts
