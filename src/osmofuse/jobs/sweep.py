"""Fuse one pair of files with many settings, into a folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from osmofuse.errors import SettingError
from osmofuse.jobs.files import InputFile
from osmofuse.jobs.series import CSV, SHEET, SWEEP, TABLE, Made, SeriesJob
from osmofuse.jobs.sources import Opened
from osmofuse.methods import Method
from osmofuse.progress import Watch
from osmofuse.report import csv_table, study_sheet
from osmofuse.report.study import check_sheet
from osmofuse.report.table import in_markdown, tabulated_study, trial_names
from osmofuse.tasks import Comparison
from osmofuse.tasks.sweep import Label, combinations, tried_on
from osmofuse.typing import FloatArray


@dataclass(frozen=True)
class SweepJob(SeriesJob):
    """Fuse one pair of files with every combination of some settings.

    Parameters
    ----------
    foreground, backgrounds, output, soften, levels, working_space, align, depth, truth
        See `SeriesJob`.
    alpha : number, path, or "auto"; or tuple of them
        The map, or several to try, each with all settings.
    method : str
        Name of the method.
    settings : mapping of str to value or sequence
        Values to try, as for `osmofuse.sweep`.
    metrics, recipe, overwrite, max_memory, report, page
        See `SeriesJob`.
    """

    method: str = "variational"

    kind: ClassVar[str] = "sweep"
    record_name: ClassVar[str] = SWEEP
    ending: ClassVar[str] = "with several settings"
    stores_pictures: ClassVar[bool] = False
    settings_recorded: ClassVar[tuple[str, ...]] = ("method", "settings", "metrics")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.tries_maps:  # each number once; a file may hold a map on each of its pages
            maps = enumerate(self.maps)
            once = (one for k, one in maps if isinstance(one, Path) or one not in self.maps[:k])
            self._put("alpha", tuple(once))
        _ = self.tried  # raises SettingError for an unknown setting

    def _check_count(self) -> None:
        """Refuse an empty list of maps."""
        if not self.maps:
            raise SettingError("alpha: empty; give at least one map to try")

    @property
    def tries_maps(self) -> bool:
        """True if several maps are tried, each on its own."""
        return isinstance(self.alpha, tuple)

    @property
    def labels(self) -> list[Label]:
        """Labels of the maps: numbers, "auto", file names; None for a single map."""
        if not self.tries_maps:
            return [None]
        names = _distinct(one for one in self.maps if isinstance(one, Path))
        return [next(names) if isinstance(one, Path) else one for one in self.maps]

    @property
    def tried(self) -> list[tuple[dict[str, Any], Method]]:
        """Settings and method of each fusion; "alpha" comes first if several maps are tried."""
        count = len(self.maps) if self.tries_maps else 0
        found = combinations(self.settings, method=self.method, alphas=count)
        if not count:
            return found
        return [
            ({"alpha": label, **changes}, method)
            for label in self.labels
            for changes, method in found
        ]

    @property
    def methods_used(self) -> list[Method]:
        """Method with its settings, one for each fusion."""
        return [method for _, method in self.tried]

    @property
    def methods_named(self) -> dict[str, Method]:
        """Method by its name, with the first of its settings."""
        return {self.method: self.methods_used[0]}

    @property
    def work(self) -> str:
        """Description of the work, for messages."""
        return f"{self.foreground}: fusing it with {len(self.tried)} settings"

    def check_files(self, foreground: InputFile) -> None:
        """Check the settings against the foreground."""
        super().check_files(foreground)
        size = foreground.picture.rows, foreground.picture.cols
        check_sheet([changes for changes, _ in self.tried], size)

    def maps_shown(self, opened: Opened) -> dict[str, FloatArray]:
        """Return the maps that the report shows, by name; of several, only files and "auto"."""
        if not opened.tried:
            return super().maps_shown(opened)
        maps = zip(self.labels, (one.sources.alpha for one in opened.tried), strict=True)
        return {f"Alpha map {label}": alpha for label, alpha in maps if alpha.ndim}

    def file_names(self, foreground: InputFile) -> list[str]:
        """Return the names of the files in the folder."""
        return [TABLE, CSV, self.record_name, SHEET]

    def make(self, opened: Opened, files: Mapping[str, InputFile], watch: Watch | None) -> Made:
        """Fuse with all settings, and score the results."""
        trials = tried_on(
            dict(zip(self.labels, opened.tried or (opened.ready,), strict=True)),
            self.settings,
            method=self.method,
            truth=opened.truth,
            metrics=self.metrics,
            watch=watch,
        )
        cells = tabulated_study(trials)
        names = trial_names(trials)
        found = tuple(
            Comparison(name, one.fusion, one.scores)
            for name, one in zip(names, trials, strict=True)
        )
        settings = [one.settings for one in trials]
        texts = {TABLE: in_markdown(cells) + "\n", CSV: csv_table(found, settings)}
        sheets = {SHEET: lambda: study_sheet(trials)}
        return Made(found, cells, dict(zip(names, names, strict=True)), texts, sheets, settings)


def _distinct(paths: Iterable[Path]) -> Iterator[str]:
    """Yield file names; equal names get a number, since folders may move."""
    taken = {"auto"}
    for path in paths:
        # Tables and pages are text, so a byte that is not UTF-8 becomes an escape.
        shown = path.name.encode("utf-8", "backslashreplace").decode()
        names = (shown, *(f"{shown} ({k})" for k in range(2, len(taken) + 3)))
        taken.add(label := next(name for name in names if name not in taken))
        yield label
