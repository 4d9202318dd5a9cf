"""What people look at: sheets of pictures and tables of numbers, made from plain data."""

from osmofuse.report.overlay import checkerboard, flicker
from osmofuse.report.sheet import side_by_side
from osmofuse.report.table import latex_table, markdown_table

__all__ = ["checkerboard", "flicker", "latex_table", "markdown_table", "side_by_side"]
