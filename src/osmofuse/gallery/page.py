"""Parchment page: skin and stains, ruled lines, writing, a decorated initial, infrared."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace

import numpy as np
from scipy import ndimage

from osmofuse.gallery.scene import axes, finished, side_of
from osmofuse.gallery.script import CAPITALS, PEN, TEXT, Hand, Pen, paste, spiral, stamp, write_line
from osmofuse.gallery.texture import bump, fractal_noise, mix, smooth_noise, smoothstep, tint
from osmofuse.typing import FloatArray

INK = (0.17, 0.11, 0.08)  # carbon ink
_RED = (0.70, 0.13, 0.09)  # heading and initial
_BLUE = (0.16, 0.28, 0.55)  # pen work in the margin
_GOLD = (0.80, 0.60, 0.18)  # dots of the pen work
_HEADING = ("incipit", "liber", "genesis", "quem", "dixit", "deus.")
_INITIAL_LINES = 3  # lines of text beside the initial
SMALL_LETTER = 0.37  # height of a small letter, in distances of lines
BROADEST = 0.36  # width of the broadest pen, in small letters: more would close them


@dataclass(frozen=True, eq=False)
class Layers:
    """Coverage of each colour on the page."""

    ink: FloatArray
    red: FloatArray
    blue: FloatArray
    gold: FloatArray
    rules: FloatArray


def written(
    shape: tuple[int, int], rng: np.random.Generator, stroke: float | None = None
) -> Layers:
    """Write a page of text under a red heading and a decorated initial; strokes in pixels."""
    layers = Layers(*(np.zeros(shape, dtype=np.float32) for _ in range(5)))
    pitch = pitch_of(shape, stroke)
    hand = hand_of(pitch, rng, stroke)
    first = int(rng.integers(len(TEXT)))
    words = running(first)
    lines, columns = layout(shape, pitch)
    # A page of a few wide lines has them in ink: nothing was lost from a heading.
    least = 1 if stroke is None else _INITIAL_LINES
    beside = _INITIAL_LINES if len(lines) > least else 0
    for number, (left, right) in enumerate(columns):
        for index, base in enumerate(lines):
            _rule(layers.rules, base, (left, right), pitch)
            if number == index == 0 and len(lines) > least:
                ends = (base, left, 0.5 * left + 0.5 * right)
                write_line(layers.red, deque(_HEADING), ends, hand, rng)
                continue
            indent = 3.2 * pitch if number == 0 and 0 < index <= beside else 0.0
            write_line(layers.ink, words, (base, min(left + indent, right), right), hand, rng)
    if len(lines) > _INITIAL_LINES:
        _decorate(layers, TEXT[first][0], (lines[_INITIAL_LINES], columns[0][0]), pitch)
    layers.ink[...] *= np.clip(0.93 + 0.05 * fractal_noise(shape, 2 * pitch, rng, 6), 0.7, 1.0)
    return layers


def pitch_of(shape: tuple[int, int], stroke: float | None = None) -> float:
    """Return the distance of the lines in pixels, for strokes of a given width in pixels."""
    # Lines closer than 9 pixels would be grey bands instead of writing.
    pitch = side_of(shape) / 19.0 if stroke is None else stroke / (SMALL_LETTER * PEN.width)
    # Two or three lines on a page, however wide the strokes.
    return max(min(pitch, 0.3 * shape[0]), 9.0)


def hand_of(pitch: float, rng: np.random.Generator, stroke: float | None = None) -> Hand:
    """Return the scribe of a page; where the page is too small for wide strokes, a broad pen."""
    height = SMALL_LETTER * pitch
    if stroke is None:
        return Hand(height, rng)
    width = min(max(stroke / height, 0.5 * PEN.width), BROADEST)
    return Hand(height, rng, replace(PEN, width=width))


def running(first: int) -> deque[str]:
    """Return the words from one sentence on; the initial stands for the first letter."""
    words = " ".join(TEXT[first:] + TEXT[:first]).split()
    # The longest page has the text some ten times over; the opening word must not come back.
    return deque([words[0][1:], *words[1:], *(words * 30)])


def layout(shape: tuple[int, int], pitch: float) -> tuple[list[float], list[tuple[float, float]]]:
    """Return the base lines and the left and right ends of the columns of writing."""
    rows, cols = shape
    top, bottom = 0.07 * rows + 0.75 * pitch, 0.91 * rows
    lines = [float(base) for base in np.arange(top, max(bottom, top + 1), pitch)]
    left, right = 0.15 * cols, 0.9 * cols
    # A line of more than some 26 pitches is too long to read: a wide page has columns.
    count = max(1, round((right - left) / (24 * pitch)))
    step = (right - left + 1.5 * pitch) / count
    return lines, [(left + k * step, left + (k + 1) * step - 1.5 * pitch) for k in range(count)]


def _rule(canvas: FloatArray, base: float, ends: tuple[float, float], pitch: float) -> None:
    """Rule one line for the pen, in place."""
    # Ruled lines stand a little past the column; a bounding line closes each side of it.
    left, right = ends[0] - 0.3 * pitch, ends[1] + 0.3 * pitch
    pen = Pen(width=0.0, thickness=max(0.012 * pitch, 0.3))
    low = base + 0.06 * pitch
    paste(canvas, stamp([[(0.0, 0.0), (right - left, 0.0)]], 1.0, pen), low, left)
    for col in (left, right):
        paste(canvas, stamp([[(0.0, -0.1 * pitch), (0.0, pitch)]], 1.0, pen), low, col)


def _decorate(layers: Layers, letter: str, corner: tuple[float, float], pitch: float) -> None:
    """Set the red initial, blue pen work in the margin and gold dots."""
    base, left = corner
    height = (_INITIAL_LINES - 0.45) * pitch
    initial = stamp(CAPITALS[letter], height, Pen(width=0.19, thickness=0.03, angle=20.0))
    paste(layers.red, initial, base, left)
    thin = Pen(width=0.02, thickness=0.012)
    for turn, (up, right, radius) in enumerate(_CURLS):
        curl = stamp([spiral(1.8 * (-1) ** turn, radius, 1.5 * turn)], height, thin)
        paste(layers.blue, curl, base - up * height, left + right * height)
    stem = [(-0.12, 1.5), (-0.2, 0.9), (-0.14, 0.4), (-0.24, -0.3), (-0.12, -1.0), (-0.26, -1.6)]
    paste(layers.blue, stamp([stem], height, thin), base, left)
    dot = stamp([[(0.0, 0.0), (0.001, 0.0)]], height, Pen(width=0.0, thickness=0.05))
    for up, right, _ in _CURLS:
        paste(layers.gold, dot, base - up * height, left + right * height)


# Curls of the pen work: up, right and radius, in heights of the initial.
_CURLS = (
    (1.28, -0.28, 0.15),
    (0.98, -0.34, 0.13),
    (0.56, -0.3, 0.15),
    (0.12, -0.34, 0.13),
    (-0.32, -0.4, 0.14),
    (-0.8, -0.3, 0.12),
    (-1.26, -0.34, 0.1),
)


def painted(parchment: FloatArray, layers: Layers, ink: FloatArray) -> FloatArray:
    """Lay the colours and this much of the ink on bare parchment."""
    page: FloatArray = parchment * tint(layers.rules, (0.16, 0.20, 0.22))
    for colour, cover in (
        (_BLUE, 0.85 * layers.blue),
        (_GOLD, 0.95 * layers.gold),
        (_RED, 0.92 * layers.red),
        (INK, ink),
    ):
        page = mix(page, colour, cover)
    return finished(page)


def infrared(layers: Layers, skin: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw one band: flat light parchment, black carbon ink, red nearly gone."""
    page = 0.80 + 0.012 * skin
    page *= 1.0 - 0.06 * layers.red - 0.30 * layers.blue - 0.12 * layers.gold
    page *= 1.0 - 0.04 * layers.rules
    page += (0.13 - page) * layers.ink
    return finished(page + 0.008 * rng.standard_normal(page.shape, dtype=np.float32))


def surface(
    shape: tuple[int, int], rng: np.random.Generator, octaves: int = 6
) -> tuple[FloatArray, FloatArray]:
    """Draw the skin of a page: its cloudiness, and its grain."""
    return fractal_noise(shape, 0.3 * side_of(shape), rng, octaves=octaves), fibres(shape, rng)


def fibres(shape: tuple[int, int], rng: np.random.Generator) -> FloatArray:
    """Draw the grain of the skin: short fibres both ways, pores and fine noise."""
    # Fibres do not grow without end: a large picture of a page shows finer ones.
    unit = float(np.clip(side_of(shape) / 500.0, 0.6, 2.0))
    across = smooth_noise(shape, (1.2 * unit, 14 * unit), rng)
    down = smooth_noise(shape, (11 * unit, 1.2 * unit), rng)
    pores = smoothstep(2.0, 3.2, smooth_noise(shape, 1.6 * unit, rng))
    fine = smooth_noise(shape, 0.8, rng)
    return np.asarray(0.26 * across + 0.12 * down - 1.5 * pores + 0.24 * fine, dtype=np.float32)


def parchment(shape: tuple[int, int], skin: FloatArray, grain: FloatArray) -> FloatArray:
    """Colour a skin of a given cloudiness and grain, with handled edges and a gutter."""
    down, right = axes(shape)
    page = mix((0.90, 0.83, 0.69), (0.83, 0.71, 0.52), smoothstep(-1.5, 2.2, skin))
    # Handled edges are darker and browner; the gutter on the left falls into shade.
    edge = np.minimum(np.minimum(down, 1 - down), np.minimum(right, 1 - right))
    worn = bump(edge + 0.012 * skin, 0.05)
    page *= tint(worn, (0.16, 0.24, 0.34)) * tint(bump(right, 0.11), (0.22, 0.24, 0.26))
    fall = np.square(right - 0.45) + np.square(down - 0.4)
    return np.asarray(page * tint(fall, (0.26, 0.28, 0.31)) * tint(-grain, (0.028, 0.032, 0.038)))


def stained(page: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Lay water stains on the page: a faint ochre body and a dark tide line around it."""
    shape = (page.shape[0], page.shape[1])
    down, right = axes(shape)
    for _ in range(3):
        # Stains keep to the side where the ink has gone: the water took it.
        row, col, radius = rng.uniform(0.4, 0.95), rng.uniform(0.35, 0.95), rng.uniform(0.12, 0.24)
        field = np.hypot((down - row) * shape[0], (right - col) * shape[1]) / side_of(shape)
        field = radius - field + 0.035 * fractal_noise(shape, 0.12 * side_of(shape), rng)
        body = smoothstep(-0.006, 0.012, field) * (0.55 + 0.45 * bump(field, 0.06))
        tide = bump(field - 0.004, 0.007)
        page = page * tint(body, (0.09, 0.17, 0.28)) * tint(tide, (0.10, 0.15, 0.18))
    return page


def spared(strokes: FloatArray) -> FloatArray:
    """Return a map that is 1 exactly where no stroke is near, 0 on strokes, and soft between."""
    near = ndimage.gaussian_filter(ndimage.grey_dilation(strokes, size=(5, 5)), 1.0, radius=2)
    return finished(1.0 - np.clip(2.0 * near, 0.0, 1.0))
