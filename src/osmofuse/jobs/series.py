"""Many fusions of one pair of files: pictures, sheets, tables and record in a folder."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

from osmofuse.checks import mapping
from osmofuse.errors import InputError, SettingError, UnreadableError, naming
from osmofuse.io import Staging, check_target, encode
from osmofuse.io.staging import made_folder
from osmofuse.jobs.files import InputFile, check_fit, staged
from osmofuse.jobs.job import Result, repeat_command
from osmofuse.jobs.marking import marked
from osmofuse.jobs.need import Need, need_of_series, peak_bytes
from osmofuse.jobs.sources import Opened, SourcesJob, open_files
from osmofuse.methods import Fusion, Method
from osmofuse.methods.contract import settings_of
from osmofuse.metrics.catalogue import chosen_metrics
from osmofuse.picture import Picture
from osmofuse.progress import Status, Watch
from osmofuse.record import Record, plain, read_record, sha256_of_pixels, stage_record, write_record
from osmofuse.report import Provenance, check_report, read_ranking, with_ranking, write_results
from osmofuse.report.canvas import Canvas
from osmofuse.report.table import Table, in_markdown
from osmofuse.tasks import Comparison
from osmofuse.typing import Array, FloatArray

# Names of the files in the folder; a comparison and a sweep may share it.
SHEET, TABLE, CSV = "sheet.png", "table.md", "table.csv"
COMPARISON, SWEEP = "comparison.json", "sweep.json"
_SERIES_SHOWN = ("foreground", "background", "alpha")  # pictures of the report besides the results


@dataclass(frozen=True, eq=False, kw_only=True)
class SeriesResult(Result):
    """Result of a `CompareJob` or a `SweepJob`.

    Attributes
    ----------
    comparisons : tuple of Comparison
        Each fusion, with its scores; of a sweep, named by its settings.
    cells : Table or None
        Numbers as a table of texts.
    """

    comparisons: tuple[Comparison, ...] = ()
    cells: Table | None = None

    @property
    def table(self) -> str:
        """Numbers in Markdown; empty if the job was cancelled."""
        return "" if self.cells is None else in_markdown(self.cells)

    @property
    def unfinished(self) -> list[Comparison]:
        """Fusions that did not converge; their pictures are the last iterates."""
        return [c for c in self.comparisons if c.fusion and not c.fusion.status.is_success]


@dataclass(frozen=True, eq=False)
class Made:
    """Results of a series, before they are written."""

    found: tuple[Comparison, ...]  # each fusion, with its scores
    cells: Table  # numbers as a table of texts
    pictures: Mapping[str, str]  # file name of each fusion's picture, by its name
    texts: Mapping[str, str]  # text files, by name
    sheets: Mapping[str, Callable[[], Array]]  # functions that draw the sheets, by name
    settings: Sequence[Mapping[str, Any]] = ()  # that were varied, of each fusion; empty if none


@dataclass(frozen=True)
class SeriesJob(SourcesJob[SeriesResult]):
    """Base of jobs that fuse one pair many times, into a folder.

    Parameters
    ----------
    foreground, backgrounds, alpha, soften, levels, working_space, align, depth, recipe
        See `SourcesJob`; one background.
    output : path
        The folder.
    truth : path, optional
        Ground truth to score against.
    metrics : str or sequence of str
        Metrics, as for `osmofuse.score`.
    settings : mapping
        See `CompareJob` and `SweepJob`.
    overwrite, max_memory, report, page
        See `FileJob`.
    """

    metrics: str | Sequence[str] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    record_name: ClassVar[str]  # name of the record in the folder
    ending: ClassVar[str]  # last words of the report's title
    stores_pictures: ClassVar[bool] = True  # results are written as pictures, not only on a sheet

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.backgrounds) > 1:
            raise SettingError(f"backgrounds: {len(self.backgrounds)}; {self.kind} takes one")
        mapping("settings", self.settings)
        if not isinstance(self.metrics, str):
            self._put("metrics", tuple(self.metrics))

    @property
    @abstractmethod
    def methods_used(self) -> list[Method]:
        """The methods with their settings, one for each fusion."""

    @property
    @abstractmethod
    def methods_named(self) -> dict[str, Method]:
        """The methods by their names."""

    @abstractmethod
    def file_names(self, foreground: InputFile) -> list[str]:
        """Return the names of the files in the folder."""

    @abstractmethod
    def make(self, opened: Opened, files: Mapping[str, InputFile], watch: Watch | None) -> Made:
        """Fuse and score."""

    def check_files(self, foreground: InputFile) -> None:
        """Check the settings against the foreground."""
        colours = foreground.picture.colours
        if colours not in (1, 3):
            raise InputError(
                f"{self.foreground}: {colours} bands of colour, but sheets show grey or RGB "
                "pictures only; save one or three of them as a file, or use osmofuse fuse"
            )

    @property
    def record_path(self) -> Path:
        """Path of the record."""
        return self.output / self.record_name

    @property
    def results_shown(self) -> list[str]:
        """Names of results that the report shows, as far as they are known."""
        return []

    def maps_shown(self, opened: Opened) -> dict[str, FloatArray]:
        """Return the maps that the report shows, by name."""
        return {"alpha": opened.ready.sources.alpha}

    def check_outputs(self, files: Mapping[str, InputFile] | None) -> None:
        """Check that the outputs can and may be written."""
        if files is None:
            Canvas()  # raises MissingExtraError if sheets cannot be drawn
            return
        inputs = [*self.inputs.values()]
        outputs = [self.output / name for name in self.file_names(files["foreground"])]
        for path in outputs:
            check_target(path, overwrite=self.overwrite, inputs=inputs, folders=True)
        if self.report is not None:
            truth = [] if self.truth is None else ["truth"]
            check_report(
                self.report,
                overwrite=self.overwrite,
                pictures=[*_SERIES_SHOWN, *truth, *self.results_shown],
                inputs=inputs,
                outputs=outputs,
            )

    def need_of(self, files: Mapping[str, InputFile]) -> Need:
        """Check that the files fit together, and return the memory and time needed."""
        check_fit(files, aligned=self.align is not None)
        self.check_files(files["foreground"])
        scored = bool(chosen_metrics(self.metrics)) or self.truth is not None
        return need_of_series(self, files, self.methods_used, scored=scored)

    def do(self, files: Mapping[str, InputFile], watch: Watch | None) -> SeriesResult:
        """Fuse many times; write all files, or none."""
        opened = open_files(self, files, self.output)
        notes = opened.notes_for(self, self.methods_named)
        made = self.make(opened, files, watch)
        status = _status(made.found)
        if status is Status.cancelled:
            return SeriesResult(status=status, notes=notes, comparisons=made.found)
        record, written = self._write(made, opened)
        return SeriesResult(
            status=status,
            files=written,
            notes=notes,
            record=record,
            comparisons=made.found,
            cells=made.cells,
        )

    def _write(self, made: Made, opened: Opened) -> tuple[Record, dict[str, Path]]:
        """Write all files together, or none: results in the foreground's depth, sheets, texts.

        The record gets the hashes of the results, also where they are not stored.
        """
        fused = [made.pictures[one.name] for one in made.found if one.fusion is not None]
        names = [*(fused if self.stores_pictures else ()), *made.texts]
        names += [*made.sheets, self.record_name]
        files = {name: self.output / name for name in names}
        hashes = {}
        with (
            made_folder(self.output),
            staged(
                files.values(), report=self.report, overwrite=self.overwrite, ending=1
            ) as staging,
        ):
            for one in made.found:
                if one.fusion is None:
                    continue
                picture, name = self._picture(one.fusion), made.pictures[one.name]
                hashes[name] = sha256_of_pixels(picture.pixels)
                if self.stores_pictures:
                    encode(picture, files[name])
            for name, text in made.texts.items():
                with naming(files[name]):
                    staging.partial(files[name]).write_text(text, encoding="utf-8", newline="\n")
            for name, draw in made.sheets.items():
                encode(Picture(draw()), files[name])
            record = self._record(made, opened, hashes)
            stage_record(record, self.record_path)
            if self.report is not None:
                files["report"] = self._write_page(self.report, made, opened, record, staging)
            staging.commit()
        return record, files

    def _picture(self, fusion: Fusion) -> Picture:
        """Return a result as a file has it, marked as a composite."""
        picture, _ = fusion.picture(self.depth)
        method = {"name": type(fusion.method).__name__, "settings": settings_of(fusion.method)}
        return marked(picture, (self.foreground, *self.backgrounds), plain({"method": method}))

    def _record(self, made: Made, opened: Opened, hashes: Mapping[str, str]) -> Record:
        results = [comparison_entry(one) for one in made.found]
        if made.settings:
            pairs = zip(made.settings, results, strict=True)
            results = [{"settings": plain(one)} | result for one, result in pairs]
        whole = sha256("\n".join(hashes.values()).encode()).hexdigest()
        depth = {} if self.depth is None else {"depth": self.depth}
        return Record(
            job=self.kind,
            inputs=opened.inputs,
            alpha=opened.alpha,
            method=self.method_recorded,
            transform=opened.transform,
            working_space=self.working_space,
            result={
                "status": str(_status(made.found)),
                "seconds": sum(one.get("seconds", 0.0) for one in results),
                "peak_bytes": peak_bytes(),
                "results": results,
            },
            output={"sha256_of_pixels": whole, "pictures": dict(hashes), **depth},
            recipe=self.recipe,
        )

    def _write_page(
        self, folder: Path, made: Made, opened: Opened, record: Record, staging: Staging
    ) -> Path:
        ready = opened.ready
        pictures: dict[str, Picture | FloatArray] = {
            "foreground": ready.foreground,
            "background": ready.backgrounds[0],
            **self.maps_shown(opened),
        }
        if opened.truth is not None:
            pictures["truth"] = opened.truth
        fusions = {one.name: one.fusion for one in made.found if one.fusion is not None}
        results = {name: fusion.picture(self.depth)[0] for name, fusion in fusions.items()}
        written = (*made.pictures.values(), *made.texts, *made.sheets)
        names = f"{self.foreground.name} and {self.backgrounds[0].name}"
        return write_results(
            folder,
            pictures=pictures,
            results=results,
            comparisons=made.found,
            provenance=Provenance(
                record=record,
                command=repeat_command(self.kind, self.record_path, self.output),
                title=f"{names}, fused {self.ending}",
                inputs=(*self.inputs.values(), *(self.output / name for name in written)),
            ),
            overwrite=self.overwrite,
            staging=staging,
        )


def _status(found: Sequence[Comparison]) -> Status:
    """Return the status of a series: of the first fusion that did not converge, if any."""
    statuses = [one.fusion.status for one in found if one.fusion is not None]
    failed = [status for status in statuses if not status.is_success]
    if Status.cancelled in failed:
        return Status.cancelled
    return [*failed, *statuses, Status.direct][0]


def comparison_entry(one: Comparison) -> dict[str, Any]:
    """Return the entry of one fusion in the record, in JSON types."""
    fusion = one.fusion
    if fusion is None:
        return {"name": one.name, "reason": one.reason}
    return {
        "name": one.name,
        "method": plain(settings_of(fusion.method)),
        "status": str(fusion.status),
        "reach": plain(fusion.reach),
        "energy": None if fusion.energy is None else fusion.energy.tolist(),
        "seconds": fusion.seconds,
        "scores": {metric: plain(score.value) for metric, score in one.scores.items()},
    }


def keep_ranking(folder: Path, ranking: Path) -> tuple[Path, Record]:
    """Put a judge's answers into the record of a series.

    Parameters
    ----------
    folder : Path
        Folder of the series.
    ranking : Path
        File of answers, saved by the page of its report.

    Returns
    -------
    tuple of Path and Record
        Path of the record, and its new content.

    Raises
    ------
    UnreadableError
        The record or the ranking is missing or damaged.
    MismatchError
        The ranking belongs to other pictures.
    OutputError
        The record cannot be written.
    """
    paths = [folder / name for name in (COMPARISON, SWEEP) if (folder / name).is_file()]
    if not paths:
        raise UnreadableError(
            f"{folder}: holds no {COMPARISON} or {SWEEP}; name the folder that compare or sweep "
            "wrote"
        )
    records = [(path, read_record(path)) for path in paths]
    digest = read_ranking(ranking)["sha256_of_pixels"]
    own = [item for item in records if item[1].output.get("sha256_of_pixels") == digest]
    path, record = (own or records)[0]
    record = with_ranking(record, ranking)
    return write_record(record, path), record
