"""Protocol of jobs, from files to files with a record.

A job is a frozen dataclass of paths and settings. `check` looks at its files and estimates memory
and time; `run` does the work. A kind of job defines its inputs and outputs, their cost, and the
work itself; everything else is in `FileJob`.
"""

from __future__ import annotations

import shlex
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from osmofuse.checks import whole
from osmofuse.errors import LimitError, SettingError
from osmofuse.jobs.files import InputFile, Work, input_of, look_at, look_at_pictures, pages_of
from osmofuse.jobs.need import Need, check_limit, in_bytes, peak_bytes
from osmofuse.progress import Status, Watch
from osmofuse.record import Input, Record
from osmofuse.report import Provenance
from osmofuse.tasks.recipe import Recipe

MOST_BYTES = 2**63 - 1  # largest limit of memory, a signed 64-bit integer


@dataclass(frozen=True)
class Repetition:
    """Comparison of a repetition with its record.

    Attributes
    ----------
    identical : bool
        True if the pixels, or the scores, are those of the record, bit for bit.
    differences : tuple of str
        Differences in words: other input files and, if the result differs, settings, versions, the
        machine, and the size of the difference.
    largest, rms : float or None
        Maximal and root mean square difference from the earlier output, in levels of its depth
        (for floats, in parts of white); None if that output is missing or changed.
    """

    identical: bool
    differences: tuple[str, ...]
    largest: float | None = None
    rms: float | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Result:
    """Result of a job.

    Attributes
    ----------
    status : Status
        Outcome of the job. Not converging is a status; a cancelled or refused job has written
        nothing.
    files : dict of str to Path
        Written files by role, the main output first.
    notes : tuple of str
        Remarks on the files and their preparation, for a person.
    record : Record or None
        Provenance of the result; None if nothing was made.
    repetition : Repetition or None
        Comparison with the repeated record, for `osmofuse.repeat`.
    """

    status: Status
    files: dict[str, Path] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    record: Record | None = None
    repetition: Repetition | None = None


R_co = TypeVar("R_co", bound=Result, covariant=True)


class Job(Protocol):
    """Job from files to files with a record."""

    @property
    def inputs(self) -> dict[str, Path]:
        """Files to be read, by role."""
        ...

    def check(self) -> Need:
        """Check that the job can be done, and return the memory and time needed."""
        ...

    def run(self, watch: Watch | None = None, *, need: Need | None = None) -> Result:
        """Do the job."""
        ...


@dataclass(frozen=True, kw_only=True)
class FileJob(ABC, Generic[R_co]):
    """Base of all jobs.

    Parameters
    ----------
    overwrite : bool
        Replace existing outputs, but never an input.
    max_memory : int, 1 to 2⁶³ - 1, optional
        Limit in bytes; a job that needs more is refused.
    report : path, optional
        Folder of an HTML page that shows the result; it is written together with the outputs.
    page : tuple of int
        Page of the pictures to read, from 1: one for all, or one for each of `pictures`. Empty
        means the first of each.
    """

    overwrite: bool = False
    max_memory: int | None = None
    report: Path | None = None
    page: tuple[int, ...] = ()

    kind: ClassVar[str]  # name in records, and of the command
    settings_recorded: ClassVar[tuple[str, ...]] = ()  # fields stored as settings in a record
    finds_transform: ClassVar[bool] = False  # True if the transform in a record is a result

    def __post_init__(self) -> None:
        self._put("page", tuple(self.page))
        self._put_path("report")
        pages_of(self.pictures, self.page)
        if self.max_memory is not None:
            whole("max_memory", self.max_memory, least=1, most=MOST_BYTES)

    def _put(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _put_path(self, *names: str) -> None:
        for name in names:
            if getattr(self, name) is not None:
                self._put(name, Path(getattr(self, name)))

    @property
    @abstractmethod
    def pictures(self) -> dict[str, Path]:
        """Pictures to be read, by role."""

    @property
    def documents(self) -> dict[str, Path]:
        """Other files to be read, by role."""
        return {}

    @property
    def inputs(self) -> dict[str, Path]:
        """All files to be read, by role."""
        return self.pictures | self.documents

    @property
    @abstractmethod
    def work(self) -> str:
        """Description of the work, beginning with a file, for messages on memory."""

    @abstractmethod
    def check_outputs(self, files: Mapping[str, InputFile] | None) -> None:
        """Check that the outputs can and may be written.

        Called twice: with None before any file is opened, then with the files.
        """

    @abstractmethod
    def need_of(self, files: Mapping[str, InputFile]) -> Need:
        """Check that the files fit together, and return the memory and time needed."""

    @abstractmethod
    def do(self, files: Mapping[str, InputFile], watch: Watch | None) -> R_co:
        """Do the job with files that have been checked."""

    def check(self) -> Need:
        """Check that the job can be done, and return the memory and time needed.

        Raises
        ------
        OutputError
            An output cannot or must not be written.
        UnreadableError, InputError, MismatchError, MissingExtraError
            A file is missing or cannot be used, or the files do not fit together.
        SettingError
            Settings contradict each other or the files.
        LimitError
            The job needs more memory than allowed.
        """
        self.check_outputs(None)
        files = look_at_pictures(self.pictures, self.page)
        files |= {role: look_at(path) for role, path in self.documents.items()}
        needed = self.need_of(files)
        check_limit(needed, self.max_memory, self.work)
        self.check_outputs(files)
        return replace(needed, files=files)

    def run(self, watch: Watch | None = None, *, need: Need | None = None) -> R_co:
        """Do the job.

        Parameters
        ----------
        watch : callable, optional
            Called with a `Progress` at intervals; if it returns True the job is cancelled and
            nothing is written.
        need : Need, optional
            Result of `check`. A file that has changed since is refused.

        Returns
        -------
        Result
            Result, also if a method did not converge; see its status.

        Raises
        ------
        OsmofuseError
            As for `check`. Then no file is written.
        """
        if need is None:
            need = self.check()
        else:
            self._check_need(need)
        try:
            return self.do(need.files, watch)
        except MemoryError as error:
            raise LimitError(
                f"{self.work} needs about {in_bytes(need.bytes)} of memory, and there is not enough"
            ) from error

    def _check_need(self, need: Need) -> None:
        looked_at = {role: file.path for role, file in need.files.items()}
        if looked_at != self.inputs:
            raise SettingError("need: of another job; give what this job's check returned")
        for file in need.files.values():
            file.check_unchanged()
        self.check_outputs(None)
        self.check_outputs(need.files)

    def inputs_of(self, files: Mapping[str, InputFile], folder: Path) -> tuple[Input, ...]:
        """Return entries of the files that were read, for a record in a folder."""
        return tuple(input_of(role, file, folder, self.page) for role, file in files.items())

    def notes_of(self, inputs: tuple[Input, ...]) -> tuple[str, ...]:
        """Return the notes on the files, each with its path."""
        paths = self.inputs
        return tuple(f"{paths[one.role]}: {note}" for one in inputs for note in one.notes)

    @property
    def method_recorded(self) -> dict[str, Any]:
        """Name and settings of the job, for the record."""
        settings = {name: getattr(self, name) for name in self.settings_recorded}
        return {"name": self.kind, "settings": settings}

    def _record_of(
        self, inputs: tuple[Input, ...], result: Mapping[str, Any], **parts: Any
    ) -> Record:
        """Return the record of the job; `parts` are further fields of `Record`."""
        return Record(
            job=self.kind,
            inputs=inputs,
            result={**result, "peak_bytes": peak_bytes()},
            **{"alpha": {}, "method": self.method_recorded, **parts},
        )

    @classmethod
    def parts_of(cls, record: Record) -> dict[str, Any]:
        """Return the fields of the job that a record holds, except files."""
        settings = record.method["settings"]
        return {name: settings[name] for name in cls.settings_recorded if name in settings}

    @classmethod
    def with_settings_of(cls, chosen: Recipe, parts: Mapping[str, Any]) -> dict[str, Any]:
        """Return parts of the job with the settings of a recipe for this kind; given parts win."""
        chosen.check_command(cls.kind)
        return {**chosen.settings, **parts}

    @classmethod
    def field_of(cls, role: str) -> str:
        """Return the field that holds the file of a role."""
        name = role.partition("-")[0]
        return name if name in {one.name for one in fields(cls)} else f"{name}s"


def may_be_none(kind: type[FileJob[Any]], name: str) -> bool:
    """Return True if a field of a kind of job is None by default."""
    return any(one.name == name and one.default is None for one in fields(kind))


def required_fields(kind: type[FileJob[Any]]) -> list[str]:
    """Return the fields of a kind of job that have no default."""
    return [
        one.name
        for one in fields(kind)
        if one.default is MISSING and one.default_factory is MISSING
    ]


def provenance_of(
    job: Work, record: Record, files: Mapping[str, Path], title: str = ""
) -> Provenance:
    """Return the provenance of a report on a job, given its record and the files it writes."""
    return Provenance(
        record=record,
        command=repeat_command(job.kind, files["record"], job.output),
        title=title,
        inputs=(*job.inputs.values(), *files.values()),
    )


def repeat_command(kind: str, record: Path, output: Path) -> str:
    """Return the command that repeats a job, from the folder in which it was run.

    It writes next to the job's output, and replaces nothing.

    Examples
    --------
    >>> repeat_command("compare", Path("a b/comparison.json"), Path("a b"))
    "osmofuse compare --from 'a b/comparison.json' -o 'a b-again'"
    """
    named = output if output.name else output.absolute()  # "." has no name
    other = named / "again"  # for "/", which has no name at all
    if named.name:
        other = named.with_name(f"{named.stem}-again{named.suffix}")
    return shlex.join(["osmofuse", kind, "--from", str(record), "-o", str(other)])
