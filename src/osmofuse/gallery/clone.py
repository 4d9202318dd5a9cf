"""Beach in the evening, a starfish on a cloudy day, and the starfish on the beach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from osmofuse.gallery.scene import Colour, Scene, axes, checked_shape, finished, generator
from osmofuse.gallery.texture import bump, fractal_noise, mix, smooth_noise, smoothstep, tint
from osmofuse.typing import FloatArray

_SAND = (0.74, 0.66, 0.54)  # dry sand in white light
_SKINS: tuple[Colour, ...] = ((0.78, 0.33, 0.16), (0.62, 0.24, 0.34), (0.83, 0.55, 0.20))
_PEBBLES: tuple[Colour, ...] = ((0.45, 0.43, 0.41), (0.62, 0.52, 0.44), (0.36, 0.34, 0.36))
# A low sun, and an overcast sky that is darker and bluer.
_EVENING, _CLOUDY = (1.08, 0.92, 0.72), (0.62, 0.72, 0.84)
_ARMS, _ARM_LENGTH = 5, 0.48  # of the starfish; length in half sides
# Half sides from the middle: where the patch is cut, and where pebbles may lie.
_PATCH, _CLEAR = (0.66, 0.74), 0.85


@dataclass(frozen=True, eq=False)
class _Beach:
    """Coordinates in half sides of the picture, 0 = its middle, and the size of a pixel."""

    shape: tuple[int, int]
    down: FloatArray
    right: FloatArray
    pixel: float


def clone(shape: Sequence[int] = (400, 440), seed: int = 0) -> Scene:
    """Draw a beach, a starfish on other sand in other light, and the starfish on the beach.

    Parameters
    ----------
    shape : sequence of int
        Rows and columns; the starfish fills half of the smaller.
    seed : int
        Chooses starfish, sand, pebbles and the fall of the light.

    Returns
    -------
    Scene
        The beach in the evening; the starfish on its sand under a cloudy sky (in colour); a map
        that is 0 in a patch cut roughly around the starfish, and 1 outside; and that patch on the
        beach, in the light of the evening. `truth` equals `foreground` bit for bit wherever
        `alpha` is 1.

    Examples
    --------
    >>> scene = clone((40, 44))
    >>> scene.background.shape, float(scene.alpha[0, 0]), float(scene.alpha[20, 22])
    ((40, 44, 3), 1.0, 0.0)
    """
    size, rng = checked_shape(shape), generator(seed)
    beach = _beach(size)
    empty = _pebbled(_sand(beach, rng), beach, rng)
    found = _with_starfish(_sand(beach, rng), beach, rng)
    evening, cloudy = (_light(beach, colour, rng) for colour in (_EVENING, _CLOUDY))
    alpha, foreground = _cut(beach, rng), finished(empty * evening)
    return Scene(
        name="clone",
        foreground=foreground,
        background=finished(found * cloudy),
        alpha=alpha,
        truth=finished(mix(foreground, found * evening, 1.0 - alpha)),
    )


def _beach(shape: tuple[int, int]) -> _Beach:
    half = 0.5 * min(shape)
    down, right = (
        (part - 0.5) * np.float32(size / half)
        for part, size in zip(axes(shape), shape, strict=True)
    )
    return _Beach(shape, down, right, 1.0 / half)


def _sand(beach: _Beach, rng: np.random.Generator) -> FloatArray:
    """Return the reflectance of sand with ripples, lit a little from the upper left."""
    coarse = fractal_noise(beach.shape, max(0.5 / beach.pixel, 2.0), rng, octaves=3)
    waver = smooth_noise(beach.shape, max(0.5 / beach.pixel, 2.0), rng)
    ripples = np.sin(np.float32(24.0) * (beach.down + 0.25 * beach.right) + 1.6 * waver)
    grains = smooth_noise(beach.shape, 1.0, rng)
    light = 1.0 + 0.03 * coarse + 0.05 * ripples + 0.035 * grains
    return np.asarray(np.asarray(_SAND, np.float32) * light[..., None], dtype=np.float32)


def _pebbled(sand: FloatArray, beach: _Beach, rng: np.random.Generator) -> FloatArray:
    """Scatter pebbles over the beach, each with its shadow to the lower right."""
    edge = 0.5 * np.array([beach.shape[0], beach.shape[1]]) * beach.pixel
    for _ in range(14):
        row, col = rng.uniform(-edge, edge)
        # Outside the patch: half a pebble would be a flaw of the truth.
        away = max(np.hypot(row, col), 1e-6)
        row, col = np.array([row, col]) * max(_CLEAR / away, 1.0)
        radius, flat = rng.uniform(0.03, 0.07), rng.uniform(0.6, 0.9)
        colour = _PEBBLES[int(rng.integers(len(_PEBBLES)))]
        down, right = beach.down - np.float32(row), beach.right - np.float32(col)
        away = np.hypot(down / np.float32(flat), right)
        cast = np.hypot((down - 0.25 * radius) / np.float32(flat), right - 0.3 * radius)
        sand = sand * tint(bump(cast, 1.05 * radius), (0.5, 0.5, 0.45))
        bulge = 1.0 - 0.35 * (down + right) / np.float32(radius)
        stone = np.asarray(colour, np.float32) * bulge[..., None]
        sand = mix(sand, stone, _inside(radius - away, beach))
    return np.asarray(sand, dtype=np.float32)


def _with_starfish(sand: FloatArray, beach: _Beach, rng: np.random.Generator) -> FloatArray:
    """Lay the starfish on the sand, with the shadow that it throws."""
    turn, bend = rng.uniform(0, 2 * np.pi), rng.uniform(-0.5, 0.5)
    skin = np.asarray(_SKINS[int(rng.integers(len(_SKINS)))], np.float32)
    depth, ridge = _arms(beach, turn, bend, 0.0)
    cast = _arms(beach, turn, bend, 0.025)[0]
    sand = sand * tint(smoothstep(-0.05, 0.02, cast), (0.55, 0.52, 0.46))
    height = np.sqrt(np.clip(depth, 0.0, None) + np.float32(1e-3))
    # Light from the upper left: the slope of the height along that diagonal.
    slope = np.zeros_like(height)
    slope[1:, 1:] = (height[1:, 1:] - height[:-1, :-1]) / np.float32(2 * beach.pixel)
    knobs = smooth_noise(beach.shape, max(0.022 / beach.pixel, 1.2), rng)
    shade = np.clip(0.92 + 0.24 * slope + 0.09 * knobs, 0.35, 1.3)
    pale = mix(skin, 0.35 * skin + 0.55, 0.75 * ridge * smoothstep(0.2, 1.2, knobs))
    cover = _inside(depth, beach)
    return mix(sand, pale * shade[..., None], cover)


def _arms(beach: _Beach, turn: float, bend: float, shift: float) -> tuple[FloatArray, FloatArray]:
    """Return the depth inside the starfish, and the nearness to the ridge of an arm."""
    down, right = beach.down - np.float32(shift), beach.right - np.float32(shift)
    radius = np.hypot(down, right)
    angle = np.arctan2(down, right) + np.float32(bend) * radius + np.float32(turn)
    step = np.float32(2 * np.pi / _ARMS)
    off = angle - step * np.round(angle / step)
    along, across = radius * np.cos(off), np.abs(radius * np.sin(off))
    inner = np.minimum(along, np.float32(_ARM_LENGTH))
    width = 0.15 - 0.26 * inner + 0.06 * np.square(inner)
    # Arms end in a round tip, and where two meet their edges run into each other.
    depth = width - np.hypot(across, along - inner)
    depth += 0.03 * bump(across - 0.1, 0.06) * bump(along - 0.1, 0.1)
    return np.asarray(depth, np.float32), bump(across, 0.03)


def _inside(signed: FloatArray, beach: _Beach) -> FloatArray:
    return smoothstep(-0.8 * beach.pixel, 0.8 * beach.pixel, signed)


def _light(beach: _Beach, colour: Colour, rng: np.random.Generator) -> FloatArray:
    """Return light that falls off slowly towards one side."""
    angle, much = rng.uniform(0, 2 * np.pi), rng.uniform(0.08, 0.16)
    slant = np.cos(angle) * beach.down + np.sin(angle) * beach.right
    return np.asarray(
        np.asarray(colour, np.float32) * (1.0 - much * slant)[..., None], dtype=np.float32
    )


def _cut(beach: _Beach, rng: np.random.Generator) -> FloatArray:
    """Return the map of a patch that was cut by hand: roundish, with a soft edge."""
    angle = np.arctan2(beach.down, beach.right)
    uneven = 0.03 * np.sin(2 * angle + rng.uniform(0, 6)) + 0.02 * np.sin(3 * angle)
    return finished(smoothstep(*_PATCH, np.hypot(beach.down, beach.right) + uneven))
