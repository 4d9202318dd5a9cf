"""Filters, each with its border convention stated, written once."""

from osmofuse.filters.gaussian import gaussian
from osmofuse.filters.sobel import sobel

__all__ = ["gaussian", "sobel"]
