r"""A pair in the logarithm, ready for comparison: brightness of either picture does not matter.

With white :math:`q`, the 99th percentile, :math:`y` is the mean over channels of
:math:`\log(f_c + 0.05\,q_f)` and :math:`\log(b + 0.05\,q_b)` is the background: a gain of b adds a
constant.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from osmofuse.filters import smooth
from osmofuse.kernels import kernel, prange
from osmofuse.methods.sources import Sources
from osmofuse.methods.statistics import Statistics, percentile, ranked, spacing
from osmofuse.typing import Array, BoolArray, FloatArray

WHITE = 99.0  # percentile that stands for white: a few glints are not
LEAST_WHITE = 1e-6  # of a black picture
# A black region at the rim is no data if it is darker than this part of white and covers this
# share of the picture; its own rim of a few pixels is neither black nor data.
RIM_BLACK, LEAST_RIM, RIM_WIDTH = 0.02, 0.001, 2
# Noise, a pedestal and compression brighten black. So many times that level, a tenth of white, is
# black as well if the ground is several times brighter: in the pixels of a JPEG block beside such a
# region, and in whole lines at the border, which no ink fills: with this share of dark pixels
# (0.8..0.95 work), in lines that are not shorter than these pixels.
NEAR_BLACK, OF_GROUND, BLOCK, LINE_SHARE, LEAST_LINE = 5.0, 0.2, 8, 0.9, 16
# A strip of whole lines at the border is no data, such as a scanner's lid, if all but a few samples
# are nearly as bright as the brightest, it is not wider than this share of the side, and ends in a
# straight line: 70 % of what lies beside it, which other strips may cross, are darker than this.
LID, LID_SHARE, WIDEST_LID, BESIDE_LID, LID_END = 0.97, 0.98, 0.15, 0.8, 0.7
FILL = 1 / 16  # deviation of the filling of what has no data, as a share of the side
# A dead pixel lies outside the range of its eight neighbours, by at least twice that range, by 8
# deviations of the differences of neighbours (11.9 medians) and by 0.15 of the logarithm. On dusty
# pages anything in 1..3 ranges does as well; strokes of one pixel have neighbours along themselves.
DEAD_RANGES, DEAD_MEDIANS, DEAD_LOG = 2.0, 11.9, 0.15


@dataclass(frozen=True, eq=False)
class LogPair:
    """Logarithms of foreground and background, the offset of f, and where b has data.

    `tints` are the differences of f's channels, one less than there are channels; `side` is that of
    a square with the area of the whole picture, in pixels.
    """

    y: FloatArray
    b: FloatArray
    offset: float
    valid: BoolArray
    tints: tuple[FloatArray, ...]
    side: float


def log_pair(sources: Sources, background: int, offset: float, known: Statistics) -> LogPair:
    """Return the logarithms of a foreground and one of its backgrounds.

    `offset` is relative to the white of each picture.
    """
    number = np.float32
    lift = offset * white_of(sources, 0, known)
    logs = [np.log(sources.image(0, c, number) + number(lift)) for c in range(sources.channels)]
    tints = tuple(one - other for one, other in itertools.pairwise(logs))
    y = np.asarray(sum(logs) / number(sources.channels))
    b = grey_of(sources, background)
    white = white_of(sources, background, known)
    side = known("side", lambda: math.sqrt(b.size))
    valid = ~rim(b, RIM_BLACK * white, side)
    if sources.valid is not None:
        valid &= sources.valid
    b = filled(np.log(b + number(offset * white)), y, valid, side)
    return LogPair(y, without_dead_pixels(b, known), lift, valid, tints, side)


def grey_of(sources: Sources, source: int, *, step: int = 1) -> FloatArray:
    """Return the mean of a picture's bands; with a step, only on a grid of pixels."""
    bands = 1 if sources.is_one_band(source) else sources.channels
    b = sources.image(source, 0, np.float32, step=step)
    for c in range(1, bands):
        b += sources.image(source, c, np.float32, step=step)
    return b if bands == 1 else b / np.float32(bands)


def white_of(sources: Sources, source: int, known: Statistics) -> float:
    """Return the white of a picture: of the foreground's brightest channel, of b's mean band."""
    step = spacing(sources.shape[0] * sources.shape[1])

    def white(c: int) -> float:
        return ranked(sources.image(0, c, np.float32, step=step), WHITE)

    if source > 0:
        return max(
            known("white", lambda: inner_white(grey_of(sources, source, step=step))), LEAST_WHITE
        )
    whites = [known(f"white {c}", partial(white, c)) for c in range(sources.channels)]
    return max(LEAST_WHITE, *whites)


def inner_white(b: FloatArray) -> float:
    """Return the white of samples without bright strips at the border."""
    return ranked(b[~bright_lines(b)], WHITE)


def rim(b: FloatArray, level: float, side: float | None = None) -> BoolArray:
    """Return the mask of dark regions and bright strips at the border; `side` is of the whole.

    The level of the ground is taken from b, so b must be the whole picture.
    """
    found = dark_regions(b, level, side)
    near = min(NEAR_BLACK * level, OF_GROUND * percentile(b, 50.0))
    if found.any():
        from scipy import ndimage

        beside = ndimage.binary_dilation(found, iterations=BLOCK) & (b < near)
        found |= ndimage.binary_dilation(beside, iterations=RIM_WIDTH)
    return found | dark_lines(b, near) | bright_lines(b)


def dark_regions(b: FloatArray, level: float, side: float | None = None) -> BoolArray:
    """Return the mask of large regions below a level that touch the border, and their own rims."""
    size = b.size if side is None else side * side
    dark = b < level
    if not (dark[0].any() or dark[-1].any() or dark[:, 0].any() or dark[:, -1].any()):
        return np.zeros(b.shape, bool)
    from scipy import ndimage

    parts, _ = ndimage.label(dark)
    ends = np.unique(np.concatenate([parts[0], parts[-1], parts[:, 0], parts[:, -1]]))
    sizes = np.bincount(parts.ravel())
    large = [k for k in ends if k and sizes[k] > LEAST_RIM * size]
    found = np.isin(parts, large)
    return np.asarray(ndimage.binary_dilation(found, iterations=RIM_WIDTH)) if large else found


def dark_lines(b: FloatArray, level: float) -> BoolArray:
    """Return the mask of rows and columns at the border that are mostly below a level."""
    found = np.zeros(b.shape, bool)
    for lines, mask in zip(from_each_side(b < level), from_each_side(found), strict=True):
        if lines.shape[1] < LEAST_LINE:
            continue
        count = int(np.argmin(lines.mean(axis=1) > LINE_SHARE))  # 0 if all lines are dark
        mask[: count + RIM_WIDTH if count else 0] = True
    return found


def bright_lines(b: FloatArray) -> BoolArray:
    """Return the mask of straight strips at the border that are constant and as bright as any."""
    found = np.zeros(b.shape, bool)
    most = float(b.max(initial=0.0))
    for lines, mask in zip(from_each_side(b), from_each_side(found), strict=True):
        widest = math.floor(WIDEST_LID * len(lines))
        if lines.shape[1] < LEAST_LINE or widest == 0:
            continue
        bright = (lines[: widest + 1] > LID * most).mean(axis=1) > LID_SHARE
        count = int(np.argmin(bright))  # 0 if all lines are bright
        end = count + RIM_WIDTH
        beside = lines[end : end + RIM_WIDTH]
        if count and beside.size and (beside < BESIDE_LID * most).mean() > LID_END:
            mask[:end] = True
    return found


def from_each_side(x: Array) -> tuple[Array, ...]:
    """Return views of a plane that begin with its top, bottom, left and right line."""
    return x, x[::-1], x.T, x.T[::-1]


def filled(b: FloatArray, y: FloatArray, valid: BoolArray, side: float | None = None) -> FloatArray:
    """Return b, and y at b's level where b has no data, so that no edge arises there."""
    if valid.all():
        return b
    sigma, known = FILL * (math.sqrt(b.size) if side is None else side), valid.astype(b.dtype)
    level = smooth(known * (y - b), sigma) / np.maximum(smooth(known, sigma), 1e-6)
    return np.where(valid, b, y - level)


def where_known(x: FloatArray, valid: BoolArray) -> FloatArray:
    """Return the samples of a plane that are valid; all if none is, or all are."""
    return x if valid.all() or not valid.any() else x[valid]


def without_dead_pixels(b: FloatArray, known: Statistics) -> FloatArray:
    """Return b with isolated pixels far from all their neighbours replaced by their mean."""
    spread = known.percentile("spread", np.abs(np.diff(b, axis=1)), 50.0)
    found = np.empty_like(b)
    replace_dead(np.pad(b, 1, mode="reflect"), max(DEAD_MEDIANS * spread, DEAD_LOG), found)
    return found


@kernel
def replace_dead(framed: FloatArray, least: float, found: FloatArray) -> None:
    """Copy a plane framed by its mirror image, dead pixels replaced by the neighbours' mean."""
    rows, cols = found.shape
    limit, eight = found.dtype.type(least), found.dtype.type(8.0)
    ranges = found.dtype.type(DEAD_RANGES)
    for i in prange(rows):
        to, up, here, down = found[i], framed[i], framed[i + 1], framed[i + 2]
        for j in range(cols):
            a, b, c = up[j], up[j + 1], up[j + 2]
            d, x, e = here[j], here[j + 1], here[j + 2]
            f, g, h = down[j], down[j + 1], down[j + 2]
            low, high = min(a, b, c, d, e, f, g, h), max(a, b, c, d, e, f, g, h)
            dead = max(x - high, low - x) > max(limit, ranges * (high - low))
            to[j] = (a + b + c + d + e + f + g + h) / eight if dead else x
