r"""Whether the colours of a fusion are of a piece: a chromaticity score without a reference.

The paper's chromaticity error compares with the foreground, and so blames every new structure.
Without a picture of the right colours, the kept part of the fused picture itself is the witness:
the changed part must not have another tint than what lies next to it. With the chromaticity
:math:`\kappa_c = \ell_c - L` and the lightness L, the mean of :math:`\ell_c` over the channels
(:mod:`osmofuse.metrics.boundary`), the score fits

.. math::

    \kappa_c \approx \text{local mean} + t_c \, (1 - \alpha) + k_c L

by least squares, in Gaussian windows of three pixels wherever alpha varies in them, with one t and
k for the whole picture. The score is :math:`|t|`: 0.1 is a cast of some 10 % in a channel.

- The local means take away the colours that the scene has.
- The second term compares places of similar lightness: ink is darker than parchment, and of
  another chromaticity, on both sides of the boundary.
- One t for the whole picture: colours of the scene that happen to change at the boundary do so
  now this way, now that; a cast goes one way.
- A soft map asks for a soft change: t is the change from alpha = 1 to alpha = 0, however wide
  the transition.

Sources, if given, only excuse a change of colour that they have themselves along the boundary;
they are no reference: that the foreground is red does not ask the fused picture to be.
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
    unexcused,
    windowed,
)
from osmofuse.metrics.metric import Metric
from osmofuse.typing import BoolArray, FloatArray

_BLOCK = 2  # windows of sigma 1.5 on blocks of two pixels: sigma is 3
_LEAST_VARIANCE = 1e-4  # of alpha in a window
_LEAST_LIGHTNESS = 4e-4  # variance of L that is worth a comparison
_NEIGHBOURHOOD = 4.0  # sigma, in blocks, of the windows in which the map's fits are pooled


def natural_chromaticity(
    fused: FloatArray,
    alpha: FloatArray,
    *,
    foreground: FloatArray | None = None,
    background: FloatArray | None = None,
) -> float:
    """Return the tint of the changed part of a fused picture against the part kept.

    Parameters
    ----------
    fused : array, (rows, cols, channels)
        On any scale on which black is 0.
    alpha : array
        A map, or one for each channel, of which the mean is taken.
    foreground, background : array, optional
        What it was made from, to excuse changes of colour they have along the boundary. A
        background of one band has no colours to excuse anything.

    Returns
    -------
    float
        0 if the colours are of a piece.

    Raises
    ------
    InputError
        There is one channel only; or alpha hardly varies.
    MismatchError
        A source does not fit.
    """
    where, smooth = _where(fused, alpha)
    found, *natural = (
        _tint(_moments(x, smooth, where).sum(axis=(1, 2), dtype=np.float64))
        for x in (fused, *checked_sources((foreground, background), fused))
    )
    return float(np.sqrt((unexcused(found, natural) ** 2).sum()))


def natural_chromaticity_map(
    fused: FloatArray,
    alpha: FloatArray,
    *,
    foreground: FloatArray | None = None,
    background: FloatArray | None = None,
) -> FloatArray:
    """Return the tint from place to place: t fitted in neighbourhoods of some ten pixels.

    Parameters
    ----------
    fused, alpha, foreground, background
        As for `natural_chromaticity`.

    Returns
    -------
    array, (rows, cols)
        0 where alpha does not vary.

    Raises
    ------
    InputError
        As for `natural_chromaticity`.
    """
    where, smooth = _where(fused, alpha)
    found, *natural = (
        _tint(_pooled_nearby(_moments(x, smooth, where)))
        for x in (fused, *checked_sources((foreground, background), fused))
    )
    coarse = np.sqrt((unexcused(found, natural) ** 2).sum(axis=0)) * _varies(1.0 - smooth[where])
    whole = np.zeros(fused.shape[:2])
    rows, cols = whole[where].shape
    whole[where] = coarse.repeat(_BLOCK, axis=0).repeat(_BLOCK, axis=1)[:rows, :cols]
    return whole


def _where(fused: FloatArray, alpha: FloatArray) -> tuple[Box, FloatArray]:
    """Return the box in which alpha varies, and alpha."""
    if fused.ndim == 2 or fused.shape[2] == 1:
        raise InputError("fused: needs more than one channel to have a chromaticity")
    smooth = one_map(alpha, fused.shape)
    changes = np.zeros(smooth.shape, bool)
    changes[1:] |= smooth[1:] != smooth[:-1]
    changes[:, 1:] |= smooth[:, 1:] != smooth[:, :-1]
    if not changes.any():
        raise InputError("alpha: the same everywhere; no part was changed beside one that was kept")
    where = box_around(changes)
    if not _varies(1.0 - smooth[where]).any():
        raise InputError("alpha: hardly varies; there is no part to compare with one that was kept")
    return where, smooth


def _varies(s: FloatArray) -> BoolArray:
    return np.asarray(_covariance(s, s) > _LEAST_VARIANCE)


def _mean(x: FloatArray) -> FloatArray:
    return np.asarray(windowed(x, _BLOCK) / windowed(np.ones_like(x), _BLOCK))


def _covariance(x: FloatArray, y: FloatArray) -> FloatArray:
    # A difference of products, of which single precision would leave rounding errors.
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


def _pooled_nearby(moments: FloatArray) -> FloatArray:
    return np.stack([gaussian(moment, _NEIGHBOURHOOD) for moment in moments])


METRIC = Metric(
    lambda p: natural_chromaticity(
        p.fused, p.joining_map, foreground=p.foreground, background=p.background
    ),
    better="low",
    range=(0.0, math.inf),
    definition="change of the logarithmic chromaticity that goes with 1 - alpha at equal "
    "lightness, within the fused picture, beyond that of the sources",
    channels="needs more than one; Euclidean norm over them",
    source="osmofuse",
    check="0 for the foreground itself",
)
