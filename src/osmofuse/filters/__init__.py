"""Filters of planes, each with its border convention."""

from osmofuse.filters.box import box_mean
from osmofuse.filters.derivatives import derivatives, laplacian, sobel
from osmofuse.filters.domain_transform import DomainTransform
from osmofuse.filters.edges import edges, ridges
from osmofuse.filters.gaussian import Moments, gaussian, gaussian_moments
from osmofuse.filters.guided import LocalFit, guided, lee
from osmofuse.filters.resampling import enlarged, halve, reduced
from osmofuse.filters.robust import MAD, robust_deviation
from osmofuse.filters.smooth import smooth
from osmofuse.filters.structure_tensor import structure_tensor
from osmofuse.filters.tensor_voting import Votes, sticks, tensor_voting

__all__ = [
    "MAD",
    "DomainTransform",
    "LocalFit",
    "Moments",
    "Votes",
    "box_mean",
    "derivatives",
    "edges",
    "enlarged",
    "gaussian",
    "gaussian_moments",
    "guided",
    "halve",
    "laplacian",
    "lee",
    "reduced",
    "ridges",
    "robust_deviation",
    "smooth",
    "sobel",
    "sticks",
    "structure_tensor",
    "tensor_voting",
]
