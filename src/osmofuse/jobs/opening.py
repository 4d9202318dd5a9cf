"""Files of a job, read and made ready to be fused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from osmofuse.errors import OsmofuseError
from osmofuse.jobs.files import InputFile, read_pictures
from osmofuse.jobs.sources import SourcesJob
from osmofuse.jobs.transforms import laid_entry
from osmofuse.picture import Picture
from osmofuse.record import Input
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
    notes : tuple of str
        What a person should know: what was noticed in the files, or done to them.
    alpha : dict of str to object
        What the record says of the map, or of the maps.
    alpha_depth : dtype
        In which the map was stored; 16 bits if it was no file or has been changed.
    truth : Picture or None
        The right answer, where there is one.
    """

    ready: Prepared
    inputs: tuple[Input, ...]
    notes: tuple[str, ...]
    alpha: dict[str, Any]
    alpha_depth: np.dtype[np.generic]
    truth: Picture | None = None

    @property
    def transform(self) -> dict[str, Any] | None:
        """How the first background was laid over the foreground, for the record."""
        first = self.ready.transforms[0]
        return None if first is None else laid_entry(first)


def open_files(job: SourcesJob[Any], files: Mapping[str, InputFile], folder: Path) -> Opened:
    """Read the files of a job and make them ready.

    Parameters
    ----------
    job : SourcesJob
        Which files, and how.
    files : mapping of str to InputFile
        As the job looked at them.
    folder : Path
        Of the record.

    Raises
    ------
    UnreadableError, InputError, MismatchError
        A file cannot be read or used, or the files do not fit together.
    """
    read = read_pictures(files)
    with _named_as(job.names):
        ready = prepare(
            read["foreground"],
            [read[role] for role in job.background_roles],
            _alpha(job, read),
            align=job.align,
            levels=job.levels,
            working_space=job.working_space,
            soften=job.soften,
            invert=job.invert,
        )
    inputs = tuple(_told(one, job, ready) for one in job.inputs_of(files, folder))
    notes = job.notes_of(inputs)
    if ready.made is not None:
        notes = (*notes, ready.made.words)
    depth = _alpha_depth(job, read, ready)
    return Opened(ready, inputs, notes, _alpha_entry(job, ready), depth, read.get("truth"))


def _alpha(job: SourcesJob[Any], read: Mapping[str, Picture]) -> Any:
    """Return the map, or one for each picture, as `prepare` takes it."""
    if not isinstance(job.alpha, tuple):
        return read.get("alpha", job.alpha)
    return [read.get(role, one) for role, one in zip(job.alpha_roles, job.alpha, strict=True)]


def _alpha_depth(
    job: SourcesJob[Any], read: Mapping[str, Picture], ready: Prepared
) -> np.dtype[np.generic]:
    valid = ready.sources.valid
    changed = job.soften or (valid is not None and not valid.all())
    if "alpha" not in read or changed:
        return np.dtype(np.uint16)
    return read["alpha"].depth


def _alpha_entry(job: SourcesJob[Any], ready: Prepared) -> dict[str, Any]:
    made, blur = ready.made, float(job.soften)
    if made is not None:
        told = {"kinship": made.kinship, "reduced": made.factor, "made": made.words}
        return {"value": "auto", "soften": blur, **told}
    values = [None if isinstance(one, Path) else float(one) for one in job.maps]
    inverted = {"invert": True} if job.invert else {}
    return {"value": values if len(values) > 1 else values[0], "soften": blur, **inverted}


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


def _told(entry: Input, job: SourcesJob[Any], ready: Prepared) -> Input:
    """Return an input with what was done to it."""
    levels = job.levels if entry.role in job.background_roles else None
    notes = (*entry.notes, *ready.noted.get(entry.role, ()))
    return replace(entry, levels=levels, notes=notes)
