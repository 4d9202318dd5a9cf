"""What people look at: pages, sheets of pictures and tables, made from plain data."""

from osmofuse.report.canvas import Bar
from osmofuse.report.checkerboard import checkerboard, flicker
from osmofuse.report.comparison import Box, contact_sheet, zoom_sheet
from osmofuse.report.overlay import overlay
from osmofuse.report.page import check_report, write_report
from osmofuse.report.ranking import read_ranking, with_ranking
from osmofuse.report.sheet import side_by_side
from osmofuse.report.study import study_sheet
from osmofuse.report.table import latex_table, markdown_table, study_table

__all__ = [
    "Bar",
    "Box",
    "check_report",
    "checkerboard",
    "contact_sheet",
    "flicker",
    "latex_table",
    "markdown_table",
    "overlay",
    "read_ranking",
    "side_by_side",
    "study_sheet",
    "study_table",
    "with_ranking",
    "write_report",
    "zoom_sheet",
]
