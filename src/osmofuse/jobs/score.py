"""Scores of a fused picture file, with an optional record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any, ClassVar

from osmofuse.checks import number
from osmofuse.errors import OutputError
from osmofuse.io import Staging, check_target
from osmofuse.jobs.files import InputFile, check_fit, given, named_as, read_pictures, staged
from osmofuse.jobs.job import FileJob, Result, repeat_command
from osmofuse.jobs.need import FILE_SECONDS, Need, need_beyond_start, with_page
from osmofuse.maps.map_file import alpha_of_picture
from osmofuse.metrics import Score, score
from osmofuse.metrics.catalogue import chosen_metrics
from osmofuse.metrics.score import check_bits, score_cost
from osmofuse.picture import Picture
from osmofuse.progress import Guard, Status, Watch
from osmofuse.record import Input, Record, plain, stage_record
from osmofuse.report import Provenance, check_report, write_report
from osmofuse.report.layers import seam_maps
from osmofuse.tasks.prepare import check_invertible
from osmofuse.typing import FloatArray

_SCORES_SHOWN = ("fused", "foreground", "background", "alpha", "truth")  # pictures of the report


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoreResult(Result):
    """Result of a `ScoreJob`.

    Attributes
    ----------
    scores : dict of str to Score
        Scores by name of the metric; empty if the job was cancelled.
    """

    scores: dict[str, Score] = field(default_factory=dict)


@dataclass(frozen=True)
class ScoreJob(FileJob[ScoreResult]):
    """Score a fused picture against its source files.

    Parameters
    ----------
    fused, foreground, background : path
        Fused picture and its sources.
    output : path, optional
        Record of the scores to write, a .json file.
    alpha : number or path, optional
        Map of the fusion; a file is read as `FuseJob` reads it.
    truth : path, optional
        Ground truth.
    ink : path, optional
        Map of the writing: black on ink, white on ground, grey undecided.
    metrics : str or sequence of str
        As for `osmofuse.score`.
    bits : {8, 16, None}
        As for `osmofuse.score`.
    invert : bool
        The map is white where the background entered.
    overwrite, max_memory, report, page
        See `FileJob`.
    """

    fused: Path
    foreground: Path
    background: Path
    output: Path | None = None
    alpha: float | Path | None = None
    truth: Path | None = None
    ink: Path | None = None
    metrics: str | Sequence[str] = "paper"
    bits: int | None = 8
    invert: bool = False

    kind: ClassVar[str] = "score"
    settings_recorded: ClassVar[tuple[str, ...]] = ("metrics", "bits")

    def __post_init__(self) -> None:
        self._put_path("fused", "foreground", "background", "output", "truth", "ink")
        if isinstance(self.alpha, str):
            self._put("alpha", Path(self.alpha))
        super().__post_init__()
        if self.alpha is not None and not isinstance(self.alpha, Path):
            number("alpha", self.alpha, most=1.0)
        if not isinstance(self.metrics, str):
            self._put("metrics", tuple(self.metrics))
        chosen_metrics(self.metrics)  # raises SettingError for an unknown metric
        check_bits(self.bits)
        if self.invert:
            check_invertible(self.alpha, several=False)

    @property
    def pictures(self) -> dict[str, Path]:
        """Pictures to be read, by role."""
        found = {"fused": self.fused, "foreground": self.foreground, "background": self.background}
        alpha = self.alpha if isinstance(self.alpha, Path) else None
        return found | given({"alpha": alpha, "truth": self.truth, "ink": self.ink})

    @property
    def work(self) -> str:
        """Description of the work, for messages."""
        return f"{self.fused}: scoring it"

    def check_outputs(self, files: Mapping[str, InputFile] | None) -> None:
        """Check that the outputs can and may be written."""
        if files is not None:
            return
        written = [] if self.output is None else [self.output]
        for path in written:
            if path.suffix.lower() != ".json":
                raise OutputError(f"{path}: scores are written as JSON; name it {path.stem}.json")
            check_target(path, overwrite=self.overwrite, inputs=self.inputs.values())
        if self.report is not None:
            check_report(
                self.report,
                overwrite=self.overwrite,
                pictures=_SCORES_SHOWN,
                inputs=self.inputs.values(),
                outputs=written,
            )

    def need_of(self, files: Mapping[str, InputFile]) -> Need:
        """Check that the files fit together, and return the memory and time needed."""
        check_fit(files)
        described = [file.picture for file in files.values()]
        fused = described[0]
        pixels = fused.rows * fused.cols
        samples = pixels * fused.bands
        work, seconds = score_cost(samples)
        work, drawn = with_page(work, pixels, samples, self.report)
        held = sum(file.decoded_bytes for file in described) + 8 * pixels
        # While they are scored, the samples of three pictures are float64.
        return need_beyond_start(
            held + 24 * samples + work, FILE_SECONDS * samples / 1e6 + seconds + drawn
        )

    def do(self, files: Mapping[str, InputFile], watch: Watch | None) -> ScoreResult:
        """Score; write the requested files, or none."""
        pictures = read_pictures(files)
        folder = Path() if self.output is None else self.output.parent
        inputs = self.inputs_of(files, folder)
        notes = self.notes_of(inputs)
        alpha: Any = self.alpha
        if isinstance(alpha, Path):
            map_file = alpha_of_picture(pictures["alpha"], name=str(alpha), invert=self.invert)
            notes = (*notes, *(f"{self.alpha}: {note}" for note in map_file.notes))
            alpha = map_file.alpha
        elif alpha is not None and self.invert:
            alpha = 1.0 - alpha
        if "ink" in pictures and pictures["ink"].lossy:
            words = "stored with losses; levels next to black and white count as undecided"
            notes = (*notes, f"{self.ink}: {words}; store the map as PNG or TIFF")
        if not Guard(watch).next_pass():
            return ScoreResult(status=Status.cancelled, notes=notes)
        began = perf_counter()
        with named_as(self.pictures):
            scores = score(
                pictures["fused"],
                pictures["foreground"],
                pictures["background"],
                alpha,
                truth=pictures.get("truth"),
                ink=pictures.get("ink"),
                metrics=self.metrics,
                bits=self.bits,
            )
        record = self._record(inputs, scores, perf_counter() - began)
        written = self._write(pictures, alpha, scores, record)
        return ScoreResult(
            status=Status.direct, files=written, notes=notes, record=record, scores=scores
        )

    def _record(
        self, inputs: tuple[Input, ...], scores: Mapping[str, Score], seconds: float
    ) -> Record:
        value = self.alpha if isinstance(self.alpha, int | float) else None
        result = {
            "status": str(Status.direct),
            "scores": {name: plain(asdict(one)) for name, one in scores.items()},
            "seconds": seconds,
        }
        alpha = {"value": value, **({"invert": True} if self.invert else {})}
        return self._record_of(inputs, result, alpha=alpha, output={})

    @classmethod
    def parts_of(cls, record: Record) -> dict[str, Any]:
        """Return the fields of the job that a record holds, except files."""
        return super().parts_of(record) | {"invert": (record.alpha or {}).get("invert", False)}

    def _write(
        self,
        pictures: Mapping[str, Picture],
        alpha: float | FloatArray | None,
        scores: Mapping[str, Score],
        record: Record,
    ) -> dict[str, Path]:
        files = given({"output": self.output})
        if not files and self.report is None:
            return files
        with staged(
            files.values(), report=self.report, overwrite=self.overwrite, ending=len(files)
        ) as staging:
            if self.output is not None:
                stage_record(record, self.output)
            if self.report is not None:
                files["report"] = self._write_page(pictures, alpha, scores, record, staging)
            staging.commit()
        return files

    def _write_page(
        self,
        pictures: Mapping[str, Picture],
        alpha: float | FloatArray | None,
        scores: Mapping[str, Score],
        record: Record,
        staging: Staging,
    ) -> Path:
        assert self.report is not None, "a report was asked for"
        shown: dict[str, Any] = {role: pictures[role] for role in _SCORES_SHOWN if role in pictures}
        seam = {}
        if alpha is not None and not isinstance(alpha, int | float):
            shown["alpha"] = alpha
            fused, foreground, background = (pictures[role] for role in _SCORES_SHOWN[:3])
            seam = seam_maps(fused, foreground, background, alpha)
        command = "" if self.output is None else repeat_command(self.kind, self.output, self.output)
        return write_report(
            self.report,
            pictures=shown,
            maps=seam,
            scores=scores,
            provenance=Provenance(
                record=record,
                command=command,
                title=f"The scores of {self.fused.name}",
                inputs=tuple(self.inputs.values()),
            ),
            overwrite=self.overwrite,
            staging=staging,
        )
