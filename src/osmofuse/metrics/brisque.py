r"""BRISQUE: how distorted a picture looks, told from the picture alone.

Of the plane and of the same at half size (:func:`osmofuse.filters.halve`), 18 features each from
:mod:`osmofuse.metrics.natural_scene`, with black outside the plane: shape and variance of the
coefficients; and for their products with the neighbours shifted by (0, 1), (1, 0), (1, 1) and
(-1, 1) (rows, cols; in a ring) the shape g, the mean

.. math::

    (r - l)\, \frac{\Gamma(2/g)}{\Gamma(1/g)} \sqrt{\frac{\Gamma(1/g)}{\Gamma(3/g)}} ,

and the variances :math:`l^2, r^2` of the left and the right side. A trained regression
(:mod:`osmofuse.metrics.brisque_model`) makes a score of the 36: about 0 for the best and 100 for
the worst photographs it was trained on, beyond that for what was not.

Shape and variance of the coefficients come from a fit of their two sides, the variance being
:math:`(l^2 + r^2)/2`: the model used here was trained so, like others that descend from the C++
program. The authors' MATLAB program, hence their own model, takes one symmetric distribution.

The number depends on the trained model as much as on the picture. The one used here unless another
is given, of the wheel brisque 0.2.0, is not that of the authors, and neither gives the values of
the osmosis paper: compare scores of one model with each other, and nothing else.
"""

from __future__ import annotations

import math
import os
from typing import Literal

import numpy as np

from osmofuse.errors import InputError, SettingError
from osmofuse.filters import halve
from osmofuse.metrics.brisque_model import installed_model, read_model
from osmofuse.metrics.grey_levels import check_side
from osmofuse.metrics.metric import Metric
from osmofuse.metrics.natural_scene import (
    Asymmetric,
    coefficients,
    fit_asymmetric,
    fit_symmetric,
    neighbour_products,
)
from osmofuse.metrics.quality_planes import Colour, quality_planes
from osmofuse.typing import FloatArray

SHIFTS = ((0, 1), (1, 0), (1, 1), (-1, 1))
SIDE = 13  # the window of 7 pixels fits at half size

Path = str | os.PathLike[str]
Fit = Literal["asymmetric", "symmetric"]


def brisque(
    fused: FloatArray,
    *,
    model: tuple[Path, Path] | None = None,
    fit: Fit = "asymmetric",
    colour: Colour = "mean",
) -> float:
    """Return the blind/referenceless spatial quality of a picture; less is better.

    Mittal, Moorthy and Bovik, IEEE TIP 21(12), 2012, doi:10.1109/TIP.2012.2214050.

    Parameters
    ----------
    fused : array, (rows, cols) or (rows, cols, channels)
        White at 1.0; 13 pixels at least in both directions.
    model : tuple of paths, optional
        A model of libsvm and the ranges of its features; by default those of the wheel
        brisque 0.2.0.
    fit : {"asymmetric", "symmetric"}
        How the model was trained: "symmetric" for that of the authors.
    colour : {"mean", "grey"}
        The mean of the channels' scores, as in the osmosis paper; or the score of the grey
        picture, as the authors of BRISQUE do it.

    Raises
    ------
    InputError
        There is no model; or the picture is too small, or flat in a channel.
    SettingError
        Another fit or colour rule.
    """
    if fit not in ("asymmetric", "symmetric"):
        raise SettingError(f"fit: {fit!r}; must be 'asymmetric' or 'symmetric'")
    trained = installed_model() if model is None else read_model(*model)
    check_side(fused, SIDE)
    scores = [trained(brisque_features(plane, fit)) for plane in quality_planes(fused, colour)]
    return math.fsum(scores) / len(scores)


def brisque_features(plane: FloatArray, fit: Fit = "asymmetric") -> FloatArray:
    """Return the 36 features of a plane in grey levels of 255."""
    if plane.max() == plane.min():
        raise InputError("fused: flat in a channel; it has no statistics of a natural scene")
    features: list[float] = []
    for x in (plane, halve(plane)):
        m = coefficients(x, "zero")
        g, left, right = _sides(m)
        features += fit_symmetric(m) if fit == "symmetric" else (g, (left**2 + right**2) / 2.0)
        for products in neighbour_products(m, SHIFTS):
            g, left, right = _sides(products)
            features += (g, (right - left) * _factor(g), left**2, right**2)
    return np.array(features)


def _sides(values: FloatArray) -> Asymmetric:
    found = fit_asymmetric(values)
    if found is None:
        raise InputError("fused: hardly any variation; it has no statistics of a natural scene")
    return found


def _factor(g: float) -> float:
    """Return the mean of an asymmetric generalised Gaussian for r - l = 1."""
    # By logarithms: for g = 0.2 the functions themselves exceed 10¹⁰.
    return math.exp(math.lgamma(2.0 / g) - 0.5 * (math.lgamma(1.0 / g) + math.lgamma(3.0 / g)))


METRIC = Metric(
    lambda p: brisque(p.fused),
    better="low",
    range=(-math.inf, math.inf),
    definition="quality without reference: 36 statistics of a natural scene at two scales, "
    "weighed by a trained regression; only scores of one model can be compared",
    channels="mean over them, as in the osmosis paper (MATLAB: grey)",
    source="Mittal et al., IEEE TIP 2012; the model of the wheel brisque 0.2.0",
    check="32.1 for direct matting of the paper's face pair",
)
