"""Metrics by name, and named sets of them: built-in ones and those of plugins."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from importlib import import_module
from typing import Any, TypeAlias

from osmofuse import plugins
from osmofuse.errors import SettingError, did_you_mean
from osmofuse.metrics.function_metric import MetricFunction, metric_of_function
from osmofuse.metrics.metric import Metric

Choice: TypeAlias = str | MetricFunction

PAPER = ("chromaticity", "structure", "fmi", "brisque")
VIFB = (
    "entropy",
    "cross_entropy",
    "mutinf",
    "vifb_rmse",
    "vifb_psnr",
    "vifb_ssim",
    "avg_gradient",
    "edge_intensity",
    "spatial_frequency",
    "vifb_variance",
    "qabf",
    "qcb",
    "qcv",
)
OTHERS = ("niqe", "nabf", "scd", "vif", "viff", "nmi", "qy", "stroke_contrast")
BOUNDARY = ("seam_visibility", "natural_chromaticity")
TRUTH = ("psnr", "ssim")
LEGIBILITY = ("legibility", "legibility_f")

# Modules with a dict METRICS. Imported by path: some share their name with a function.
FAMILIES = (
    "chromaticity",
    "structure",
    "fmi",
    "brisque",
    "vifb",
    "edge_preservation",
    "contrast_sensitivity",
    "niqe",
    "visual_information",
    "source_similarity",
    "seam_visibility",
    "natural_chromaticity",
    "truth",
    "legibility",
)

_DEFINED: dict[str, Metric] = {
    name: metric
    for family in FAMILIES
    for name, metric in import_module(f"osmofuse.metrics.{family}").METRICS.items()
}
# Our own metrics, in the order of tables.
METRICS: dict[str, Metric] = {
    name: _DEFINED[name] for name in (*PAPER, *VIFB, *OTHERS, *BOUNDARY, *TRUTH, *LEGIBILITY)
}

SETS: dict[str, tuple[str, ...]] = {
    "paper": PAPER,
    "vifb": VIFB,
    "truth": TRUTH,
    "ink": LEGIBILITY,
    "all": tuple(METRICS),
}

_log = logging.getLogger("osmofuse")


def metric_names() -> tuple[str, ...]:
    """Return the names of all metrics: built-in, then those of plugins (not imported)."""
    return (*METRICS, *plugins.offered("metric", frozenset({*METRICS, *SETS})))


def metric_named(name: str) -> Metric:
    """Return the metric of a name, or raise a SettingError if there is none that can be used."""
    if name in METRICS:
        return METRICS[name]
    if name not in (known := metric_names()):
        raise SettingError(
            f"metrics: {name!r} is unknown{did_you_mean(name, [*SETS, *known])}; known are the "
            f"sets {', '.join(SETS)} and the metrics {', '.join(known)}"
        )
    found: Any = plugins.loaded("metric", name)
    if isinstance(found, Metric):
        return found
    if not callable(found) or isinstance(found, type):
        raise plugins.refusal("metric", name, f"{found!r}; must be a Metric or a function")
    try:
        return metric_of_function(found)
    except SettingError as error:
        raise plugins.refusal("metric", name, str(error)) from error


def usable_metrics() -> dict[str, Metric]:
    """Return all metrics by name; log those of plugins that cannot be used."""
    found = dict(METRICS)
    for name in metric_names()[len(METRICS) :]:
        try:
            found[name] = metric_named(name)
        except SettingError as error:
            _log.warning("%s", error)
    return found


def chosen_metrics(metrics: Choice | Sequence[Choice]) -> dict[str, Metric]:
    """Return metrics by name, chosen by sets, names, or functions for `metric_of_function`."""
    chosen = (metrics,) if isinstance(metrics, str) or callable(metrics) else metrics
    found: dict[str, Metric] = {}
    for one in chosen:
        if isinstance(one, str):
            found |= {name: metric_named(name) for name in SETS.get(one, (one,))}
            continue
        name = getattr(one, "__name__", None)
        if not callable(one) or not isinstance(name, str):
            raise SettingError(
                f"metrics: {one!r}; must be a name, or a function with a __name__ of its own"
            )
        if name in found or name in METRICS:
            raise SettingError(
                f"metrics: there is another {name!r}; give the function another name"
            )
        found[name] = metric_of_function(one)
    return found
