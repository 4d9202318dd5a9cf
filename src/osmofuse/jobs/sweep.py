"""Fuse one pair of files with many settings, into a folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from osmofuse.jobs.files import InputFile
from osmofuse.jobs.opening import Opened
from osmofuse.jobs.series import CSV, SHEET, TABLE, Made, SeriesJob
from osmofuse.methods import Method
from osmofuse.progress import Watch
from osmofuse.report import csv_table, study_sheet, study_table
from osmofuse.report.study import check_sheet
from osmofuse.report.tried import trial_names
from osmofuse.tasks import Comparison, sweep
from osmofuse.tasks.sweep import combinations


@dataclass(frozen=True)
class SweepJob(SeriesJob):
    """Fuse one pair of files with every combination of some settings.

    Parameters
    ----------
    foreground, backgrounds, output, alpha, soften, levels, working_space, align, depth, truth
        See `SeriesJob`.
    method : str
        Name of the method.
    settings : mapping of str to value or sequence
        What to try, as for `osmofuse.sweep`.
    metrics, recipe, overwrite, max_memory, report, page
        See `SeriesJob`.
    """

    method: str = "variational"

    kind: ClassVar[str] = "sweep"
    record_name: ClassVar[str] = "sweep.json"
    ending: ClassVar[str] = "with several settings"
    stores_pictures: ClassVar[bool] = False
    settings_recorded: ClassVar[tuple[str, ...]] = ("method", "settings", "metrics")

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.methods_used  # which refuses what is no setting

    @property
    def methods_used(self) -> list[Method]:
        """The method with its settings, one for each fusion."""
        return [method for _, method in combinations(self.settings, method=self.method)]

    @property
    def work(self) -> str:
        """The work in words."""
        return f"{self.foreground}: fusing it with {len(self.methods_used)} settings"

    def check_files(self, foreground: InputFile) -> None:
        """Refuse what does not go with the foreground."""
        super().check_files(foreground)
        tried = [changes for changes, _ in combinations(self.settings, method=self.method)]
        check_sheet(tried, (foreground.picture.rows, foreground.picture.cols))

    def file_names(self, foreground: InputFile) -> list[str]:
        """Return the names of the files in the folder."""
        return [TABLE, CSV, self.record_name, SHEET]

    def make(self, opened: Opened, files: Mapping[str, InputFile], watch: Watch | None) -> Made:
        """Fuse with all settings, and score."""
        trials = sweep(
            opened.ready,
            truth=opened.truth,
            metrics=self.metrics,
            watch=watch,
            method=self.method,
            **self.settings,
        )
        table = study_table(trials)
        names = trial_names(trials)
        found = tuple(
            Comparison(name, one.fusion, one.scores)
            for name, one in zip(names, trials, strict=True)
        )
        settings = [one.settings for one in trials]
        texts = {TABLE: table + "\n", CSV: csv_table(found, settings)}
        sheets = {SHEET: lambda: study_sheet(trials)}
        return Made(found, table, dict(zip(names, names, strict=True)), texts, sheets, settings)
