"""Metrics: arrays in, a number or a map out. One file each; none knows a method."""

from osmofuse.metrics.chromaticity import chromaticity_error, chromaticity_map
from osmofuse.metrics.colour_difference import colour_difference_map
from osmofuse.metrics.fmi import fmi
from osmofuse.metrics.score import Score, score
from osmofuse.metrics.structure import structure_map, structure_score
from osmofuse.metrics.truth_psnr import truth_psnr
from osmofuse.metrics.truth_ssim import truth_ssim

__all__ = [
    "Score",
    "chromaticity_error",
    "chromaticity_map",
    "colour_difference_map",
    "fmi",
    "score",
    "structure_map",
    "structure_score",
    "truth_psnr",
    "truth_ssim",
]
