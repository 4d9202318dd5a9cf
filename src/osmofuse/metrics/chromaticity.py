r"""Chromaticity error of the paper.

With the geometric mean of the channels :math:`\mathrm{GCM}(z) = (z_R z_G z_B)^{1/3}`,

.. math::

    \mathrm{err}(u, f) = \Big| \frac{u}{\mathrm{GCM}(u)} - \frac{f}{\mathrm{GCM}(f)} \Big|

in each channel. The paper's table calls its number a 2-norm, but gives the mean over pixels and
channels, after one grey level of 255 has been added to both pictures. It is zero for u = f: it
does not measure whether structure was transferred; :mod:`osmofuse.metrics.structure` does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np

from osmofuse.checks import choice
from osmofuse.errors import InputError
from osmofuse.metrics.grey_levels import check_colours
from osmofuse.metrics.metric import Metric
from osmofuse.typing import BoolArray, FloatArray

GREY_LEVEL = 1.0 / 255.0  # the offset that gives the numbers of the paper's table

Reducer = Literal["mean_abs", "rms", "l2", "mean_norm"]


def chromaticity_map(
    fused: FloatArray,
    foreground: FloatArray,
    *,
    offset: float = GREY_LEVEL,
    norm: Literal["channel", "euclidean"] = "channel",
) -> FloatArray:
    """Return the error at every pixel.

    Parameters
    ----------
    fused, foreground : array, (rows, cols, channels)
        White at 1.0; the fused picture is clipped to [0, 1], as in files.
    offset : float
        Constant added to both, so that black has a chromaticity; without it, samples of 0
        raise an InputError.
    norm : {"channel", "euclidean"}
        Error of each channel, or its Euclidean norm over the channels, (rows, cols).
    """
    choice("norm", norm, ("channel", "euclidean"))
    check_colours(fused)
    difference = _chromaticity(np.clip(fused, 0.0, 1.0) + offset, "fused") - _chromaticity(
        foreground + offset, "foreground"
    )
    if norm == "euclidean":
        return np.asarray(np.sqrt((difference**2).sum(axis=-1)))
    return np.asarray(np.abs(difference))


def chromaticity_error(
    fused: FloatArray,
    foreground: FloatArray,
    *,
    offset: float = GREY_LEVEL,
    reducer: Reducer = "mean_abs",
    mask: BoolArray | None = None,
) -> float:
    """Return the error as one number.

    Parameters
    ----------
    fused, foreground, offset
        As for `chromaticity_map`.
    reducer : {"mean_abs", "rms", "l2", "mean_norm"}
        Mean over pixels and channels (the paper's table), root mean square, root of the sum of
        squares, or mean over pixels of the norm over channels.
    mask : array of bool, (rows, cols), optional
        Pixels to use; default: all.
    """
    choice("reducer", reducer, tuple(_REDUCERS))
    error = chromaticity_map(fused, foreground, offset=offset)
    if mask is not None:
        error = error[mask]
        if error.size == 0:
            raise InputError("mask: empty; it must select at least one pixel")
    return float(_REDUCERS[reducer](error))


_REDUCERS: dict[str, Callable[[FloatArray], float]] = {
    "mean_abs": lambda error: error.mean(),
    "rms": lambda error: np.sqrt((error**2).mean()),
    "l2": lambda error: np.sqrt((error**2).sum()),
    "mean_norm": lambda error: np.sqrt((error**2).sum(axis=-1)).mean(),
}


def _chromaticity(z: FloatArray, name: str) -> FloatArray:
    if not z.min() > 0:
        raise InputError(f"{name}: samples of 0 without an offset have no chromaticity")
    return np.asarray(z / np.exp(np.log(z).mean(axis=-1, keepdims=True)))


METRICS = {
    "chromaticity": Metric(
        lambda p: chromaticity_error(p.fused, p.foreground),
        better="low",
        range=(0.0, math.inf),
        definition="mean absolute difference of the chromaticities z/GCM(z) of the fused picture "
        "and of the foreground, one grey level of 255 added to both",
        channels="needs more than one; mean over them",
        source="Parisotto et al., IEEE TIP 2020, Table I",
        check="0.0178 for direct matting of the paper's face pair",
    ),
}
