"""Comparison of methods on one pair of pictures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from osmofuse.errors import InputError, OsmofuseError, SettingError, did_you_mean
from osmofuse.methods import METHODS, Fusion, Method, Sources
from osmofuse.metrics import Score, score
from osmofuse.metrics.catalogue import Choice as MetricChoice
from osmofuse.metrics.catalogue import chosen_metrics
from osmofuse.picture import as_alpha
from osmofuse.progress import Status, Watch, check_watch
from osmofuse.tasks.fuse import (
    check_preparing,
    finished,
    method_of,
    prepared_of,
    run_method,
    scored_pictures,
)
from osmofuse.tasks.prepare import Given, Prepared
from osmofuse.typing import ArrayLike

Choice: TypeAlias = str | Method
Methods: TypeAlias = Choice | Iterable[Choice] | Mapping[str, Choice] | None


@dataclass(frozen=True, eq=False)
class Comparison:
    """Result of one method on the pair.

    Attributes
    ----------
    name : str
        The method's name.
    fusion : Fusion or None
        Its result, with the time it took; None if it could not be run.
    scores : mapping of str to Score
        Scores by name of the metric; empty if there is no picture to score.
    reason : str or None
        Reason for a missing fusion, or one that cannot be scored.
    """

    name: str
    fusion: Fusion | None
    scores: Mapping[str, Score]
    reason: str | None = None


def compare(
    foreground: Given | Prepared,
    background: Given | None = None,
    alpha: Given | None = None,
    *,
    methods: Methods = None,
    alphas: Mapping[str, Given] | None = None,
    truth: Given | None = None,
    metrics: MetricChoice | Sequence[MetricChoice] = "paper",
    watch: Watch | None = None,
    **options: Any,
) -> list[Comparison]:
    """Fuse a pair of pictures by several methods, and score the results.

    Parameters
    ----------
    foreground, background : array or Picture
        As for `osmofuse.fuse`; one background. Or a Prepared in their place.
    alpha : array, Picture or number, or "auto"
        Map for all methods and for scoring. By default 0.5.
    methods : str, Method, iterable of them, or mapping of str to them, optional
        Methods to compare: names or instances; or a mapping from your own names to them, needed for
        one method with several settings. By default all built-in methods.
    alphas : mapping of str to map, optional
        Separate maps for some methods, by name: some need a mask, others a soft map.
    truth : array or Picture, optional
        Ground truth.
    metrics : str, callable, or sequence of them
        Metrics, as for `osmofuse.score`.
    watch : callable, optional
        Passed to every method. After a cancellation no further method is started.
    **options
        Options of `osmofuse.prepare`.

    Returns
    -------
    list of Comparison
        In the order of `methods`. A method that cannot fuse this pair does not stop the
        others: its comparison has a reason instead of a fusion.

    Raises
    ------
    SettingError
        A method is unknown, two have the same name, or `alphas` names a method that is not
        compared.

    Notes
    -----
    `fusion.seconds` is the elapsed time without the compilation of kernels. The first run of a
    method in a process loads them; compare times of a second run.

    Examples
    --------
    >>> import numpy as np
    >>> import osmofuse
    >>> page, infrared = np.full((8, 8, 3), 200, np.uint8), np.full((8, 8), 180, np.uint8)
    >>> found = osmofuse.compare(page, infrared, 0.5, methods=["direct", "poisson"])
    >>> [comparison.name for comparison in found]
    ['direct', 'poisson']
    """
    chosen = chosen_methods(methods)
    check_watch(watch)
    check_preparing(options)
    if isinstance(background, list | tuple):
        raise InputError("background: a list; methods are compared on one background")
    ready = prepared_of(foreground, background, alpha, options)
    own = _own_sources(ready.sources, alphas or {}, list(chosen))
    pictures = scored_pictures(ready)
    # Check the pictures once, before the first method runs.
    score(pictures[0], *pictures, truth=truth, metrics=())
    chosen_metrics(metrics)

    def run(name: str, method: Method) -> Comparison:
        fusion = None
        try:
            sources = own.get(name) or ready.for_method(method).sources
            fusion = finished(run_method(method, sources, watch), ready)
            scores = score(fusion.image, *pictures, truth=truth, metrics=metrics)
        except OsmofuseError as error:
            return Comparison(name, fusion, {}, str(error))
        return Comparison(name, fusion, scores)

    found: list[Comparison] = []
    cancelled = False
    for name, method in chosen.items():
        if cancelled:
            found.append(Comparison(name, None, {}, "cancelled before it began"))
            continue
        found.append(run(name, method))
        fusion = found[-1].fusion
        cancelled = fusion is not None and fusion.status is Status.cancelled
    return found


def chosen_methods(
    methods: Methods, settings: Mapping[str, Mapping[str, Any]] | None = None
) -> dict[str, Method]:
    """Return the methods to compare, by name; `methods` is as for `compare`.

    `settings` are for methods given by their names, which otherwise have their defaults.
    """

    def made(method: Choice) -> Method:
        own = (settings or {}).get(method, {}) if isinstance(method, str) else {}
        return method_of(method, own)

    if isinstance(methods, Mapping):
        return {name: made(method) for name, method in methods.items()}
    if methods is None:
        methods = list(METHODS)
    elif isinstance(methods, str) or callable(methods):
        methods = [methods]
    named: dict[str, Method] = {}
    for method in methods:
        name = method if isinstance(method, str) else _name(method)
        if name in named:
            raise SettingError(
                f"methods: two are called {name!r}; give a mapping from names of your own"
            )
        named[name] = made(method)
    return named


def _name(method: Method) -> str:
    """Return the name of a method's class, or of a function."""
    names = {known: name for name, known in METHODS.items()}
    return names.get(type(method), getattr(method, "__name__", type(method).__name__))


def _own_sources(
    common: Sources, alphas: Mapping[str, Given], chosen: list[str]
) -> dict[str, Sources]:
    """Return the sources of those methods that have a map of their own."""
    if unknown := [name for name in alphas if name not in chosen]:
        raise SettingError(
            f"alphas: {', '.join(map(repr, unknown))} is not compared"
            f"{did_you_mean(unknown[0], chosen)}; these are: "
            f"{', '.join(chosen)}"
        )
    sources = {}
    for name, alpha in alphas.items():
        try:
            sources[name] = common.with_alpha(as_alpha(cast(ArrayLike, alpha)))
        except OsmofuseError as error:
            raise type(error)(f"alphas[{name!r}]: {error}") from error
    return sources
