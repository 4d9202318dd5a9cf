"""Plain glazed vase, the same vase carved in clay, and the carved vase in the glaze's colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline

from osmofuse.gallery.scene import Colour, Scene, axes, checked_shape, finished, generator
from osmofuse.gallery.texture import bump, fractal_noise, mix, smooth_noise, smoothstep, tint
from osmofuse.typing import FloatArray

# Outline of the vase: height and radius, in half sides of the picture; up is negative.
_HEIGHTS = (-0.78, -0.72, -0.62, -0.50, -0.30, -0.02, 0.22, 0.48, 0.66, 0.74)
_RADII = (0.27, 0.235, 0.20, 0.22, 0.40, 0.56, 0.57, 0.42, 0.29, 0.31)
# How far the front of lip and foot lies below their sides.
_TILT = 0.045
# Glazes from the lip to the foot.
_GLAZES: tuple[tuple[Colour, Colour, Colour], ...] = (
    ((0.16, 0.42, 0.52), (0.28, 0.62, 0.58), (0.80, 0.72, 0.46)),
    ((0.44, 0.20, 0.46), (0.70, 0.38, 0.52), (0.86, 0.72, 0.58)),
    ((0.18, 0.40, 0.24), (0.48, 0.62, 0.30), (0.84, 0.76, 0.42)),
    ((0.20, 0.28, 0.58), (0.40, 0.54, 0.74), (0.78, 0.78, 0.74)),
)
_CLAY = (0.66, 0.46, 0.35)  # unglazed vase


@dataclass(frozen=True, eq=False)
class _Vase:
    """Position of the vase in the picture, and its surface.

    `angle` goes around the axis, 0 at the middle; `down` along it, in half sides.
    """

    cover: FloatArray
    inset: FloatArray
    angle: FloatArray
    down: FloatArray
    light: FloatArray
    pixel: float


def recolouring(shape: Sequence[int] = (440, 400), seed: int = 0) -> Scene:
    """Draw a plain glazed vase, a carved vase of clay and the carved vase in the glaze's colours.

    Parameters
    ----------
    shape : sequence of int
        Rows and columns; the vase fills the smaller of them.
    seed : int
        Chooses glaze, carving and the room.

    Returns
    -------
    Scene
        The smooth vase whose colours are wanted; the vase of the same form whose carving is wanted,
        in another colour (in colour); a map that is 0 on the vase; and the carved vase with the
        reflectance of the glaze. `truth` equals `foreground` bit for bit wherever `alpha` is 1.

    Examples
    --------
    >>> scene = recolouring((44, 40))
    >>> scene.background.shape, float(scene.alpha[0, 0]), float(scene.alpha[24, 20])
    ((44, 40, 3), 1.0, 0.0)
    """
    size, rng = checked_shape(shape), generator(seed)
    vase = _thrown(size)
    carved, glaze = _carving(vase, rng), _glaze(vase, rng)
    room, other = (_room(vase, colour, rng) for colour in ((0.62, 0.60, 0.56), (0.52, 0.55, 0.58)))
    clay = np.asarray(_CLAY, dtype=np.float32) * _grain(size, rng)[..., None]
    # The carving reaches the outline only in the clay: the map keeps the glaze's own edge.
    kept = smoothstep(0.035, 0.0, vase.inset)
    return Scene(
        name="recolouring",
        foreground=_stood(room, glaze, vase.light, vase),
        background=_stood(other, clay, vase.light * carved, vase),
        alpha=finished(kept),
        truth=_stood(room, glaze, vase.light * (1.0 + (carved - 1.0) * (1.0 - kept)), vase),
    )


def _thrown(shape: tuple[int, int]) -> _Vase:
    """Throw the vase: a body of revolution under light from the upper left."""
    half = 0.5 * min(shape)
    down, right = (
        (part - 0.5) * size / half for part, size in zip(axes(shape), shape, strict=True)
    )
    outline = CubicSpline(_HEIGHTS, _RADII, bc_type="natural")
    height = np.clip(down, _HEIGHTS[0], _HEIGHTS[-1])
    radius = np.asarray(outline(height), dtype=np.float32)
    slope = np.asarray(outline.derivative()(height), dtype=np.float32)
    away = (radius - np.abs(right)) / np.sqrt(1.0 + np.square(slope))
    across = np.clip(right / radius, -0.999, 0.999)
    facing = np.sqrt(1.0 - np.square(across))
    # Seen a little from above: lip and foot are ellipses, and their front halves lie lower.
    lip, foot = _HEIGHTS[0] + _TILT * facing, _HEIGHTS[-1] + _TILT * facing
    inset = np.minimum(away, np.minimum(down - lip, foot - down))
    pixel = 1.0 / half
    # Normal of the surface: right, up, towards the viewer.
    length = np.sqrt(1.0 + np.square(slope))
    lit = np.clip((-0.50 * across + 0.42 * slope + 0.76 * facing) / length, 0.0, 1.0)
    return _Vase(
        cover=smoothstep(-0.7 * pixel, 0.7 * pixel, inset),
        inset=np.asarray(inset, dtype=np.float32),
        angle=np.asarray(np.arcsin(across), dtype=np.float32),
        down=np.broadcast_to(down, shape).astype(np.float32),
        light=np.asarray(0.34 + 0.70 * lit, dtype=np.float32),
        pixel=pixel,
    )


def _carving(vase: _Vase, rng: np.random.Generator) -> FloatArray:
    """Return the light of the carved surface against the smooth one's."""
    shape = vase.angle.shape
    turn = rng.uniform(0, 1)
    waver = 0.006 * smooth_noise((shape[0], shape[1]), max(0.12 / vase.pixel, 2.0), rng)
    down, around = vase.down + waver, vase.angle / np.float32(np.pi) + np.float32(turn)
    deep = np.maximum(_leaves(down, around, vase.pixel), _rings(down, vase.pixel))
    np.maximum(deep, _zigzag(down, around, vase.pixel), out=deep)
    flank = np.zeros_like(deep)
    flank[1:, 1:] = deep[:-1, :-1] - deep[1:, 1:]
    light = 1.0 + 0.008 / vase.pixel * flank - 0.26 * deep
    light *= 1.0 + 0.02 * fractal_noise((shape[0], shape[1]), max(0.03 / vase.pixel, 1.0), rng, 3)
    return np.asarray(np.clip(light, 0.5, 1.3), dtype=np.float32)


def _line(distance: FloatArray, width: float, pixel: float) -> FloatArray:
    # A groove under 1.2 pixels would alias.
    return bump(distance, max(width, 1.2 * pixel))


def _rings(down: FloatArray, pixel: float) -> FloatArray:
    rings = np.zeros_like(down)
    for place in (-0.56, -0.52, -0.27, -0.23, 0.27, 0.31, 0.52):
        np.maximum(rings, _line(down - np.float32(place), 0.009, pixel), out=rings)
    return rings


def _leaves(down: FloatArray, around: FloatArray, pixel: float) -> FloatArray:
    """Return a wreath of upright leaves with midribs around the belly."""
    count = np.float32(9.0)
    place = around * count
    across = (place - np.round(place)) / count * np.float32(1.7)
    up = (np.float32(0.25) - down) / np.float32(0.46)
    inside = (up > 0) & (up < 1)
    up = np.clip(up, 0.0, 1.0)
    width = 0.085 * np.sin(np.pi * up**0.75)
    outline = _line(np.abs(across) - width, 0.010, pixel)
    # Side veins climb away from the midrib.
    rise = (up - 3.2 * np.abs(across)) * np.float32(6.0)
    vein = _line((rise - np.round(rise)) / np.float32(14.0), 0.007, pixel)
    vein = 0.7 * vein * smoothstep(0.0, 0.02, width - np.abs(across))
    rib = _line(across, 0.007, pixel) * smoothstep(0.95, 0.8, up)
    return np.maximum(outline, np.maximum(vein, rib)) * inside


def _zigzag(down: FloatArray, around: FloatArray, pixel: float) -> FloatArray:
    """Return a band of chevrons on the neck and one above the foot."""
    band = np.zeros_like(down)
    for middle, half, count in ((-0.395, 0.07, 11.0), (0.415, 0.06, 13.0)):
        place = around * np.float32(count)
        wave = np.float32(4 * half) * np.abs(place - np.round(place)) - np.float32(half)
        inside = smoothstep(1.6 * half, 1.4 * half, np.abs(down - np.float32(middle)))
        line = _line(0.75 * (down - np.float32(middle) - wave), 0.010, pixel)
        np.maximum(band, line * inside, out=band)
    return band


def _glaze(vase: _Vase, rng: np.random.Generator) -> FloatArray:
    """Let three glazes run into each other down the vase."""
    shape = (vase.angle.shape[0], vase.angle.shape[1])
    upper, middle, lower = _GLAZES[int(rng.integers(len(_GLAZES)))]
    cloudy = smooth_noise(shape, max(0.35 / vase.pixel, 2.0), rng)
    runs = vase.down + 0.06 * np.sin(5.0 * vase.angle + rng.uniform(0, 6)) + 0.05 * cloudy
    glaze = mix(upper, middle, smoothstep(-0.62, 0.06, runs))
    glaze = mix(glaze, lower, smoothstep(-0.02, 0.62, runs))
    return glaze * (1.0 + 0.03 * cloudy)[..., None]


def _grain(shape: tuple[int, int], rng: np.random.Generator) -> FloatArray:
    return np.float32(1.0) + 0.02 * smooth_noise(shape, 0.9, rng)


def _room(vase: _Vase, wall: Colour, rng: np.random.Generator) -> FloatArray:
    """Paint a wall and a wooden table with the vase's soft shadow."""
    shape = (vase.angle.shape[0], vase.angle.shape[1])
    down, right = axes(shape)
    light = 1.0 - 0.28 * np.hypot(down - 0.2, right - 0.25)
    light = light + 0.012 * fractal_noise(shape, max(0.2 / vase.pixel, 2.0), rng, 4)
    plaster = np.asarray(wall, dtype=np.float32) * light[..., None]
    board = smooth_noise(shape, (max(0.02 / vase.pixel, 1.0), max(0.9 / vase.pixel, 2.0)), rng)
    wood = mix((0.44, 0.29, 0.18), (0.56, 0.39, 0.25), smoothstep(-1.6, 1.6, board))
    edge = np.float32(0.52)
    room = mix(plaster, wood, smoothstep(-vase.pixel, vase.pixel, vase.down - edge))
    width = np.float32(shape[1] * vase.pixel)
    side = (right - 0.5) * width
    cast = bump(np.hypot(0.55 * (side - 0.22), 1.6 * (vase.down - 0.76)), 0.30)
    room = np.asarray(room * tint(cast, (0.55, 0.52, 0.48)), dtype=np.float32)
    mouth = np.hypot(side / _RADII[0], (vase.down - _HEIGHTS[0]) / _TILT)
    return mix(room, (0.13, 0.11, 0.10), smoothstep(1.0 + 6 * vase.pixel, 1.0, mouth))


def _stood(room: FloatArray, colour: FloatArray, light: FloatArray, vase: _Vase) -> FloatArray:
    return finished(mix(room, colour * light[..., None], vase.cover))
