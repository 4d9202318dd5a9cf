"""Output to look at: pages, sheets of pictures and tables, made from plain data."""

from osmofuse.report.canvas import Bar
from osmofuse.report.document import check_report
from osmofuse.report.facts import Provenance
from osmofuse.report.overlays import checkerboard, flicker, overlay
from osmofuse.report.pages import write_report, write_results
from osmofuse.report.preparation_page import write_alignment, write_matte, write_pictures
from osmofuse.report.ranking import read_ranking, tally, with_ranking
from osmofuse.report.sheet import Box, contact_sheet, side_by_side, zoom_sheet
from osmofuse.report.study import study_sheet
from osmofuse.report.table import csv_table, latex_table, markdown_table, study_table
from osmofuse.report.terminal_table import terminal_study, terminal_table

__all__ = [
    "Bar",
    "Box",
    "Provenance",
    "check_report",
    "checkerboard",
    "contact_sheet",
    "csv_table",
    "flicker",
    "latex_table",
    "markdown_table",
    "overlay",
    "read_ranking",
    "side_by_side",
    "study_sheet",
    "study_table",
    "tally",
    "terminal_study",
    "terminal_table",
    "with_ranking",
    "write_alignment",
    "write_matte",
    "write_pictures",
    "write_report",
    "write_results",
    "zoom_sheet",
]
