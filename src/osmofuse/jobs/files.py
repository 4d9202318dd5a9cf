"""Files of a job: inputs that are checked, read and recorded, and outputs.

Pictures are not trusted, so a child process with limits parses and decodes them. An input that
changes between the check and the hash in the record is refused. Outputs appear together or not at
all, the fused picture last: if it exists, its record, report and the other outputs exist.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Protocol

from osmofuse.errors import (
    MismatchError,
    OsmofuseError,
    SettingError,
    UnreadableError,
    naming,
    reading,
)
from osmofuse.io import (
    Description,
    Limits,
    Staging,
    check_distinct,
    check_target,
    describe_isolated,
    encode,
    format_of,
    read_isolated,
)
from osmofuse.io.tiff_pages import check_page
from osmofuse.picture import Picture
from osmofuse.record import Input, Record, record_path, sha256_of_file, stage_record
from osmofuse.report.document import check_report, report_folder

DECODE_SECONDS = 15.0  # time limit of the smallest picture; any of 5..60 works
DECODE_RATE = 5e6  # bytes per second that the limit allows for; low, for a busy machine
CLOCK_TICK = 20_000_000  # nanoseconds; above the resolution of file times, 1 to 15.6 ms


@dataclass(frozen=True)
class InputFile:
    """State of an input file when a job checked it.

    Attributes
    ----------
    path : Path
        Path of the file.
    size : int
        Size in bytes.
    modified, changed : int
        Times of the last change of content and of metadata, in nanoseconds.
    inode, device : int
        Identity of the file.
    description : Description or None
        Content of the header; None if the file is not a picture.
    """

    path: Path
    size: int
    modified: int
    changed: int
    inode: int
    device: int
    description: Description | None = field(default=None, compare=False)

    @property
    def picture(self) -> Description:
        """Description of a picture file, from its header."""
        assert self.description is not None, f"{self.path} is not a picture"
        return self.description

    def check_unchanged(self) -> None:
        """Refuse a file that was changed, replaced or removed since the job checked it."""
        if look_at(self.path) != self:
            raise UnreadableError(
                f"{self.path}: has changed since the job checked it; run the job again"
            )


def look_at(path: Path) -> InputFile:
    """Return the state of a file, without its description."""
    with reading(path):
        found = os.stat(path)
        if abs(time.time_ns() - found.st_ctime_ns) < CLOCK_TICK:
            time.sleep(CLOCK_TICK / 1e9)  # a change in the same tick would be missed
            found = os.stat(path)
    times = found.st_mtime_ns, found.st_ctime_ns
    return InputFile(path, found.st_size, *times, found.st_ino, found.st_dev)


def look_at_pictures(paths: Mapping[str, Path], page: Sequence[int] = ()) -> dict[str, InputFile]:
    """Describe picture files, by role; see `pages_of` for the pages."""
    pages, files = pages_of(paths, page), {}
    for role, path in paths.items():
        file = look_at(path)
        files[role] = replace(file, description=describe_isolated(path, page=pages[role]))
    return files


def pages_of(roles: Iterable[str], page: Sequence[int]) -> dict[str, int]:
    """Return the page to read of each picture, by role.

    `page` holds numbers from 1: one for all, one for each, or none for the first of each.
    """
    roles = list(roles)
    for one in page:
        check_page("", one)
    if len(page) not in (0, 1, len(roles)):
        raise SettingError(
            f"page: {len(page)} numbers for {len(roles)} pictures ({', '.join(roles)}); give one "
            "for all, or one for each"
        )
    return dict(zip(roles, page if len(page) > 1 else [*page, 1][:1] * len(roles), strict=True))


def read_pictures(files: Mapping[str, InputFile]) -> dict[str, Picture]:
    """Read picture files that have been checked, by role; see `input_of`."""
    for file in files.values():
        file.check_unchanged()
    paths, pages = zip(*((f.path, f.picture.page) for f in files.values()), strict=True)
    limits = limits_for(file.picture for file in files.values())
    try:
        read = read_isolated(paths, limits, pages=pages)
    except OsmofuseError:
        for file in files.values():  # the file may be unreadable because it is being written
            file.check_unchanged()
        raise
    return dict(zip(files, read, strict=True))


def input_of(role: str, file: InputFile, folder: Path, page: Sequence[int] = ()) -> Input:
    """Return the entry of a file that was read, for a record in a folder; `page` is for `notes_on`.

    The file is checked after it is hashed, so the hash is that of the bytes that were read.
    """
    entry = Input(role, _relative(file.path, folder), sha256_of_file(file.path))
    file.check_unchanged()
    if file.description is None:
        return entry
    notes = tuple(notes_on(file.description, page))
    return replace(entry, page=file.description.page, notes=notes)


def _relative(path: Path, folder: Path) -> str:
    """Return a path relative to a folder, or absolute on another drive."""
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:
        return path.absolute().as_posix()


def limits_for(files: Iterable[Description]) -> Limits:
    """Return limits with enough time to decode the largest picture on a busy machine."""
    largest = max(file.decoded_bytes for file in files)
    return Limits(seconds=DECODE_SECONDS + largest / DECODE_RATE)


def notes_on(file: Description, page: Sequence[int]) -> list[str]:
    """Return notes on how a file is read, for a person; `page` holds requested pages, if any."""
    named = file.format_of_name
    pages = f"has {file.pages} pages, of which page 1 is read; --page N reads another"
    notes = (
        f"its name says {named}, its content is {file.format}" if named else None,
        file.note,
        pages if file.pages > 1 and not page else None,
    )
    return [note for note in notes if note]


def size_of(file: Description) -> str:
    """Return the size of a picture as text, width first."""
    return f"{file.cols} × {file.rows} pixels"


@contextmanager
def named_as(names: Mapping[str, Path]) -> Iterator[None]:
    """Replace names of arguments in errors by the files that were read for them."""
    try:
        yield
    except OsmofuseError as error:
        argument, colon, words = str(error).partition(": ")
        if not colon or argument not in names:
            raise
        if "foreground" in names:
            words = words.replace("align it to foreground", f"align it to {names['foreground']}")
        raise type(error)(f"{names[argument]}: {words}") from error


def check_fit(files: Mapping[str, InputFile], *, aligned: bool = False) -> None:
    """Refuse files whose sizes or bands, by their headers, do not fit together.

    A background that will be aligned may have another size.
    """
    first = files["foreground"]
    backgrounds = [role for role in files if role.startswith("background")]
    for role, file in files.items():
        if aligned and role in backgrounds:
            continue
        if size_of(file.picture) != size_of(first.picture):
            raise MismatchError(
                f"{file.path}: {size_of(file.picture)}, but the foreground {first.path} has "
                f"{size_of(first.picture)}; {_remedy(role)}"
            )
    for role in backgrounds:
        if files[role].picture.colours not in (1, first.picture.colours):
            raise MismatchError(
                f"{files[role].path}: {files[role].picture.colours} bands of colour, but the "
                f"foreground {first.path} has {first.picture.colours}; the picture whose colours "
                "are kept comes first: are the two swapped? Else give the background as many "
                "bands, or one"
            )


def _remedy(role: str) -> str:
    if role.startswith("background"):
        return "align it to the foreground with --align homography, or crop them to one size"
    return "crop or enlarge it to that size"


class Work(Protocol):
    """Job that reads files and writes pictures."""

    kind: ClassVar[str]

    @property
    def inputs(self) -> dict[str, Path]:
        """Files to be read, by role."""
        ...

    @property
    def outputs(self) -> dict[str, Path]:
        """Pictures to be written, by role."""
        ...

    @property
    def output(self) -> Path:
        """Path of the main output, also among the outputs; the record is written next to it."""
        ...

    @property
    def overwrite(self) -> bool:
        """True if existing outputs are replaced."""
        ...


def check_outputs(job: Work) -> None:
    """Refuse outputs that cannot be written or would replace an input or each other."""
    check_distinct(job.outputs.items())  # also refuses names that no record can have
    paths = output_paths(job)
    check_distinct(paths.items())
    for role, path in sorted(paths.items(), key=lambda item: item[0] != "output"):
        if role != "record":
            format_of(path)
        check_target(path, overwrite=job.overwrite, inputs=job.inputs.values())


def check_job_report(
    job: Work, folder: Path | None, pictures: Iterable[str], *, iiif: str | None = None
) -> None:
    """Refuse the report of a job if it cannot be written with its outputs.

    `pictures` and `iiif` are those of `osmofuse.report.check_report`.
    """
    if folder is not None:
        check_report(
            folder,
            iiif=iiif,
            overwrite=job.overwrite,
            pictures=pictures,
            inputs=job.inputs.values(),
            outputs=output_paths(job).values(),
        )


def given(paths: Mapping[str, Path | None]) -> dict[str, Path]:
    """Return the paths by role, without those that are None."""
    return {role: path for role, path in paths.items() if path is not None}


def output_paths(job: Work) -> dict[str, Path]:
    """Return the files to be written by role, in the order of renaming."""
    others = {role: path for role, path in job.outputs.items() if role != "output"}
    return others | {"record": record_path(job.output), "output": job.output}


@contextmanager
def staged(
    paths: Iterable[Path], *, report: Path | None, overwrite: bool, ending: int
) -> Iterator[Staging]:
    """Stage files, see `Staging`, and create the folder of their report, if there is one."""
    with ExitStack() as opened:
        if report is not None:
            opened.enter_context(report_folder(report))
        yield opened.enter_context(Staging(paths, overwrite=overwrite, ending=ending))


class Outputs(ExitStack):
    """Output files of a job while they are written, with its report; removed unless committed.

    The job has been checked by `check_outputs` and `check_job_report`.
    """

    def __init__(self, job: Work, report: Path | None = None) -> None:
        super().__init__()
        self.paths = output_paths(job)
        self.staging = self.enter_context(
            staged(self.paths.values(), report=report, overwrite=job.overwrite, ending=2)
        )

    @property
    def files(self) -> dict[str, Path]:
        """Files by role, the main output first."""
        return dict(reversed(self.paths.items()))

    def stage(self, role: str) -> Path:
        """Return the partial name of a file."""
        return self.staging.partial(self.paths[role])

    def probe(self, role: str, picture: Picture) -> None:
        """Check by writing one pixel that a picture like this one can be written."""
        if role in self.paths:
            self.write(role, replace(picture, pixels=picture.pixels[:1, :1]))
            with naming(self.paths[role]):  # some folders do not allow files to be removed
                self.stage(role).unlink()

    def write(self, role: str, picture: Picture) -> None:
        """Write a picture under its partial name."""
        encode(picture, self.paths[role])

    def commit(self, record: Record) -> None:
        """Write the record and rename all files, the output last."""
        stage_record(record, self.paths["record"])
        self.staging.commit()
