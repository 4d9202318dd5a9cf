"""Fit of two pictures: the structure that they share, and a shift of one of them.

Both are measured in blocks of a few structure scales, of large pictures in some strips of rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from osmofuse.filters import reduced
from osmofuse.methods.statistics import Statistics, percentile
from osmofuse.typing import FloatArray

STRANGERS = 1.2  # agreement of pictures that share no structure, or of a blank one
FIT_PIXELS, STRIPS = 300_000, 8  # pixels that are measured at most, and the strips they come from
FIT_BLOCK = 6.0  # side of a block, in structure scales: in smaller ones noise decides
STRONG_BLOCK = 70.0  # percentile of energies above which a block has structure
# Misregistration: blocks in which a shift could matter, by how much c must grow, and in which
# share of them: 0.44 to 0.63 on drawn pages shifted by a pixel, at most 0.28 on others.
LEAST_SHIFTED, SHIFTED_CORRELATION, SHIFTED_GAIN, SHIFTED_SHARE = 10, 0.4, 1.05, 0.35
NEAR_SHIFTS = tuple((d * y, d * x) for d in (-2, -1, 1, 2) for y, x in ((0, 1), (1, 0)))
# Shifts in eighths of the picture, after which two pictures agree by chance alone.
FAR_SHIFTS = ((2, 0), (0, 2), (3, 3), (3, 5), (5, 3), (4, 4), (1, 4), (4, 1))


@dataclass(frozen=True)
class Fit:
    """Fit of two pictures.

    `agreement` is their correlation relative to the largest that chance gives; `shifted` tells
    that they fit better after a shift of a pixel or two; `contrary` is the share of common
    structure that is bright in one picture and dark in the other; `gained` is the ratio of the
    agreement after the background was moved to that before.
    """

    agreement: float
    shifted: bool
    contrary: float
    gained: float = 1.0

    @classmethod
    def of(
        cls, h_b: FloatArray, h_y: FloatArray, scale: float, contrary: float, known: Statistics
    ) -> Fit:
        """Measure two high-passed planes."""
        side = max(2, round(FIT_BLOCK * scale))
        b, y = strips(h_b), strips(h_y)
        agreement = known("agreement", lambda: agreement_of(b, y, side))
        shifted = bool(known("shifted", lambda: is_shifted(b, y, side)))
        return cls(agreement, shifted and agreement >= STRANGERS, contrary)


def strips(x: FloatArray) -> FloatArray:
    """Return a plane, or some strips of a large one, one below the other."""
    height = -(-FIT_PIXELS // (STRIPS * x.shape[1]))
    if height * STRIPS >= x.shape[0]:
        return x
    starts = np.linspace(0, x.shape[0] - height, STRIPS).astype(int)
    return np.concatenate([x[start : start + height] for start in starts])


def agreement_of(b: FloatArray, y: FloatArray, side: int) -> float:
    """Return the correlation of two planes over the largest one of eight far shifts.

    Drawn and real pages reach 1.3 to 4, unrelated ones at most 1.2, if they do not share lines.
    """
    rows, cols = b.shape
    far = [correlation(b, y, side, (rows * i // 8, cols * j // 8)) for i, j in FAR_SHIFTS]
    return correlation(b, y, side) / max(*far, 1e-6)


def correlation(b: FloatArray, y: FloatArray, side: int, shift: tuple[int, int] = (0, 0)) -> float:
    """Return the squared correlation in blocks, weighted by their structure."""
    moved = np.roll(b, shift, (0, 1))
    s_b, s_f, c = (reduced(x, side) for x in (moved * moved, y * y, moved * y))
    weight = np.sqrt(s_b * s_f)
    total = float(weight.sum(dtype=np.float64))
    return float((c * c / (weight + 1e-12)).sum(dtype=np.float64)) / (total + 1e-12)


def is_shifted(b: FloatArray, y: FloatArray, side: int) -> bool:
    """Return True if structure of both would fit better after a shift of a pixel or two."""
    s_b, s_f, c = (reduced(x, side) for x in (b * b, y * y, b * y))
    best = np.maximum.reduce([reduced(np.roll(b, one, (0, 1)) * y, side) for one in NEAR_SHIFTS])
    seen = (s_b > percentile(s_b, STRONG_BLOCK)) & (s_f > percentile(s_f, STRONG_BLOCK))
    seen &= np.maximum(c, best) ** 2 > SHIFTED_CORRELATION * s_b * s_f
    if np.count_nonzero(seen) < LEAST_SHIFTED:
        return False
    return bool((best > SHIFTED_GAIN * c)[seen].mean() > SHIFTED_SHARE)
