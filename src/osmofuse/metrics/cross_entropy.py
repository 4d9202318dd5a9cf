"""Cross entropy of the sources and the fused picture."""

from __future__ import annotations

import math

import numpy as np

from osmofuse.metrics.grey_levels import counts, mean_over_channels
from osmofuse.metrics.metric import Metric
from osmofuse.typing import FloatArray


def cross_entropy(fused: FloatArray, foreground: FloatArray, background: FloatArray) -> float:
    r"""Return how far the sources' grey levels are from the fused picture's, in bits.

    .. math::

        \tfrac12 \sum_{s \in \{f, b\}} \sum_k p^s_k \log_2 \frac{p^s_k}{p^u_k}

    over the levels k that occur in both pictures. Leaving out the others makes less than 0
    possible, down to :math:`-\log_2(e)/e`, for pictures that have few levels in common.

    Parameters
    ----------
    fused, foreground, background : array, (rows, cols) or (rows, cols, channels)
        White at 1.0. A source of one band goes with every channel; the mean over channels is
        returned.
    """
    return mean_over_channels(_cross_entropy, fused, foreground, background)


def _cross_entropy(u: FloatArray, *sources: FloatArray) -> float:
    p_fused = counts(u) / u.size
    total = 0.0
    for source in sources:
        p = counts(source) / u.size
        both = (p > 0) & (p_fused > 0)
        total += float((p[both] * np.log2(p[both] / p_fused[both])).sum())
    return total / len(sources)


METRIC = Metric(
    lambda p: cross_entropy(p.fused, p.foreground, p.background),
    better="low",
    range=(-math.log2(math.e) / math.e, math.inf),
    definition="mean over the sources of the sum of p log2(p/q), with p and q the parts of a grey "
    "level in source and fused picture, over levels that both have",
    channels="mean over them",
    source="Bulanon et al., Biosystems Engineering 2009; conventions of VIFB",
    check="1.5809 for GFF on VIFB's carLight",
)
