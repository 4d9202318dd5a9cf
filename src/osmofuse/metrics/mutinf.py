"""Mutual information of the fused picture with its sources."""

from __future__ import annotations

import math

from osmofuse.metrics.grey_levels import COUNT, joint_counts, mean_over_channels, stretched
from osmofuse.metrics.joint_entropy import entropies
from osmofuse.metrics.metric import Metric
from osmofuse.typing import FloatArray


def mutinf(fused: FloatArray, foreground: FloatArray, background: FloatArray) -> float:
    r"""Return :math:`\mathrm{MI}(f, u) + \mathrm{MI}(b, u)` of grey levels, in nats.

    Each picture is first stretched from 0 to 255 and rounded, half upwards; a constant picture
    becomes 0 and shares no information.

    Parameters
    ----------
    fused, foreground, background : array, (rows, cols) or (rows, cols, channels)
        White at 1.0. A source of one band goes with every channel; the mean over channels is
        returned.
    """
    return mean_over_channels(_mutinf, fused, foreground, background, prepare=stretched)


def _mutinf(u: FloatArray, *sources: FloatArray) -> float:
    return sum(entropies(joint_counts(source, u)).mutual for source in sources)


METRIC = Metric(
    lambda p: mutinf(p.fused, p.foreground, p.background),
    better="high",
    range=(0.0, 2.0 * math.log(COUNT)),
    definition="sum over the sources of the mutual information of grey levels, in nats, each "
    "picture first stretched from 0 to 255",
    channels="mean over them",
    source="Qu, Zhang and Yan, Electronics Letters 2002; conventions of VIFB",
    check="3.0793 for GFF on VIFB's carLight",
)
