"""Filters, each with its border convention stated, written once."""

from osmofuse.filters.gaussian import gaussian

__all__ = ["gaussian"]
