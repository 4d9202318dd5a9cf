"""The files that a job writes: they appear together, or not at all.

Each is written and synced under a name that ends in ``.partial`` and its suffix; when all are
there they are renamed, the fused picture last. So where it exists its record and the others do.
"""

from __future__ import annotations

import os
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Protocol

from osmofuse.errors import OutputError, UnreadableError
from osmofuse.io import sync, write
from osmofuse.picture import Picture
from osmofuse.record import Record, read_record, record_path, write_record


class Work(Protocol):
    """What reads files and writes others."""

    @property
    def inputs(self) -> dict[str, Path]:
        """The files to be read, by role."""
        ...

    @property
    def outputs(self) -> dict[str, Path]:
        """The pictures to be written, by role."""
        ...

    @property
    def output(self) -> Path:
        """The one beside which the record lies, also among the outputs."""
        ...

    @property
    def overwrite(self) -> bool:
        """Whether outputs that exist are replaced."""
        ...


def check_outputs(job: Work) -> None:
    """Refuse outputs that would replace an input, each other, or what is not to be replaced.

    Raises
    ------
    OutputError
        One would, or its folder does not exist.
    """
    taken: dict[Path, str] = {}
    for role, path in (job.outputs | {"record": record_path(job.output)}).items():
        for place in (path, _stage(path)):
            _check_is_no_input(place, path, job)
        where = path.absolute()
        if where in taken:
            raise OutputError(f"{path}: is to be both {taken[where]} and {role}; choose two names")
        taken[where] = role
        if not path.parent.is_dir():
            raise OutputError(f"{path}: there is no folder {path.parent}; make it first")
        if path.is_dir():
            raise OutputError(f"{path}: is a folder")
        if os.path.lexists(path) and not job.overwrite and not _is_orphan(path, job):
            raise OutputError(f"{path}: exists already; choose another name, or use --overwrite")


def _check_is_no_input(place: Path, path: Path, job: Work) -> None:
    for role, source in job.inputs.items():
        with suppress(OSError):
            if place.samefile(source):
                raise OutputError(f"{path}: would replace the {role}; choose another name")


def _is_orphan(path: Path, job: Work) -> bool:
    """Tell whether a file is the record of an output that is not there."""
    if path != record_path(job.output) or os.path.lexists(job.output):
        return False
    try:
        read_record(path)
    except UnreadableError:
        return False
    return True


def _stage(path: Path) -> Path:
    """Return the name under which a file is written; its suffix says the format."""
    return path.with_name(f"{path.name}.partial{path.suffix}")


class Outputs:
    """The files of a job while they are being written; what is not committed is removed.

    Parameters
    ----------
    job : Work
        Checked by `check_outputs`.
    """

    def __init__(self, job: Work) -> None:
        self.paths = job.outputs | {"record": record_path(job.output)}

    def __enter__(self) -> Outputs:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for path in self.paths.values():
            with suppress(OSError):
                _stage(path).unlink(missing_ok=True)

    def stage(self, role: str) -> Path:
        """Return the partial name of a file."""
        return _stage(self.paths[role])

    def probe(self, role: str, picture: Picture) -> None:
        """Find out before the work begins whether a picture like this one can be written."""
        if role in self.paths:
            self.write(role, replace(picture, pixels=picture.pixels[:1, :1]))
            _stage(self.paths[role]).unlink()

    def write(self, role: str, picture: Picture) -> None:
        """Write a picture under its partial name."""
        path = self.paths[role]
        try:
            write(picture, _stage(path), overwrite=True)
        except OutputError as error:
            raise OutputError(str(error).replace(str(_stage(path)), str(path))) from error

    def commit(self, record: Record) -> None:
        """Write the record, and give all files their names, the fused picture last."""
        write_record(record, _stage(self.paths["record"]))
        order = sorted(self.paths.items(), key=lambda item: item[0] == "output")
        with ExitStack() as undo:
            for _, path in order:
                new = not os.path.lexists(path)
                try:
                    os.replace(_stage(path), path)
                except OSError as error:
                    raise OutputError(
                        f"{path}: cannot be written ({error.strerror or error})"
                    ) from error
                if new:
                    undo.callback(path.unlink, missing_ok=True)
            undo.pop_all()
        for folder in {path.parent for path in self.paths.values()}:
            sync(folder)
