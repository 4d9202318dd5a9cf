"""Tooled gold leaf: a relief of grooves, punch marks and cracks, and the light on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from osmofuse.gallery.texture import bump, fractal_noise, smooth_noise, smoothstep
from osmofuse.typing import FloatArray

# Petals of a punched rosette.
_PETALS = 6
# Contrast of the flanks of a groove, and darkness of its floor.
_FLANK, _FLOOR = 0.62, 0.20
_CRACK = 0.42  # darkness of a crack


@dataclass(frozen=True, eq=False)
class Field:
    """Gilded rectangle, in pixels.

    `down`, (rows, 1), and `right`, (1, cols), count from its upper left corner; `cell` is the
    side of a lozenge of the diaper.
    """

    down: FloatArray
    right: FloatArray
    height: float
    width: float
    cell: float

    @property
    def depth(self) -> FloatArray:
        """Distance to the nearest edge in pixels, negative outside."""
        down = np.minimum(self.down, self.height - self.down)
        return np.asarray(np.minimum(down, np.minimum(self.right, self.width - self.right)))


def relief(field: Field, rng: np.random.Generator) -> FloatArray:
    """Return the light that tooled and cracked gold sends back, a factor within [0.4, 1.35]."""
    floor = _tooling(field, rng)
    # Light from the upper left: the far flank of a hollow is bright, the near one dark.
    flank = np.zeros_like(floor)
    flank[1:, 1:] = floor[:-1, :-1] - floor[1:, 1:]
    # A slope is steeper in a small picture; the groove's width in pixels makes it a number.
    light = 1.0 + _FLANK * _groove(field) * flank - _FLOOR * floor
    light *= 1.0 - _CRACK * cracks(floor.shape, 0.9 * field.cell, rng)
    return np.clip(light, 0.4, 1.35, out=light)


def cracks(shape: tuple[int, ...], grain: float, rng: np.random.Generator) -> FloatArray:
    """Return a net of fine cracks some `grain` pixels apart, 1 on a crack and 0 beside it.

    A crack is where smooth noise changes its sign, broken up by a second noise. The noise over
    the length of its gradient is the distance to that line in pixels.
    """
    size = (shape[0], shape[1])
    net = np.zeros(size, dtype=np.float32)
    for scale in (1.0, 0.45):
        noise = fractal_noise(size, max(scale * grain, 3.0), rng, octaves=2)
        slope = np.full(size, 1e-3, dtype=np.float32)
        slope[1:] += np.abs(np.diff(noise, axis=0))
        slope[:, 1:] += np.abs(np.diff(noise, axis=1))
        line = smoothstep(1.1, 0.2, np.abs(noise) / slope)
        broken = smoothstep(-0.1, 0.7, smooth_noise(size, max(1.6 * grain, 4.0), rng))
        np.maximum(net, line * broken, out=net)
    return net


def _groove(field: Field) -> float:
    # Narrower than 0.9 pixels a groove would alias.
    return max(0.055 * field.cell, 0.9)


def _tooling(field: Field, rng: np.random.Generator) -> FloatArray:
    """Return the depth of the tooling, 0 to 1: a diaper with rosettes, within a beaded border."""
    groove, shape = _groove(field), (field.down.size, field.right.size)
    # The hand wavers by a fraction of a groove.
    waver = 0.35 * groove * smooth_noise(shape, 2.5 * field.cell, rng)
    border = 0.62 * field.cell
    inside = smoothstep(border, border + groove, field.depth)
    hollow = np.maximum(inside * _diaper(field, waver), _beads(field, border))
    for line in (0.16 * field.cell, border):
        np.maximum(hollow, bump(field.depth - line + 0.5 * waver, groove), out=hollow)
    return np.asarray(hollow, dtype=np.float32)


def _diaper(field: Field, waver: FloatArray) -> FloatArray:
    """Return crossed diagonal grooves with a rosette in each lozenge."""
    root = np.float32(np.sqrt(0.5) / field.cell)
    rising = (field.down + field.right + waver) * root
    falling = (field.down - field.right + waver) * root
    groove = _groove(field) / field.cell
    ways = (np.abs(way - np.round(way)) for way in (rising, falling))
    net = bump(np.minimum(*ways), groove)
    # Around the centre of the lozenge, folded into one petal's sector.
    up, along = rising - np.floor(rising) - 0.5, falling - np.floor(falling) - 0.5
    radius, angle = np.hypot(up, along), np.arctan2(up, along)
    sector = np.float32(2 * np.pi / _PETALS)
    angle -= sector * np.round(angle / sector)
    petal = np.hypot(radius * np.cos(angle) - np.float32(0.21), radius * np.sin(angle))
    for distance, size in ((petal, 0.075), (radius, 0.085)):
        np.maximum(net, smoothstep(size + 0.5 * groove, size - 0.5 * groove, distance), out=net)
    return net


def _beads(field: Field, border: float) -> FloatArray:
    """Return a row of round punch marks along the middle of the border."""
    middle, step = 0.6 * border, 0.42 * field.cell
    radius, soft = 0.11 * field.cell, 0.5 * _groove(field)
    beads = np.zeros((field.down.size, field.right.size), dtype=np.float32)
    for along, across, length in (
        (field.right, np.minimum(field.down, field.height - field.down), field.width),
        (field.down, np.minimum(field.right, field.width - field.right), field.height),
    ):
        # A whole number of beads between the corners.
        pitch = max(length - 2 * middle, 1.0) / max(round((length - 2 * middle) / step), 1)
        place = (along - middle) / pitch
        away = np.hypot((place - np.round(place)) * pitch, across - middle)
        np.maximum(beads, smoothstep(radius + soft, radius - soft, away), out=beads)
    return beads * (field.depth > 0)
