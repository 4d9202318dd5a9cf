"""A satellite's picture under clouds, the same land on a clear day, and the land without clouds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from osmofuse.gallery.land import AUTUMN, SUMMER, prepare_valley, seen_from_above
from osmofuse.gallery.scene import Scene, checked_shape, finished, generator
from osmofuse.gallery.texture import (
    axes,
    fractal_noise,
    mix,
    side_of,
    smooth_noise,
    smoothstep,
    tint,
)
from osmofuse.typing import FloatArray

__all__ = ["cloud"]

# What a cloud's shadow takes away: skylight is left, hence less of blue.
_SHADE = (0.56, 0.52, 0.44)
_LIT, _GREY = (0.97, 0.97, 0.98), (0.74, 0.77, 0.82)


def cloud(shape: Sequence[int] = (480, 480), seed: int = 0) -> Scene:
    """Draw a valley under clouds, the same valley clear in another season, and the truth.

    Parameters
    ----------
    shape : sequence of int
        Rows and columns; land and clouds grow with the picture.
    seed : int
        Chooses land, clouds and the second date's light.

    Returns
    -------
    Scene
        The first date, in summer, with clouds and their shadows; the second date, in autumn light
        and without clouds (in colour); a map that falls to 0 under clouds and shadows; and the
        first date without them. `truth` equals `foreground` bit for bit wherever `alpha` is 1.

    Raises
    ------
    InputError
        If `shape` or `seed` cannot be used.

    Examples
    --------
    >>> scene = cloud((48, 48))
    >>> scene.foreground.shape == scene.background.shape == scene.truth.shape
    True
    """
    size, rng = checked_shape(shape), generator(seed)
    valley = prepare_valley(size, rng)
    thickness, shade = _weather(size, rng)
    opaque = _share(smoothstep(-0.08, 0.42, thickness))
    truth = finished(seen_from_above(valley, SUMMER) * _hills(size, rng)[..., None])
    return Scene(
        name="cloud",
        foreground=_clouded(truth, thickness, opaque, shade, rng),
        background=_second_date(seen_from_above(valley, AUTUMN), rng),
        alpha=finished(1.0 - smoothstep(0.0, 0.15, np.maximum(opaque, shade))),
        truth=truth,
    )


def _hills(shape: tuple[int, int], rng: np.random.Generator) -> FloatArray:
    return np.float32(1.0) + 0.05 * smooth_noise(shape, side_of(shape) / 3, rng)


def _weather(shape: tuple[int, int], rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Return the thickness of the clouds (positive inside) and the depth of their shadow."""
    side = side_of(shape)
    # The sun stands in the upper left: shadows fall down and to the right.
    shift = max(round(0.06 * side), 1), max(round(0.08 * side), 1)
    wide = (shape[0] + shift[0], shape[1] + shift[1])
    heaps = fractal_noise(wide, 0.13 * side, rng, octaves=6)
    heaps += 0.5 * smooth_noise(wide, 0.5 * side, rng)
    # A fixed share of the sky, whatever the noise: the scene is there to have clouds.
    field = heaps - np.float32(np.quantile(heaps[::4, ::4], 0.86))
    here, above = field[shift[0] :, shift[1] :], field[: shape[0], : shape[1]]
    return here, _share(0.9 * smoothstep(-0.02, 0.35, above))


def _share(cover: FloatArray) -> FloatArray:
    # A breath of cloud that the map cannot tell from clear sky is clear sky.
    return np.where(cover < 1e-3, np.float32(0.0), cover)


def _clouded(
    land: FloatArray,
    thickness: FloatArray,
    opaque: FloatArray,
    shade: FloatArray,
    rng: np.random.Generator,
) -> FloatArray:
    shape = (land.shape[0], land.shape[1])
    # Heaps are white towards the sun and grey on the far flank.
    step = max(round(side_of(shape) / 90), 1)
    flank = np.zeros(shape, dtype=np.float32)
    flank[step:, step:] = thickness[:-step, :-step] - thickness[step:, step:]
    billow = 0.35 * fractal_noise(shape, side_of(shape) / 40, rng, octaves=3)
    white = mix(_LIT, _GREY, smoothstep(-0.35, 0.95, flank + 0.12 * billow))
    return finished(mix(land * tint(shade, _SHADE), white, 0.98 * opaque))


def _second_date(land: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Light the land by a lower, warmer sun through a thin haze."""
    shape = (land.shape[0], land.shape[1])
    down, right = axes(shape)
    light = 0.90 + 0.05 * smooth_noise(shape, side_of(shape) / 2, rng) + 0.06 * (right - down)
    warm = np.asarray((1.10, 0.98, 0.86), dtype=np.float32)
    return finished(0.025 + land * light[..., None] * warm)
