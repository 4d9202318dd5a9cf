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
from osmofuse.maps.knn_matting import PASSES, neighbours, tie_strengths, ties_to_known
from osmofuse.maps.least_variation import solve_open
from osmofuse.maps.matting_form import MattingForm
from osmofuse.maps.trimap import Trimap
from osmofuse.progress import Guard, Status
from osmofuse.typing import Array, FloatArray

# w: weight of a tie, against 1 of a window whose colours lie on a line; a compromise: half of it
# suits photographed hair better, twice as much the paper's map.
TIES = 4e-4
MIXTURES = 0.1  # m: weight of a mixture; in 0.03..0.3 errors differ by at most 0.004
KNOWN = 30.0  # lambda times the number of pixels
MOST_KNOWN = 1e-3  # upper bound of lambda, for small pictures
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
    near = neighbours(image, pixels, guard.next_pass)
    if not guard.next_pass():
        return None
    lines = colour_lines(image, number, trimap.kept)
    if not guard.next_pass():
        return None
    similar = _similar(image, number, trimap, pixels, np.concatenate(near, axis=1))
    if not guard.next_pass():
        return None
    sides, kept = ties_to_known(image, trimap), trimap.kept.ravel()
    weight = min(KNOWN / wanted.size, MOST_KNOWN)
    right = lines.kept_ends + similar.right
    ends = lines.ends + similar.ends
    if len(sides.k):
        right += weight * sides.k * kept[sides.j]
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
        mixing=MIXTURES,
    ), right


@dataclass(frozen=True, eq=False)
class _Similar:
    """Ties and mixtures of `MattingForm`, and their part of the right-hand side."""

    near: Array
    ties: FloatArray
    mixtures: FloatArray
    ends: FloatArray
    right: FloatArray


def _similar(
    image: FloatArray, number: Array, trimap: Trimap, pixels: Array, near: Array
) -> _Similar:
    """Weigh the neighbours of open pixels; changes `near` to numbers of open pixels."""
    colours = image.reshape(-1, image.shape[2])
    numbers, kept = number.ravel(), trimap.kept.ravel()
    mixed = near[:, : min(PASSES[0][0], len(colours) - 1)]
    ties, mixtures = (np.empty(x.shape, np.float32) for x in (near, mixed))
    ends, right = np.zeros((2, len(pixels)))
    for first in range(0, len(pixels), PIXELS_AT_ONCE):
        here = slice(first, first + PIXELS_AT_ONCE)
        k = TIES * tie_strengths(colours, pixels[here], near[here])
        w = mixture_weights(colours, pixels[here], mixed[here])
        known, one = numbers[near[here]] < 0, kept[near[here]]
        ends[here] = (k * known).sum(axis=1)
        right[here] += (k * one).sum(axis=1)
        ties[here], known = np.where(known, 0.0, k), known[:, : w.shape[1]]
        share = (w * one[:, : w.shape[1]]).sum(axis=1)
        mixtures[here] = np.where(known, 0.0, w)
        near[here] = np.maximum(numbers[near[here]], 0)
        right[here] += MIXTURES * share
        for weight, j in zip(mixtures[here].T, near[here].T, strict=False):
            np.subtract.at(right, j[share != 0], MIXTURES * (weight * share)[share != 0])
    return _Similar(near, ties, mixtures, ends, right)
