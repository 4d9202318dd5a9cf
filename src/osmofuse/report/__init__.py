"""What people look at: pages, sheets of pictures and tables, made from plain data."""

from osmofuse.report.canvas import Bar
from osmofuse.report.comparison import contact_sheet, zoom_sheet
from osmofuse.report.page import check_report, write_report
from osmofuse.report.ranking import read_ranking, with_ranking
from osmofuse.report.sheet import side_by_side
from osmofuse.report.study import study_sheet
from osmofuse.report.table import latex_table, markdown_table

__all__ = [
    "Bar",
    "check_report",
    "contact_sheet",
    "latex_table",
    "markdown_table",
    "read_ranking",
    "side_by_side",
    "study_sheet",
    "with_ranking",
    "write_report",
    "zoom_sheet",
]
