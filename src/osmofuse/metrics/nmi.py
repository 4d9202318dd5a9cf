r"""Normalised mutual information of the fused picture with both sources.

.. math::

    \mathrm{nmi} = 2\,\Big[ \frac{I(f, u)}{H(f) + H(u)} + \frac{I(b, u)}{H(b) + H(u)} \Big]

with entropies H and mutual information I from histograms of 256 levels, each picture stretched to
them from its own least and greatest value (for pictures of 8 bits that changes nothing). Hossny et
al. so correct the sum I(f, u) + I(b, u) of Qu et al., which prefers the source with the larger
entropy. The base of the logarithm cancels.
"""

from __future__ import annotations

from osmofuse.errors import InputError
from osmofuse.metrics.grey_levels import joint_counts, mean_over_channels, stretched
from osmofuse.metrics.joint_entropy import entropies
from osmofuse.metrics.metric import Metric
from osmofuse.typing import FloatArray


def nmi(fused: FloatArray, foreground: FloatArray, background: FloatArray) -> float:
    """Return the normalised mutual information.

    Hossny, Nahavandi and Creighton, Electronics Letters 44(18), 2008, doi:10.1049/el:20081754.

    Parameters
    ----------
    fused, foreground, background : array, (rows, cols) or (rows, cols, channels)
        White at 1.0.

    Returns
    -------
    float
        In [0, 2]; 2 if the levels of each source and of the fused picture determine each other.
        Channel by channel, then the mean.

    Raises
    ------
    InputError
        The fused picture and a source are both flat in a channel.
    """
    return mean_over_channels(_plane, fused, foreground, background, prepare=stretched)


def _plane(u: FloatArray, f: FloatArray, b: FloatArray) -> float:
    return _share(f, u, "foreground") + _share(b, u, "background")


def _share(source: FloatArray, u: FloatArray, name: str) -> float:
    nats = entropies(joint_counts(source, u))
    total = nats.x + nats.y
    if not total > 0.0:
        raise InputError(f"fused, {name}: both flat in a channel; there is nothing to be shared")
    return min(2.0 * nats.mutual / total, 1.0)


METRIC = Metric(
    lambda p: nmi(p.fused, p.foreground, p.background),
    better="high",
    range=(0.0, 2.0),
    definition="2 [I(f, u) / (H(f) + H(u)) + I(b, u) / (H(b) + H(u))], histograms of 256 levels, "
    "each picture stretched to them",
    channels="mean over them",
    source="Hossny et al., Electronics Letters 2008, correcting Qu et al. 2002",
    check="2 if both sources are the fused picture; "
    "1.002 for direct matting of the paper's face pair",
)
