"""Filters, each with its border convention stated, written once."""

from osmofuse.filters.box import box_mean
from osmofuse.filters.domain_transform import DomainTransform
from osmofuse.filters.gaussian import gaussian
from osmofuse.filters.guided import guided
from osmofuse.filters.halve import halve
from osmofuse.filters.laplacian import laplacian
from osmofuse.filters.lee import lee
from osmofuse.filters.local_fit import LocalFit
from osmofuse.filters.moments import gaussian_moments
from osmofuse.filters.resize import enlarged, reduced
from osmofuse.filters.sobel import sobel

__all__ = [
    "DomainTransform",
    "LocalFit",
    "box_mean",
    "enlarged",
    "gaussian",
    "gaussian_moments",
    "guided",
    "halve",
    "laplacian",
    "lee",
    "reduced",
    "sobel",
]
