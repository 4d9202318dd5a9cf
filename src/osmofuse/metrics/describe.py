"""Descriptions of all metrics."""

from __future__ import annotations

from dataclasses import dataclass, fields

from osmofuse.metrics.catalogue import usable_metrics
from osmofuse.metrics.metric import Better


@dataclass(frozen=True)
class MetricInfo:
    """Description of a metric.

    Attributes
    ----------
    name : str
        Name as `osmofuse.score` takes it.
    definition, range, better, channels, source, check
        Metadata as in `Metric`.
    """

    name: str
    definition: str
    range: tuple[float, float]
    better: Better
    channels: str
    source: str
    check: str


def describe() -> list[MetricInfo]:
    """Return descriptions of all metrics: the set "all" in its order, then usable plugins.

    Examples
    --------
    >>> [metric.name for metric in describe() if metric.better == "low"][:2]
    ['chromaticity', 'brisque']
    """
    return [
        MetricInfo(name, **{one.name: getattr(metric, one.name) for one in fields(MetricInfo)[1:]})
        for name, metric in usable_metrics().items()
    ]
