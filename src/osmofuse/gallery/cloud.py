"""Valley under clouds, the same valley on a clear day, and the valley without clouds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from osmofuse.gallery.scene import Scene, axes, checked_shape, finished, generator, side_of
from osmofuse.gallery.texture import bump, fractal_noise, mix, smooth_noise, smoothstep, tint
from osmofuse.typing import Array, FloatArray

# What a cloud's shadow takes away: skylight is left, hence less of blue.
_SHADE = (0.56, 0.52, 0.44)
_LIT, _GREY = (0.97, 0.97, 0.98), (0.74, 0.77, 0.82)  # sides of a cloud: lit, shaded


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


# Parcels along the side of the picture, and houses along a parcel.
_PARCELS, _HOUSES = 9.0, 7.0


@dataclass(frozen=True)
class Season:
    """Colours of one date; `crops` are meadow, wheat, rape, soil and maize."""

    crops: tuple[tuple[float, float, float], ...]
    wood: tuple[float, float, float]
    river: tuple[float, float, float]
    road: tuple[float, float, float]
    bank: tuple[float, float, float]


SUMMER = Season(
    crops=(
        (0.30, 0.42, 0.17), (0.58, 0.52, 0.28), (0.56, 0.56, 0.16),
        (0.45, 0.36, 0.26), (0.22, 0.36, 0.15),
    ),
    wood=(0.11, 0.21, 0.11), river=(0.13, 0.25, 0.29), road=(0.62, 0.60, 0.56),
    bank=(0.50, 0.46, 0.34),
)  # fmt: skip
AUTUMN = Season(
    crops=(
        (0.35, 0.41, 0.19), (0.60, 0.51, 0.30), (0.55, 0.52, 0.19),
        (0.47, 0.36, 0.27), (0.28, 0.36, 0.17),
    ),
    wood=(0.17, 0.21, 0.11), river=(0.17, 0.25, 0.27), road=(0.63, 0.59, 0.54),
    bank=(0.53, 0.46, 0.35),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Valley:
    """Parts of a valley that do not change with the season.

    `parcel` is the number of the field of each pixel; `crop` and `shade` are given by field.
    `furrow` and `canopy` are the textures of fields and woods. The others are the cover of what
    lies on the fields, and `roofs` the colours of the town.
    """

    parcel: Array
    crop: Array
    shade: FloatArray
    furrow: FloatArray
    hedge: FloatArray
    wood: FloatArray
    canopy: FloatArray
    river: FloatArray
    bank: FloatArray
    road: FloatArray
    town: FloatArray
    roofs: FloatArray


def prepare_valley(shape: tuple[int, int], rng: np.random.Generator) -> Valley:
    """Lay out a valley of this shape, with random places and courses."""
    side = side_of(shape)
    down, right = (part * size / side for part, size in zip(axes(shape), shape, strict=True))
    middle = (0.5 * shape[0] / side, 0.5 * shape[1] / side)
    bend = 0.012 * smooth_noise(shape, side / 4, rng)
    parcel, crop, shade, furrow, hedge = _fields(down + bend, right + bend, side, rng)
    river, bank = _river(down, right, middle, side, rng)
    town, roofs, road = _town(down + bend, right - bend, middle, side, rng)
    dry = 1.0 - np.maximum(river, bank)
    grove = fractal_noise(shape, side / 5, rng, octaves=4)
    wood = smoothstep(0.85, 1.0, grove) * dry * (1.0 - smoothstep(0.1, 0.5, town))
    # Trees line the river here and there.
    lined = bump(bank - 0.5, 0.3) * smoothstep(0.2, 0.7, smooth_noise(shape, side / 25, rng))
    return Valley(
        parcel=parcel, crop=crop, shade=shade, furrow=furrow, hedge=hedge,
        wood=np.maximum(wood, 0.9 * lined * (1.0 - river)),
        canopy=smooth_noise(shape, max(side / 150, 1.2), rng),
        river=river, bank=bank, road=road * (1.0 - 0.4 * river), town=town * dry, roofs=roofs,
    )  # fmt: skip


def seen_from_above(valley: Valley, season: Season) -> FloatArray:
    """Return the reflectance of a valley in a season, near [0.1, 0.8], in even light."""
    fields = np.asarray(season.crops, dtype=np.float32)[valley.crop] * valley.shade
    land: FloatArray = fields[valley.parcel] * valley.furrow[..., None]
    wood = np.asarray(season.wood, dtype=np.float32)
    land = mix(land, wood, 0.75 * valley.hedge)
    land = mix(land, wood * np.clip(1.0 + 0.28 * valley.canopy, 0.4, 1.9)[..., None], valley.wood)
    land = mix(land, valley.roofs, valley.town)
    land = mix(land, season.bank, 0.8 * valley.bank)
    land = mix(land, season.river, valley.river)
    return mix(land, season.road, valley.road)


def _fields(
    down: FloatArray, right: FloatArray, side: float, rng: np.random.Generator
) -> tuple[Array, Array, FloatArray, FloatArray, FloatArray]:
    """Divide the land into strips and the strips into fields, as an enclosure does."""
    tilt = rng.uniform(0.2, 0.5)
    across = (np.cos(tilt) * down + np.sin(tilt) * right) * np.float32(_PARCELS)
    along = (np.cos(tilt) * right - np.sin(tilt) * down) * np.float32(_PARCELS)
    strip = np.floor(across).astype(np.intp)
    strip -= strip.min()
    count = int(strip.max()) + 1
    length, start = rng.uniform(0.9, 2.4, count), rng.random(count)
    place = np.asarray(along / length[strip] + start[strip], dtype=np.float32)
    number = np.floor(place).astype(np.intp)
    number -= number.min()
    parcel = strip * (int(number.max()) + 1) + number
    total = int(parcel.max()) + 1
    crop = rng.choice(5, total, p=(0.3, 0.24, 0.12, 0.16, 0.18))
    shade = rng.uniform(0.84, 1.14, (total, 1)) * rng.uniform(0.97, 1.03, (total, 3))
    # Half of the fields are ploughed along the strip, half across it.
    gap_across = np.abs(across - np.round(across))
    gap_along = np.abs(place - np.round(place)) * length[strip].astype(np.float32)
    gap = np.minimum(gap_across, gap_along) * np.float32(side / _PARCELS)
    width = max(side / 420, 0.7)
    hedged = rng.random(total) < 0.45
    hedge = smoothstep(1.8 * width, 0.6 * width, gap) * np.where(hedged, 1.0, 0.25)[parcel]
    pitch = 2 * np.pi * min(side / _PARCELS / 4.0, 9.0)
    way = np.where((rng.random(total) < 0.5)[parcel], across, along)
    rows = np.sin(np.float32(pitch) * way) * rng.uniform(0.0, 0.09, total)[parcel]
    rough = 0.05 * fractal_noise(strip.shape, side / 18, rng, octaves=5)
    return parcel, crop, shade.astype(np.float32), np.float32(1.0) + rows + rough, hedge


def _river(
    down: FloatArray,
    right: FloatArray,
    middle: tuple[float, float],
    side: float,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    """Let a river wind from the upper to the lower edge; return its water and its banks."""
    phase = rng.uniform(0, 2 * np.pi, 2)
    course = middle[1] + rng.uniform(-0.28, -0.12) + 0.10 * np.sin(5.0 * down + phase[0])
    course = course + 0.045 * np.sin(12.0 * down + phase[1])
    # The slope of the course makes a vertical gap wider than the way across.
    slope = 0.50 * np.cos(5.0 * down + phase[0]) + 0.54 * np.cos(12.0 * down + phase[1])
    shape = (down.shape[0], right.shape[1])
    away = np.abs(right - course) / np.sqrt(1.0 + np.square(slope))
    away = away + 0.002 * smooth_noise(shape, max(side / 40, 2.0), rng)
    soft = max(0.003, 0.8 / side)
    half = 0.013 + 0.004 * np.sin(3.0 * down + phase[1])
    return smoothstep(soft, -soft, away - half), bump(away - half - 0.006, 0.008)


def _town(
    down: FloatArray,
    right: FloatArray,
    middle: tuple[float, float],
    side: float,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Build a town at a crossing: its cover, its roofs and gardens, and the roads."""
    row = middle[0] + rng.uniform(-0.12, 0.12)
    col = middle[1] + rng.uniform(0.08, 0.24)
    turn = rng.uniform(-0.4, 0.4)
    up = np.cos(turn) * (down - row) + np.sin(turn) * (right - col)
    over = np.cos(turn) * (right - col) - np.sin(turn) * (down - row)
    lots = np.float32(_PARCELS * _HOUSES)
    block_up, block_over = up * lots, over * lots
    house = [np.floor(part).astype(np.intp) for part in (block_up, block_over)]
    house = [part - part.min() for part in house]
    key = house[0] * (int(house[1].max()) + 1) + house[1]
    total = int(key.max()) + 1
    kinds = np.asarray(
        [(0.56, 0.30, 0.22), (0.62, 0.40, 0.30), (0.52, 0.50, 0.48), (0.72, 0.70, 0.66),
         (0.27, 0.36, 0.19)]
    )  # fmt: skip
    colours = kinds[rng.choice(5, total, p=(0.32, 0.2, 0.16, 0.1, 0.22))]
    colours = (colours * rng.uniform(0.85, 1.12, (total, 1))).astype(np.float32)
    gaps = [np.abs(part - np.round(part)) for part in (block_up, block_over)]
    street = smoothstep(0.20, 0.10, np.minimum(*gaps))
    # Roofs have a lit and a shaded half.
    ridge = np.where(np.mod(block_up, 1.0) < 0.5, np.float32(1.1), np.float32(0.88))
    roofs = mix(colours[key] * ridge[..., None], (0.47, 0.46, 0.43), 0.85 * street)
    edge = np.hypot(up, 1.2 * over) + 0.022 * fractal_noise(up.shape, side / 9, rng, octaves=4)
    town = smoothstep(0.125, 0.118, edge)
    width = max(0.0035, 0.7 / side)
    curve = over + 0.05 * np.sin(4.0 * up)
    lane = up + 0.04 * np.sin(5.0 * over + rng.uniform(0, 6))
    road = np.maximum(
        smoothstep(1.6 * width, 0.7 * width, np.abs(lane)),
        0.9 * smoothstep(1.2 * width, 0.5 * width, np.abs(curve)),
    )
    return town, roofs, road
