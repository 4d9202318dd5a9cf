"""The files that a job writes: they appear together, or not at all, the fused picture last.

So where it exists its record and the others do.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from osmofuse.errors import OutputError, UnreadableError
from osmofuse.io import Staging, check_target, encode, format_of
from osmofuse.picture import Picture
from osmofuse.record import Record, read_record, record_path, stage_record


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
        One would, or its folder or its format is none that can be written to.
    """
    taken: dict[Path, str] = {}
    paths = _paths(job)
    for role, path in paths.items():
        where = path.absolute()
        if where in taken:
            raise OutputError(f"{path}: is to be both {taken[where]} and {role}; choose two names")
        taken[where] = role
    for role, path in sorted(paths.items(), key=lambda item: item[0] != "output"):
        if role != "record":
            format_of(path)
        overwrite = job.overwrite or _is_orphan(path, job)
        check_target(path, overwrite=overwrite, inputs=job.inputs.values())


def _paths(job: Work) -> dict[str, Path]:
    """Return the files to be written by role, in the order in which they get their names."""
    others = {role: path for role, path in job.outputs.items() if role != "output"}
    return others | {"record": record_path(job.output), "output": job.output}


def _is_orphan(path: Path, job: Work) -> bool:
    """Tell whether a file is the record of an output that is not there."""
    if path != record_path(job.output) or os.path.lexists(job.output):
        return False
    try:
        read_record(path)
    except UnreadableError:
        return False
    return True


class Outputs(ExitStack):
    """The files of a job while they are being written; what is not committed is removed.

    Parameters
    ----------
    job : Work
        Checked by `check_outputs`.
    """

    def __init__(self, job: Work) -> None:
        super().__init__()
        self.paths = _paths(job)
        self._staging = self.enter_context(Staging(self.paths.values()))

    def stage(self, role: str) -> Path:
        """Return the partial name of a file."""
        return self._staging.partial(self.paths[role])

    def probe(self, role: str, picture: Picture) -> None:
        """Find out before the work begins whether a picture like this one can be written."""
        if role in self.paths:
            self.write(role, replace(picture, pixels=picture.pixels[:1, :1]))
            self._staging.partial(self.paths[role]).unlink()

    def write(self, role: str, picture: Picture) -> None:
        """Write a picture under its partial name."""
        encode(picture, self.paths[role])

    def commit(self, record: Record) -> None:
        """Write the record, and give all files their names, the output last."""
        stage_record(record, self.paths["record"])
        self._staging.commit()
