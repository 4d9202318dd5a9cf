"""The pictures that are timed: the paper's where they are, else the gallery's."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from osmofuse import gallery, read

ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("OSMOFUSE_DATA", ROOT.parent / "shared" / "data")) / "paper"
ENLARGED = 4  # times, in rows and columns


def puppets() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return an 800 × 563 colour pair in 8 bits with its map: the paper's, or a portrait."""
    return experiment(1) or eight_bits((563, 800))


def face() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a 460 × 600 colour pair in 8 bits with its map: the paper's, or a portrait."""
    return experiment(4) or eight_bits((600, 460))


def experiment(number: int) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Return the pictures and the map of one of the paper's experiments, where they are."""
    if not (DATA / f"{number}_foreground.png").exists():
        return None
    names = ("foreground", "background", "alpha")
    f, b, alpha = (read(DATA / f"{number}_{name}.png").pixels for name in names)
    return f, b, alpha


def eight_bits(shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a portrait pair of a size, in 8 bits."""
    scene = gallery.portrait(shape)
    planes = (scene.foreground, scene.background, scene.alpha)
    f, b, alpha = (np.rint(255 * p).astype(np.uint8) for p in planes)
    return f, b, alpha


def portrait_of(megapixels: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a portrait pair that has some megapixels once it is `enlarged`."""
    cols = round((megapixels * 1e6 * 4 / 3) ** 0.5)
    rows = round(megapixels * 1e6 / cols)
    return eight_bits((max(rows // ENLARGED, 64), max(cols // ENLARGED, 64)))


def enlarged(picture: np.ndarray) -> np.ndarray:
    """Return a picture with each pixel repeated in blocks: drawing it at that size takes long."""
    block = np.ones((ENLARGED, ENLARGED) + (1,) * (picture.ndim - 2), picture.dtype)
    return np.kron(picture, block)


def one_band(alpha: np.ndarray) -> np.ndarray:
    """Return the first band of a map."""
    return np.ascontiguousarray(alpha.reshape(*alpha.shape[:2], -1)[..., 0])


def three_bands(alpha: np.ndarray) -> np.ndarray:
    """Return a map with its first band three times."""
    return np.repeat(one_band(alpha)[..., np.newaxis], 3, axis=-1)
