"""Tell what each metric is, for people to look it up."""

from __future__ import annotations

from dataclasses import dataclass

from osmofuse.metrics.catalogue import usable_metrics
from osmofuse.metrics.metric import Better


@dataclass(frozen=True)
class Description:
    """What there is to know of a metric.

    Attributes
    ----------
    name : str
        By which `osmofuse.score` knows it.
    definition : str
        What is computed, in a sentence.
    range : tuple of float
        The least and the greatest value there can be.
    better : {"high", "low", None}
        Which way is better; None if neither is, or nobody knows.
    channels : str
        What becomes of colour.
    source : str
        Who defined it, and where.
    check : str
        A value to compare an implementation with.
    """

    name: str
    definition: str
    range: tuple[float, float]
    better: Better
    channels: str
    source: str
    check: str


def describe() -> list[Description]:
    """Return what there is to know of every metric, in the order of the set "all".

    Behind those come the metrics of other packages, as far as they can be used.

    Examples
    --------
    >>> [metric.name for metric in describe() if metric.better == "low"][:2]
    ['chromaticity', 'brisque']
    """
    return [
        Description(
            name,
            metric.definition,
            metric.range,
            metric.better,
            metric.channels,
            metric.source,
            metric.check,
        )
        for name, metric in usable_metrics().items()
    ]
