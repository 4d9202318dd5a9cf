r"""Colour lines near by and ties of likeness far away, in one system.

.. math::

    \min_\alpha \alpha^\top (L_{\text{lines}} + w L_{\text{ties}}) \alpha \quad \text{with }
    \alpha \text{ as the trimap says where it is known.}

Colour lines (`colour_lines`) follow soft edges and hair, but leave islands alone and are led
astray by noise and texture. Ties (`knn_matting`) join what looks alike, wherever it lies, but know
of no mixtures. The ties are weak: they decide where the lines, by their own weight, say little.
"""

from __future__ import annotations

from osmofuse.preparation.block_colours import with_block_colours
from osmofuse.preparation.colour_lines import colour_line_laplacian
from osmofuse.preparation.knn_matting import ties_of_open
from osmofuse.preparation.least_variation import least_variation
from osmofuse.preparation.trimap import Trimap
from osmofuse.typing import FloatArray

__all__ = ["combined_matte"]

WEIGHT = 2e-4  # w, of a tie against a window


def combined_matte(image: FloatArray, trimap: Trimap) -> tuple[FloatArray, bool]:
    """Find the map; known pixels keep their value.

    Parameters
    ----------
    image : array, (rows, cols, channels)
        White at 1.0.
    trimap : Trimap
        Of the same size.

    Returns
    -------
    tuple of array and bool
        The map, and whether the conjugate gradients have converged.
    """
    wanted = ~trimap.known
    lines, ties = colour_line_laplacian(image, wanted), ties_of_open(image, trimap)
    return least_variation(
        lines + WEIGHT * ties.laplacian(wanted.size),
        trimap,
        lambda matrix: with_block_colours(matrix, image, wanted),
    )
