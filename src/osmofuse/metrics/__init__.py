"""Metrics: functions of arrays that return a number or a map.

Pictures are float arrays, (rows, cols) or (rows, cols, channels), white at 1.0; a source of one
band is compared with every channel, and channels are averaged, unless a docstring says otherwise.
"""

from osmofuse.metrics.brisque import brisque
from osmofuse.metrics.chromaticity import chromaticity_error, chromaticity_map
from osmofuse.metrics.colour_difference import colour_difference_map
from osmofuse.metrics.contrast_sensitivity import qcb, qcv
from osmofuse.metrics.describe import MetricInfo, describe
from osmofuse.metrics.edge_preservation import nabf, qabf
from osmofuse.metrics.fmi import fmi
from osmofuse.metrics.legibility import legibility, legibility_f, stroke_contrast
from osmofuse.metrics.metric import Metric, Pictures
from osmofuse.metrics.natural_chromaticity import natural_chromaticity, natural_chromaticity_map
from osmofuse.metrics.niqe import niqe
from osmofuse.metrics.score import Score, score
from osmofuse.metrics.seam_visibility import seam_map, seam_visibility
from osmofuse.metrics.source_similarity import nmi, qy, scd
from osmofuse.metrics.structure import structure_map, structure_score
from osmofuse.metrics.truth import psnr, ssim
from osmofuse.metrics.vifb import (
    avg_gradient,
    cross_entropy,
    edge_intensity,
    entropy,
    mutinf,
    spatial_frequency,
    vifb_psnr,
    vifb_rmse,
    vifb_ssim,
    vifb_variance,
)
from osmofuse.metrics.visual_information import vif, viff

__all__ = [
    "Metric",
    "MetricInfo",
    "Pictures",
    "Score",
    "avg_gradient",
    "brisque",
    "chromaticity_error",
    "chromaticity_map",
    "colour_difference_map",
    "cross_entropy",
    "describe",
    "edge_intensity",
    "entropy",
    "fmi",
    "legibility",
    "legibility_f",
    "mutinf",
    "nabf",
    "natural_chromaticity",
    "natural_chromaticity_map",
    "niqe",
    "nmi",
    "psnr",
    "qabf",
    "qcb",
    "qcv",
    "qy",
    "scd",
    "score",
    "seam_map",
    "seam_visibility",
    "spatial_frequency",
    "ssim",
    "stroke_contrast",
    "structure_map",
    "structure_score",
    "vif",
    "vifb_psnr",
    "vifb_rmse",
    "vifb_ssim",
    "vifb_variance",
    "viff",
]
