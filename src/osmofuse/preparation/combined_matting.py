r"""Colour lines near by and ties of likeness far away, in one system.

.. math::

    \min_\alpha \alpha^\top (L_{\text{lines}} + w L_{\text{ties}} + \lambda L_{\text{known}}) \alpha
    \quad \text{with } \alpha \text{ as the trimap says where it is known.}

Colour lines (`colour_lines`) follow soft edges and hair, but do not reach islands and are led
astray by noise and texture. Ties (`knn_matting`) join what looks alike, but know of no mixtures;
they are weak, and decide where the lines, by their own weight, say little. Ties to what is known
(`known_colours`) settle colours that only one side has, wherever they lie. The more pixels a soft
edge is wide, the less the lines hold each of them; hence lambda falls with the picture's size.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from osmofuse.preparation.block_colours import with_block_colours
from osmofuse.preparation.colour_lines import colour_line_laplacian
from osmofuse.preparation.knn_matting import ties_of_open
from osmofuse.preparation.known_colours import ties_to_known
from osmofuse.preparation.least_variation import least_variation
from osmofuse.preparation.trimap import Trimap
from osmofuse.progress import Guard, Status
from osmofuse.typing import FloatArray

__all__ = ["combined_matte"]

TIES = 2e-4  # w, of a tie against a window of colours on a line
KNOWN = 30.0  # lambda times the number of pixels,
MOST_KNOWN = 1e-3  # and the most that lambda can be


def combined_matte(image: FloatArray, trimap: Trimap, guard: Guard) -> tuple[FloatArray, Status]:
    """Find the map; known pixels keep their value.

    Parameters
    ----------
    image : array, (rows, cols, channels)
        White at 1.0.
    trimap : Trimap
        Of the same size.
    guard : Guard
        Asked before each part of the matrix, and before each iteration.

    Returns
    -------
    tuple of array and Status
        The map, and how the conjugate gradients ended.
    """
    wanted = ~trimap.known
    weight = min(KNOWN / wanted.size, MOST_KNOWN)
    parts: tuple[Callable[[], Any], ...] = (
        lambda: colour_line_laplacian(image, wanted),
        lambda: TIES * ties_of_open(image, trimap).laplacian(wanted.size),
        lambda: weight * ties_to_known(image, trimap).laplacian(wanted.size),
    )
    matrix: Any = None
    for part in parts:
        if not guard.next_pass():
            return trimap.levels, Status.cancelled
        matrix = part() if matrix is None else matrix + part()
    return least_variation(
        matrix, trimap, guard, lambda inner: with_block_colours(inner, image, wanted)
    )
