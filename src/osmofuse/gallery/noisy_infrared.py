"""The faded page again, with the infrared picture of a poor camera: dark, flat and noisy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from osmofuse.errors import InputError
from osmofuse.gallery.manuscript import manuscript
from osmofuse.gallery.scene import Scene, finished, generator
from osmofuse.typing import FloatArray

__all__ = ["noisy_infrared"]

# Where black and white of the page come to lie in the camera's range.
_BLACK, _WHITE = 0.16, 0.46
_COUNTS = 4095
_CONTAINER = 65535
# Stripes of the sensor's columns, against the noise of a pixel.
_STRIPES = 0.35


def noisy_infrared(
    shape: Sequence[int] = (600, 450),
    seed: int = 0,
    *,
    noise: float = 0.06,
    twelve_bits: bool = False,
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
        Whether the camera's counts, 0 to 4095, lie in a 16-bit range as they are: the background
        is then the count over 65535, nearly black.

    Returns
    -------
    Scene
        As `manuscript` of the same seed, with another background.

    Raises
    ------
    InputError
        If an argument cannot be used.

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
    page, rng = manuscript(shape, seed), generator(seed).spawn(1)[0]
    assert isinstance(page.background, np.ndarray)
    counts = _exposed(page.background, float(noise), rng)
    white = _CONTAINER if twelve_bits else _COUNTS
    return replace(page, name="noisy_infrared", background=finished(counts / np.float32(white)))


def _exposed(clean: FloatArray, noise: float, rng: np.random.Generator) -> FloatArray:
    """Return the camera's counts, whole numbers from 0 to 4095."""
    deviation = np.float32(noise) * np.sqrt(0.3 + 0.7 * clean)
    seen = clean + deviation * rng.standard_normal(clean.shape, dtype=np.float32)
    seen += np.float32(_STRIPES * noise) * rng.standard_normal((1, clean.shape[1]), np.float32)
    level = _BLACK + (_WHITE - _BLACK) * seen
    return np.asarray(np.clip(np.rint(_COUNTS * level), 0, _COUNTS), dtype=np.float32)
