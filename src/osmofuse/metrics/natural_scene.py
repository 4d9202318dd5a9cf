r"""Statistics of natural scenes, as BRISQUE and NIQE use them.

In a good photograph the *mean-subtracted, contrast-normalised* coefficients

.. math::

    m = \frac{x - \mu}{\sigma + 1}, \qquad \mu = G * x, \qquad \sigma = \sqrt{|G * x^2 - \mu^2|}

(grey levels of 255, Gaussian window G of 7 × 7 pixels with deviation 7/6) are distributed like a
generalised Gaussian, and the products of neighbours like an asymmetric one; distortions change the
parameters of both. Moments give the parameters: with :math:`\rho(g) = \Gamma(2/g)^2 /
(\Gamma(1/g)\,\Gamma(3/g))` the shape g is looked up in a table from 0.2 to 10 by 0.001.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Literal, NamedTuple

import numpy as np

from osmofuse.filters import gaussian
from osmofuse.metrics.grey_levels import rounding_in
from osmofuse.typing import FloatArray

SCENE_SIGMA, SCENE_RADIUS = 7.0 / 6.0, 3  # the authors' window
FEATURE_COUNT = 36  # of BRISQUE and of NIQE: 18 at each of two scales


class Asymmetric(NamedTuple):
    """Asymmetric generalised Gaussian: shape, and the deviations of its two sides."""

    shape: float
    left: float
    right: float


def coefficients(x: FloatArray, border: Literal["zero", "replicate"]) -> FloatArray:
    """Return the coefficients m of a plane in grey levels, with black or its edge around it.

    Exactly 0 where a neighbourhood is flat: signs of rounding errors would change the fits.
    """
    rows, cols = x.shape
    if border == "zero":
        x = np.pad(x, SCENE_RADIUS)
    mean, square = (gaussian(z, SCENE_SIGMA, radius=SCENE_RADIUS) for z in (x, x * x))
    square -= mean**2
    about = x - mean
    about[np.abs(about) <= rounding_in(x)] = 0.0
    m = about / (np.sqrt(np.abs(square)) + 1.0)
    start = SCENE_RADIUS if border == "zero" else 0
    return np.asarray(m[start : start + rows, start : start + cols])


def neighbour_products(m: FloatArray, shifts: Sequence[tuple[int, int]]) -> Iterator[FloatArray]:
    """Yield the products of the coefficients with those shifted by (rows, cols), cyclically."""
    for shift in shifts:
        yield m * np.roll(m, shift, axis=(0, 1))


def fit_symmetric(values: FloatArray) -> tuple[float, float]:
    """Return shape and variance of a generalised Gaussian; not all values may be 0."""
    square, size = float(np.mean(values * values)), float(np.mean(np.abs(values)))
    shapes, ratios = _table()
    # The authors compare the inverse ratio here, whose nearest entry may differ.
    return float(shapes[np.argmin(np.abs(1.0 / ratios - square / size**2))]), square


def fit_asymmetric(values: FloatArray) -> Asymmetric | None:
    r"""Return the asymmetric generalised Gaussian of some values; None if a side has none.

    With the deviations l, r of the negative and the positive values, q = l/r, the shape is where
    :math:`\rho(g) = \frac{(\overline{|x|})^2}{\overline{x^2}} \cdot
    \frac{(q^3 + 1)(q + 1)}{(q^2 + 1)^2}`.
    """
    below, above = np.count_nonzero(values < 0.0), np.count_nonzero(values > 0.0)
    if below == 0 or above == 0:
        return None
    squares = values * values
    total = float(squares.sum())
    negative = float(squares[values < 0.0].sum())
    left, right = np.sqrt(negative / below), np.sqrt((total - negative) / above)
    q = left / right
    ratio = float(np.abs(values).sum()) ** 2 / (values.size * total)
    target = ratio * (q**3 + 1.0) * (q + 1.0) / (q**2 + 1.0) ** 2
    shapes, ratios = _table()
    return Asymmetric(float(shapes[np.argmin((ratios - target) ** 2)]), float(left), float(right))


@cache
def _table() -> tuple[FloatArray, FloatArray]:
    """Return the shapes, and for each the ratio of squared mean absolute value to mean square."""
    from scipy.special import gamma

    shapes = np.arange(200, 10_001) / 1000.0
    return shapes, gamma(2.0 / shapes) ** 2 / (gamma(1.0 / shapes) * gamma(3.0 / shapes))
