"""Letter whose words are crossed out in another ink, and an infrared picture that sees below it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from osmofuse.gallery.nuisance import Nuisances, stroke_width, worn
from osmofuse.gallery.page import (
    Layers,
    infrared,
    layout,
    painted,
    parchment,
    pitch_of,
    spared,
    surface,
    written,
)
from osmofuse.gallery.scene import Scene, checked_shape, finished, generator, ink_map
from osmofuse.gallery.script import Pen, paste, stamp
from osmofuse.gallery.texture import mix
from osmofuse.typing import FloatArray

# Ink of the deletions: dark blue, and nearly transparent to infrared.
_OVER = (0.13, 0.14, 0.30)
_OPAQUE, _SEEN_IN_INFRARED = 0.9, 0.05
# Share of the words that are crossed out, and of the height of a line the deletions take.
_DELETED, _HEIGHT = 0.45, 0.46


def overwritten(
    shape: Sequence[int] = (600, 450), seed: int = 0, *, nuisance: Nuisances = ()
) -> Scene:
    """Draw a letter with words crossed out in another ink, and the letter before.

    Parameters
    ----------
    shape : sequence of int
        Rows and columns; the writing grows with the page.
    seed : int
        Chooses text, deletions and every unevenness.
    nuisance : str, tuple or sequence of them
        Nuisances of real pictures, see :mod:`osmofuse.gallery.nuisance`.

    Returns
    -------
    Scene
        The visible page with scribbles over a part of its words; the infrared page (one band), in
        which only the carbon ink below shows; a map that is 0 under the scribbles; and the page
        without them. `truth` equals `foreground` bit for bit wherever `alpha` is 1. The wanted
        writing is not missing from the foreground but covered.

    Raises
    ------
    InputError
        An argument cannot be used.

    Examples
    --------
    >>> scene = overwritten((60, 45))
    >>> scene.foreground.shape, scene.background.shape
    ((60, 45, 3), (60, 45))
    """
    size, rng = checked_shape(shape), generator(seed)
    stroke = stroke_width(nuisance)
    layers = written(size, rng, stroke)
    skin, grain = surface(size, rng)
    bare = parchment(size, skin, grain)
    over = _deletions(size, rng, stroke)
    truth = painted(bare, layers, layers.ink)
    scene = Scene(
        name="overwritten",
        foreground=finished(mix(truth, _OVER, _OPAQUE * over)),
        background=_below(layers, over, 0.35 * skin + grain, rng),
        alpha=spared(over),
        truth=truth,
        ink=ink_map(layers.ink),
    )
    return worn(scene, seed, nuisance, drawn=("wide", "fine"))


def _deletions(
    shape: tuple[int, int], rng: np.random.Generator, stroke: float | None
) -> FloatArray:
    """Return the coverage of zigzags over lengths of the lines."""
    canvas = np.zeros(shape, dtype=np.float32)
    pitch = pitch_of(shape, stroke)
    height = _HEIGHT * pitch
    pen = Pen(width=0.08, thickness=0.06)
    lines, columns = layout(shape, pitch)
    for left, right in columns:
        for base in lines:
            col = left + min(rng.uniform(0, 3) * pitch, 0.3 * (right - left))
            while col < right:
                length = min(rng.uniform(1.5, 4.0) * pitch, right - col)
                if rng.random() < _DELETED:
                    paste(canvas, stamp([_zigzag(length / height, rng)], height, pen), base, col)
                col += length
    return canvas


def _zigzag(length: float, rng: np.random.Generator) -> list[tuple[float, float]]:
    """Return a stroke to and fro across a line, in heights of it."""
    count = max(2 * round(length / 0.22), 4)
    right = np.linspace(0.0, length, count) + 0.03 * rng.standard_normal(count)
    up = np.where(np.arange(count) % 2, 0.85, 0.0) + 0.08 * rng.standard_normal(count)
    return [(float(x), float(y)) for x, y in zip(right, up, strict=True)]


def _below(
    layers: Layers, over: FloatArray, skin: FloatArray, rng: np.random.Generator
) -> FloatArray:
    return finished(infrared(layers, skin, rng) * (1.0 - _SEEN_IN_INFRARED * over))
