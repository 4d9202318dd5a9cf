"""Score a fused picture in a file, perhaps with a record of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any, ClassVar

from osmofuse.checks import number
from osmofuse.errors import OutputError
from osmofuse.io import Staging, check_target
from osmofuse.jobs.again import again
from osmofuse.jobs.files import InputFile, named_as, read_pictures
from osmofuse.jobs.fit import check_fit
from osmofuse.jobs.fusing import FILES
from osmofuse.jobs.job import FileJob, Result
from osmofuse.jobs.need import PROGRAM, START, Need, peak_bytes
from osmofuse.maps.map_file import alpha_of_picture
from osmofuse.metrics import Score, score
from osmofuse.metrics.catalogue import chosen_metrics
from osmofuse.metrics.score import check_bits, score_cost
from osmofuse.picture import Picture
from osmofuse.progress import Guard, Status, Watch
from osmofuse.record import Input, Record, plain, stage_record
from osmofuse.report import Provenance, check_report, write_report
from osmofuse.report.document import report_folder
from osmofuse.report.layers import seam_maps
from osmofuse.report.pages import page_cost
from osmofuse.tasks.prepare import check_invertible
from osmofuse.typing import FloatArray

_SHOWN = ("fused", "foreground", "background", "alpha", "truth")  # by the report


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoreResult(Result):
    """Result of a `ScoreJob`.

    Attributes
    ----------
    scores : dict of str to Score
        By the name of the metric; empty if the job was cancelled.
    """

    scores: dict[str, Score] = field(default_factory=dict)


@dataclass(frozen=True)
class ScoreJob(FileJob[ScoreResult]):
    """Score a fused picture against the files that it was made from.

    Parameters
    ----------
    fused, foreground, background : path
        The pictures.
    output : path, optional
        Where to write the scores: a record, in a file that ends in .json.
    alpha : number or path, optional
        What it was fused with; a file is understood as `FuseJob` understands it.
    truth : path, optional
        The right answer.
    metrics : str or sequence of str
        As for `osmofuse.score`.
    bits : {8, 16, None}
        As for `osmofuse.score`.
    invert : bool
        The map of alpha is white where the background entered.
    overwrite, max_memory, report, page
        See `FileJob`.
    """

    fused: Path
    foreground: Path
    background: Path
    output: Path | None = None
    alpha: float | Path | None = None
    truth: Path | None = None
    metrics: str | Sequence[str] = "paper"
    bits: int | None = 8
    invert: bool = False

    kind: ClassVar[str] = "score"
    settings_recorded: ClassVar[tuple[str, ...]] = ("metrics", "bits")

    def __post_init__(self) -> None:
        self._put_path("fused", "foreground", "background", "output", "truth")
        if isinstance(self.alpha, str):
            self._put("alpha", Path(self.alpha))
        super().__post_init__()
        if self.alpha is not None and not isinstance(self.alpha, Path):
            number("alpha", self.alpha, most=1.0)
        if not isinstance(self.metrics, str):
            self._put("metrics", tuple(self.metrics))
        chosen_metrics(self.metrics)  # which refuses what is no metric
        check_bits(self.bits)
        if self.invert:
            check_invertible(self.alpha, several=False)

    @property
    def pictures(self) -> dict[str, Path]:
        """The pictures to be read, by role."""
        found = {"fused": self.fused, "foreground": self.foreground, "background": self.background}
        found |= {"alpha": self.alpha} if isinstance(self.alpha, Path) else {}
        return found | ({} if self.truth is None else {"truth": self.truth})

    @property
    def work(self) -> str:
        """The work in words."""
        return f"{self.fused}: scoring it"

    def check_outputs(self, files: Mapping[str, InputFile] | None) -> None:
        """Refuse outputs that cannot or must not be written."""
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
                pictures=_SHOWN,
                inputs=self.inputs.values(),
                outputs=written,
            )

    def need_of(self, files: Mapping[str, InputFile]) -> Need:
        """Return what the job needs, once it is known that the files fit together."""
        check_fit(files)
        described = [file.picture for file in files.values()]
        fused = described[0]
        pixels = fused.rows * fused.cols
        samples = pixels * fused.bands
        work, seconds = score_cost(samples)
        if self.report is not None:
            drawing, longer = page_cost(pixels, samples)
            work, seconds = max(work, drawing), seconds + longer
        held = sum(file.decoded_bytes for file in described) + 8 * pixels
        # Each sample is a float of 64 bits while it is scored, in three pictures.
        return Need(
            bytes=round(PROGRAM + held + 24 * samples + work),
            seconds=START + FILES * samples / 1e6 + seconds,
        )

    def do(self, files: Mapping[str, InputFile], watch: Watch | None) -> ScoreResult:
        """Score, and write what was asked for, or nothing."""
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
        return Record(
            job=self.kind,
            inputs=inputs,
            alpha={"value": value, **({"invert": True} if self.invert else {})},
            method=self.method_recorded,
            result={
                "status": str(Status.direct),
                "scores": {name: plain(asdict(one)) for name, one in scores.items()},
                "seconds": seconds,
                "peak_bytes": peak_bytes(),
            },
            output={},
        )

    @classmethod
    def parts_of(cls, record: Record) -> dict[str, Any]:
        """Return the parts of the job that a record tells of, but for its files."""
        return super().parts_of(record) | {"invert": record.alpha.get("invert", False)}

    def _write(
        self,
        pictures: Mapping[str, Picture],
        alpha: float | FloatArray | None,
        scores: Mapping[str, Score],
        record: Record,
    ) -> dict[str, Path]:
        files = {} if self.output is None else {"output": self.output}
        if not files and self.report is None:
            return files
        with ExitStack() as stack:
            if self.report is not None:
                stack.enter_context(report_folder(self.report))
            staging = Staging(files.values(), overwrite=self.overwrite, ending=len(files))
            stack.enter_context(staging)
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
        shown: dict[str, Any] = {role: pictures[role] for role in _SHOWN if role in pictures}
        seam = {}
        if alpha is not None and not isinstance(alpha, int | float):
            shown["alpha"] = alpha
            seen = [pictures[role] for role in ("fused", "foreground", "background")]
            seam = seam_maps(seen[0], seen[1], seen[2], alpha)
        command = "" if self.output is None else again(self.kind, self.output, self.output)
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
