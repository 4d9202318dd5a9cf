"""What people look at: sheets of pictures and tables of numbers, made from plain data."""

from osmofuse.report.canvas import Bar
from osmofuse.report.checkerboard import checkerboard, flicker
from osmofuse.report.comparison import Box, contact_sheet, zoom_sheet
from osmofuse.report.overlay import overlay
from osmofuse.report.sheet import side_by_side
from osmofuse.report.study import study_sheet
from osmofuse.report.table import latex_table, markdown_table, study_table

__all__ = [
    "Bar",
    "Box",
    "checkerboard",
    "contact_sheet",
    "flicker",
    "latex_table",
    "markdown_table",
    "overlay",
    "side_by_side",
    "study_sheet",
    "study_table",
    "zoom_sheet",
]
