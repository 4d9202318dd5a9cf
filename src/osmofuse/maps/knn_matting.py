r"""KNN matting (Chen, Li and Tang 2013, doi:10.1109/TPAMI.2013.18), the paper's method for alpha.

Each pixel is tied to its nearest neighbours in colour and place, and the map varies least along
the ties:

.. math::

    \min_\alpha \sum_{(i,j)} k_{ij} (\alpha_i - \alpha_j)^2 \quad \text{with } \alpha
    \text{ as in the trimap where it is known.}

The authors hold known pixels by a weight of 100 instead; here they are held exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import get_num_threads

from osmofuse.maps.least_variation import least_variation
from osmofuse.maps.trimap import Trimap
from osmofuse.progress import Guard, Status
from osmofuse.typing import Array, FloatArray

# Number of neighbours, and weight of the distance in space, for two passes; as the authors.
PASSES = ((10, 1.0), (2, 0.01))
LEVEL = 1.0  # weight of place: the picture's diagonal, against 1 of a colour's range
LEAF = 32  # points in a leaf of a search tree; of 8, 16, 32 the fastest
PIXELS_AT_ONCE = 1 << 16  # pixels at once: bounds memory, without effect on the result
NO_TIE = 5.0  # L1 difference of colours at which a tie has strength 0


@dataclass(frozen=True, eq=False)
class Ties:
    """Ties between pixels i and j of strength k, at least 0; each counts for both of its ends.

    Pixels are numbered row by row.
    """

    i: Array
    j: Array
    k: FloatArray

    def laplacian(self, count: int) -> Any:
        """Return the matrix of the quadratic form: symmetric, rows that sum to 0."""
        from scipy.sparse import coo_array, diags_array

        half = coo_array((self.k, (self.i, self.j)), shape=(count, count)).tocsr()
        weights = half + half.T
        return (diags_array(weights.sum(axis=1)) - weights).tocsr()


def features(image: FloatArray, level: float) -> FloatArray:
    """Return each pixel's colour and place as one point; `level` is the length of the diagonal."""
    rows, cols, bands = image.shape
    points = np.empty((rows, cols, bands + 2))
    points[..., :bands] = image
    points[..., bands] = (level * (np.arange(rows) / np.hypot(rows, cols)))[:, None]
    points[..., bands + 1] = level * (np.arange(cols) / np.hypot(rows, cols))
    return points.reshape(-1, bands + 2)


def neighbours(
    image: FloatArray, pixels: Array, go_on: Callable[[], bool] = lambda: True
) -> list[Array]:
    """Return the neighbours of some pixels in colour and place, for each pass a row per pixel.

    `go_on` is called between parts of the search; False ends it early.
    """
    from scipy.spatial import cKDTree

    found = []
    for wanted, part in PASSES:
        points = features(image, LEVEL * part)
        count = min(wanted, len(points) - 1)
        near = np.zeros((len(pixels), count), np.int32)
        found.append(near)
        if count == 0:
            continue
        tree = cKDTree(points, LEAF, balanced_tree=False)
        for first in range(0, len(pixels), PIXELS_AT_ONCE):
            if first and not go_on():
                return found
            here = slice(first, first + PIXELS_AT_ONCE)
            _, nearest = tree.query(points[pixels[here]], count + 1, workers=get_num_threads())
            # The nearest is the pixel itself: no other is in its place.
            near[here] = nearest[:, 1:]
    return found


def tie_strengths(colours: FloatArray, pixels: Array, near: Array) -> FloatArray:
    r"""Return the strength of ties between pixels and their neighbours, a row for each pixel.

    .. math:: k_{ij} = \max\Big(0, 1 - \frac{\|c_i - c_j\|_1}{5}\Big)

    `colours` has a row for each pixel of the picture.
    """
    far = np.zeros(near.shape)
    for colour in colours.T:
        far += np.abs(colour[pixels, None] - colour[near], dtype=np.float64)
    return np.asarray(np.maximum(0.0, 1.0 - far / NO_TIE))


def ties_along(image: FloatArray, pixels: Array, found: list[Array]) -> Ties:
    """Tie pixels to their neighbours.

    These are the ten nearest by colour and place, and the two nearest by colour with hardly any
    place; a tie to a neighbour of both kinds counts twice.
    """
    colours = np.asarray(image, np.float64).reshape(-1, image.shape[2])
    i = np.concatenate([np.repeat(pixels.astype(np.int32), near.shape[1]) for near in found])
    j = np.concatenate([near.ravel() for near in found])
    k = np.concatenate([tie_strengths(colours, pixels, near).ravel() for near in found])
    return Ties(i, j, k)


def ties_between(image: FloatArray) -> Ties:
    """Tie every pixel to its neighbours in colour and place."""
    pixels = np.arange(image.shape[0] * image.shape[1])
    return ties_along(image, pixels, neighbours(image, pixels))


def ties_of_open(image: FloatArray, trimap: Trimap) -> Ties:
    """Return the ties with at least one end at an unknown pixel of a trimap."""
    known, ties = trimap.known.ravel(), ties_between(image)
    wanted = ~(known[ties.i] & known[ties.j])
    return Ties(ties.i[wanted], ties.j[wanted], ties.k[wanted])


def knn_matte(image: FloatArray, trimap: Trimap, guard: Guard) -> tuple[FloatArray, Status]:
    """Compute the map; known pixels keep their value.

    The image is (rows, cols, channels). The guard is called before the ties are found and before
    each iteration; the status is that of the conjugate gradients.
    """
    if not guard.next_pass():
        return trimap.levels, Status.cancelled
    ties = ties_of_open(image, trimap)
    return least_variation(ties.laplacian(trimap.known.size), trimap, guard)


PLACE = 0.02  # the same weight for ties to known pixels
COLOUR_WIDTH = 0.015  # rho, of a colour's range: colours farther apart are different
SAMPLES = 50_000  # known pixels of a side that are searched: bounds time
REACH = 3.0  # rho: search radius; beyond it the likeness is below exp(-9)


def ties_to_known(image: FloatArray, trimap: Trimap) -> Ties:
    r"""Tie each open pixel to the known pixel of the most similar colour.

    .. math:: k_i = \big|e^{-(d^1_i/\rho)^2} - e^{-(d^0_i/\rho)^2}\big|

    with d the distance, in colour and a little in place, to the nearest pixel that is known to be
    1, and to be 0. The tie leads to the nearer of the two: a colour that both sides have, or
    neither, gives no tie. If a side is empty, there are no ties.
    """
    from scipy.spatial import cKDTree

    if not (trimap.kept.any() and trimap.entered.any()):
        nothing = np.empty(0, np.int32)
        return Ties(nothing, nothing, np.empty(0))
    points = features(image, PLACE)
    open_pixels = np.flatnonzero(~trimap.known).astype(np.int32)
    ends = np.empty((2, len(open_pixels)), np.int32)
    likeness = np.empty(ends.shape)
    for side, known in enumerate(map(np.flatnonzero, (trimap.kept, trimap.entered))):
        sample = known[:: -(-len(known) // SAMPLES)]
        tree = cKDTree(points[sample], LEAF, balanced_tree=False)
        for first in range(0, len(open_pixels), PIXELS_AT_ONCE):
            here = slice(first, first + PIXELS_AT_ONCE)
            away, nearest = tree.query(
                points[open_pixels[here]],
                distance_upper_bound=REACH * COLOUR_WIDTH,
                workers=get_num_threads(),
            )
            # Where there is none, its number is one too many and its distance infinite.
            ends[side, here] = sample[np.minimum(nearest, len(sample) - 1)]
            likeness[side, here] = np.exp(-((away / COLOUR_WIDTH) ** 2))
    nearer = np.where(likeness[0] >= likeness[1], ends[0], ends[1])
    return Ties(open_pixels, nearer, np.abs(likeness[0] - likeness[1]))
