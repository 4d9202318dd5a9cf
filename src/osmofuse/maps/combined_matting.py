r"""Matting by colour lines in small windows, colour mixtures and ties of similar pixels, together.

.. math::

    \min_\alpha \alpha^\top (L_{\text{lines}} + w L_{\text{ties}} + \lambda L_{\text{known}}) \alpha
    + m \|B_{\text{mixtures}} \alpha\|^2
    \quad \text{with } \alpha \text{ as in the trimap where it is known.}

Colour lines (`colour_lines`) follow soft edges and hair, but do not reach islands and fail in noise
and texture. Mixtures (`colour_mixtures`) follow hair and reach over gaps. Ties (`knn_matting`) of
open pixels join similar pixels, and decide where the others have little weight. Ties to known
pixels settle colours that only one side has, anywhere. The wider a soft edge is, the less the lines
hold each of its pixels; hence lambda falls with the picture's size.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from osmofuse.maps.block_spaces import with_block_colours
from osmofuse.maps.colour_lines import STEPS, colour_lines
from osmofuse.maps.colour_mixtures import mixture_weights
from osmofuse.maps.knn_matting import neighbours, tie_strengths, ties_to_known
from osmofuse.maps.least_variation import solve_open
from osmofuse.maps.matting_form import MIXED, SIMILAR, MattingForm
from osmofuse.maps.trimap import Trimap
from osmofuse.progress import Guard, Status
from osmofuse.typing import Array, FloatArray

# w: weight of a tie, against 1 of a window whose colours lie on a line; a compromise: half of it
# suits photographed hair better, twice as much the paper's map.
TIES = 4e-4
MIXTURES = 0.1  # m: weight of a mixture; in 0.03..0.3 errors differ by at most 0.004
KNOWN = 30.0  # lambda times the number of pixels
MOST_KNOWN = 1e-3  # upper bound of lambda, for small pictures
STRENGTH = 1.0 / 65535  # unit of a tie's strength, stored in 16 bits
PIXELS_AT_ONCE = 1 << 16  # pixels at once: bounds memory, without effect on the result


def combined_matte(image: FloatArray, trimap: Trimap, guard: Guard) -> tuple[FloatArray, Status]:
    """Compute the map by all four terms; known pixels keep their value.

    The image is (rows, cols, channels). The guard is called between parts of the search for
    neighbours, before each term and before each iteration; the status is that of the conjugate
    gradients.
    """
    if trimap.known.all():
        return trimap.levels, Status.direct
    found = matting_system(image, trimap, guard) if guard.next_pass() else None
    if found is None:
        return trimap.levels, Status.cancelled
    form, right = found
    return solve_open(
        form, right, trimap, guard, lambda matrix: with_block_colours(matrix, image, ~trimap.known)
    )


def matting_system(
    image: FloatArray, trimap: Trimap, guard: Guard
) -> tuple[MattingForm, FloatArray] | None:
    """Return the matrix for the open pixels and the right-hand side, or None if cancelled."""
    wanted = ~trimap.known
    pixels = np.flatnonzero(wanted).astype(np.int32)
    number = np.full(wanted.shape, -1, np.int32)
    number[wanted] = np.arange(len(pixels), dtype=np.int32)
    sides = ties_to_known(image, trimap)
    if not guard.next_pass():
        return None
    near = neighbours(image, pixels, guard.next_pass)
    if not guard.next_pass():
        return None
    similar = _similar(image, number, trimap, pixels, near)
    del near
    if not guard.next_pass():
        return None
    lines = colour_lines(image, number, trimap.kept)
    right, ends = lines.kept_ends + similar.right, lines.ends + similar.ends
    if len(sides.k):
        weight = min(KNOWN / wanted.size, MOST_KNOWN)
        right += weight * sides.k * trimap.kept.ravel()[sides.j]
        ends += weight * sides.k
    # Two rows and columns more: steps from the border end at known pixels.
    framed = np.pad(np.maximum(number, 0), ((0, 2), (2, 2)))
    down, across = np.divmod(pixels, wanted.shape[1])
    return MattingForm(
        number=framed,
        places=down * np.int32(framed.shape[1]) + across + np.int32(2),
        steps=STEPS @ (framed.shape[1], 1),
        lines=lines.weights,
        near=similar.near,
        ties=similar.ties,
        mixtures=similar.mixtures,
        ends=ends,
        tie=TIES * STRENGTH,
        mixing=MIXTURES,
    ), right


@dataclass(frozen=True, eq=False)
class _Similar:
    """Ties and mixtures of `MattingForm`, and their part of the right-hand side."""

    near: Array
    ties: Array
    mixtures: FloatArray
    ends: FloatArray
    right: FloatArray


def _similar(
    image: FloatArray, number: Array, trimap: Trimap, pixels: Array, found: list[Array]
) -> _Similar:
    """Weigh the neighbours of open pixels."""
    colours = image.reshape(-1, image.shape[2])
    numbers, kept, count = number.ravel(), trimap.kept.ravel(), found[0].shape[1]
    # Fewer in tiny pictures: the other columns keep the weight 0.
    there = np.r_[:count, MIXED : MIXED + found[1].shape[1]]
    near = np.zeros((len(pixels), SIMILAR), np.int32)
    ties, mixtures = np.zeros(near.shape, np.uint16), np.zeros((len(pixels), MIXED), np.float32)
    ends, right = np.zeros((2, len(pixels)))
    for first in range(0, len(pixels), PIXELS_AT_ONCE):
        here = slice(first, first + PIXELS_AT_ONCE)
        j = np.concatenate([part[here] for part in found], axis=1)
        k = np.rint(tie_strengths(colours, pixels[here], j) / STRENGTH)
        w = mixture_weights(colours, pixels[here], j[:, :count])
        known, one = numbers[j] < 0, kept[j]
        ends[here] = TIES * STRENGTH * (k * known).sum(axis=1)
        near[here, there] = np.maximum(numbers[j], 0)
        ties[here, there] = np.where(known, 0.0, k)
        mixtures[here, :count] = np.where(known[:, :count], 0.0, w)
        share = MIXTURES * (w * one[:, :count]).sum(axis=1)
        right[here] += TIES * STRENGTH * (k * one).sum(axis=1) + share
        mixed = np.flatnonzero(share)
        part = mixtures[here][mixed] * share[mixed, None]
        np.subtract.at(right, near[here][mixed, :MIXED], part)
    return _Similar(near, ties, mixtures, ends, right)
