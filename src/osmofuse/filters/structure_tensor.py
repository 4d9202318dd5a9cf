r"""Structure tensor: local directions of a picture, from products of its derivatives."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from osmofuse.filters.derivatives import derivatives
from osmofuse.filters.gaussian import gaussian
from osmofuse.typing import BoolArray, FloatArray


def structure_tensor(
    planes: Iterable[FloatArray], sigma: float, rho: float, *, hidden: BoolArray | None = None
) -> FloatArray:
    r"""Return :math:`G_\rho * \sum_c \nabla x_c \nabla x_c^T`, summed over planes.

    Its eigenvector of the larger eigenvalue points across structures, the other along them
    (Weickert 1998).

    Parameters
    ----------
    planes : iterable of array, (rows, cols)
        Channels of a picture.
    sigma : float
        Deviation of the Gaussian before the derivatives, in pixels.
    rho : float
        Deviation of the Gaussian that averages their products, cut off at three deviations;
        borders are replicated.
    hidden : array of bool, (rows, cols), optional
        Pixels whose derivatives do not count. They get the directions around them, up to the
        radius of the average.

    Returns
    -------
    array, (3, rows, cols)
        Row-row, row-column and column-column entries.

    Examples
    --------
    >>> import numpy as np
    >>> columns = np.tile([0.0, 0.0, 1.0, 1.0], (4, 1))
    >>> products = structure_tensor([columns], 0.0, 1.0)
    >>> bool((products[0] == 0).all() and (products[2] > 0).all())
    True
    """
    slopes = (derivatives(x, sigma) for x in planes)
    parts = (np.stack([down * down, down * right, right * right]) for down, right in slopes)
    products = np.asarray(sum(parts))
    if hidden is not None:
        products[:, hidden] = 0.0
    return np.stack([gaussian(plane, rho, radius=int(np.ceil(3.0 * rho))) for plane in products])
