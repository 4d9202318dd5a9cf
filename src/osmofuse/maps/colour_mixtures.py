r"""Colour mixtures: the colour of a pixel as a mixture of the colours of its neighbours.

Neighbours are near in colour and place, anywhere in the picture; a map should mix as colours do
(colour-mixture flow of Aksoy, Aydin and Pollefeys 2017, doi:10.1109/CVPR.2017.32):

.. math::

    \sum_i \Big(\alpha_i - \sum_j w_{ij} \alpha_j\Big)^2, \qquad
    w_i = \operatorname*{arg\,min}_{\sum_j w_{ij} = 1}
    \Big\|c_i - \sum_j w_{ij} c_j\Big\|^2 + \rho_i \|w_i\|^2 .

Ties give similar pixels one alpha, mixtures also follow hair thinner than a pixel. The weights are
those of locally linear embedding (Roweis and Saul 2000, doi:10.1126/science.290.5500.2323).
"""

from __future__ import annotations

import numpy as np

from osmofuse.typing import Array, FloatArray

# rho by the mean squared distance of the neighbours; anything in 1e-4..1e-2 works.
MIXTURE_RIDGE = 1e-3
LEAST_RIDGE = 1e-10  # least rho: neighbours of one colour get equal weights


def mixture_weights(colours: FloatArray, pixels: Array, near: Array) -> FloatArray:
    r"""Return the weights of the neighbours of pixels, a row for each pixel.

    `colours` has a row for each pixel of the picture, `near` one for each of the `pixels`. With the
    differences :math:`d_j = c_j - c_i` as rows of A, the weights are, up to their sum,

    .. math::

        (A A^\top + \rho I)^{-1} 1
        = \big(1 - A (A^\top A + \rho I)^{-1} A^\top 1\big) / \rho .
    """
    away = np.asarray(colours[near] - colours[pixels, None], np.float64)
    count, bands = max(near.shape[1], 1), away.shape[2]
    square = away.transpose(0, 2, 1) @ away
    ridge = MIXTURE_RIDGE * np.trace(square, axis1=1, axis2=2) / count + LEAST_RIDGE
    square[:, range(bands), range(bands)] += ridge[:, None]
    slopes = np.linalg.solve(square, away.sum(axis=1)[..., None])
    weights = 1.0 - (away @ slopes)[..., 0]
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))
