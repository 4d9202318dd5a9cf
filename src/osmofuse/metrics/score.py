"""Scores of a fused picture: values of metrics, and how to read them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from osmofuse.checks import shown
from osmofuse.errors import InputError, MismatchError, SettingError
from osmofuse.metrics.catalogue import SETS, Choice, chosen_metrics, metric_named
from osmofuse.metrics.grey_levels import LUMINANCE
from osmofuse.metrics.metric import Better, Metric, Pictures
from osmofuse.picture import Picture, as_alpha, checked, samples
from osmofuse.pixels import bands_of, quantise, scaled
from osmofuse.typing import ArrayLike, FloatArray

_DEPTHS = {8: np.uint8, 16: np.uint16}  # types of the depths in `bits`
# Bytes for each sample and seconds for a million samples, rounded up: the set "paper" takes 30
# bytes and 0.3 seconds on two cores.
_BYTES, _SECONDS = 40, 1.0


@dataclass(frozen=True)
class Score:
    """Value of a metric, and how to read it.

    Attributes
    ----------
    value : float or None
        Value; None if there is none.
    better : {"high", "low", None}
        Direction of improvement; None if there is none or it is unknown.
    range : tuple of float
        Smallest and largest possible value.
    reason : str or None
        Reason for a missing value.
    name : str
        Name of the metric.
    """

    value: float | None
    better: Better
    range: tuple[float, float]
    reason: str | None = None
    name: str = ""


def score(
    fused: ArrayLike | Picture,
    foreground: ArrayLike | Picture,
    background: ArrayLike | Picture,
    alpha: ArrayLike | Picture | None = None,
    *,
    truth: ArrayLike | Picture | None = None,
    metrics: Choice | Sequence[Choice] = "paper",
    bits: int | None = 8,
) -> dict[str, Score]:
    """Score a fused picture.

    Parameters
    ----------
    fused, foreground, background : array or Picture
        Fused picture and its sources. A source of one band is used for every channel; for a
        fused picture of one band, the luminance of colour sources is used.
    alpha : array or number, optional
        Alpha map of the fusion: 1 where the foreground was kept. Without it, metrics that
        need it have no value.
    truth : array or Picture, optional
        Ground truth; if given, the set "truth" is run too.
    metrics : str, callable, or sequence of them
        Sets ("paper", "vifb", "truth", "all") or names of metrics, as `osmofuse.metrics.describe`
        lists them; or your own functions of arrays, see :doc:`metrics`.
    bits : {8, 16, None}
        Depth to which all pictures are clipped and rounded first, as in files: published
        numbers are those of files. None takes them as they are.

    Returns
    -------
    dict of str to Score
        Scores by the name of the metric.
    """
    chosen = chosen_metrics(metrics)
    if truth is not None:
        chosen |= {name: metric_named(name) for name in SETS["truth"] if name not in chosen}
    check_bits(bits)
    if hasattr(fused, "image"):
        raise InputError("fused: a Fusion; give its picture, fusion.image")
    whole = _stored(fused, "fused", bits, bounded=False)
    pictures = Pictures(
        whole,
        _beside(whole, _stored(foreground, "foreground", bits), bits),
        _beside(whole, _stored(background, "background", bits), bits),
        None if alpha is None else as_alpha(alpha),
        None if truth is None else _stored(truth, "truth", bits),
    )
    _check_shapes(pictures)
    return {name: _run(name, one, pictures) for name, one in chosen.items()}


def _stored(
    picture: ArrayLike | Picture, name: str, bits: int | None, *, bounded: bool = True
) -> FloatArray:
    """Return a picture as read back from a file of that depth, white at 1.0."""
    if bits is None:
        return samples(picture, name, bounded=bounded)
    stored = checked(picture, name, bounded=bounded)
    if stored.dtype != _DEPTHS[bits]:
        stored = quantise(samples(picture, name, bounded=bounded), _DEPTHS[bits])[0]
    return scaled(stored, np.float64)


def check_bits(bits: object) -> None:
    """Raise a SettingError unless the number of bits is 8, 16 or None."""
    if not any(bits is one or bits == one for one in (None, *_DEPTHS)):
        raise SettingError(f"bits: {shown(bits)}; must be 8, 16 or None")


def _beside(fused: FloatArray, source: FloatArray, bits: int | None) -> FloatArray:
    """Return a source with the channels of the fused picture, if one of the two has one band.

    One band is repeated; for a fused picture of one band, colours become their luminance.
    """
    if source.shape[:2] != fused.shape[:2]:
        return source
    if bands_of(source) == 1:
        return np.broadcast_to(
            source.reshape(*source.shape[:2], 1), (*source.shape[:2], bands_of(fused))
        ).reshape(fused.shape)
    if bands_of(fused) == 1 and bands_of(source) == len(LUMINANCE):
        grey = sum(weight * source[..., c] for c, weight in enumerate(LUMINANCE))
        return _stored(np.asarray(grey).reshape(fused.shape), "source", bits)
    return source


def _check_shapes(pictures: Pictures) -> None:
    whole = pictures.fused.shape
    map_ = {whole[:2], (*whole[:2], 1)}
    allowed = {
        "foreground": (pictures.foreground, {whole}),
        "background": (pictures.background, {whole, *map_}),
        "alpha": (pictures.alpha, {(), whole, *map_}),
        "truth": (pictures.truth, {whole}),
    }
    for name, (picture, shapes) in allowed.items():
        if picture is not None and picture.shape not in shapes:
            raise MismatchError(
                f"{name}: shape {picture.shape}, but fused has {whole}; score pictures of one size"
            )


def _run(name: str, metric: Metric, pictures: Pictures) -> Score:
    """Return the score of a metric: a value or a reason, never NaN, without warnings."""
    value = None
    try:
        with np.errstate(over="raise", divide="raise", invalid="raise"):
            value = metric.value(pictures)
        reason = "not defined for these pictures" if math.isnan(value) else None
    except InputError as error:
        reason = str(error)
    except FloatingPointError as error:
        reason = f"cannot be computed: {error}"
    return Score(value if reason is None else None, metric.better, metric.range, reason, name)


def score_cost(samples: int) -> tuple[float, float]:
    """Return bytes, beyond the pictures, and seconds to score a picture of that many samples."""
    return _BYTES * samples, _SECONDS * samples / 1e6
