"""Parchment page with faded ink, its infrared picture (clean or noisy), and the page as it was."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from osmofuse.errors import InputError
from osmofuse.gallery.nuisance import Nuisances, stroke_width, worn
from osmofuse.gallery.page import infrared, painted, parchment, stained, surface, written
from osmofuse.gallery.scene import Scene, axes, checked_shape, finished, generator, ink_map, side_of
from osmofuse.gallery.texture import fractal_noise, smoothstep
from osmofuse.typing import FloatArray

# Coverage left of the faded ink: just visible as a line of writing.
_FADED_INK = 0.08


def manuscript(
    shape: Sequence[int] = (600, 450), seed: int = 0, *, nuisance: Nuisances = ()
) -> Scene:
    """Draw a manuscript page with faded ink, its infrared picture and the legible page.

    Parameters
    ----------
    shape : sequence of int
        Rows and columns; the writing grows with the page.
    seed : int
        Chooses text, stains, fading and every unevenness.
    nuisance : str, tuple of str and float, or sequence of them
        Nuisances of real pictures, see `osmofuse.gallery.nuisance`.

    Returns
    -------
    Scene
        The visible page, the infrared page (one band), the map of the fading and the page with
        unfaded ink. `truth` equals `foreground` bit for bit wherever `alpha` is 1.

    Examples
    --------
    >>> scene = manuscript((60, 45))
    >>> scene.foreground.shape, scene.background.shape
    ((60, 45, 3), (60, 45))
    """
    size, rng = checked_shape(shape), generator(seed)
    stroke = stroke_width(nuisance)
    layers = written(size, rng, stroke)
    skin, grain = surface(size, rng)
    bare = stained(parchment(size, skin, grain), rng)
    faded = _faded(size, rng)
    left = layers.ink * (1.0 - np.float32(1.0 - _FADED_INK) * faded)
    scene = Scene(
        name="manuscript",
        foreground=painted(bare, layers, left),
        background=infrared(layers, 0.35 * skin + grain, rng),
        alpha=finished(1.0 - faded),
        truth=painted(bare, layers, layers.ink),
        ink=ink_map(layers.ink),
        contrast_left=_FADED_INK,
    )
    return worn(scene, seed, nuisance, drawn=("wide", "fine"))


def _faded(shape: tuple[int, int], rng: np.random.Generator) -> FloatArray:
    """Return the degree of fading, 0 to 1; exactly 0 around the decoration, top left."""
    down, right = axes(shape)
    slant = 0.75 * down + 0.5 * right + rng.uniform(-0.05, 0.05)
    slant = slant - 0.5 * smoothstep(0.86, 1.0, down) - 0.35 * smoothstep(0.3, 0.0, right)
    noise = fractal_noise(shape, 0.3 * side_of(shape), rng, octaves=2)
    return smoothstep(0.56, 0.74, slant + 0.05 * noise)


# Black and white of the page in the camera's range.
_DARKEST, _LIGHTEST = 0.16, 0.46
_COUNTS = 4095  # highest count of a 12-bit camera
_CONTAINER = 65535  # white of a 16-bit file
# Amplitude of the sensor's column stripes, relative to the noise of a pixel.
_STRIPES = 0.35


def noisy_infrared(
    shape: Sequence[int] = (600, 450),
    seed: int = 0,
    *,
    noise: float = 0.06,
    twelve_bits: bool = False,
    nuisance: Nuisances = (),
) -> Scene:
    """Draw the manuscript with a dark, flat and noisy infrared picture.

    Parameters
    ----------
    shape : sequence of int
        Rows and columns.
    seed : int
        Chooses the page, as for `manuscript`, and the noise.
    noise : float
        Standard deviation of the noise at the page's white, 1 for the difference between its
        black and its white: 0.02 is a good camera, 0.06 a poor one, 0.2 hardly legible.
    twelve_bits : bool
        True stores the camera's counts, 0 to 4095, unscaled in a 16-bit range: the background is
        then the count over 65535, nearly black.
    nuisance : str, tuple of str and float, or sequence of them
        Further nuisances, as for `manuscript`.

    Returns
    -------
    Scene
        As `manuscript` of the same seed, with another background.

    Notes
    -----
    With s the clean picture, the camera sees b = 0.16 + 0.3 s and its noise has the variance
    (0.3 noise)² (0.3 + 0.7 s), read noise and shot noise; a weaker one is shared by each column.

    Examples
    --------
    >>> scene = noisy_infrared((60, 45), twelve_bits=True)
    >>> bool(scene.background.max() < 4096 / 65535)
    True
    """
    if isinstance(noise, bool) or not isinstance(noise, int | float) or not 0 <= noise < math.inf:
        raise InputError(f"noise must be a number of 0 or more, not {noise!r}; give noise=0.06")
    # Another stream than the page's own, which starts from the seed itself.
    stroke, rng = stroke_width(nuisance), generator(seed).spawn(1)[0]
    page = manuscript(shape, seed, nuisance=() if stroke is None else ("wide", stroke))
    assert isinstance(page.background, np.ndarray)
    counts = _exposed(page.background, float(noise), rng)
    white = _CONTAINER if twelve_bits else _COUNTS
    scene = replace(page, name="noisy_infrared", background=finished(counts / np.float32(white)))
    return worn(scene, seed, nuisance, drawn=("wide", "fine"))


def _exposed(clean: FloatArray, noise: float, rng: np.random.Generator) -> FloatArray:
    """Return the camera's counts, whole numbers from 0 to 4095."""
    deviation = np.float32(noise) * np.sqrt(0.3 + 0.7 * clean)
    seen = clean + deviation * rng.standard_normal(clean.shape, dtype=np.float32)
    seen += np.float32(_STRIPES * noise) * rng.standard_normal((1, clean.shape[1]), np.float32)
    level = _DARKEST + (_LIGHTEST - _DARKEST) * seen
    return np.asarray(np.clip(np.rint(_COUNTS * level), 0, _COUNTS), dtype=np.float32)
