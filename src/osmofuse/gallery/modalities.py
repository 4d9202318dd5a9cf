"""Page in two inks, both partly lost: infrared shows one of them, ultraviolet the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from osmofuse.gallery.nuisance import Nuisances, stroke_width, worn
from osmofuse.gallery.page import (
    Layers,
    infrared,
    layout,
    painted,
    parchment,
    pitch_of,
    stained,
    surface,
    written,
)
from osmofuse.gallery.scene import Scene, axes, checked_shape, finished, generator, ink_map, side_of
from osmofuse.gallery.texture import fractal_noise, mix, smoothstep
from osmofuse.typing import FloatArray

_GALL = (0.34, 0.20, 0.09)  # iron-gall ink
# Coverage left of either ink where it is lost.
_LOST_INK = 0.06


def modalities(
    shape: Sequence[int] = (600, 450), seed: int = 0, *, nuisance: Nuisances = ()
) -> Scene:
    """Draw a page in visible, infrared and ultraviolet light, and the page as it was written.

    Parameters
    ----------
    shape : sequence of int
        Rows and columns; the writing grows with the page.
    seed : int
        Chooses text, stains, losses and every unevenness.
    nuisance : str, tuple of str and float, or sequence of them
        Nuisances of real pictures, see `osmofuse.gallery.nuisance`.

    Returns
    -------
    Scene
        The visible page; a tuple of the infrared and the ultraviolet page (one band each); a tuple
        of three maps that sum to 1; and the page with both inks. The upper lines are in carbon
        ink, of which water took a part that infrared still shows. The lower ones are in iron-gall
        ink, partly scraped off, which ultraviolet shows and infrared does not. `truth` equals
        `foreground` bit for bit wherever the first map is 1.

    Examples
    --------
    >>> scene = modalities((60, 45))
    >>> len(scene.background), len(scene.alpha)
    (2, 3)
    """
    size, rng = checked_shape(shape), generator(seed)
    stroke = stroke_width(nuisance)
    layers = written(size, rng, stroke)
    below = _below(size, stroke)
    second = np.round(below)
    carbon, gall = layers.ink * (1.0 - second), layers.ink * second
    skin, grain = surface(size, rng)
    clean = parchment(size, skin, grain)
    bare = stained(clean, rng)
    washed, scraped = _losses(size, below, rng)
    left = [ink * (1.0 - np.float32(1.0 - _LOST_INK) * gone) for ink, gone in
            ((carbon, washed), (gall, scraped))]  # fmt: skip
    relief = 0.35 * skin + grain
    # Stains absorb ultraviolet: what they took from the blue, they take there.
    stain = 1.0 - bare[..., 2] / clean[..., 2]
    scene = Scene(
        name="modalities",
        foreground=_visible(bare, layers, left[0], left[1]),
        background=(
            infrared(replace(layers, ink=carbon), relief, rng),
            _ultraviolet(layers, left[0], gall, relief - 25.0 * stain, rng),
        ),
        alpha=tuple(finished(part) for part in (1.0 - washed - scraped, washed, scraped)),
        truth=_visible(bare, layers, carbon, gall),
        ink=ink_map(layers.ink),
        contrast_left=_LOST_INK,
    )
    return worn(scene, seed, nuisance, drawn=("wide", "fine"))


def _below(shape: tuple[int, int], stroke: float | None) -> FloatArray:
    """Return a map from 0 on the lines of the first scribe to 1 on those of the second."""
    pitch = pitch_of(shape, stroke)
    lines, _ = layout(shape, pitch)
    # The step lies between two lines, so that no letter has two inks.
    row = lines[len(lines) // 2] + 0.27 * pitch
    down = np.arange(shape[0], dtype=np.float32)[:, None] + np.float32(0.5)
    return np.repeat(smoothstep(-0.25 * pitch, 0.25 * pitch, down - row), shape[1], axis=1)


def _losses(
    shape: tuple[int, int], below: FloatArray, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return maps of the washed-out carbon ink and of the scraped-off gall ink."""
    _, right = axes(shape)
    noise = fractal_noise(shape, 0.25 * side_of(shape), rng, octaves=3)
    # The initial and its pen work stand on the left of the upper half and are spared.
    washed = smoothstep(0.46, 0.60, right + 0.05 * noise) * (1.0 - below)
    scraped = smoothstep(0.30, 0.46, right - 0.06 * noise) * below
    return washed, scraped


def _visible(bare: FloatArray, layers: Layers, carbon: FloatArray, gall: FloatArray) -> FloatArray:
    return finished(mix(painted(bare, layers, carbon), _GALL, 0.9 * gall))


def _ultraviolet(
    layers: Layers, carbon: FloatArray, gall: FloatArray, skin: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Draw one band: parchment glows, stains and every ink that is left are dark."""
    page = 0.72 + 0.016 * skin
    page *= 1.0 - 0.55 * layers.red - 0.35 * layers.blue - 0.5 * layers.gold
    page += (0.12 - page) * np.maximum(0.95 * gall, carbon)
    return finished(page + 0.010 * rng.standard_normal(page.shape, dtype=np.float32))
