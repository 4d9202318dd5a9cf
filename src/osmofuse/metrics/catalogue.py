"""The metrics by name: what each is given, and how to read it."""

from __future__ import annotations

import math

from osmofuse.metrics.chromaticity import chromaticity_error
from osmofuse.metrics.fmi import fmi
from osmofuse.metrics.metric import Metric
from osmofuse.metrics.natural_chromaticity import METRIC as NATURAL_CHROMATICITY
from osmofuse.metrics.seam import METRIC as SEAM
from osmofuse.metrics.structure import structure_score
from osmofuse.metrics.truth_psnr import truth_psnr
from osmofuse.metrics.truth_ssim import truth_ssim

METRICS: dict[str, Metric] = {
    "chromaticity": Metric(
        lambda p: chromaticity_error(p.fused, p.foreground),
        better="low",
        range=(0.0, math.inf),
        definition="mean absolute difference of the chromaticities z/GCM(z) of the fused picture "
        "and of the foreground, one grey level of 255 added to both",
        channels="needs three; mean over them",
        source="Parisotto et al., IEEE TIP 2020, Table I",
        check="0.0178 for direct matting of the paper's face pair",
    ),
    "structure": Metric(
        lambda p: structure_score(p.fused, p.foreground, p.background, p.alpha),
        better="high",
        range=(-math.inf, 1.0),
        definition="how far the local correlation with the background rose where alpha is below 1, "
        "from the foreground's (0) towards the background's own (1)",
        channels="those in which the background has structure, together",
        source="osmofuse",
        check="0 for the foreground itself",
    ),
    "fmi": Metric(
        lambda p: fmi(p.fused, p.foreground, p.background),
        better="high",
        range=(0.0, 1.0),
        definition="feature mutual information of edges in windows of 3 by 3",
        channels="mean over them",
        source="Haghighat and Razian, AICT 2014",
        check="0.895 for direct matting of the paper's face pair",
    ),
    "seam_visibility": SEAM,
    "natural_chromaticity": NATURAL_CHROMATICITY,
    "truth_psnr": Metric(
        lambda p: truth_psnr(p.fused, p.right_answer),
        better="high",
        range=(-math.inf, math.inf),
        definition="peak signal-to-noise ratio against the truth, in dB, white at 1",
        channels="one mean square over all",
        source="common use",
        check="20 dB for a difference of 0.1 everywhere",
    ),
    "truth_ssim": Metric(
        lambda p: truth_ssim(p.fused, p.right_answer),
        better="high",
        range=(-1.0, 1.0),
        definition="structural similarity to the truth: Gaussian window 11 by 11, sigma 1.5, "
        "K = (0.01, 0.03), inside only",
        channels="mean over them",
        source="Wang et al., IEEE TIP 2004",
        check="1 for the truth itself",
    ),
}

SETS: dict[str, tuple[str, ...]] = {
    "paper": ("chromaticity", "structure", "fmi"),
    "truth": ("truth_psnr", "truth_ssim"),
    "all": tuple(METRICS),
}
