"""Registration from files to files: one picture is laid over another, and recorded."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from osmofuse.checks import whole
from osmofuse.io import Description, write_animation
from osmofuse.jobs.job import MOST_BYTES
from osmofuse.jobs.need import Need, check_limit, need_of_alignment, peak_bytes
from osmofuse.jobs.opening import file_input, input_of
from osmofuse.jobs.outputs import Outputs, check_outputs, check_page
from osmofuse.jobs.preparation_report import ALIGNED, report_registration
from osmofuse.jobs.reading import describe_files, pages_of, read_files
from osmofuse.jobs.transforms import transform_entry
from osmofuse.optimise import Status
from osmofuse.picture import Picture
from osmofuse.preparation.registration import Alignment, align
from osmofuse.preparation.registration.chain import Method
from osmofuse.preparation.registration.transform import Kind
from osmofuse.record import Record, sha256_of_pixels
from osmofuse.report import checkerboard, flicker
from osmofuse.tasks.aligned import aligned_picture


@dataclass(frozen=True)
class Registration:
    """A picture file to be laid over another.

    Parameters
    ----------
    moving, fixed : Path
        What is to move, and what stays.
    output : Path
        The moving picture in the fixed one's frame; its record goes beside it.
    method, transform, deformation
        As for `osmofuse.align`.
    points : Path, optional
        Control points, see `osmofuse.align`.
    valid_output : Path, optional
        Where to write a map of where the output shows something, white on black.
    preview : Path, optional
        A checkerboard of both pictures; if it ends in .webp, they flicker.
    overwrite : bool
        Replace outputs that exist.
    max_memory : int, optional
        Refuse to start if more bytes are needed.
    page : tuple of int
        Which page of the pictures is read, from 1: one for both, or one for each. Empty: the first.
    """

    moving: Path
    fixed: Path
    output: Path
    method: Method = "auto"
    transform: Kind = "homography"
    deformation: bool = False
    points: Path | None = None
    valid_output: Path | None = None
    preview: Path | None = None
    overwrite: bool = False
    max_memory: int | None = None
    page: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        pages_of(self.pictures, self.page)
        if self.max_memory is not None:
            whole("max_memory", self.max_memory, least=1, most=MOST_BYTES)

    @property
    def pictures(self) -> dict[str, Path]:
        """The pictures to be read, by role."""
        return {"moving": self.moving, "fixed": self.fixed}

    @property
    def inputs(self) -> dict[str, Path]:
        """The files to be read, by role."""
        return self.pictures | ({} if self.points is None else {"points": self.points})

    @property
    def outputs(self) -> dict[str, Path]:
        """The pictures to be written, by role."""
        found = {"valid": self.valid_output, "preview": self.preview, "output": self.output}
        return {role: path for role, path in found.items() if path is not None}


@dataclass(frozen=True, eq=False)
class Registered:
    """What came of a registration.

    Attributes
    ----------
    alignment : Alignment
        What was found; if it is refused nothing was written.
    record : Record or None
        What was written beside the output.
    files : dict of str to Path
        What was written, by role.
    fixed : Picture or None
        What it was laid over.
    """

    alignment: Alignment
    record: Record | None = None
    files: dict[str, Path] = field(default_factory=dict)
    fixed: Picture | None = field(default=None, repr=False)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know of the files."""
        inputs = () if self.record is None else self.record.inputs
        return tuple(f"{one.path}: {note}" for one in inputs for note in one.notes)


def check_registration(job: Registration) -> Need:
    """Return what a registration will need, once it is known that it can be done.

    Raises
    ------
    OutputError
        An output cannot be written, or must not.
    UnreadableError
        A file is missing or no picture.
    LimitError
        It needs more memory than it may have.
    """
    check_outputs(job)
    files = describe_files(job.pictures, job.page)
    needed = need_of_alignment(files["moving"], files["fixed"])
    check_limit(needed, job.max_memory, f"{job.moving}: aligning it")
    return needed


def register(job: Registration, *, report: Path | None = None) -> Registered:
    """Lay a picture file over another.

    Parameters
    ----------
    job : Registration
        What to do.
    report : path, optional
        Folder of a report, which is written together with the outputs.

    Raises
    ------
    UnreadableError, InputError, SettingError, MissingExtraError
        A file or a setting cannot be used, or OpenCV is not installed.
    OutputError
        An output exists, or cannot be written, or the report. Then none of them is.
    LimitError
        It would need more memory than it may have.
    """
    check_registration(job)
    check_page(job, report, ALIGNED)
    files = describe_files(job.pictures, job.page)
    moving, fixed = read_files(files).values()
    with Outputs(job, report) as outputs:
        outputs.probe("output", moving)
        found = align(
            moving,
            fixed,
            method=job.method,
            transform=job.transform,
            points=job.points,
            deformation=job.deformation,
        )
        if found.status is Status.refused or found.image is None or found.valid is None:
            return Registered(found)
        picture = aligned_picture(moving, fixed, found)
        record = _record(job, files, found, picture)
        outputs.write("output", picture)
        if job.valid_output is not None:
            outputs.write("valid", Picture(np.where(found.valid, np.uint8(255), np.uint8(0))))
        if job.preview is not None:
            _write_preview(outputs, job.preview, found, fixed)
        result = Registered(found, record, dict(outputs.paths), fixed)
        if report is not None:
            result.files["report"] = report_registration(
                job, result, report, overwrite=job.overwrite, staging=outputs.staging
            )
        outputs.commit(record)
    return result


def _write_preview(outputs: Outputs, path: Path, found: Alignment, fixed: Picture) -> None:
    assert found.image is not None
    if path.suffix.lower() == ".webp":
        pair = flicker(found.image, fixed, valid=found.valid)
        write_animation(pair, outputs.stage("preview"))
    else:
        board = checkerboard(found.image, fixed, valid=found.valid)
        outputs.write("preview", Picture(board))


def _record(
    job: Registration, files: dict[str, Description], found: Alignment, output: Picture
) -> Record:
    assert found.transform is not None
    settings = {"method": job.method, "transform": job.transform, "deformation": job.deformation}
    folder = job.output.parent
    inputs = [input_of(role, file, folder, job.page) for role, file in files.items()]
    if job.points is not None:
        inputs.append(file_input("points", job.points, folder))
    return Record(
        inputs=tuple(inputs),
        alpha={},
        transform=transform_entry(found.transform),
        method={"name": "align", "settings": settings},
        result={
            "status": str(found.status),
            "score": found.score,
            "origin": found.origin,
            "quality": dict(found.quality),
            "seconds": found.seconds,
            "peak_bytes": peak_bytes(),
        },
        output={"sha256_of_pixels": sha256_of_pixels(output.pixels)},
    )
