r"""Matting by colour lines in small windows, colour mixtures and ties of similar pixels, together.

.. math::

    \min_\alpha \alpha^\top (L_{\text{lines}} + w L_{\text{ties}} + \lambda L_{\text{known}}) \alpha
    + m \|B_{\text{mixtures}} \alpha\|^2
    \quad \text{with } \alpha \text{ as in the trimap where it is known.}

Colour lines follow soft edges and hair, but do not reach islands and fail in noise and texture.
Mixtures (`colour_mixtures`) follow hair and reach over gaps. Ties (`knn_matting`) of open pixels
join similar pixels, and decide where the others have little weight. Ties to known pixels settle
colours that only one side has, anywhere. The wider a soft edge is, the less the lines hold each of
its pixels; hence lambda falls with the picture's size.

Colour lines: where foreground and background each have colours on one line, alpha is linear in the
colour (Levin, Lischinski and Weiss 2008, doi:10.1109/TPAMI.2007.1177). The misfit of a map, over
all windows k of 3 by 3 pixels, is

.. math::

    \sum_k q_k \min_{a, b} \Big(\sum_{i \in k} (\alpha_i - a \cdot c_i - b)^2
    + \varepsilon \|a\|^2\Big), \qquad
    q_k = \frac{\delta}{\delta + s_k} .

The weight q is ours: noise and fine texture scatter colours away from any line, and make a window
uninformative; s is the variance across the main direction of its colours, estimated as
:math:`\operatorname{tr} C - \operatorname{tr} C^2 / \operatorname{tr} C` of their covariance C.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from osmofuse.maps.colour_mixtures import mixture_rows
from osmofuse.maps.knn_matting import neighbours, ties_along, ties_to_known
from osmofuse.maps.least_variation import least_variation, with_block_colours
from osmofuse.maps.trimap import Trimap
from osmofuse.progress import Guard, Status
from osmofuse.typing import Array, BoolArray, FloatArray

WINDOW_SIDE = 3  # pixels of a window's side, as in the paper
SLOPE_PENALTY = 1e-7  # epsilon; keeps flat windows solvable, for pictures with white at 1
DELTA = 3e-6  # delta: variance across the line at which a window has half weight
WINDOW_BATCH = 1 << 15  # windows at once: bounds memory, without effect on the result


def colour_line_laplacian(image: FloatArray, wanted: BoolArray) -> Any:
    """Return the matrix of the quadratic form over the windows that hold a wanted pixel.

    A sparse array, (pixels, pixels) in row-major order: symmetric, positive semidefinite, with rows
    that sum to 0.
    """
    from scipy.sparse import csr_array, dia_array

    rows, cols, bands = image.shape
    count = rows * cols
    if min(rows, cols) < WINDOW_SIDE:
        return csr_array((count, count))
    colours = np.asarray(image, np.float64).reshape(count, bands)
    offsets, slots, places = _stencil(cols)
    corners = _corners(wanted)
    # By the number of the column, as in a matrix by diagonals.
    diagonals = np.zeros((len(offsets), count))
    for part in range(0, len(corners), WINDOW_BATCH):
        first = corners[part : part + WINDOW_BATCH]
        forms = _forms(colours[first[:, None] + places])
        for i in range(len(places)):
            for j in range(len(places)):
                # No two windows have their corner in one place: nothing is added twice.
                diagonals[slots[i, j], first + places[j]] += forms[:, i, j]
    return dia_array((diagonals, offsets), shape=(count, count)).tocsr()


def _stencil(cols: int) -> tuple[Array, Array, Array]:
    """Return diagonal offsets, the diagonal of each pair (i, j), and offsets within a window."""
    down, right = (x.ravel() for x in np.indices((WINDOW_SIDE, WINDOW_SIDE)))
    places = down * cols + right
    # Steps of one length differ where a picture has few columns: kept apart by both parts.
    steps = np.stack([down[None] - down[:, None], right[None] - right[:, None]], axis=-1)
    pairs, slots = np.unique(steps.reshape(-1, 2), axis=0, return_inverse=True)
    offsets, merged = np.unique(pairs @ (cols, 1), return_inverse=True)
    return offsets, merged[slots].reshape(WINDOW_SIDE**2, WINDOW_SIDE**2), places


def _corners(wanted: BoolArray) -> Array:
    """Return the upper left pixels of the windows that hold a wanted pixel."""
    windows = np.lib.stride_tricks.sliding_window_view(wanted, (WINDOW_SIDE, WINDOW_SIDE))
    down, right = np.nonzero(windows.any(axis=(2, 3)))
    return np.asarray(down * wanted.shape[1] + right)


def _forms(colours: FloatArray) -> FloatArray:
    r"""Return the form of each window: with G the products of its colours about their mean,

    .. math:: q \big(\varepsilon (G + \varepsilon I)^{-1} - \tfrac19 1 1^\top\big) .
    """  # noqa: D400
    size = colours.shape[1]
    about = colours - colours.mean(axis=1, keepdims=True)
    products = about @ about.transpose(0, 2, 1)
    spread = np.trace(products, axis1=1, axis2=2) / size
    square = (products**2).sum(axis=(1, 2)) / size**2
    across = np.maximum(spread - square / np.maximum(spread, np.finfo(np.float64).tiny), 0.0)
    products[:, range(size), range(size)] += SLOPE_PENALTY
    forms = SLOPE_PENALTY * np.linalg.inv(products) - 1.0 / size
    weight = DELTA / (DELTA + across)
    return np.asarray(weight[:, None, None] * forms)


# w: weight of a tie, against 1 of a window whose colours lie on a line; a compromise: half of it
# suits photographed hair better, twice as much the paper's map.
TIES = 4e-4
MIXTURES = 0.1  # m: weight of a mixture; in 0.03..0.3 errors differ by at most 0.004
KNOWN = 30.0  # lambda times the number of pixels
MOST_KNOWN = 1e-3  # upper bound of lambda, for small pictures


def combined_matte(image: FloatArray, trimap: Trimap, guard: Guard) -> tuple[FloatArray, Status]:
    """Compute the map by all four terms; known pixels keep their value.

    The image is (rows, cols, channels). The guard is called before each part of the matrix and each
    iteration; the status is that of the conjugate gradients.
    """
    wanted = ~trimap.known
    pixels, weight = np.flatnonzero(wanted), min(KNOWN / wanted.size, MOST_KNOWN)
    if not guard.next_pass():
        return trimap.levels, Status.cancelled
    near = neighbours(image, pixels)
    parts: tuple[Callable[[], Any], ...] = (
        lambda: colour_line_laplacian(image, wanted),
        lambda: TIES * ties_along(image, pixels, near).laplacian(wanted.size),
        lambda: weight * ties_to_known(image, trimap).laplacian(wanted.size),
    )
    matrix: Any = None
    for part in parts:
        if not guard.next_pass():
            return trimap.levels, Status.cancelled
        matrix = part() if matrix is None else matrix + part()
    return least_variation(
        matrix,
        trimap,
        guard,
        lambda inner: with_block_colours(inner, image, wanted),
        math.sqrt(MIXTURES) * mixture_rows(image, pixels, near[0]),
    )
