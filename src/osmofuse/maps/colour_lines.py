r"""Colour lines: in a small window alpha is often linear in the colour.

This holds where foreground and background each have colours on one line (Levin, Lischinski and
Weiss 2008, doi:10.1109/TPAMI.2007.1177). The misfit of a map, over all windows k of 3 by 3 pixels,
is

.. math::

    \sum_k q_k \min_{a, b} \Big(\sum_{i \in k} (\alpha_i - a \cdot c_i - b)^2
    + \varepsilon \|a\|^2\Big)
    = \sum_{k} q_k \sum_{i < j \in k} \Big(\frac19 + t_i \cdot t_j\Big) (\alpha_i - \alpha_j)^2,
    \qquad q_k = \frac{\delta}{\delta + s_k},

with :math:`t_i = L^{-1} (c_i - \bar c)` and :math:`L L^\top = \sum_{i \in k} (c_i - \bar c)
(c_i - \bar c)^\top + \varepsilon I`.

The weight q is ours: noise and fine texture scatter colours away from any line, and make a window
uninformative; s is the variance across the main direction of its colours, estimated as
:math:`\operatorname{tr} C - \operatorname{tr} C^2 / \operatorname{tr} C` of their covariance C.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from osmofuse.kernels import kernel, pixel, prange
from osmofuse.typing import Array, BoolArray, FloatArray

WINDOW_SIDE = 3  # pixels of a window's side, as in the paper
SLOPE_PENALTY = 1e-7  # epsilon; keeps flat windows solvable, for pictures with white at 1
DELTA = 3e-6  # delta: variance across the line at which a window has half weight
TINY = 1e-300  # keeps 0 / 0 from becoming NaN in windows of one colour
# Steps (rows, cols) from a pixel to those after it, row by row, that share a window with it.
STEPS = np.array([(i, j) for i in range(3) for j in range(-2, 3) if (i, j) > (0, 0)])


@dataclass(frozen=True, eq=False)
class ColourLines:
    """Links between open pixels that share a window.

    Attributes
    ----------
    weights : array, (open pixels, 12)
        Weight of the link to the pixel at each of `STEPS`, in float32; may be negative, and is 0
        if that pixel is known.
    ends, kept_ends : array, (open pixels,)
        Sum of the weights of a pixel's links, in all directions, to known pixels, and to those
        known to be 1.
    """

    weights: FloatArray
    ends: FloatArray
    kept_ends: FloatArray


def colour_lines(image: FloatArray, number: Array, kept: BoolArray) -> ColourLines:
    """Return the links of open pixels.

    The image is (rows, cols, bands), `number` the number of each open pixel, row by row, and -1
    where the map is known; `kept` is True where it is known to be 1.
    """
    count = int(number.max()) + 1
    weights = np.zeros((count, len(STEPS)), np.float32)
    ends, kept_ends = np.zeros((2, count))
    if min(number.shape) >= WINDOW_SIDE:
        link_windows(np.ascontiguousarray(image), number, kept, weights, ends, kept_ends)
    return ColourLines(weights, ends, kept_ends)


@pixel
def fit(t: FloatArray, factor: FloatArray) -> float:
    """Set t, the colours of a window, to L^-1 (c - mean), and factor to L; return q."""
    count, bands = t.shape
    spread, square = 0.0, 0.0
    for b in range(bands):
        t[:, b] -= t[:, b].mean()
        for c in range(b + 1):
            product = 0.0
            for n in range(count):
                product += t[n, b] * t[n, c]
            factor[b, c] = product
            square += product * product * (1 + (c < b))
        spread += factor[b, b]
    across = max(spread - square / max(spread, TINY), 0.0) / count
    for b in range(bands):
        factor[b, b] += SLOPE_PENALTY
        for c in range(b):
            for d in range(c):
                factor[b, c] -= factor[b, d] * factor[c, d]
            factor[b, c] /= factor[c, c]
            factor[b, b] -= factor[b, c] * factor[b, c]
        factor[b, b] = math.sqrt(factor[b, b])
        for n in range(count):
            for c in range(b):
                t[n, b] -= factor[b, c] * t[n, c]
            t[n, b] /= factor[b, b]
    return float(DELTA / (DELTA + across))


@pixel
def window_links(
    image: FloatArray, number: Array, i: int, t: FloatArray, factor: FloatArray, links: FloatArray
) -> None:
    """Add to the links of row i, (cols, 5, 5), those of all windows that hold its open pixels."""
    rows, cols, bands = image.shape
    for top in range(max(i - 2, 0), min(i, rows - 3) + 1):
        for left in range(cols - 2):
            if max(number[i, left], number[i, left + 1], number[i, left + 2]) < 0:
                continue
            for n in range(9):
                for b in range(bands):
                    t[n, b] = image[top + n // 3, left + n % 3, b]
            q = fit(t, factor)
            for j in range(3):
                own = 3 * (i - top) + j
                for n in range(9):
                    product = 1.0 / 9.0
                    for b in range(bands):
                        product += t[own, b] * t[n, b]
                    links[left + j, n // 3 - i + top + 2, n % 3 - j + 2] += q * product


@kernel
def link_windows(
    image: FloatArray,
    number: Array,
    kept: BoolArray,
    weights: FloatArray,
    ends: FloatArray,
    kept_ends: FloatArray,
) -> None:
    """Set the weights and sums of `ColourLines`, row by row."""
    rows, cols, bands = image.shape
    for i in prange(rows):
        links = np.zeros((cols, 5, 5))
        window_links(image, number, i, np.empty((9, bands)), np.empty((bands, bands)), links)
        for j in range(cols):
            own = number[i, j]
            if own < 0:
                continue
            for n in range(25):
                row, col = i + n // 5 - 2, j + n % 5 - 2
                if not (0 <= row < rows and 0 <= col < cols):
                    continue
                if number[row, col] < 0:
                    ends[own] += links[j, n // 5, n % 5]
                    kept_ends[own] += links[j, n // 5, n % 5] * kept[row, col]
                elif n > 12:
                    weights[own, n - 13] = links[j, n // 5, n % 5]
