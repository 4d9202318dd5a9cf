"""What people look at: sheets of pictures, made from plain arrays."""

from osmofuse.report.sheet import side_by_side

__all__ = ["side_by_side"]
