"""Fuse one pair of files by several methods, into a folder."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from osmofuse.checks import mapping, sequence, whole
from osmofuse.errors import SettingError
from osmofuse.io.formats import SUFFIXES
from osmofuse.jobs.files import InputFile, size_of
from osmofuse.jobs.series import COMPARISON, CSV, SHEET, TABLE, Made, SeriesJob
from osmofuse.jobs.sources import Opened
from osmofuse.methods import METHODS, Method
from osmofuse.progress import Watch
from osmofuse.report import Box, contact_sheet, csv_table, latex_table, zoom_sheet
from osmofuse.report.table import Published, in_markdown, tabulated
from osmofuse.tasks import compare
from osmofuse.tasks.fuse import ANY_SIZE, method_of
from osmofuse.tasks.lengths import in_pixels
from osmofuse.tasks.recipe import Recipe
from osmofuse.tasks.table_one import PUBLISHED, TABLE_ONE, table_one

ZOOM, LATEX = "zoom.png", "table.tex"  # names of further files in the folder
MOST_COORDINATE = 10**9  # largest coordinate of a zoom; anything above a picture's side works


@dataclass(frozen=True)
class CompareJob(SeriesJob):
    """Fuse one pair of files by several methods, and score the results.

    Parameters
    ----------
    foreground, backgrounds, output, alpha, soften, levels, working_space, align, depth, truth
        See `SeriesJob`.
    metrics : str or sequence of str
        Metrics, as for `osmofuse.score`; by default those of the paper.
    methods : sequence of str, optional
        Methods to compare; by default all built-in ones.
    settings : mapping of str to mapping
        Settings of methods, by the method's name.
    paper : bool
        Use the methods, settings and maps of the paper's Table I.
    zoom : tuple of int, optional
        Part that the second sheet shows: left, top, width, height.
    recipe, overwrite, max_memory, report, page
        See `SeriesJob`.
    """

    metrics: str | Sequence[str] = "paper"
    methods: Sequence[str] | None = None
    paper: bool = False
    zoom: tuple[int, int, int, int] | None = None

    kind: ClassVar[str] = "compare"
    record_name: ClassVar[str] = COMPARISON
    ending: ClassVar[str] = "by several methods"
    settings_recorded: ClassVar[tuple[str, ...]] = (
        "methods", "settings", "paper", "metrics", "zoom",
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.methods is not None:
            self._put("methods", tuple(self.methods))
        if self.paper:
            self._check_paper()
        elif not self.names_compared:
            raise SettingError("methods: empty; name at least one, or leave it out to compare all")
        if self.zoom is not None:
            zoom = tuple(sequence("zoom", self.zoom, least=4, most=4))
            for k, one in enumerate(zoom):
                whole(f"zoom[{k}]", one, least=k // 2, most=MOST_COORDINATE)
            self._put("zoom", zoom)
        if unknown := [name for name in self.settings if name not in self.names_compared]:
            raise SettingError(f"settings: {unknown[0]!r} is not compared")
        for name, own in self.settings.items():
            mapping(f"settings: {name}", own)
        _ = self.methods_used  # raises SettingError for an unknown method or setting

    def _check_paper(self) -> None:
        """Refuse parts that Table I of the paper fixes."""
        given = {
            "methods": self.methods,
            "truth": self.truth,
            "metrics": None if self.metrics == "paper" else self.metrics,
            "settings": self.settings or None,
        }
        if clash := [name for name, value in given.items() if value is not None]:
            raise SettingError(f"{', '.join(clash)}: the paper's Table I has its own; leave it out")

    @property
    def names_compared(self) -> list[str]:
        """Names of the compared methods."""
        chosen = METHODS if self.methods is None else self.methods
        return list(TABLE_ONE if self.paper else chosen)

    @property
    def methods_used(self) -> list[Method]:
        """Methods with their settings, one for each fusion."""
        return list(self.methods_for(ANY_SIZE).values())

    @property
    def methods_named(self) -> dict[str, Method]:
        """Methods by name; empty for the paper's table, which has its own maps."""
        return {} if self.paper else self.methods_for(ANY_SIZE)

    def methods_for(self, shape: Sequence[int]) -> dict[str, Method]:
        """Return the methods by name; lengths in per cent refer to this size."""
        if self.paper:
            return dict(TABLE_ONE)
        return {
            name: method_of(name, in_pixels(self.settings.get(name, {}), shape))
            for name in self.names_compared
        }

    @property
    def results_shown(self) -> list[str]:
        """Names of results that the report shows."""
        return self.names_compared

    @property
    def work(self) -> str:
        """Description of the work, for messages."""
        return f"{self.foreground}: comparing {len(self.names_compared)} methods"

    @property
    def box(self) -> Box | None:
        """Rows and columns that the second sheet shows."""
        if self.zoom is None:
            return None
        left, top, width, height = self.zoom
        return slice(top, top + height), slice(left, left + width)

    @classmethod
    def with_settings_of(cls, chosen: Recipe, parts: Mapping[str, Any]) -> dict[str, Any]:
        """Return parts of the job with the settings of a recipe for its method, if it is compared.

        Given settings win, one by one. The paper's table has its own settings.
        """
        methods = parts.get("methods")
        names = None if methods is None else tuple(methods)
        settings = {**parts.get("settings", {})}
        if chosen.method in (METHODS if names is None else names) and not parts.get("paper"):
            settings[chosen.method] = {**chosen.settings, **settings.get(chosen.method, {})}
        return {**parts, "methods": names, "settings": settings}

    def check_files(self, foreground: InputFile) -> None:
        """Check the settings against the foreground."""
        super().check_files(foreground)
        file, box = foreground.picture, self.box
        _ = self.methods_for((file.rows, file.cols))  # raises SettingError for unusable lengths
        if box is not None and (box[0].stop > file.rows or box[1].stop > file.cols):
            raise SettingError(
                f"zoom: ends at {box[1].stop},{box[0].stop}, outside {self.foreground} of "
                f"{size_of(file)}; give X,Y,WIDTH,HEIGHT within it"
            )

    def file_names(self, foreground: InputFile) -> list[str]:
        """Return the names of the files in the folder."""
        pictures = self._picture_names(self.names_compared, foreground).values()
        return [*pictures, TABLE, LATEX, CSV, self.record_name, SHEET, ZOOM]

    def make(self, opened: Opened, files: Mapping[str, InputFile], watch: Watch | None) -> Made:
        """Fuse by all methods, and score the results."""
        ready = opened.ready
        pair, alpha = (ready.foreground.filled(), ready.backgrounds[0]), ready.sources.alpha
        published: Published = PUBLISHED if self.paper else {}
        if self.paper:
            found = table_one(ready, watch=watch)
        else:
            found = compare(
                ready,
                methods=self.methods_for(ready.sources.shape),
                truth=opened.truth,
                metrics=self.metrics,
                watch=watch,
            )
        cells = tabulated(found, published)
        texts = {
            TABLE: in_markdown(cells) + "\n",
            LATEX: latex_table(found, published=published) + "\n",
        }
        texts[CSV] = csv_table(found, published=published)
        sheets = {SHEET: lambda: contact_sheet(found, *pair)}
        if ready.sources.channels == 3:
            sheets[ZOOM] = lambda: zoom_sheet(found, pair[0], alpha, box=self.box)
        names = self._picture_names([one.name for one in found], files["foreground"])
        return Made(tuple(found), cells, names, texts, sheets)

    def _picture_names(self, names: Iterable[str], foreground: InputFile) -> dict[str, str]:
        """Return file names of the pictures, with a suffix of the foreground's real format."""
        stored, suffix = foreground.picture.format, self.foreground.suffix.lower()
        # Formats that cannot be written, such as JPEG 2000, become TIFF.
        suffixes = [known for known, kind in SUFFIXES.items() if kind.name == stored] or [".tif"]
        if suffix not in suffixes:
            suffix = suffixes[0]
        return {name: re.sub(r"[^\w.-]+", "-", name) + suffix for name in names}
