"""Base of jobs that make one picture from others, and write a record."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, ClassVar

from osmofuse.io import storable
from osmofuse.jobs.files import (
    InputFile,
    Outputs,
    check_job_report,
    check_outputs,
    given,
    read_pictures,
)
from osmofuse.jobs.job import FileJob, Result, provenance_of
from osmofuse.jobs.marking import history_of, marked
from osmofuse.jobs.need import Need, need_beyond_start
from osmofuse.picture import Picture
from osmofuse.progress import Progress, Status, Watch
from osmofuse.record import Record, sha256_of_pixels
from osmofuse.report import write_pictures
from osmofuse.tasks.edited import Edited

_RESULT_TITLE = "Result"  # title of the output in the report


@dataclass(frozen=True, kw_only=True)
class PictureJob(FileJob[Result]):
    """Base of jobs that make one picture from others.

    A subclass has a field for each picture that it reads and for each setting, lists them in
    `reads` and `settings_recorded`, and implements `make`. Files, record, report, limits and
    repetition are implemented here.

    Parameters
    ----------
    output : path
        Picture to write; its record is written next to it.
    recipe : mapping, optional
        ``name`` and ``sha256`` of the recipe used, for the record.
    overwrite, max_memory, report, page
        See `FileJob`.
    """

    output: Path
    recipe: Mapping[str, str] | None = None

    reads: ClassVar[tuple[str, ...]] = ("image",)  # fields that hold pictures; also their roles
    sample_bytes: ClassVar[float] = 48  # memory in bytes per sample beyond the pictures
    seconds: ClassVar[float] = 1.0  # time per million samples on one core, with files

    def __post_init__(self) -> None:
        self._put_path("output", *self.reads)
        super().__post_init__()

    @classmethod
    def parts_of(cls, record: Record) -> dict[str, Any]:
        """Return the fields of the job that a record holds, except files."""
        return super().parts_of(record) | {"recipe": record.recipe}

    @abstractmethod
    def make(self, pictures: Mapping[str, Picture], watch: Watch) -> Picture | Edited:
        """Return the picture to write, or the result of a task that made one.

        Status, notes and clipped samples of an `Edited` go into the record and to the user.

        Parameters
        ----------
        pictures : mapping of str to Picture
            Pictures that were read, by role.
        watch : callable
            To be called with a `Progress` at intervals in long work. Once it has returned True the
            job is cancelled and the returned picture is ignored.
        """

    @property
    def pictures(self) -> dict[str, Path]:
        """Pictures to be read, by role."""
        return given({role: getattr(self, role) for role in self.reads})

    @property
    def outputs(self) -> dict[str, Path]:
        """Pictures to be written, by role."""
        return {"output": self.output}

    @property
    def titles(self) -> list[str]:
        """Titles of the pictures that the report may show before the result."""
        return [_title(role) for role in self.pictures]

    def shown(self, pictures: Mapping[str, Picture], made: Picture | Edited) -> dict[str, Picture]:
        """Return pictures to show before the result, by title, if they have its size."""
        del made  # shown after them
        return {_title(role): one for role, one in pictures.items()}

    @property
    def work(self) -> str:
        """Description of the work, beginning with a file, for messages."""
        return f"{next(iter(self.pictures.values()))}: osmofuse {self.kind}"

    def check_outputs(self, files: Mapping[str, InputFile] | None) -> None:
        """Check that the outputs can and may be written."""
        if files is None:
            check_outputs(self)
            check_job_report(self, self.report, [*self.titles, _RESULT_TITLE])

    def need_of(self, files: Mapping[str, InputFile]) -> Need:
        """Return the memory and time for pictures of this size."""
        read = [file.picture for file in files.values()]
        samples = sum(one.rows * one.cols * one.bands for one in read)
        held = sum(one.decoded_bytes for one in read) + self.sample_bytes * samples
        return need_beyond_start(held, self.seconds * samples / 1e6)

    def do(self, files: Mapping[str, InputFile], watch: Watch | None) -> Result:
        """Make the picture; write all files, or none."""
        pictures, watched = read_pictures(files), _Watched(watch)
        watched(Progress(None, 1, 0, None, None, 0.0))
        with Outputs(self, self.report) as outputs:
            began = perf_counter()
            made = None if watched.cancelled else self.make(pictures, watched)
            if made is None or watched.cancelled:
                return Result(status=Status.cancelled)
            seconds = perf_counter() - began
            picture, clipped, status, found = _outcome(made)
            picture = storable(picture, self.output)
            inputs = self.inputs_of(files, self.output.parent)
            record = self._record_of(
                inputs,
                {"status": str(status), "seconds": seconds, "clipped": clipped},
                method=self.method_recorded | ({"notes": list(found)} if found else {}),
                output={"sha256_of_pixels": sha256_of_pixels(picture.pixels)},
                recipe=self.recipe,
            )
            outputs.write("output", marked(picture, self.pictures.values(), history_of(record)))
            written = outputs.files
            if self.report is not None:
                shown = self.shown(pictures, made)
                page = self._write_page(self.report, shown, picture, record, outputs)
                written["report"] = page
            outputs.commit(record)
        notes = (*self.notes_of(inputs), *found)
        return Result(status=status, files=written, notes=notes, record=record)

    def _write_page(
        self,
        folder: Path,
        shown: Mapping[str, Picture],
        made: Picture,
        record: Record,
        outputs: Outputs,
    ) -> Path:
        """Write the report: the pictures of the result's size, and the result."""
        before = {title: one for title, one in shown.items() if one.shape == made.shape}
        title = f"{self.output.name}, made by osmofuse {self.kind}"
        return write_pictures(
            folder,
            before | {_RESULT_TITLE: made},
            provenance=provenance_of(self, record, outputs.files, title),
            overwrite=self.overwrite,
            staging=outputs.staging,
        )


class _Watched:
    """Watch that remembers a cancellation."""

    def __init__(self, watch: Watch | None) -> None:
        self.cancelled = False
        self._watch = watch

    def __call__(self, progress: Progress) -> bool:
        if self._watch is not None:
            self.cancelled = self.cancelled or bool(self._watch(progress))
        return self.cancelled


def _outcome(made: Picture | Edited) -> tuple[Picture, int, Status, tuple[str, ...]]:
    """Return picture, clipped samples, status and notes of what a job made."""
    if isinstance(made, Picture):
        return made, 0, Status.direct, ()
    return *made.picture(), made.status, made.notes


def _title(role: str) -> str:
    return role.capitalize()
