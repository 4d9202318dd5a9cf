"""Run named metrics on a fusion, with what each number means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from osmofuse.errors import InputError, MismatchError, SettingError
from osmofuse.metrics.catalogue import METRICS, SETS
from osmofuse.metrics.metric import Metric, Pictures
from osmofuse.picture import Picture, as_alpha, quantise, samples, scaled
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
    """

    value: float | None
    better: Literal["high", "low"]
    range: tuple[float, float]
    reason: str | None = None


def score(
    fused: ArrayLike | Picture,
    foreground: ArrayLike | Picture,
    background: ArrayLike | Picture,
    alpha: ArrayLike | Picture,
    *,
    truth: ArrayLike | Picture | None = None,
    metrics: str | Sequence[str] = "paper",
    depth: int | None = 8,
) -> dict[str, Score]:
    """Score a fused picture.

    Parameters
    ----------
    fused, foreground, background : array or Picture
        The fused picture and what it was made from; the background may have one band.
    alpha : array or number
        The map it was made with: 1 where the foreground was kept.
    truth : array or Picture, optional
        The right answer, where there is one; then the set "truth" is run too.
    metrics : str or sequence of str
        A set, "paper", "truth" or "all", or names of metrics.
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
    names = _names(metrics)
    if truth is not None:
        names = [*names, *(name for name in SETS["truth"] if name not in names)]
    if depth is not None and depth not in _DEPTHS:
        raise SettingError(f"depth: {depth!r}; must be 8, 16 or None")
    pictures = Pictures(
        _stored(fused, "fused", depth, bounded=False),
        _stored(foreground, "foreground", depth),
        _stored(background, "background", depth),
        as_alpha(alpha),
        None if truth is None else _stored(truth, "truth", depth),
    )
    _check_shapes(pictures)
    return {name: _run(METRICS[name], pictures) for name in names}


def _names(metrics: str | Sequence[str]) -> list[str]:
    names = list(SETS.get(metrics, (metrics,)) if isinstance(metrics, str) else metrics)
    if unknown := [name for name in names if name not in METRICS]:
        raise SettingError(
            f"metrics: {', '.join(map(repr, unknown))} is unknown; known are the sets "
            f"{', '.join(SETS)} and the metrics {', '.join(METRICS)}"
        )
    return names


def _stored(
    picture: ArrayLike | Picture, name: str, depth: int | None, *, bounded: bool = True
) -> FloatArray:
    """Return a picture as a file of that depth would give it back, white at 1.0."""
    given = samples(picture, name, bounded=bounded)
    return given if depth is None else scaled(quantise(given, _DEPTHS[depth])[0], np.float64)


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


def _run(metric: Metric, pictures: Pictures) -> Score:
    try:
        return Score(metric.value(pictures), metric.better, metric.range)
    except InputError as reason:
        return Score(None, metric.better, metric.range, str(reason))
