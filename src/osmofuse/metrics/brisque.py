r"""BRISQUE: quality of a picture without reference.

The plane, and the plane at half size (:func:`osmofuse.filters.halve`), have 18 features each from
:mod:`osmofuse.metrics.natural_scene`, with black outside the plane: shape and variance of the
coefficients; and for their products with the neighbours shifted by (0, 1), (1, 0), (1, 1) and
(-1, 1) (rows, cols; cyclically) the shape g, the mean

.. math::

    (r - l)\, \frac{\Gamma(2/g)}{\Gamma(1/g)} \sqrt{\frac{\Gamma(1/g)}{\Gamma(3/g)}} ,

and the variances :math:`l^2, r^2` of the left and the right side. A trained regression
(:mod:`osmofuse.metrics.brisque_model`) maps the 36 to a score: about 0 for the best and 100 for
the worst photographs of its training; other pictures may lie outside.

Shape and variance of the coefficients come from a fit of their two sides, the variance being
:math:`(l^2 + r^2)/2`: the model used here was trained so, like others that descend from the C++
program. The authors' MATLAB program, hence their own model, takes one symmetric distribution.

The value depends on the trained model as much as on the picture. The default model, that of the
wheel brisque 0.2.0, is not that of the authors, and neither gives the values of the osmosis paper:
compare scores of one model only.
"""

from __future__ import annotations

import math
import os
from typing import Literal, get_args

import numpy as np

from osmofuse.checks import choice
from osmofuse.errors import InputError
from osmofuse.filters import halve
from osmofuse.metrics.brisque_model import installed_model, read_model
from osmofuse.metrics.grey_levels import Colour, check_side, quality_planes
from osmofuse.metrics.metric import Metric
from osmofuse.metrics.natural_scene import (
    Asymmetric,
    coefficients,
    fit_asymmetric,
    fit_symmetric,
    neighbour_products,
)
from osmofuse.typing import FloatArray

BRISQUE_SHIFTS = ((0, 1), (1, 0), (1, 1), (-1, 1))  # in the order of the trained features
BRISQUE_SIDE = 13  # smallest picture: the window of 7 pixels fits at half size

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
        Model file of libsvm and file of the feature ranges; default: those of the wheel
        brisque 0.2.0, which must be installed.
    fit : {"asymmetric", "symmetric"}
        Distribution with which the model was trained: "symmetric" for that of the authors.
    colour : {"mean", "grey"}
        Mean of the channels' scores, as in the osmosis paper; or score of the grey picture, as
        the authors of BRISQUE do it.
    """
    choice("fit", fit, get_args(Fit))
    trained = installed_model() if model is None else read_model(*model)
    check_side(fused, BRISQUE_SIDE)
    scores = [trained(brisque_features(plane, fit)) for plane in quality_planes(fused, colour)]
    return math.fsum(scores) / len(scores)


def brisque_features(plane: FloatArray, fit: Fit = "asymmetric") -> FloatArray:
    """Return the 36 features of a plane in grey levels of 255."""
    if plane.max() == plane.min():
        raise InputError("fused: flat in a channel; there are no statistics")
    features: list[float] = []
    for x in (plane, halve(plane)):
        m = coefficients(x, "zero")
        g, left, right = _sides(m)
        features += fit_symmetric(m) if fit == "symmetric" else (g, (left**2 + right**2) / 2.0)
        for products in neighbour_products(m, BRISQUE_SHIFTS):
            g, left, right = _sides(products)
            features += (g, (right - left) * _factor(g), left**2, right**2)
    return np.array(features)


def _sides(values: FloatArray) -> Asymmetric:
    found = fit_asymmetric(values)
    if found is None:
        raise InputError("fused: hardly any variation; there are no statistics")
    return found


def _factor(g: float) -> float:
    """Return the mean of an asymmetric generalised Gaussian for r - l = 1."""
    # By logarithms: for g = 0.2 the functions themselves exceed 10¹⁰.
    return math.exp(math.lgamma(2.0 / g) - 0.5 * (math.lgamma(1.0 / g) + math.lgamma(3.0 / g)))


METRICS = {
    "brisque": Metric(
        lambda p: brisque(p.fused),
        better="low",
        range=(-math.inf, math.inf),
        definition="quality without reference: 36 statistics of a natural scene at two scales, "
        "mapped by a trained regression; only scores of one model can be compared",
        channels="mean over them, as in the osmosis paper (MATLAB: grey)",
        source="Mittal et al., IEEE TIP 2012; the model of the wheel brisque 0.2.0",
        check="32.1 for direct matting of the paper's face pair",
    ),
}
