"""The metrics by name, and sets of them. Each lives in the file of its name."""

from __future__ import annotations

from importlib import import_module

from osmofuse.metrics.metric import Metric

PAPER = ("chromaticity", "structure", "fmi", "brisque")
VIFB = (
    "entropy",
    "cross_entropy",
    "mutinf",
    "rmse",
    "psnr",
    "ssim",
    "avg_gradient",
    "edge_intensity",
    "spatial_frequency",
    "variance",
    "qabf",
    "qcb",
    "qcv",
)
OTHERS = ("niqe", "nabf", "scd", "vif", "viff", "nmi", "qy")
BOUNDARY = ("seam_visibility", "natural_chromaticity")
TRUTH = ("truth_psnr", "truth_ssim")

# Imported by path: the package offers functions by the names of their files.
METRICS: dict[str, Metric] = {
    name: import_module(f"osmofuse.metrics.{name}").METRIC
    for name in (*PAPER, *VIFB, *OTHERS, *BOUNDARY, *TRUTH)
}

SETS: dict[str, tuple[str, ...]] = {
    "paper": PAPER,
    "vifb": VIFB,
    "truth": TRUTH,
    "all": tuple(METRICS),
}
