"""Files of a job, read and made ready to be fused."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from osmofuse.errors import OsmofuseError
from osmofuse.io import Description
from osmofuse.jobs.job import Job
from osmofuse.jobs.reading import describe_files, notes_on, read_files
from osmofuse.jobs.transforms import laid_entry
from osmofuse.picture import Picture
from osmofuse.record import Input, sha256_of_file
from osmofuse.tasks.prepare import Prepared, prepare


@dataclass(frozen=True, eq=False)
class Opened:
    """Files of a job, ready to be fused.

    Attributes
    ----------
    ready : Prepared
        The pictures.
    inputs : tuple of Input
        The files, for the record.
    alpha_depth : dtype
        In which the map was stored; 16 bits if it was no file or has been changed.
    """

    ready: Prepared
    inputs: tuple[Input, ...]
    alpha_depth: np.dtype[np.generic]

    @property
    def transform(self) -> dict[str, Any] | None:
        """How the first background was laid over the foreground, for the record."""
        first = self.ready.transforms[0]
        return None if first is None else laid_entry(first)

    def notes(self, job: Job) -> tuple[str, ...]:
        """Return what a person should know: what was noticed in the files, or done to them."""
        notes = [f"{job.inputs[one.role]}: {note}" for one in self.inputs for note in one.notes]
        return tuple(notes) if self.ready.made is None else (*notes, self.ready.made.words)


def open_files(job: Job) -> Opened:
    """Read the files of a job and make them ready.

    Raises
    ------
    UnreadableError, InputError, MismatchError
        A file cannot be read or used, or the files do not fit together.
    """
    files = describe_files(job.inputs, job.page)
    read = read_files(files)
    with _named_as(job.names):
        ready = prepare(
            read["foreground"],
            [read[role] for role in job.background_roles],
            _alpha(job, read),
            align=job.align,
            levels=job.levels,
            working_space=job.working_space,
            soften=job.soften,
        )
    inputs = []
    for role, file in files.items():
        entry = _with_levels(input_of(role, file, job.output.parent, job.page), job)
        inputs.append(_noted(entry, ready.noted.get(role, ())))
    return Opened(ready, tuple(inputs), _alpha_depth(job, read, ready))


def _alpha(job: Job, read: Mapping[str, Picture]) -> Any:
    """Return the map, or one for each picture, as `prepare` takes it."""
    if not isinstance(job.alpha, tuple):
        return read.get("alpha", job.alpha)
    return [read.get(role, one) for role, one in zip(job.alpha_roles, job.alpha, strict=True)]


def _alpha_depth(job: Job, read: Mapping[str, Picture], ready: Prepared) -> np.dtype[np.generic]:
    valid = ready.sources.valid
    changed = job.soften or (valid is not None and not valid.all())
    if "alpha" not in read or changed:
        return np.dtype(np.uint16)
    return read["alpha"].depth


@contextmanager
def _named_as(names: Mapping[str, Path]) -> Iterator[None]:
    """Let errors name files where they name the arguments that were read from them."""
    try:
        yield
    except OsmofuseError as error:
        argument, colon, words = str(error).partition(": ")
        if not colon or argument not in names:
            raise
        words = words.replace("align it to foreground", f"align it to {names['foreground']}")
        raise type(error)(f"{names[argument]}: {words}") from error


def input_of(role: str, file: Description, folder: Path, page: Sequence[int]) -> Input:
    """Return a picture file as a record in a folder names it, read at pages that were asked for."""
    entry = replace(file_input(role, file.path, folder), page=file.page)
    return _noted(entry, notes_on(file, page))


def file_input(role: str, path: Path, folder: Path) -> Input:
    """Return a file of any kind as a record in a folder names it."""
    return Input(role, _relative(path, folder), sha256_of_file(path))


def _with_levels(entry: Input, job: Job) -> Input:
    return replace(entry, levels=job.levels) if entry.role in job.background_roles else entry


def _noted(entry: Input, words: Iterable[str]) -> Input:
    return replace(entry, notes=(*entry.notes, *words))


def _relative(path: Path, folder: Path) -> str:
    """Return a path relative to a folder, or absolute on another drive."""
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:
        return path.absolute().as_posix()
