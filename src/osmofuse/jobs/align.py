"""Align a picture file to another, and write a record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from osmofuse.checks import choice
from osmofuse.io import storable, write_animation
from osmofuse.jobs.files import (
    InputFile,
    Outputs,
    check_job_report,
    check_outputs,
    given,
    named_as,
    read_pictures,
)
from osmofuse.jobs.job import FileJob, Result, provenance_of
from osmofuse.jobs.need import FILE_SECONDS, Need, need_beyond_start, with_page
from osmofuse.jobs.sources import transform_entry
from osmofuse.picture import Picture
from osmofuse.progress import Watch
from osmofuse.record import Input, Record, sha256_of_pixels
from osmofuse.registration import Alignment, align, read_points
from osmofuse.registration.align import alignment_cost, check_settings
from osmofuse.registration.chain import AlignMethod
from osmofuse.registration.transform import Kind
from osmofuse.report import checkerboard, flicker, write_alignment
from osmofuse.report.overlays import magnified
from osmofuse.tasks.aligned import aligned_picture

_COMPARING_BYTES = 8  # per sample of either picture: one float64 while they are compared
_ALIGNMENT_SHOWN = ("Foreground", "Aligned", "Checkerboard")  # titles of pictures in the report


@dataclass(frozen=True, eq=False, kw_only=True)
class AlignResult(Result):
    """Result of an `AlignJob`.

    Attributes
    ----------
    alignment : Alignment
        Alignment; if it was refused, nothing was written.
    """

    alignment: Alignment


@dataclass(frozen=True)
class AlignJob(FileJob[AlignResult]):
    """Align a background file to a foreground file.

    Parameters
    ----------
    foreground, background : path
        Fixed picture, and the one that is aligned to it.
    output : path
        Background in the foreground's frame; its record is written next to it.
    method, transform, deformation
        As for `osmofuse.align`.
    points : path, optional
        Control points, see `osmofuse.align`.
    valid_output : path, optional
        Map to write: white where the output has data, else black.
    preview : path, optional
        Checkerboard of both pictures to write; a .webp file alternates between them.
    overwrite, max_memory, report, page
        See `FileJob`.
    """

    foreground: Path
    background: Path
    output: Path
    method: AlignMethod = "auto"
    transform: Kind = "homography"
    deformation: bool = False
    points: Path | None = None
    valid_output: Path | None = None
    preview: Path | None = None

    kind: ClassVar[str] = "align"
    finds_transform: ClassVar[bool] = True
    settings_recorded: ClassVar[tuple[str, ...]] = ("method", "transform", "deformation")

    def __post_init__(self) -> None:
        self._put_path("foreground", "background", "output", "points", "valid_output", "preview")
        super().__post_init__()
        check_settings(self.method, self.transform, self.points)
        choice("deformation", self.deformation, (False, True))

    @property
    def pictures(self) -> dict[str, Path]:
        """Pictures to be read, by role."""
        return {"foreground": self.foreground, "background": self.background}

    @property
    def documents(self) -> dict[str, Path]:
        """Other files to be read, by role."""
        return given({"points": self.points})

    @property
    def outputs(self) -> dict[str, Path]:
        """Pictures to be written, by role."""
        return given({"valid": self.valid_output, "preview": self.preview, "output": self.output})

    @property
    def work(self) -> str:
        """Description of the work, for messages."""
        return f"{self.background}: aligning it"

    def check_outputs(self, files: Mapping[str, InputFile] | None) -> None:
        """Check that the outputs can and may be written."""
        if files is None:
            check_outputs(self)
        else:
            check_job_report(self, self.report, _ALIGNMENT_SHOWN)

    def need_of(self, files: Mapping[str, InputFile]) -> Need:
        """Return the memory and time to align a picture and to write it."""
        fixed, moving = files["foreground"].picture, files["background"].picture
        pixels, own = fixed.rows * fixed.cols, moving.rows * moving.cols
        aligning, seconds = alignment_cost(max(pixels, own))
        laid = pixels * (moving.decoded_bytes / own)
        held = 2 * moving.decoded_bytes + fixed.decoded_bytes + 2 * laid
        held += _COMPARING_BYTES * (pixels * fixed.bands + own * moving.bands)
        writing = FILE_SECONDS * pixels * moving.bands / 1e6
        work, drawn = with_page(aligning, pixels, pixels * fixed.bands, self.report)
        return need_beyond_start(held + work, seconds + writing + drawn)

    def do(self, files: Mapping[str, InputFile], watch: Watch | None) -> AlignResult:
        """Align; write all files, or none."""
        foreground, background = read_pictures(
            {role: files[role] for role in self.pictures}
        ).values()
        points = None if self.points is None else read_points(self.points)
        inputs = self.inputs_of(files, self.output.parent)
        notes = self.notes_of(inputs)
        with Outputs(self, self.report) as outputs:
            outputs.probe("output", background)
            with named_as(self.inputs):
                found = align(
                    foreground,
                    background,
                    method=self.method,
                    transform=self.transform,
                    points=points,
                    deformation=self.deformation,
                    watch=watch,
                )
            if found.quality.note is not None:
                notes += (f"{self.background}: {found.quality.note}",)
            if found.image is None or found.valid is None:
                return AlignResult(status=found.status, notes=notes, alignment=found)
            picture = storable(aligned_picture(foreground, background, found), self.output)
            record = self._record(inputs, found, picture)
            outputs.write("output", picture)
            if self.valid_output is not None:
                outputs.write("valid", Picture(np.where(found.valid, np.uint8(255), np.uint8(0))))
            if self.preview is not None:
                self._write_preview(outputs, self.preview, found, foreground)
            written = outputs.files
            if self.report is not None:
                title = f"{self.background.name}, aligned to {self.foreground.name}"
                written["report"] = write_alignment(
                    self.report,
                    alignment=found,
                    foreground=foreground,
                    provenance=provenance_of(self, record, written, title),
                    overwrite=self.overwrite,
                    staging=outputs.staging,
                )
            outputs.commit(record)
        return AlignResult(
            status=found.status, files=written, notes=notes, record=record, alignment=found
        )

    def _write_preview(
        self, outputs: Outputs, path: Path, found: Alignment, foreground: Picture
    ) -> None:
        assert found.image is not None, "the alignment was not refused"
        if path.suffix.lower() == ".webp":
            pair = flicker(foreground, found.image, valid=found.valid)
            write_animation([magnified(one) for one in pair], outputs.stage("preview"))
        else:
            board = checkerboard(foreground, found.image, valid=found.valid)
            outputs.write("preview", Picture(magnified(board)))

    def _record(self, inputs: tuple[Input, ...], found: Alignment, output: Picture) -> Record:
        assert found.transform is not None, "the alignment was not refused"
        result = {
            "status": str(found.status),
            "score": found.score,
            "origin": found.origin,
            "level": found.quality.level,
            "error": found.quality.figure,
            "quality": dict(found.quality),
            "seconds": found.seconds,
        }
        return self._record_of(
            inputs,
            result,
            transform=transform_entry(found.transform),
            output={"sha256_of_pixels": sha256_of_pixels(output.pixels)},
        )
