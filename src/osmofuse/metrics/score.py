"""Run named metrics on a fusion, with what each number means."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from osmofuse.errors import InputError, MismatchError, SettingError, did_you_mean
from osmofuse.metrics.catalogue import METRICS, SETS
from osmofuse.metrics.grey_levels import LUMINANCE
from osmofuse.metrics.metric import Metric, Pictures
from osmofuse.picture import Picture, as_alpha, bands_of, checked, quantise, samples, scaled
from osmofuse.typing import ArrayLike, FloatArray

_DEPTHS = {8: np.uint8, 16: np.uint16}


@dataclass(frozen=True)
class Score:
    """A metric's value, and how to read it.

    Attributes
    ----------
    value : float or None
        None where the metric cannot be had; `reason` says why.
    better : {"high", "low"}
        Which way is better.
    range : tuple of float
        The least and the greatest value there can be.
    reason : str or None
        Why there is no value.
    name : str
        The metric's.
    """

    value: float | None
    better: Literal["high", "low"]
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
    metrics: str | Sequence[str] = "paper",
    depth: int | None = 8,
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
    metrics : str or sequence of str
        A set, "paper", "vifb", "truth" or "all", or names of metrics; `osmofuse.metrics.describe`
        tells of each.
    depth : {8, 16, None}
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
        A metric is unknown, or the depth.
    """
    names = metric_names(metrics)
    if truth is not None:
        names = [*names, *(name for name in SETS["truth"] if name not in names)]
    if depth is not None and depth not in _DEPTHS:
        raise SettingError(f"depth: {depth!r}; must be 8, 16 or None")
    whole = _stored(fused, "fused", depth, bounded=False)
    pictures = Pictures(
        whole,
        _beside(whole, _stored(foreground, "foreground", depth), depth),
        _beside(whole, _stored(background, "background", depth), depth),
        None if alpha is None else as_alpha(alpha),
        None if truth is None else _stored(truth, "truth", depth),
    )
    _check_shapes(pictures)
    return {name: _run(name, METRICS[name], pictures) for name in names}


def metric_names(metrics: str | Sequence[str]) -> list[str]:
    """Return the names of the metrics in a set, or of those given, and refuse unknown ones."""
    names = list(SETS.get(metrics, (metrics,)) if isinstance(metrics, str) else metrics)
    if unknown := [name for name in names if name not in METRICS]:
        raise SettingError(
            f"metrics: {', '.join(map(repr, unknown))} is unknown"
            f"{did_you_mean(unknown[0], [*SETS, *METRICS])}; known are the sets "
            f"{', '.join(SETS)} and the metrics {', '.join(METRICS)}"
        )
    return names


def _stored(
    picture: ArrayLike | Picture, name: str, depth: int | None, *, bounded: bool = True
) -> FloatArray:
    """Return a picture as a file of that depth would give it back, white at 1.0."""
    if depth is None:
        return samples(picture, name, bounded=bounded)
    stored = checked(picture, name, bounded=bounded)
    if stored.dtype != _DEPTHS[depth]:
        stored = quantise(samples(picture, name, bounded=bounded), _DEPTHS[depth])[0]
    return scaled(stored, np.float64)


def _beside(fused: FloatArray, source: FloatArray, depth: int | None) -> FloatArray:
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
        return _stored(np.asarray(grey).reshape(fused.shape), "source", depth)
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
