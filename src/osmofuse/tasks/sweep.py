"""What the weights do: one pair of pictures, fused with many settings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import signature
from itertools import product
from typing import Any, TypeAlias, TypeVar, cast

from osmofuse.errors import LimitError, SettingError
from osmofuse.methods import Fusion, Sources, VariationalOsmosis
from osmofuse.methods.contract import WatchFunction
from osmofuse.metrics import Score, score
from osmofuse.metrics.score import metric_names
from osmofuse.optimise import Status
from osmofuse.tasks.fuse import (
    check_watch,
    finished,
    method_of,
    prepared_of,
    scored_background,
    split_options,
)
from osmofuse.tasks.prepare import Given, Prepared

T = TypeVar("T")
OneOrMany: TypeAlias = T | Sequence[T]

VARIED = ("start", "mu", "reach", "eta", "gamma")  # the slowest first
MOST_TRIALS = 1000


@dataclass(frozen=True, eq=False)
class Trial:
    """A fusion with one choice of the settings that are varied.

    Attributes
    ----------
    settings : mapping of str to object
        Those that are varied, or could have been: `VARIED`.
    fusion : Fusion
        What came of them; without its structure, since there are many.
    scores : mapping of str to Score
        By the name of the metric.
    """

    settings: Mapping[str, Any]
    fusion: Fusion
    scores: Mapping[str, Score] = field(default_factory=dict)


def sweep(
    foreground: Given | Prepared,
    background: Given | None = None,
    alpha: Given | None = None,
    *,
    start: OneOrMany[str] = ("foreground", "composite", "means"),
    mu: OneOrMany[float] = (10.0, 100.0),
    reach: OneOrMany[float | None] = 10.0,
    eta: OneOrMany[float] = (0.0, 0.1, 0.5),
    gamma: OneOrMany[float] = (0.0, 1.0),
    truth: Given | None = None,
    metrics: str | Sequence[str] = (),
    watch: WatchFunction | None = None,
    **options: Any,
) -> list[Trial]:
    """Fuse a pair with every combination of some settings, as the paper's study of weights does.

    The pictures are prepared once for each start. All go equally far, so that only the settings
    make the difference: with ``reach=None`` the paper's stopping rule would end each elsewhere.

    Parameters
    ----------
    foreground, background : array or Picture
        As for `osmofuse.fuse`. Or a Prepared in their place.
    alpha : array, Picture or number, or "auto"
        The map. By default 0.5.
    start, mu, reach, eta, gamma : value or sequence of values
        What to try, by default what the paper's figure shows; see `VariationalOsmosis`.
        ``reach=None`` is the paper's rule, to reproduce its figure.
    truth : array or Picture, optional
        The right answer, where there is one; then the results are scored against it.
    metrics : str or sequence of str
        What else to score, as for `osmofuse.score`. Nothing, by default.
    watch : callable, optional
        As for `osmofuse.fuse`. When it cancels a fusion, the sweep ends with it.
    **options
        Options of `osmofuse.prepare`, and other settings of `VariationalOsmosis`, the same for all.

    Returns
    -------
    list of Trial
        Start varies slowest, then mu, reach, eta; gamma fastest.

    Raises
    ------
    InputError, MismatchError
        A picture cannot be used, or they do not fit together.
    SettingError
        A setting is unknown or out of range, or there is nothing to try.
    LimitError
        There are more than 1000 combinations.

    Examples
    --------
    >>> import numpy as np
    >>> import osmofuse
    >>> page, infrared = np.full((8, 8, 3), 200, np.uint8), np.full((8, 8), 180, np.uint8)
    >>> found = osmofuse.sweep(page, infrared, start="foreground", mu=100, gamma=1)
    >>> [trial.settings["eta"] for trial in found]
    [0.0, 0.1, 0.5]
    """
    check_watch(watch)
    varied = {"start": start, "mu": mu, "reach": reach, "eta": eta, "gamma": gamma}
    how, settings = split_options(options)
    methods = combinations({**varied, **settings})
    ready = prepared_of(foreground, background, alpha, how)
    pictures = ready.foreground.filled(), scored_background(ready), ready.sources.alpha
    names = metric_names(metrics)
    scored = bool(names) or truth is not None
    if scored:  # a mistake in the pictures is told before the first fusion
        score(pictures[0], *pictures, truth=truth, metrics=())
    found: list[Trial] = []
    for changes, made in _fusions(methods, ready.sources, watch):
        fusion = replace(finished(made, ready), structure=None)
        scores = score(fusion.image, *pictures, truth=truth, metrics=names) if scored else {}
        found.append(Trial(changes, fusion, scores))
    return found


def combinations(choices: Mapping[str, Any]) -> list[tuple[dict[str, Any], VariationalOsmosis]]:
    """Return every combination of what is varied, and the method with these settings.

    Parameters
    ----------
    choices : mapping of str to object
        As the keywords of `sweep`; what is varied and not named is as it is there by default.

    Raises
    ------
    SettingError
        A setting is unknown or out of range, or there is nothing to try.
    LimitError
        There are more than 1000 combinations.
    """
    usual = signature(sweep).parameters
    varied = {name: _many(name, choices.get(name, usual[name].default)) for name in VARIED}
    count = math.prod(len(values) for values in varied.values())
    if count > MOST_TRIALS:
        raise LimitError(
            f"{', '.join(varied)}: {count} combinations; try at most {MOST_TRIALS} at a time"
        )
    common = {name: value for name, value in choices.items() if name not in varied}
    found = []
    for values in product(*varied.values()):
        changes = dict(zip(varied, values, strict=True))
        method = method_of("variational", {**common, **changes})
        found.append((changes, cast(VariationalOsmosis, method)))
    return found


def _many(name: str, values: Any) -> tuple[Any, ...]:
    """Return what to try for a setting: each once."""
    many = (values,) if isinstance(values, str) or not isinstance(values, Sequence) else values
    if not many:
        raise SettingError(f"{name}: empty; give at least one value to try")
    return tuple(dict.fromkeys(many))


def _fusions(
    methods: list[tuple[dict[str, Any], VariationalOsmosis]],
    sources: Sources,
    watch: WatchFunction | None,
) -> Iterator[tuple[dict[str, Any], Fusion]]:
    """Yield each fusion; what one prepared serves the next, until the start changes."""
    ready: VariationalOsmosis | None = None
    for changes, method in methods:
        if ready is None or ready.start != method.start:
            prepared, ready = method.prepare(sources), method
        fusion = prepared.solve(watch=watch, **changes)
        yield changes, fusion
        if fusion.status is Status.cancelled:
            return
