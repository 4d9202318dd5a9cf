"""A parchment page whose ink has faded, with its infrared picture and the page as it was."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from osmofuse.gallery.page import infrared, painted, written
from osmofuse.gallery.parchment import fibres, parchment, stained
from osmofuse.gallery.scene import Scene, checked_shape, finished, generator
from osmofuse.gallery.texture import axes, fractal_noise, side_of, smoothstep
from osmofuse.typing import FloatArray

__all__ = ["manuscript"]

# What is left of the faded ink: just enough for the eye to suspect a line of writing.
_REMNANT = 0.08


def manuscript(shape: Sequence[int] = (600, 450), seed: int = 0) -> Scene:
    """Draw a manuscript page with faded ink, its infrared picture and the legible page.

    Parameters
    ----------
    shape : sequence of int
        Rows and columns; the writing grows with the page.
    seed : int
        Chooses text, stains, fading and every unevenness.

    Returns
    -------
    Scene
        The visible page, the infrared page (one band), the map of the fading and the page with
        unfaded ink. `truth` equals `foreground` bit for bit wherever `alpha` is 1.

    Raises
    ------
    InputError
        If `shape` or `seed` cannot be used.

    Examples
    --------
    >>> scene = manuscript((60, 45))
    >>> scene.foreground.shape, scene.background.shape
    ((60, 45, 3), (60, 45))
    """
    size, rng = checked_shape(shape), generator(seed)
    layers = written(size, rng)
    skin = fractal_noise(size, 0.3 * side_of(size), rng, octaves=6)
    grain = fibres(size, rng)
    bare = stained(parchment(size, skin, grain), rng)
    faded = _faded(size, rng)
    left = layers.ink * (1.0 - np.float32(1.0 - _REMNANT) * faded)
    return Scene(
        name="manuscript",
        foreground=painted(bare, layers, left),
        background=infrared(layers, 0.35 * skin + grain, rng),
        alpha=finished(1.0 - faded),
        truth=painted(bare, layers, layers.ink),
    )


def _faded(shape: tuple[int, int], rng: np.random.Generator) -> FloatArray:
    """Return how far the ink has gone, 0 to 1; exactly 0 around the decoration, top left."""
    down, right = axes(shape)
    slant = 0.75 * down + 0.5 * right + rng.uniform(-0.05, 0.05)
    slant = slant - 0.5 * smoothstep(0.86, 1.0, down) - 0.35 * smoothstep(0.3, 0.0, right)
    noise = fractal_noise(shape, 0.3 * side_of(shape), rng, octaves=2)
    return smoothstep(0.56, 0.74, slant + 0.05 * noise)
