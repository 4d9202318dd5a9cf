"""Head and shoulders before a wall: the layers of a portrait, painted from back to front."""

from __future__ import annotations

import numpy as np

from osmofuse.gallery.canvas import PARTING, Box, Canvas, Look, edge, lay, lit
from osmofuse.gallery.face import Features, head_depth, markings, relief
from osmofuse.gallery.scene import finished
from osmofuse.gallery.texture import bump, mix, smoothstep, tint
from osmofuse.typing import FloatArray

__all__ = ["paint_bust"]

_HAIR_BOX, _HEAD_BOX = Box(-1.4, 1.6, 1.08), Box(-1.08, 1.08, 0.80)
_NECK_BOX, _CLOTH_BOX = Box(0.28, 2.3, 0.85), Box(1.1, np.inf, np.inf)


def paint_bust(canvas: Canvas, face: Features, look: Look) -> FloatArray:
    """Paint head and shoulders before a wall.

    Parameters
    ----------
    canvas : Canvas
        Where to paint.
    face : Features
        Whose face.
    look : Look
        In which colours and light.

    Returns
    -------
    array of shape (rows, cols, 3)
        The picture, within [0, 1].
    """
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
