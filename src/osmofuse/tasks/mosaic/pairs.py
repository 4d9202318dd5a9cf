"""Pairs of panels: where two of them show the same, or touch, and what they show there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

import numpy as np

from osmofuse.pixels import plane_of, white_of
from osmofuse.tasks.mosaic.panels import Box, Panel
from osmofuse.typing import Array, BoolArray, FloatArray

Points: TypeAlias = tuple[Array, Array]  # rows and columns

# Sides of the blocks whose means are compared, the largest of which there are enough: noise and
# small errors of registration average out.
_BLOCKS = 8, 4, 2
_ENOUGH = 60
_SIDE = 64  # most blocks along each side of an overlap
# Most points of all pairs together, and least of one: bounds of memory.
_MOST, _LEAST = 400_000, 64
_FLAT = 0.03  # deviation of logarithms below which an overlap shows too little to be compared
# Distances in pixels from a seam at which panels that only touch are compared: at two, since a
# line of the scene may lie along the seam.
DEPTHS = 0, 2


@dataclass(frozen=True, eq=False)
class Pair:
    """Places at which two panels are compared.

    Attributes
    ----------
    first, second : int
        Numbers of the panels.
    block : int
        Side of the blocks that are compared.
    here, there : tuple of array
        Rows and columns on the canvas of the blocks' first pixels: in the first panel, and in the
        second. They are the same where panels overlap, and neighbours where they only touch.
    """

    first: int
    second: int
    block: int
    here: Points
    there: Points

    @property
    def overlaps(self) -> bool:
        """True if the panels show some pixels both."""
        return self.here is self.there

    def beside(self, depth: int, panels: Sequence[Panel]) -> tuple[Points, Points]:
        """Return points on both sides at a distance from the seam; at it where there is no data."""
        steps = [after - before for before, after in zip(self.here, self.there, strict=True)]
        found = []
        for k, points, sign in ((self.first, self.here, -depth), (self.second, self.there, depth)):
            moved = [at + sign * step for at, step in zip(points, steps, strict=True)]
            inside = panels[k].holds((moved[0], moved[1]))
            pair = (np.where(inside, new, old) for new, old in zip(moved, points, strict=True))
            found.append(tuple(pair))
        (here, there) = found
        return (here[0], here[1]), (there[0], there[1])


@dataclass(frozen=True, eq=False)
class Side:
    """Levels of one panel at the points of a pair, white at 1.0, and their places in it."""

    rows: FloatArray
    cols: FloatArray
    level: FloatArray


def pairs_of(panels: Sequence[Panel]) -> list[Pair]:
    """Return all pairs of panels that overlap or touch along an edge."""
    found = (_pair(panels, k, m) for k, m in combinations(range(len(panels)), 2))
    return [pair for pair in found if pair is not None]


def connected(count: int, pairs: Sequence[Pair]) -> set[int]:
    """Return the panels that are connected with the first one by pairs."""
    near: list[list[int]] = [[] for _ in range(count)]
    for pair in pairs:
        near[pair.first].append(pair.second)
        near[pair.second].append(pair.first)
    found, waiting = {0}, [0]
    while waiting:
        new = set(near[waiting.pop()]) - found
        found |= new
        waiting.extend(new)
    return found


def compared(panels: Sequence[Panel], pair: Pair, channel: int, pairs: int) -> tuple[Side, Side]:
    """Return the levels of both panels of one of so many pairs, where neither is clipped or 0."""
    here, there = pair.here, pair.there
    if not pair.overlaps:
        all_here, all_there = zip(*(pair.beside(d, panels) for d in DEPTHS), strict=True)
        here, there = _joined(all_here), _joined(all_there)
    step = -(-len(here[0]) // max(_LEAST, _MOST // pairs))
    sides = []
    good = np.ones(len(here[0][::step]), bool)
    for k, points in ((pair.first, here), (pair.second, there)):
        rows, cols = (x[::step] - s.start for x, s in zip(points, panels[k].box, strict=True))
        level, clipped = _block_means(panels[k], channel, (rows, cols), pair.block)
        good &= ~clipped & (level > 0.0)
        middle = (pair.block - 1) / 2
        sides.append((rows + middle, cols + middle, level))
    one, two = (Side(*(x[good] for x in side)) for side in sides)
    return one, two


def agreement(one: Side, two: Side) -> float | None:
    """Return the correlation of what two panels show, without smooth light; None if it is little.

    Below 0.2 they show different things; the panels of a mosaic have 0.9 and more.
    """
    if one.level.size < _ENOUGH:
        return None
    detail = [_without_light(side) for side in (one, two)]
    spread = [float(x.std()) for x in detail]
    if min(spread) < _FLAT:
        return None
    return float((detail[0] * detail[1]).mean()) / (spread[0] * spread[1])


def _without_light(side: Side) -> FloatArray:
    """Return the logarithm of levels, less the polynomial of degree two that fits it best."""
    r, c = (x / max(float(x.max()), 1.0) for x in (side.rows, side.cols))
    terms = np.stack([np.ones_like(r), r, c, r * r, r * c, c * c], axis=1)
    y = np.log(side.level)
    return np.asarray(y - terms @ np.linalg.lstsq(terms, y, rcond=None)[0])


def _pair(panels: Sequence[Panel], k: int, m: int) -> Pair | None:
    box = _near(panels[k].box, panels[m].box)
    if box is None:
        return None
    one, two = panels[k].within(box), panels[m].within(box)
    corner = box[0].start, box[1].start
    if (both := one & two).any():
        block, points = _blocks(both)
        here = _shifted(points, corner)
        return Pair(k, m, block, here, here)
    before, after = _borders(one, two)
    if not len(before[0]):
        return None
    return Pair(k, m, 1, _shifted(before, corner), _shifted(after, corner))


def _near(a: Box, b: Box) -> Box | None:
    """Return the overlap of two boxes and one pixel around it, None if they do not touch."""
    sides = []
    for one, two in zip(a, b, strict=True):
        start, stop = max(one.start, two.start), min(one.stop, two.stop)
        if stop < start:
            return None
        first, last = min(one.start, two.start), max(one.stop, two.stop)
        sides.append(slice(max(start - 1, first), min(stop + 1, last)))
    return sides[0], sides[1]


def _blocks(both: BoolArray) -> tuple[int, Points]:
    """Return the side of blocks and their first pixels, all within a mask."""
    for block in _BLOCKS:
        if min(both.shape) < block:
            continue
        down, right = (
            np.linspace(0, n - block, min(_SIDE, n // block)).astype(np.intp) for n in both.shape
        )
        whole = np.ones((len(down), len(right)), bool)
        for i, j in np.ndindex(block, block):
            whole &= both[np.ix_(down + i, right + j)]
        if np.count_nonzero(whole) >= _ENOUGH:
            rows, cols = np.nonzero(whole)
            return block, (down[rows], right[cols])
    rows, cols = np.nonzero(both)
    step = -(-len(rows) // _SIDE**2)
    return 1, (rows[::step], cols[::step])


def _borders(one: BoolArray, two: BoolArray) -> tuple[Points, Points]:
    """Return the pixels of a mask that have a neighbour in another, and those neighbours."""
    found: list[Array] = []
    for axis in (0, 1):
        down, right = int(axis == 0), int(axis == 1)
        step = np.array([[down], [right]], np.intp)
        near = slice(0, one.shape[0] - down), slice(0, one.shape[1] - right)
        far = slice(down, None), slice(right, None)
        forward = np.array(np.nonzero(one[near] & two[far]))
        back = np.array(np.nonzero(two[near] & one[far]))
        found += [np.stack([forward, forward + step]), np.stack([back + step, back])]
    here, there = np.concatenate(found, axis=2)
    return (here[0], here[1]), (there[0], there[1])


def _joined(parts: Sequence[Points]) -> Points:
    rows, cols = (np.concatenate(sides) for sides in zip(*parts, strict=True))
    return rows, cols


def _shifted(points: Points, corner: tuple[int, int]) -> Points:
    return points[0] + corner[0], points[1] + corner[1]


def _block_means(
    panel: Panel, channel: int, points: Points, block: int
) -> tuple[FloatArray, BoolArray]:
    """Return the means of blocks, and which of them have clipped samples."""
    plane, white = plane_of(panel.pixels, channel), white_of(panel.pixels.dtype, panel.name)
    flat = None if panel.flat is None else plane_of(panel.flat, channel)
    total, clipped = np.zeros(len(points[0])), np.zeros(len(points[0]), bool)
    for i, j in np.ndindex(block, block):
        place = points[0] + i, points[1] + j
        x = plane[place]
        clipped |= x >= panel.ceiling
        total += x if flat is None else x / flat[place]
    return total / (white * block**2), clipped
