"""Head and shoulders before a wall, painted in layers on a canvas with light."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from osmofuse.gallery.face import Features, head_depth, markings, relief
from osmofuse.gallery.scene import Colour, axes, finished
from osmofuse.gallery.texture import bump, fractal_noise, mix, smooth_noise, smoothstep, tint
from osmofuse.typing import Array, FloatArray

# Column of the parting of the hair, in half heights of the head.
PARTING = 0.08


@dataclass(frozen=True)
class Look:
    """Colours of the surfaces and the light of one sitting.

    `light` is its direction (right, up, towards the viewer); `sun` and `ambient` are the
    colours of direct and of scattered light.
    """

    skin: Colour
    hair: Colour
    cloth: Colour
    wall: Colour
    light: Colour
    sun: Colour
    ambient: Colour


@dataclass(frozen=True)
class Box:
    """Bounds of a layer in half heights of the head; `reach` counts from the middle column."""

    top: float
    bottom: float
    reach: float


@dataclass(frozen=True, eq=False)
class Canvas:
    """Coordinates in half heights of the head, and the roughness that all layers share.

    `down`, (rows, 1), and `right`, (1, cols), are 0 in the middle of the face; `pixels` is the
    number of pixels per half height. `rough`, `strands` and `grain`, (rows, cols), are noise of
    surfaces, noise along the hair, and the factor of the film grain.
    """

    down: FloatArray
    right: FloatArray
    pixels: float
    rough: FloatArray
    strands: FloatArray
    grain: FloatArray

    def _window(self, box: Box) -> tuple[slice, slice]:
        # Two pixels more, for the soft edges of small pictures.
        spare = 2.0 / self.pixels
        down, right = self.down[:, 0], self.right[0]
        rows = np.flatnonzero((down > box.top - spare) & (down < box.bottom + spare))
        cols = np.flatnonzero(np.abs(right) < box.reach + spare)
        return _span(rows), _span(cols)

    def _cut(self, rows: slice, cols: slice) -> Canvas:
        fields = (self.rough[rows, cols], self.strands[rows, cols], self.grain[rows, cols])
        return Canvas(self.down[rows], self.right[:, cols], self.pixels, *fields)


def prepare_canvas(shape: tuple[int, int], rng: np.random.Generator) -> Canvas:
    """Return an empty canvas; the head fills the smaller side of the picture."""
    rows, cols = shape
    pixels = max(0.29 * min(rows, 1.15 * cols), 1.0)
    down, right = axes(shape)
    down, right = (down - 0.43) * (rows / pixels), (right - 0.5) * (cols / pixels)
    return Canvas(
        down=down,
        right=right,
        pixels=pixels,
        rough=fractal_noise(shape, 0.6 * pixels, rng),
        strands=_strands(down, right, pixels, rng),
        grain=1.0 + 0.008 * smooth_noise(shape, 1.0, rng),
    )


def lay(
    picture: FloatArray,
    canvas: Canvas,
    box: Box,
    paint: Callable[[Canvas], tuple[FloatArray, FloatArray]],
) -> None:
    """Paint one layer over the picture, in place, within its box.

    `paint` returns the colours and the cover of the layer on a part of the canvas.
    """
    window = canvas._window(box)
    if picture[window].size:
        above, cover = paint(canvas._cut(*window))
        picture[window] = mix(picture[window], above, cover)


def edge(canvas: Canvas, signed: FloatArray, softness: float = 0.02) -> FloatArray:
    """Return the cover, 0 to 1, of the region where `signed` is positive.

    `softness` is the half width of its edge, which is never sharper than a pixel.
    """
    width = max(softness, 0.9 / canvas.pixels)
    return smoothstep(-width, width, signed)


def lit(canvas: Canvas, height: FloatArray, look: Look, gloss: float) -> FloatArray:
    """Return the light that a relief sends to the viewer, a factor on its colour, (rows, cols, 3).

    `height` is in half heights of the head; `gloss` is the strength of a broad highlight.
    """
    slope_down, slope_right = (_slope(height, axis) * canvas.pixels for axis in (0, 1))
    norm = np.sqrt(1.0 + np.square(slope_down) + np.square(slope_right))
    right, up, near = np.asarray(look.light, np.float32) / np.linalg.norm(look.light)
    facing = (-right * slope_right + up * slope_down + near) / norm
    # Wrapped Lambert: skin scatters light around the terminator.
    diffuse = np.square(np.clip(0.35 + 0.65 * facing, 0.0, 1.0))
    # The sixteenth power by squaring: a general power costs more than all the rest.
    shine = gloss * np.square(np.square(np.square(np.square(np.maximum(facing, 0.0)))))
    sun, ambient = np.asarray(look.sun, np.float32), np.asarray(look.ambient, np.float32)
    return np.asarray(ambient + sun * (diffuse + shine)[..., None], dtype=np.float32)


def _strands(
    down: FloatArray, right: FloatArray, pixels: float, rng: np.random.Generator
) -> FloatArray:
    """Draw hair that falls from a parting: noise along curves that run round the head."""
    aside = right - PARTING
    across = np.hypot(1.15 * aside + 0.06 * np.sin(3 * down), 0.5 * np.minimum(down + 0.3, 0.0))
    total = np.zeros(np.broadcast_shapes(down.shape, right.shape), dtype=np.float32)
    beyond = aside > 0
    for width, weight in ((0.05, 0.6), (0.02, 0.6), (0.009, 0.5)):
        # Strands finer than two pixels would alias.
        step = max(width, 2.0 / pixels)
        count = int(3.0 / step) + 4
        # Each side of the parting has its own strands.
        knots = np.float32(weight) * rng.standard_normal(2 * count, dtype=np.float32)
        place = np.clip((across + 0.05 * down) / np.float32(step), 0, count - 2)
        cell = place.astype(np.int32)
        t = smoothstep(0.0, 1.0, place - cell)
        cell += count * beyond
        total += knots[cell] * (1 - t) + knots[cell + 1] * t
    return total


def _slope(height: FloatArray, axis: int) -> FloatArray:
    if height.shape[axis] < 2:
        return np.zeros_like(height)
    return np.asarray(np.gradient(height, axis=axis), dtype=np.float32)


def _span(indices: Array) -> slice:
    return slice(int(indices[0]), int(indices[-1]) + 1) if indices.size else slice(0, 0)


# Bounds of the layers; the cloth reaches the borders.
_HAIR_BOX, _HEAD_BOX = Box(-1.4, 1.6, 1.08), Box(-1.08, 1.08, 0.80)
_NECK_BOX, _CLOTH_BOX = Box(0.28, 2.3, 0.85), Box(1.1, np.inf, np.inf)


def paint_bust(canvas: Canvas, face: Features, look: Look) -> FloatArray:
    """Paint head and shoulders before a wall; return (rows, cols, 3) within [0, 1]."""
    picture = _wall(canvas, look)
    lay(picture, canvas, _HAIR_BOX, lambda part: _hair_behind(part, look))
    lay(picture, canvas, _NECK_BOX, lambda part: _neck(part, look))
    lay(picture, canvas, _CLOTH_BOX, lambda part: _shoulders(part, look))
    lay(picture, canvas, _HEAD_BOX, lambda part: _head(part, face, look))
    lay(picture, canvas, _HAIR_BOX, lambda part: _fringe(part, look))
    return finished(picture * canvas.grain[..., None])


def _wall(canvas: Canvas, look: Look) -> FloatArray:
    side = float(np.sign(look.light[0]))
    glow = bump(canvas.right + 0.9 * side, 2.2) * bump(canvas.down + 0.3, 2.6)
    brush = 1.0 + 0.05 * canvas.rough
    return mix((0.0, 0.0, 0.0), look.wall, (0.5 + 0.75 * glow) * brush)


def _head(canvas: Canvas, face: Features, look: Look) -> tuple[FloatArray, FloatArray]:
    down, right = canvas.down, canvas.right
    height = relief(down, right, face) + 0.0012 * canvas.rough
    skin = np.asarray(look.skin, np.float32) * markings(down, right, face)
    skin *= (1.0 + 0.012 * canvas.rough)[..., None]
    # The hair shades the skin next to it; without this the face looks like a mask.
    skin *= tint(smoothstep(0.22, -0.05, down - _hairline(canvas)), (0.42, 0.50, 0.52))
    return skin * lit(canvas, height, look, 0.10), edge(
        canvas, head_depth(down, right) - 0.05, 0.03
    )


def _neck(canvas: Canvas, look: Look) -> tuple[FloatArray, FloatArray]:
    down, right = canvas.down, canvas.right
    width = 0.40 + 0.35 * np.square(np.clip(down - 1.1, 0, 1))
    height = 0.45 * np.sqrt(np.clip(1 - np.square(right / width), 0, 1) + 0.03)
    # The chin throws its shadow on the throat, away from the light.
    away = right + 0.12 * float(np.sign(look.light[0]))
    shade = smoothstep(1.55, 0.95, down + 0.5 * np.square(away))
    skin = np.asarray(look.skin, np.float32) * tint(shade, (0.55, 0.62, 0.64))
    cover = edge(canvas, width - np.abs(right) - 0.02) * smoothstep(0.3, 0.5, down)
    return skin * lit(canvas, height, look, 0.02), cover


def _shoulders(canvas: Canvas, look: Look) -> tuple[FloatArray, FloatArray]:
    down, right = canvas.down, canvas.right
    away = np.abs(right)
    top = 1.22 + 0.28 * (away / 0.9) ** 1.7
    neckline = 1.66 - 0.5 * np.square(away / 0.45)
    # A soft maximum: collar and shoulder are one piece of cloth.
    line = 0.05 * np.logaddexp(top / 0.05, neckline / 0.05) + 0.006 * canvas.rough
    depth = down - line
    height = 0.5 * np.sqrt(np.clip(depth, 0, 2) + 0.02) - 0.22 * np.square(right)
    folds = 0.02 * np.sin(5 * right + 2.5 * down + canvas.rough * 0.6)
    cloth = np.asarray(look.cloth, np.float32) * (1.0 + 0.05 * canvas.strands)[..., None]
    cloth = cloth * tint(bump(depth - 0.07, 0.012), (0.3, 0.3, 0.3))
    return cloth * lit(canvas, height + folds, look, 0.0), edge(canvas, depth)


def _hair_colour(canvas: Canvas, look: Look) -> FloatArray:
    sheen = bump(canvas.down + 0.78 - 0.25 * np.square(canvas.right), 0.2)
    sheen = sheen * (0.6 + 0.4 * np.tanh(2 * float(np.sign(look.light[0])) * canvas.right))
    light = 0.66 + 0.16 * canvas.strands + 0.55 * sheen
    red, green, blue = ((c + 0.03) * s for c, s in zip(look.hair, look.sun, strict=True))
    return mix((0.0, 0.0, 0.0), (red, green, blue), np.clip(light, 0.15, 2.0))


def _hair_behind(canvas: Canvas, look: Look) -> tuple[FloatArray, FloatArray]:
    shade = smoothstep(-0.2, 1.0, canvas.down) * smoothstep(0.95, 0.6, np.abs(canvas.right))
    return _hair_colour(canvas, look) * tint(shade, (0.6, 0.6, 0.6)), _hair_outline(canvas)


def _hair_outline(canvas: Canvas) -> FloatArray:
    down, right = canvas.down, canvas.right
    wide = 0.90 + 0.05 * np.sin(4 * down + 1) + 0.012 * canvas.strands
    tall = 1.2 + 0.3 * smoothstep(0.0, 1.0, down)
    return edge(canvas, 1 - np.square(right / wide) - np.square((down + 0.08) / tall), 0.05)


def _fringe(canvas: Canvas, look: Look) -> tuple[FloatArray, FloatArray]:
    """Draw the hair that frames the face: parted above, falling past the temples."""
    cover = edge(canvas, _hairline(canvas) - canvas.down, 0.05) * _hair_outline(canvas)
    return _hair_colour(canvas, look), cover


def _hairline(canvas: Canvas) -> FloatArray:
    away = np.abs(canvas.right - PARTING)
    curve = -0.78 + 0.8 * (away / 0.66) ** 3.2
    return np.asarray(curve + 0.012 * canvas.strands, dtype=np.float32)
