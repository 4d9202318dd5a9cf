"""Run named metrics on a fusion, with what each number means."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from osmofuse.errors import MismatchError, SettingError
from osmofuse.metrics.chromaticity import chromaticity_error
from osmofuse.metrics.truth_psnr import truth_psnr
from osmofuse.metrics.truth_ssim import RADIUS, truth_ssim
from osmofuse.picture import Picture, samples
from osmofuse.typing import ArrayLike, FloatArray


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


@dataclass(frozen=True)
class _Pictures:
    """What is scored, all on the scale where white is 1.0."""

    fused: FloatArray
    foreground: FloatArray
    truth: FloatArray | None


@dataclass(frozen=True)
class _Metric:
    """A metric: its value, how to read it, and why it cannot be had (None if it can)."""

    value: Callable[[_Pictures], float]
    better: Literal["high", "low"]
    range: tuple[float, float]
    obstacle: Callable[[_Pictures], str | None]


def _no_truth(p: _Pictures) -> str | None:
    return "no truth was given" if p.truth is None else None


def _too_small(p: _Pictures) -> str | None:
    side = 2 * RADIUS + 1
    small = min(p.fused.shape[:2]) < side
    return _no_truth(p) or (f"needs {side} pixels in both directions" if small else None)


def _no_colour(p: _Pictures) -> str | None:
    colours = 1 if p.fused.ndim == 2 else p.fused.shape[2]
    return None if colours > 1 else "needs more than one channel"


_METRICS: dict[str, _Metric] = {
    "chromaticity": _Metric(
        lambda p: chromaticity_error(p.fused, p.foreground), "low", (0.0, math.inf), _no_colour
    ),
    "truth_psnr": _Metric(
        lambda p: truth_psnr(p.fused, _given(p.truth)), "high", (-math.inf, math.inf), _no_truth
    ),
    "truth_ssim": _Metric(
        lambda p: truth_ssim(p.fused, _given(p.truth)), "high", (-1.0, 1.0), _too_small
    ),
}
_SETS = {"paper": ("chromaticity",), "truth": ("truth_psnr", "truth_ssim"), "all": tuple(_METRICS)}


def score(
    fused: ArrayLike | Picture,
    foreground: ArrayLike | Picture,
    background: ArrayLike | Picture,
    alpha: ArrayLike,
    *,
    truth: ArrayLike | Picture | None = None,
    metrics: str | Sequence[str] = "paper",
) -> dict[str, Score]:
    """Score a fused picture.

    Parameters
    ----------
    fused, foreground, background : array or Picture
        The fused picture and what it was made from.
    alpha : array or number
        The map it was made with. No metric here looks at it or at the background yet.
    truth : array or Picture, optional
        The right answer, where there is one; then the set "truth" is run too.
    metrics : str or sequence of str
        A set, "paper", "truth" or "all", or names of metrics.

    Returns
    -------
    dict of str to Score
        By the name of the metric.

    Raises
    ------
    MismatchError
        The pictures differ in size or channels.
    SettingError
        A metric is unknown.
    """
    pictures = _Pictures(
        samples(fused, "fused", bounded=False),
        samples(foreground, "foreground"),
        None if truth is None else samples(truth, "truth"),
    )
    for name, picture in (("foreground", pictures.foreground), ("truth", pictures.truth)):
        if picture is not None and picture.shape != pictures.fused.shape:
            raise MismatchError(
                f"{name}: shape {picture.shape}, but fused has {pictures.fused.shape}; "
                "score pictures of one size"
            )
    names = _names(metrics)
    if truth is not None:
        names = [*names, *(name for name in _SETS["truth"] if name not in names)]
    return {name: _run(_METRICS[name], pictures) for name in names}


def _names(metrics: str | Sequence[str]) -> list[str]:
    names = list(_SETS.get(metrics, (metrics,)) if isinstance(metrics, str) else metrics)
    if unknown := [name for name in names if name not in _METRICS]:
        raise SettingError(
            f"metrics: {', '.join(map(repr, unknown))} is unknown; known are the sets "
            f"{', '.join(_SETS)} and the metrics {', '.join(_METRICS)}"
        )
    return names


def _run(metric: _Metric, pictures: _Pictures) -> Score:
    reason = metric.obstacle(pictures)
    value = metric.value(pictures) if reason is None else None
    return Score(value, metric.better, metric.range, reason)


def _given(truth: FloatArray | None) -> FloatArray:
    assert truth is not None, "a metric against a truth runs only where there is one"
    return truth
