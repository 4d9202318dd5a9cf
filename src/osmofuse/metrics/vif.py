r"""Visual information fidelity of the fused picture to both sources.

.. math::

    \mathrm{VIF}(s, u) = \sum J \Big/ \sum I, \qquad
    \mathrm{vif} = \mathrm{VIF}(f, u) + \mathrm{VIF}(b, u)

with the sums over all windows of all four scales of :mod:`osmofuse.metrics.visual_information`:
the multiscale form on pixels that the authors published, often called VIFp, and not the one on
wavelet coefficients, whose values are others. The source is the reference and the fused picture
the changed one; the two are added, not averaged, as most users do. VIF(s, s) = 1; a fused picture
with more contrast than a source may have more.
"""

from __future__ import annotations

import math

from osmofuse.errors import InputError
from osmofuse.metrics.grey_levels import mean_over_channels
from osmofuse.metrics.metric import Metric
from osmofuse.metrics.visual_information import SIDE, scales
from osmofuse.typing import FloatArray

EYE = 2.0


def vif(fused: FloatArray, foreground: FloatArray, background: FloatArray) -> float:
    """Return the sum of the visual information fidelities to the two sources.

    Sheikh and Bovik, IEEE TIP 15(2), 2006, doi:10.1109/TIP.2005.859378.

    Parameters
    ----------
    fused, foreground, background : array, (rows, cols) or (rows, cols, channels)
        White at 1.0; 41 pixels at least in both directions.

    Returns
    -------
    float
        From 0; 2 if both sources are the fused picture itself. Channel by channel on grey
        levels of 255, then the mean; the variance of the eye's noise is 2.

    Raises
    ------
    InputError
        The pictures are too small, or a source is flat in a channel.
    """
    return mean_over_channels(_plane, fused, foreground, background, side=SIDE)


def _plane(u: FloatArray, f: FloatArray, b: FloatArray) -> float:
    return _fidelity(f, u, "foreground") + _fidelity(b, u, "background")


def _fidelity(source: FloatArray, u: FloatArray, name: str) -> float:
    kept = whole = 0.0
    for scale in scales(source, u, EYE):
        kept += float(scale.kept.sum())
        whole += float(scale.whole.sum())
    if not whole > 0.0:
        raise InputError(f"{name}: flat in a channel; there is no information to be faithful to")
    return kept / whole


METRIC = Metric(
    lambda p: vif(p.fused, p.foreground, p.background),
    better="high",
    range=(0.0, math.inf),
    definition="VIF(f, u) + VIF(b, u), visual information fidelity on pixels (VIFp), four scales, "
    "variance of the eye's noise 2",
    channels="mean over them",
    source="Sheikh and Bovik, IEEE TIP 2006; the pixel form of their program",
    check="2 if both sources are the fused picture; "
    "1.028 for direct matting of the paper's face pair",
)
