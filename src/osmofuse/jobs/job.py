"""The one protocol of jobs: recorded pieces of work from files to files.

A job is a frozen dataclass of paths and settings. `check` looks at its files and estimates memory
and time; `run` does the work. A kind of job defines its inputs and outputs, their cost, and the
work itself; everything else is in `FileJob`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from osmofuse.checks import whole
from osmofuse.errors import LimitError, SettingError
from osmofuse.jobs.files import InputFile, input_of, look_at, look_at_pictures, pages_of
from osmofuse.jobs.need import Need, check_limit, in_bytes
from osmofuse.progress import Status, Watch
from osmofuse.record import Input, Record

MOST_BYTES = 2**63 - 1


@dataclass(frozen=True)
class Repetition:
    """Comparison of a repetition with its record.

    Attributes
    ----------
    identical : bool
        The pixels, or the scores, are those of the record, bit for bit.
    differences : tuple of str
        What differs, in words: inputs that are other files; and, if the result differs, settings,
        versions and the machine, and by how much it does.
    largest, rms : float or None
        The difference from the earlier output in levels of its depth (of floats, in parts of
        white), at most and as root mean square; None if that output is not there as it was.
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
        How it ended. Not converging is a status; a job that was cancelled, or that was refused,
        has written nothing.
    files : dict of str to Path
        What was written, by role, the main output first.
    notes : tuple of str
        Notes for a person: what was noticed in the files, or done to them.
    record : Record or None
        How it was made; None if nothing was.
    repetition : Repetition or None
        Of `osmofuse.repeat`, how the result compares with the record that was followed.
    """

    status: Status
    files: dict[str, Path] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    record: Record | None = None
    repetition: Repetition | None = None


R_co = TypeVar("R_co", bound=Result, covariant=True)


class Job(Protocol):
    """A recorded piece of work from files to files."""

    @property
    def inputs(self) -> dict[str, Path]:
        """The files to be read, by role."""
        ...

    def check(self) -> Need:
        """Return what the job will need, once it is known that it can be done."""
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
        Replace outputs that exist. Never an input.
    max_memory : int, 1 to 2⁶³ - 1, optional
        Refuse to start if more bytes are needed.
    report : path, optional
        Folder of a page to look at the result, which is written together with the outputs.
    page : tuple of int
        Which page of the pictures is read, from 1: one for all, or one for each of `pictures`.
        Empty: the first of each.
    """

    overwrite: bool = False
    max_memory: int | None = None
    report: Path | None = None
    page: tuple[int, ...] = ()

    kind: ClassVar[str]  # as records name it, and the command
    settings_recorded: ClassVar[tuple[str, ...]] = ()  # fields that a record keeps as settings
    finds_transform: ClassVar[bool] = False  # the transform in a record is the result

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
        """The pictures to be read, by role."""

    @property
    def documents(self) -> dict[str, Path]:
        """The other files to be read, by role."""
        return {}

    @property
    def inputs(self) -> dict[str, Path]:
        """All files to be read, by role."""
        return self.pictures | self.documents

    @property
    @abstractmethod
    def work(self) -> str:
        """The work in words that begin with a file, for messages on memory."""

    @abstractmethod
    def check_outputs(self, files: Mapping[str, InputFile] | None) -> None:
        """Refuse outputs that cannot or must not be written.

        Called twice: with None before any file is opened, then with the files.
        """

    @abstractmethod
    def need_of(self, files: Mapping[str, InputFile]) -> Need:
        """Return what the job needs, once it is known that the files fit together."""

    @abstractmethod
    def do(self, files: Mapping[str, InputFile], watch: Watch | None) -> R_co:
        """Do the job with files that have been checked."""

    def check(self) -> Need:
        """Return what the job will need, once it is known that it can be done.

        Raises
        ------
        OutputError
            An output cannot be written, or must not.
        UnreadableError, InputError, MismatchError, MissingExtraError
            A file is missing or cannot be used, or the files do not fit together.
        SettingError
            The settings do not go together, or not with the files.
        LimitError
            It needs more memory than it may have.
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
            Called with a `Progress` now and then; if it returns True the job ends, and nothing is
            written.
        need : Need, optional
            From `check`. A file that is not as it was then is refused.

        Returns
        -------
        Result
            Also where a method did not converge: its status says so.

        Raises
        ------
        UnreadableError, InputError, MismatchError, SettingError, MissingExtraError, LimitError
            As for `check`.
        OutputError
            An output exists, or cannot be written. Then none of them is.
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
        """Return files that have been read, as a record in a folder names them."""
        return tuple(input_of(role, file, folder, self.page) for role, file in files.items())

    def notes_of(self, inputs: tuple[Input, ...]) -> tuple[str, ...]:
        """Return what was noticed in the files, by their paths."""
        paths = self.inputs
        return tuple(f"{paths[one.role]}: {note}" for one in inputs for note in one.notes)

    @property
    def method_recorded(self) -> dict[str, Any]:
        """The job's settings, as a record has them."""
        settings = {name: getattr(self, name) for name in self.settings_recorded}
        return {"name": self.kind, "settings": settings}

    @classmethod
    def parts_of(cls, record: Record) -> dict[str, Any]:
        """Return the parts of the job that a record tells of, but for its files."""
        settings = record.method["settings"]
        return {name: settings[name] for name in cls.settings_recorded if name in settings}

    @classmethod
    def field_of(cls, role: str) -> str:
        """Return the field that holds the file of a role."""
        name = role.partition("-")[0]
        return name if name in {one.name for one in fields(cls)} else f"{name}s"


def may_be_none(kind: type[FileJob[Any]], name: str) -> bool:
    """Return True if a kind of job has a field that is None by default."""
    return any(one.name == name and one.default is None for one in fields(kind))


def required_fields(kind: type[FileJob[Any]]) -> list[str]:
    """Return the fields of a kind of job that have no default."""
    return [
        one.name
        for one in fields(kind)
        if one.default is MISSING and one.default_factory is MISSING
    ]
