"""Sweeps: one pair of pictures, fused with many settings."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from numbers import Real
from typing import Any, TypeAlias, cast

import numpy as np

from osmofuse.errors import LimitError, SettingError
from osmofuse.methods import Fusion, Method, Sources, VariationalOsmosis
from osmofuse.methods.contract import PreparedMethod, is_preparable, needs_no_map
from osmofuse.methods.function_method import MethodFunction
from osmofuse.metrics import Score, score
from osmofuse.metrics.catalogue import Choice, chosen_metrics
from osmofuse.progress import Status, Watch, check_watch
from osmofuse.tasks.fuse import (
    ANY_SIZE,
    finished,
    method_of,
    prepared_of,
    run_method,
    scored_pictures,
    split_options,
)
from osmofuse.tasks.lengths import in_pixels
from osmofuse.tasks.prepare import Given, Prepared, is_number

Alphas: TypeAlias = Given | Sequence[Given] | Mapping[str, Given] | None
Label: TypeAlias = float | str | None

# The paper's study of its weights, all with the same reach; the first setting varies slowest.
STUDY: Mapping[str, tuple[Any, ...]] = {
    "start": ("foreground", "composite", "means"),
    "mu": (10.0, 100.0),
    "reach": (10.0,),
    "eta": (0.0, 0.1, 0.5),
    "gamma": (0.0, 1.0),
}
MOST_TRIALS = 1000  # of one sweep, with all maps


@dataclass(frozen=True, eq=False)
class Trial:
    """Result of a sweep for one choice of the varied settings.

    Attributes
    ----------
    settings : mapping of str to object
        Given settings, varied or not, and for variational osmosis those of the paper's study; with
        several maps also "alpha": the number, or the map's label.
    fusion : Fusion
        Result, without its structure to save memory.
    scores : mapping of str to Score
        By the name of the metric.
    """

    settings: Mapping[str, Any]
    fusion: Fusion
    scores: Mapping[str, Score] = field(default_factory=dict)


def sweep(
    foreground: Given | Prepared,
    background: Given | None = None,
    alpha: Alphas = None,
    *,
    method: str | MethodFunction = "variational",
    truth: Given | None = None,
    metrics: Choice | Sequence[Choice] = (),
    watch: Watch | None = None,
    **options: Any,
) -> list[Trial]:
    """Fuse a pair with every combination of some settings.

    Any setting of the method may be a list of values to try. Settings that are not given have the
    method's defaults. Without a list, variational osmosis runs the paper's study of its weights,
    with the given settings fixed: all three of ``start``, ``mu`` 10 and 100, ``reach`` 10, ``eta``
    0, 0.1 and 0.5, and ``gamma`` 0 and 1.

    Parameters
    ----------
    foreground, background : array or Picture
        As for `osmofuse.fuse`. Or a Prepared in their place.
    alpha : number, array, Picture, "auto", or a list of them, or a mapping of str to them
        The map, by default 0.5; or several to try. In a list, maps are called "map 1" and so on; a
        mapping gives labels. Several may also be given with a Prepared. A blur of the maps does not
        apply to numbers.
    method : str or function
        Name of the method, or a function of your own, whose arguments are the settings.
    truth : array or Picture, optional
        Ground truth to score the results against.
    metrics : str, callable, or sequence of them
        Further metrics, as for `osmofuse.score`; none by default.
    watch : callable, optional
        As for `osmofuse.fuse`. After a cancelled fusion the sweep ends.
    **options
        Settings of the method, each a value or a list of values, and options of
        `osmofuse.prepare`, the same for all. For a setting that is itself a list, give a list of
        tuples.

    Returns
    -------
    list of Trial
        Alpha varies slowest, and the settings of the study fastest, in the order above.

    Raises
    ------
    LimitError
        There are more than 1000 combinations.

    Notes
    -----
    With ``reach=None``, the default of variational osmosis, the paper's rule ends each fusion at a
    different reach. Give a reach to see the effect of the other settings alone. Data that do not
    depend on the settings are prepared once.

    Examples
    --------
    >>> import numpy as np
    >>> import osmofuse
    >>> page, infrared = np.full((8, 8, 3), 200, np.uint8), np.full((8, 8), 180, np.uint8)
    >>> found = osmofuse.sweep(page, infrared, alpha=[0.2, 0.8], eta=[0.0, 0.1], reach=5)
    >>> [(trial.settings["alpha"], trial.settings["eta"]) for trial in found]
    [(0.2, 0.0), (0.2, 0.1), (0.8, 0.0), (0.8, 0.1)]
    """
    check_watch(watch)
    how, settings = split_options(options)
    alphas = labelled(alpha)
    combinations(settings, method=method, alphas=len(alphas))  # check settings before the work
    ready = _prepared(foreground, background, alpha, alphas, how)
    return tried_on(ready, settings, method=method, truth=truth, metrics=metrics, watch=watch)


def tried_on(
    ready: Mapping[Label, Prepared],
    settings: Mapping[str, Any],
    *,
    method: str | MethodFunction,
    truth: Given | None,
    metrics: Choice | Sequence[Choice],
    watch: Watch | None,
) -> list[Trial]:
    """Fuse prepared pictures with every map and every combination of settings.

    `ready` has the pictures by the label of their map, or by None for a single map; the other
    arguments are as for `sweep`.
    """
    count = 0 if None in ready else len(ready)
    shape = next(iter(ready.values())).sources.shape
    methods = combinations(settings, method=method, alphas=count, shape=shape)
    is_scored = bool(chosen_metrics(metrics)) or truth is not None
    for one in ready.values() if is_scored else ():  # refuse pictures before the first fusion
        pictures = scored_pictures(one)
        score(pictures[0], *pictures, truth=truth, metrics=())
    found: list[Trial] = []
    for label, one in ready.items():
        tried = {} if label is None else {"alpha": label}
        mapless = all(needs_no_map(fuser) for _, fuser in methods)
        sources = one.for_method(methods[0][1]).sources if mapless else one.sources
        for changes, made in _fusions(methods, sources, watch):
            fusion = replace(finished(made, one), structure=None)
            scores: dict[str, Score] = {}
            if is_scored:
                scores = score(fusion.image, *scored_pictures(one), truth=truth, metrics=metrics)
            found.append(Trial({**tried, **changes}, fusion, scores))
            if fusion.status is Status.cancelled:
                return found
    return found


def combinations(
    settings: Mapping[str, Any],
    *,
    method: str | MethodFunction = "variational",
    alphas: int = 0,
    shape: Sequence[int] = ANY_SIZE,
) -> list[tuple[dict[str, Any], Method]]:
    """Return every combination of settings, and the method with each.

    `settings` are values or lists of values, as for `sweep`. `alphas` is the number of maps to try,
    0 for a single map; there are at most 1000 combinations in total.
    `shape` is that of the pictures, for lengths that follow it.
    """
    if not isinstance(method, str) and not inspect.isroutine(method):
        raise SettingError(f"method: {method!r}; a sweep takes the name of a method, or a function")
    tried = {
        name: _many(name, value) for name, value in _completed(settings, method, alphas).items()
    }
    count = math.prod(len(values) for values in tried.values()) * max(alphas, 1)
    if count > MOST_TRIALS:
        raise LimitError(
            f"{', '.join(tried)}: {count} combinations; try at most {MOST_TRIALS} at a time"
        )
    found = []
    for values in product(*tried.values()):
        changes = dict(zip(tried, values, strict=True))
        found.append((changes, method_of(method, in_pixels(changes, shape))))
    return found


def _completed(
    settings: Mapping[str, Any], method: str | MethodFunction, alphas: int
) -> dict[str, Any]:
    """Return settings followed by those of the study, which every trial lists."""
    if method != "variational":
        return dict(settings)
    lists = alphas or any(_is_list(value) for value in settings.values())
    usual = {name: getattr(VariationalOsmosis, name) for name in STUDY} if lists else STUDY
    others = {name: value for name, value in settings.items() if name not in STUDY}
    return others | {name: settings.get(name, value) for name, value in usual.items()}


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim == 1)


def _many(name: str, value: Any) -> tuple[Any, ...]:
    """Return the values to try for a setting, each once."""
    if not _is_list(value):
        return (value,)
    many = value.tolist() if isinstance(value, np.ndarray) else value
    if not many:
        raise SettingError(f"{name}: empty; give at least one value to try")
    return tuple(dict.fromkeys(tuple(one) if isinstance(one, list) else one for one in many))


def labelled(alpha: Alphas) -> dict[float | str, Given]:
    """Return the maps to try, by label; empty for a single map."""
    if not isinstance(alpha, list | tuple | Mapping):
        return {}
    if not alpha:
        raise SettingError("alpha: empty; give at least one map to try")
    found: dict[float | str, Given] = {}
    if isinstance(alpha, Mapping):
        found.update(alpha.items())
    else:
        for one in cast(Sequence[Given], alpha):
            found[_label(one, len(found) + 1)] = one
    return found


def _label(alpha: Given, index: int) -> float | str:
    if isinstance(alpha, str):
        return alpha
    return float(alpha) if isinstance(alpha, Real) else f"map {index}"


def _prepared(
    foreground: Given | Prepared,
    background: Given | None,
    alpha: Alphas,
    alphas: Mapping[float | str, Given],
    how: Mapping[str, Any],
) -> dict[Label, Prepared]:
    """Return the pictures, prepared once, with each map."""
    if not alphas:
        return {None: prepared_of(foreground, background, cast(Given, alpha), how)}
    # A blur needs a map that has edges.
    labels = [label for label, one in alphas.items() if not is_number(one)] or [*alphas]
    first = None if isinstance(foreground, Prepared) else labels[0]
    ready = prepared_of(foreground, background, None if first is None else alphas[first], how)
    return {
        label: ready if label == first else ready.with_map(one) for label, one in alphas.items()
    }


def _fusions(
    methods: Sequence[tuple[dict[str, Any], Method]],
    sources: Sources,
    watch: Watch | None,
) -> Iterator[tuple[dict[str, Any], Fusion]]:
    """Yield each fusion; reuse the prepared sources of a method as long as possible."""
    prepared: PreparedMethod | None = None
    for changes, method in methods:
        if is_preparable(method):
            if prepared is None or not prepared.serves(method):
                prepared = method.prepare(sources)
            solve = partial(prepared.solve_with, method, watch=watch)
            yield changes, run_method(method, sources, watch, call=solve)
        else:
            yield changes, run_method(method, sources, watch)
