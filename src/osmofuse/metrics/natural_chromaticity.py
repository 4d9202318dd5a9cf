r"""Colour cast of the changed part of a fusion: a chromaticity score without reference.

The paper's chromaticity error compares with the foreground, and so penalises every new structure.
This score compares the changed part of the fused picture with the kept part next to it. With the
lightness L, the mean of :math:`\ell_c` over the channels (:mod:`osmofuse.metrics.boundary`), and
the chromaticity :math:`\kappa_c = \ell_c - L`, it fits

.. math::

    \kappa_c \approx \text{local mean} + t_c \, (1 - \alpha) + k_c L

by least squares, in Gaussian windows of three pixels wherever alpha varies in them, with one t and
k for the whole picture. The score is :math:`|t|`: 0.1 is a cast of about 10 % in a channel.

- The local means remove the colours of the scene.
- The term in L compares pixels of similar lightness: ink is darker than parchment and has another
  chromaticity, on both sides of the boundary.
- One t for the whole picture: colours of the scene that change at the boundary do so in varying
  directions and cancel; a cast has one direction.
- t is the change from alpha = 1 to alpha = 0, however wide the transition of a soft map.

Sources, if given, explain a change of colour that they have themselves along the boundary; they are
not a reference: the fused picture need not have the foreground's colours.
"""

from __future__ import annotations

import math

import numpy as np

from osmofuse.errors import InputError
from osmofuse.filters import gaussian
from osmofuse.metrics.boundary import (
    Box,
    box_around,
    checked_sources,
    one_map,
    relative_log,
    unexplained,
    windowed,
)
from osmofuse.metrics.grey_levels import check_colours
from osmofuse.metrics.metric import Metric
from osmofuse.typing import BoolArray, FloatArray

_FIT_BLOCK = 2  # windows of sigma 1.5 on blocks of two pixels: sigma is 3
_LEAST_VARIANCE = 1e-4  # of alpha in windows that are used; 1e-5..1e-3 change scores by 0.005
_LEAST_LIGHTNESS = 4e-4  # regularises the fit where L is flat; anything in 1e-4..2e-3 works
_NEIGHBOURHOOD = 4.0  # sigma, in blocks, in which the map pools its fits: 8 pixels, for display


def natural_chromaticity(
    fused: FloatArray,
    alpha: FloatArray,
    *,
    foreground: FloatArray | None = None,
    background: FloatArray | None = None,
) -> float:
    """Return the tint of the changed part relative to the kept part; 0 if there is none.

    Parameters
    ----------
    fused : array, (rows, cols, channels)
        Any scale with black at 0.
    alpha : array
        Map, or a map for each channel, whose mean is used; it must vary.
    foreground, background : array, optional
        Sources, to explain changes of colour that they have along the boundary. A background of
        one band explains none.
    """
    where, smooth = _where(fused, alpha)
    found, *natural = (
        _tint(_moments(x, smooth, where).sum(axis=(1, 2), dtype=np.float64))
        for x in (fused, *checked_sources((foreground, background), fused))
    )
    return float(np.sqrt((unexplained(found, natural) ** 2).sum()))


def natural_chromaticity_map(
    fused: FloatArray,
    alpha: FloatArray,
    *,
    foreground: FloatArray | None = None,
    background: FloatArray | None = None,
) -> FloatArray:
    """Return the local tint: t fitted in neighbourhoods of about ten pixels.

    Parameters
    ----------
    fused, alpha, foreground, background
        As for `natural_chromaticity`.

    Returns
    -------
    array, (rows, cols)
        0 where alpha does not vary.
    """
    where, smooth = _where(fused, alpha)
    found, *natural = (
        _tint(np.stack([gaussian(moment, _NEIGHBOURHOOD) for moment in _moments(x, smooth, where)]))
        for x in (fused, *checked_sources((foreground, background), fused))
    )
    coarse = np.sqrt((unexplained(found, natural) ** 2).sum(axis=0)) * _varies(1.0 - smooth[where])
    whole = np.zeros(fused.shape[:2])
    rows, cols = whole[where].shape
    whole[where] = coarse.repeat(_FIT_BLOCK, axis=0).repeat(_FIT_BLOCK, axis=1)[:rows, :cols]
    return whole


def _where(fused: FloatArray, alpha: FloatArray) -> tuple[Box, FloatArray]:
    """Return the box in which alpha varies, and alpha."""
    check_colours(fused)
    smooth = one_map(alpha, fused.shape)
    changes = np.zeros(smooth.shape, bool)
    changes[1:] |= smooth[1:] != smooth[:-1]
    changes[:, 1:] |= smooth[:, 1:] != smooth[:, :-1]
    if not changes.any():
        raise InputError("alpha: constant; there is no boundary between changed and kept parts")
    where = box_around(changes)
    if not _varies(1.0 - smooth[where]).any():
        raise InputError("alpha: hardly varies; there is no kept part to compare with")
    return where, smooth


def _varies(s: FloatArray) -> BoolArray:
    return np.asarray(_covariance(s, s) > _LEAST_VARIANCE)


def _mean(x: FloatArray) -> FloatArray:
    return np.asarray(windowed(x, _FIT_BLOCK) / windowed(np.ones_like(x), _FIT_BLOCK))


def _covariance(x: FloatArray, y: FloatArray) -> FloatArray:
    # A small difference of products needs double precision.
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    return np.asarray(_mean(x * y) - _mean(x) * _mean(y))


def _moments(picture: FloatArray, smooth: FloatArray, where: Box) -> FloatArray:
    """Return local variances of s = 1 - alpha and L, their covariance, and both with each κ."""
    logs = relative_log(picture, where)
    lightness = logs.mean(axis=-1)
    s = 1.0 - smooth[where]
    kept = _varies(s)
    moments = [
        _covariance(s, s),
        _covariance(lightness, lightness) + _LEAST_LIGHTNESS,
        _covariance(s, lightness),
    ]
    for c in range(logs.shape[-1]):
        chroma = logs[..., c] - lightness
        moments += [_covariance(chroma, s), _covariance(chroma, lightness)]
    return np.stack([moment * kept for moment in moments])


def _tint(moments: FloatArray) -> FloatArray:
    """Return t of each channel, the solution of two normal equations."""
    ss, ll, sl = moments[:3]
    ks, kl = moments[3::2], moments[4::2]
    determinant = ss * ll - sl * sl
    fits = determinant > 0
    return np.where(fits, (ks * ll - kl * sl) / np.where(fits, determinant, 1.0), 0.0)


METRICS = {
    "natural_chromaticity": Metric(
        lambda p: natural_chromaticity(
            p.fused, p.required_alpha, foreground=p.foreground, background=p.background
        ),
        better="low",
        range=(0.0, math.inf),
        definition="change of the logarithmic chromaticity that goes with 1 - alpha at equal "
        "lightness, within the fused picture, beyond that of the sources",
        channels="needs more than one; Euclidean norm over them",
        source="osmofuse",
        check="0 for the foreground itself",
    ),
}
