"""Structural similarity of the fused picture to its sources."""

from __future__ import annotations

from osmofuse.metrics.grey_levels import mean_over_channels
from osmofuse.metrics.metric import Metric
from osmofuse.metrics.similarity import mean_similarities
from osmofuse.typing import FloatArray


def ssim(fused: FloatArray, foreground: FloatArray, background: FloatArray) -> float:
    """Return the structural similarity to the foreground plus that to the background.

    So the greatest value is 2. Against a truth, `truth_ssim` is the usual one.

    Parameters
    ----------
    fused, foreground, background : array, (rows, cols) or (rows, cols, channels)
        White at 1.0; 11 pixels at least in both directions. A source of one band goes with
        every channel; the mean over channels is returned.

    Raises
    ------
    InputError
        No window fits into the pictures.
    """
    return mean_over_channels(_ssim, fused, foreground, background)


def _ssim(u: FloatArray, *sources: FloatArray) -> float:
    return sum(mean_similarities(u, *sources, white=255.0))


METRIC = Metric(
    lambda p: ssim(p.fused, p.foreground, p.background),
    better="high",
    range=(-2.0, 2.0),
    definition="sum over the sources of the structural similarity: Gaussian window 11 by 11, "
    "sigma 1.5, K = (0.01, 0.03), inside only",
    channels="mean over them",
    source="Wang et al., IEEE TIP 2004; conventions of VIFB",
    check="1.5882 for GFF on VIFB's carLight",
)
