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

from typing import Any

import numpy as np

from osmofuse.typing import Array, FloatArray

# rho by the mean squared distance of the neighbours; anything in 1e-4..1e-2 works.
MIXTURE_RIDGE = 1e-3
LEAST_RIDGE = 1e-10  # least rho: neighbours of one colour get equal weights
PIXELS_AT_ONCE = 1 << 15  # pixels at once: bounds memory, without effect on the result


def mixture_rows(image: FloatArray, pixels: Array, neighbours: Array) -> Any:
    """Return the matrix of the differences between alpha and its mixture, a row for each pixel.

    A sparse array, (pixels, pixels of the image), with rows that sum to 0; `neighbours` has a row
    for each of the `pixels`. Pixels are numbered row by row.
    """
    from scipy.sparse import csr_array

    colours = np.asarray(image, np.float64).reshape(-1, image.shape[2])
    (count, near), total = neighbours.shape, len(colours)
    # A picture of one pixel has no neighbours: its row is 0.
    values = np.full((count, near + 1), float(near > 0))
    columns = np.empty((count, near + 1), np.int32)
    columns[:, 0], columns[:, 1:] = pixels, neighbours
    for first in range(0, count if near else 0, PIXELS_AT_ONCE):
        part = slice(first, first + PIXELS_AT_ONCE)
        away = colours[neighbours[part]] - colours[pixels[part], None]
        values[part, 1:] = -_weights(away)
    starts = np.arange(0, count * (near + 1) + 1, near + 1)
    return csr_array((values.ravel(), columns.ravel(), starts), shape=(count, total))


def _weights(away: FloatArray) -> FloatArray:
    """Return the weights of neighbours whose colours differ from the pixel's by `away`."""
    products = away @ away.transpose(0, 2, 1)
    near = products.shape[1]
    ridge = MIXTURE_RIDGE * np.trace(products, axis1=1, axis2=2) / near + LEAST_RIDGE
    products[:, range(near), range(near)] += ridge[:, None]
    weights = np.linalg.solve(products, np.ones((len(products), near, 1)))[..., 0]
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))
