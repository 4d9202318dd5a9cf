"""Carolingian book hand: pen strokes, letter forms, and lines of Latin text."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline

from osmofuse.typing import FloatArray

Stroke = Sequence[tuple[float, float]]
"""Points (right, up) which the pen visits on a smooth curve."""


@dataclass(frozen=True)
class Pen:
    """Nib: a short edge held at a fixed angle, so that the width follows the direction.

    `width` is the length of the edge and `thickness` half its thickness, the hairline, both in
    units of the strokes; `angle` is against the line of writing, in degrees.
    """

    width: float
    thickness: float
    angle: float = 35.0


@dataclass(frozen=True, eq=False)
class Stamp:
    """Drawn sign: share of each pixel under ink, and the pixel of its origin on the base line."""

    coverage: FloatArray
    row: int
    col: int


def stamp(strokes: Sequence[Stroke], scale: float, pen: Pen) -> Stamp:
    """Draw strokes, upwards positive, with a pen, at `scale` pixels per unit.

    The nib is a segment with round ends. Every sample of the path covers the pixels nearer to
    it than the hairline, with a one-pixel ramp; the sign is the largest cover. Cost: samples
    times the area of the nib, whatever the size of the sign.
    """
    half = pen.width * scale / 2
    # A hairline under a quarter of a pixel would vanish from small pictures.
    hairline = max(pen.thickness * scale, 0.25)
    path = np.concatenate([_samples(stroke, scale, hairline) for stroke in strokes])
    reach = int(np.ceil(half + hairline + 1))
    low, high = np.floor(path.min(axis=0)).astype(int), np.ceil(path.max(axis=0)).astype(int)
    cover = np.zeros(tuple(high - low + 2 * reach + 1), dtype=np.float32)
    origin = reach - low
    for point in path + origin:
        _touch(cover, point, reach, (half, hairline, np.radians(pen.angle)))
    return Stamp(cover, int(origin[0]), int(origin[1]))


def paste(canvas: FloatArray, sign: Stamp, row: float, col: float) -> None:
    """Lay a stamp on a canvas, in place, its origin at a pixel; the larger coverage is kept."""
    top, left = round(row) - sign.row, round(col) - sign.col
    rows = slice(max(top, 0), min(top + sign.coverage.shape[0], canvas.shape[0]))
    cols = slice(max(left, 0), min(left + sign.coverage.shape[1], canvas.shape[1]))
    if rows.start >= rows.stop or cols.start >= cols.stop:
        return
    part = sign.coverage[rows.start - top : rows.stop - top, cols.start - left : cols.stop - left]
    np.maximum(canvas[rows, cols], part, out=canvas[rows, cols])


def spiral(turns: float, radius: float, start: float = 0.0) -> list[tuple[float, float]]:
    """Return a stroke around the origin that winds in from `radius`, as pen flourishes do.

    `start` is the angle of the outer end in radians; negative `turns` wind the other way.
    """
    t = np.linspace(0.0, 1.0, int(10 * abs(turns)) + 4)
    angle = start + 2 * np.pi * turns * t
    distance = radius * (1.0 - 0.85 * t)
    return list(zip(distance * np.cos(angle), distance * np.sin(angle), strict=True))


def _samples(stroke: Stroke, scale: float, hairline: float) -> FloatArray:
    """Return pixel positions (down, right) along the stroke, dense enough to leave no gaps."""
    points = np.asarray(stroke, dtype=np.float64)[:, ::-1] * [-scale, scale]
    lengths = np.hypot(*np.diff(points, axis=0).T)
    places = np.concatenate([[0.0], np.cumsum(np.maximum(lengths, 1e-6))])
    count = int(np.ceil(places[-1] / min(max(0.6 * hairline, 0.4), 1.5))) + 2
    curve = CubicSpline(places, points, bc_type="natural")(np.linspace(0, places[-1], count))
    return np.asarray(curve, dtype=np.float64)


def _touch(
    cover: FloatArray, point: FloatArray, reach: int, nib: tuple[float, float, float]
) -> None:
    half, hairline, angle = nib
    row, col = int(point[0]), int(point[1])
    window = cover[max(row - reach, 0) : row + reach + 2, max(col - reach, 0) : col + reach + 2]
    down = np.arange(window.shape[0], dtype=np.float32)[:, None] + max(row - reach, 0) - point[0]
    right = np.arange(window.shape[1], dtype=np.float32)[None, :] + max(col - reach, 0) - point[1]
    along = np.maximum(np.abs(right * np.cos(angle) - down * np.sin(angle)) - half, 0.0)
    across = right * np.sin(angle) + down * np.cos(angle)
    np.maximum(window, np.clip(0.5 + hairline - np.hypot(along, across), 0.0, 1.0), out=window)


# Genesis 1, in medieval spelling (no y, j, k, w, z); every sentence starts with a known capital.
TEXT = (
    "in principio creavit deus caelum et terram.",
    "terra autem erat inanis et vacua et tenebrae super faciem abissi.",
    "et spiritus dei ferebatur super aquas.",
    "dixitque deus fiat lux et facta est lux.",
    "et vidit deus lucem quod esset bona et divisit lucem ac tenebras.",
    "appellavitque lucem diem et tenebras noctem.",
    "dixit quoque deus fiat firmamentum in medio aquarum et dividat aquas ab aquis.",
    "et fecit deus firmamentum divisitque aquas quae erant sub firmamento.",
    "appellavitque deus aridam terram congregationesque aquarum maria.",
    "et protulit terra herbam virentem et afferentem semen iuxta genus suum.",
)

# Strokes of the letters, most of them shared by several.
_STEM = [(0.04, 0.88), (0.15, 1.0), (0.16, 0.5), (0.16, 0.0)]
_TALL = [(0.03, 1.68), (0.15, 1.82), (0.16, 0.9), (0.16, 0.05)]
_FOOT = [(0.04, 0.88), (0.15, 1.0), (0.16, 0.5), (0.16, 0.14), (0.23, 0.02), (0.36, 0.1)]
_BOWL = [(0.16, 0.74), (0.38, 0.98), (0.62, 0.8), (0.65, 0.42), (0.42, 0.02), (0.16, 0.08)]
_BACK = [(0.57, 0.88), (0.36, 0.98), (0.13, 0.72), (0.1, 0.32), (0.3, 0.02), (0.57, 0.22)]
_ARCH = [(0.17, 0.74), (0.36, 0.98), (0.55, 0.9), (0.6, 0.6), (0.6, 0.13), (0.67, 0.02), (0.8, 0.1)]
_S = [(0.5, 0.86), (0.31, 0.99), (0.14, 0.78), (0.3, 0.53), (0.47, 0.28), (0.3, 0.01), (0.07, 0.14)]
_LONG = [(0.6, 1.62), (0.44, 1.8), (0.28, 1.5), (0.26, 0.8), (0.25, 0.0)]


def _moved(stroke: Stroke, right: float) -> list[tuple[float, float]]:
    return [(x + right, y) for x, y in stroke]


# letter: (advance, strokes); unit = x-height, (right, up) from the base line.
_LETTERS: dict[str, tuple[float, list[Stroke]]] = {
    "a": (
        0.76,
        [
            [(0.14, 0.86), (0.36, 1.0), (0.52, 0.8), (0.53, 0.4), (0.54, 0.12), (0.72, 0.08)],
            [(0.52, 0.56), (0.24, 0.5), (0.1, 0.25), (0.26, 0.02), (0.52, 0.2)],
        ],
    ),
    "b": (0.8, [_TALL, _BOWL]),
    "c": (0.68, [[(0.6, 0.84), (0.4, 0.99), (0.14, 0.74), (0.1, 0.34), (0.3, 0.01), (0.6, 0.16)]]),
    "d": (0.84, [_BACK, [(0.45, 1.68), (0.57, 1.82), (0.58, 0.9), (0.59, 0.13), (0.78, 0.1)]]),
    "e": (
        0.68,
        [
            [(0.13, 0.5), (0.46, 0.57), (0.58, 0.8), (0.4, 0.99), (0.15, 0.76)],
            [(0.15, 0.76), (0.1, 0.4), (0.3, 0.01), (0.61, 0.17)],
        ],
    ),
    "f": (0.58, [_LONG, [(0.04, 0.92), (0.54, 0.96)]]),
    "g": (
        0.76,
        [
            [(0.36, 0.99), (0.13, 0.78), (0.2, 0.48), (0.4, 0.42), (0.58, 0.65), (0.36, 0.99)],
            [(0.28, 0.44), (0.2, 0.2), (0.54, 0.04), (0.6, -0.3), (0.34, -0.58), (0.07, -0.4)],
            [(0.5, 0.92), (0.74, 0.98)],
        ],
    ),
    "h": (0.84, [_TALL, _ARCH]),
    "i": (0.4, [_FOOT]),
    "l": (0.42, [[(0.03, 1.68), (0.15, 1.82), (0.16, 0.9), (0.17, 0.14), (0.38, 0.1)]]),
    "m": (1.26, [_STEM, [*_ARCH[:4], (0.59, 0.0)], _moved(_ARCH, 0.44)]),
    "n": (0.84, [_STEM, _ARCH]),
    "o": (
        0.78,
        [
            [(0.38, 1.0), (0.13, 0.74), (0.13, 0.26), (0.38, 0.0)],
            [(0.38, 0.0), (0.64, 0.26), (0.64, 0.74), (0.38, 1.0)],
        ],
    ),
    "p": (0.8, [[(0.04, 0.88), (0.15, 1.0), (0.16, 0.2), (0.15, -0.72)], _BOWL]),
    "q": (0.78, [_BACK, [(0.48, 0.94), (0.58, 1.0), (0.58, 0.2), (0.57, -0.72)]]),
    "r": (0.56, [_STEM, [(0.17, 0.7), (0.32, 0.97), (0.5, 0.88)]]),
    "s": (0.6, [_S]),
    "ſ": (0.5, [_LONG]),
    "t": (
        0.58,
        [
            [(0.22, 1.2), (0.2, 0.8), (0.19, 0.25), (0.3, 0.02), (0.52, 0.13)],
            [(0.03, 0.92), (0.5, 0.96)],
        ],
    ),
    "u": (
        0.84,
        [
            [(0.04, 0.88), (0.14, 1.0), (0.15, 0.3), (0.26, 0.02), (0.44, 0.07), (0.6, 0.32)],
            [(0.5, 0.88), (0.6, 1.0), (0.61, 0.14), (0.68, 0.02), (0.8, 0.1)],
        ],
    ),
    "v": (
        0.7,
        [[(0.03, 0.9), (0.13, 0.98), (0.34, 0.03)], [(0.35, 0.03), (0.53, 0.5), (0.62, 0.98)]],
    ),
    "x": (
        0.7,
        [[(0.04, 0.95), (0.18, 0.9), (0.46, 0.1), (0.64, 0.08)], [(0.6, 0.96), (0.06, 0.0)]],
    ),
    ".": (0.4, [[(0.14, 0.12), (0.17, 0.1)]]),
}

# Uncial capitals of height 1, for the initial.
CAPITALS: dict[str, list[Stroke]] = {
    "a": [
        [(0.08, 0.06), (0.22, 0.1), (0.4, 0.6), (0.5, 1.0)],
        [(0.36, 0.98), (0.52, 0.92), (0.74, 0.3), (0.92, 0.02)],
        [(0.22, 0.36), (0.68, 0.36)],
    ],
    "d": [
        [(0.22, 0.98), (0.24, 0.5), (0.22, 0.02)],
        [(0.02, 0.98), (0.5, 0.99), (0.84, 0.72), (0.84, 0.3), (0.5, 0.01), (0.02, 0.02)],
    ],
    "e": [
        [(0.84, 0.86), (0.52, 0.99), (0.18, 0.74), (0.14, 0.34), (0.46, 0.01), (0.86, 0.18)],
        [(0.16, 0.52), (0.7, 0.54)],
    ],
    "i": [
        [(0.45, 0.97), (0.48, 0.5), (0.45, 0.03)],
        [(0.14, 0.94), (0.45, 1.0), (0.8, 0.95)],
        [(0.14, 0.05), (0.45, 0.0), (0.8, 0.06)],
    ],
    "t": [
        [(0.02, 0.86), (0.26, 0.98), (0.62, 0.92), (0.92, 1.0)],
        [(0.56, 0.94), (0.26, 0.66), (0.24, 0.24), (0.52, 0.01), (0.84, 0.18)],
    ],
}

_PEN = Pen(width=0.2, thickness=0.045)  # of small letters, in x-heights
_VARIANTS = 4  # forms of each letter


class Hand:
    """Letters of one scribe, `height` pixels high, each in a few slightly different forms."""

    def __init__(self, height: float, rng: np.random.Generator) -> None:
        self.height = height
        self._rng = rng
        self._forms: dict[tuple[str, int], Stamp] = {}

    def letter(self, character: str) -> Stamp:
        """Return one form of a letter, drawn at its first use."""
        key = (character, int(self._rng.integers(_VARIANTS)))
        if key not in self._forms:
            self._forms[key] = stamp(self._wavered(_LETTERS[character][1]), self.height, _PEN)
        return self._forms[key]

    def advance(self, word: str) -> float:
        """Return the length of a word in pixels."""
        return self.height * sum(_LETTERS[character][0] for character in word)

    def _wavered(self, strokes: Sequence[Stroke]) -> list[Stroke]:
        slant = 0.05 + 0.02 * self._rng.standard_normal()
        shaken: list[Stroke] = []
        for stroke in strokes:
            points = np.asarray(stroke) + 0.016 * self._rng.standard_normal((len(stroke), 2))
            points[:, 0] += slant * points[:, 1]
            shaken.append([(float(x), float(y)) for x, y in points])
        return shaken


def write_line(
    canvas: FloatArray,
    words: deque[str],
    place: tuple[float, float, float],
    hand: Hand,
    rng: np.random.Generator,
) -> None:
    """Write words on one ruled line, in place, until the next one would not fit.

    `place` is the row of the base line, the first and the last column. The words written move
    to the end of `words`; a word longer than the line is cut short.
    """
    base, col, end = place
    slope = 0.004 * rng.standard_normal()
    start, ragged = col, end + hand.height * (0.8 * rng.random() - 0.4)
    while col < ragged:
        word = _spelled(words[0])
        if col > start and col + hand.advance(word) > ragged + 0.8 * hand.height:
            return
        words.rotate(-1)
        for character in word:
            if col + hand.advance(character) > end + 1.5 * hand.height:
                return
            row = base - slope * (col - start) + 0.03 * hand.height * rng.standard_normal()
            paste(canvas, hand.letter(character), row, col)
            col += hand.advance(character) * (1 + 0.03 * rng.standard_normal())
        col += hand.height * (0.5 + 0.12 * rng.random())


def _spelled(word: str) -> str:
    # The long s inside words is what makes a page look old at first sight.
    return re.sub("s(?=[a-z])", "ſ", word)
