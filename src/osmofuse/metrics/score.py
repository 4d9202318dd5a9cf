"""Run named metrics on a fusion, with what each number means."""

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

_DEPTHS = {8: np.uint8, 16: np.uint16}


@dataclass(frozen=True)
class Score:
    """A metric's value, and how to read it.

    Attributes
    ----------
    value : float or None
        None where the metric cannot be had; `reason` says why.
    better : {"high", "low", None}
        Which way is better; None if neither is, or nobody knows.
    range : tuple of float
        The least and the greatest value there can be.
    reason : str or None
        Why there is no value.
    name : str
        The metric's.
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
        The fused picture and what it was made from. A source of one band goes with every
        channel; if only the fused picture has one band, colour sources go as their luminance.
    alpha : array or number, optional
        The map it was made with: 1 where the foreground was kept. Without it, metrics that
        need it have no value.
    truth : array or Picture, optional
        The right answer, where there is one; then the set "truth" is run too.
    metrics : str, callable, or sequence of them
        Sets ("paper", "vifb", "truth", "all") or names of metrics; `osmofuse.metrics.describe`
        tells of each. Or functions of your own, by their names: of some of ``fused``,
        ``foreground``, ``background``, ``alpha`` and ``truth``, see :doc:`metrics`.
    bits : {8, 16, None}
        All pictures are taken as files of so many bits would hold them, clipped to the range
        from black to white and rounded: published numbers are those of files. None takes
        them as they are.

    Returns
    -------
    dict of str to Score
        By the name of the metric.

    Raises
    ------
    InputError
        A picture cannot be used.
    MismatchError
        The pictures differ in size or channels.
    SettingError
        A metric is unknown or cannot be used, or the number of bits.
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
    """Return a picture as a file of that depth would give it back, white at 1.0."""
    if bits is None:
        return samples(picture, name, bounded=bounded)
    stored = checked(picture, name, bounded=bounded)
    if stored.dtype != _DEPTHS[bits]:
        stored = quantise(samples(picture, name, bounded=bounded), _DEPTHS[bits])[0]
    return scaled(stored, np.float64)


def check_bits(bits: object) -> None:
    """Refuse a number of bits that no file has.

    Raises
    ------
    SettingError
        It is none of 8, 16 and None.
    """
    if not any(bits is one or bits == one for one in (None, *_DEPTHS)):
        raise SettingError(f"bits: {shown(bits)}; must be 8, 16 or None")


def _beside(fused: FloatArray, source: FloatArray, bits: int | None) -> FloatArray:
    """Return a source with the channels of the fused picture, where one of them has one band.

    One band goes with every channel; colours go with a fused picture of one band as their
    luminance, in the depth of all pictures.
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
    """Return a value or the reason why there is none; never NaN, never a warning."""
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
