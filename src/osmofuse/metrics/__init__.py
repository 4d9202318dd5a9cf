"""Metrics: arrays in, a number or a map out. One file each; none knows a method."""

from osmofuse.metrics.brisque import brisque
from osmofuse.metrics.chromaticity import chromaticity_error, chromaticity_map
from osmofuse.metrics.fmi import fmi
from osmofuse.metrics.nabf import nabf
from osmofuse.metrics.niqe import niqe
from osmofuse.metrics.nmi import nmi
from osmofuse.metrics.qy import qy
from osmofuse.metrics.scd import scd
from osmofuse.metrics.score import Score, score
from osmofuse.metrics.structure import structure_map, structure_score
from osmofuse.metrics.truth_psnr import truth_psnr
from osmofuse.metrics.truth_ssim import truth_ssim
from osmofuse.metrics.vif import vif
from osmofuse.metrics.viff import viff

__all__ = [
    "Score",
    "brisque",
    "chromaticity_error",
    "chromaticity_map",
    "fmi",
    "nabf",
    "niqe",
    "nmi",
    "qy",
    "scd",
    "score",
    "structure_map",
    "structure_score",
    "truth_psnr",
    "truth_ssim",
    "vif",
    "viff",
]
