r"""Fusion in the spectral domain: backgrounds whose coarse bands are those of the foreground.

The structure of variational osmosis follows :math:`w = f^\alpha b^{1-\alpha}`. A background that
is darker than the foreground, or lit from elsewhere, brings that along as structure. With the first
band :math:`f_1` of the foreground and all but the first of the background
(`osmofuse.optimise.spectrum`), the target is instead

.. math::

    w = f^\alpha\, \tilde b^{\,1-\alpha}, \qquad \tilde b = f_1 + b - b_1 :

large shapes of f, fine ones of b. Bands are those of `osmofuse.methods.SpectralTV`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from osmofuse.methods.spectral_tv import SpectralTV
from osmofuse.optimise.spectrum import filtered
from osmofuse.typing import FloatArray

LEAST = 0.01  # of the darker of both pictures: what two that do not fit may leave at a pixel


def with_coarse_of_first(images: Sequence[FloatArray]) -> list[FloatArray]:
    """Return the planes of a channel; all but the first with the first band of the first.

    Parameters
    ----------
    images : sequence of array, (rows, cols)
        Positive planes: the foreground, then each background.

    Returns
    -------
    list of array
        The foreground itself, and new planes, positive and of the same type.
    """
    scales = SpectralTV().scales
    first, others = [1.0, *[0.0] * len(scales.times)], [0.0, *[1.0] * len(scales.times)]
    coarse, found = filtered(images[0][None].astype(np.float64), scales, first)[0], [images[0]]
    for image in images[1:]:
        mixed = coarse + filtered(image[None].astype(np.float64), scales, others)[0]
        least = LEAST * np.minimum(images[0], image)
        found.append(np.maximum(mixed[0], least).astype(image.dtype))
    return found
