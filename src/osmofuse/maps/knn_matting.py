r"""KNN matting (Chen, Li and Tang 2013, doi:10.1109/TPAMI.2013.18), the paper's method for alpha.

Each pixel is tied to its nearest neighbours in colour and place, and the map varies least along
the ties:

.. math::

    \min_\alpha \sum_{(i,j)} k_{ij} (\alpha_i - \alpha_j)^2 \quad \text{with } \alpha
    \text{ as in the trimap where it is known.}

The authors hold known pixels by a weight of 100 instead; here they are held exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from osmofuse.maps.least_variation import least_variation
from osmofuse.maps.trimap import Trimap
from osmofuse.progress import Guard, Status
from osmofuse.typing import Array, FloatArray

# Number of neighbours, and weight of the distance in space, for two passes; as the authors.
PASSES = ((10, 1.0), (2, 0.01))
LEVEL = 1.0  # weight of place: the picture's diagonal, against 1 of a colour's range
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
    place = np.indices((rows, cols)).reshape(2, -1).T / np.hypot(rows, cols)
    colour = np.asarray(image, np.float64).reshape(-1, bands)
    return np.concatenate([colour, level * place], axis=1)


def neighbours(image: FloatArray, pixels: Array) -> list[Array]:
    """Return the neighbours of some pixels in colour and place, for each pass a row per pixel."""
    from scipy.spatial import cKDTree

    found = []
    for wanted, part in PASSES:
        points = features(image, LEVEL * part)
        count = min(wanted, len(points) - 1)
        if count == 0:
            found.append(np.empty((len(pixels), 0), np.int32))
            continue
        tree = cKDTree(points, balanced_tree=False)
        # The nearest is the pixel itself: no other is in its place.
        nearest = tree.query(points[pixels], count + 1)[1][:, 1:]
        found.append(nearest.astype(np.int32))
    return found


def ties_along(image: FloatArray, pixels: Array, found: list[Array]) -> Ties:
    r"""Tie pixels to their neighbours.

    .. math:: k_{ij} = \max\Big(0, 1 - \frac{\|c_i - c_j\|_1}{5}\Big)

    where j is among the ten nearest of i by colour and place, or the two nearest by colour with
    hardly any place; twice so where it is both.
    """
    bands = image.shape[2]
    colour = np.asarray(image, np.float64).reshape(-1, bands)
    i = np.concatenate([np.repeat(pixels.astype(np.int32), near.shape[1]) for near in found])
    j = np.concatenate([near.ravel() for near in found])
    far = np.zeros(len(i))
    for c in range(bands):
        far += np.abs(colour[i, c] - colour[j, c])
    return Ties(i, j, np.maximum(0.0, 1.0 - far / NO_TIE))


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
    open_pixels = np.flatnonzero(~trimap.known)
    ends, likeness = [], []
    for side in (trimap.kept, trimap.entered):
        known = np.flatnonzero(side)
        known = known[:: -(-len(known) // SAMPLES)]
        tree = cKDTree(points[known], balanced_tree=False)
        away, nearest = tree.query(points[open_pixels], distance_upper_bound=REACH * COLOUR_WIDTH)
        # Where there is none, its number is one too many and its distance infinite.
        ends.append(known[np.minimum(nearest, len(known) - 1)])
        likeness.append(np.exp(-((away / COLOUR_WIDTH) ** 2)))
    j = np.where(likeness[0] >= likeness[1], *ends)
    return Ties(open_pixels, j, np.abs(likeness[0] - likeness[1]))
