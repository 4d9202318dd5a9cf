"""Metrics: arrays in, a number or a map out. One file each; none knows a method."""

from osmofuse.metrics.avg_gradient import avg_gradient
from osmofuse.metrics.brisque import brisque
from osmofuse.metrics.chromaticity import chromaticity_error, chromaticity_map
from osmofuse.metrics.colour_difference import colour_difference_map
from osmofuse.metrics.cross_entropy import cross_entropy
from osmofuse.metrics.describe import Description, describe
from osmofuse.metrics.edge_intensity import edge_intensity
from osmofuse.metrics.entropy import entropy
from osmofuse.metrics.fmi import fmi
from osmofuse.metrics.metric import Metric, Pictures
from osmofuse.metrics.mutinf import mutinf
from osmofuse.metrics.nabf import nabf
from osmofuse.metrics.natural_chromaticity import natural_chromaticity, natural_chromaticity_map
from osmofuse.metrics.niqe import niqe
from osmofuse.metrics.nmi import nmi
from osmofuse.metrics.psnr import psnr
from osmofuse.metrics.qabf import qabf
from osmofuse.metrics.qcb import qcb
from osmofuse.metrics.qcv import qcv
from osmofuse.metrics.qy import qy
from osmofuse.metrics.rmse import rmse
from osmofuse.metrics.scd import scd
from osmofuse.metrics.score import Score, score
from osmofuse.metrics.seam_visibility import seam_map, seam_visibility
from osmofuse.metrics.spatial_frequency import spatial_frequency
from osmofuse.metrics.ssim import ssim
from osmofuse.metrics.structure import structure_map, structure_score
from osmofuse.metrics.truth_psnr import truth_psnr
from osmofuse.metrics.truth_ssim import truth_ssim
from osmofuse.metrics.variance import variance
from osmofuse.metrics.vif import vif
from osmofuse.metrics.viff import viff

__all__ = [
    "Description",
    "Metric",
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
    "rmse",
    "scd",
    "score",
    "seam_map",
    "seam_visibility",
    "spatial_frequency",
    "ssim",
    "structure_map",
    "structure_score",
    "truth_psnr",
    "truth_ssim",
    "variance",
    "vif",
    "viff",
]
