r"""Ties from each open pixel to the known pixel whose colour it has.

.. math::

    k_i = \big|e^{-(d^1_i/\rho)^2} - e^{-(d^0_i/\rho)^2}\big|

with d the distance, in colour and a little in place, to the nearest pixel that is known to be 1,
and to be 0. The tie leads to the nearer of the two: a colour that both sides have says nothing, nor
does one that neither has.
"""

from __future__ import annotations

import numpy as np

from osmofuse.preparation.knn_matting import Ties, features
from osmofuse.preparation.trimap import Trimap
from osmofuse.typing import FloatArray

__all__ = ["ties_to_known"]

PLACE = 0.02  # of the diagonal of the picture, against 1 of a colour's range
ALIKE = 0.015  # rho
SAMPLES = 50_000  # about so many pixels stand for all that are known of a side
REACH = 3.0  # rho: farther away, a likeness is nothing, and no pixel is looked for


def ties_to_known(image: FloatArray, trimap: Trimap) -> Ties:
    """Tie each open pixel to a known one.

    Parameters
    ----------
    image : array, (rows, cols, channels)
        White at 1.0.
    trimap : Trimap
        Of the same size; something is known to be 1, and something to be 0, or there are no ties.
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
        away, nearest = tree.query(points[open_pixels], distance_upper_bound=REACH * ALIKE)
        # Where there is none, its number is one too many and its distance infinite.
        ends.append(known[np.minimum(nearest, len(known) - 1)])
        likeness.append(np.exp(-((away / ALIKE) ** 2)))
    j = np.where(likeness[0] >= likeness[1], *ends)
    return Ties(open_pixels, j, np.abs(likeness[0] - likeness[1]))
