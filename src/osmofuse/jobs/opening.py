"""Files of a job, read and made ready to be fused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from osmofuse.jobs.files import InputFile, named_as, read_pictures
from osmofuse.jobs.sources import SourcesJob
from osmofuse.jobs.transforms import laid_entry
from osmofuse.maps.auto_alpha import AutoAlpha
from osmofuse.methods import Method
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
        Notes for a person: what was noticed in the files, or done to them.
    alpha : dict of str to object
        Entry of the map, or of the maps, in the record.
    alpha_depth : dtype
        Depth of the map's file; 16 bits if it was no file or has been changed.
    truth : Picture or None
        The right answer, where there is one.
    tried : tuple of Prepared
        The pictures with each map, where several are tried.
    """

    ready: Prepared
    inputs: tuple[Input, ...]
    notes: tuple[str, ...]
    alpha: dict[str, Any]
    alpha_depth: np.dtype[np.generic]
    truth: Picture | None = None
    tried: tuple[Prepared, ...] = ()

    @property
    def transform(self) -> dict[str, Any] | None:
        """Transform of the first background to the foreground, for the record."""
        first = self.ready.transforms[0]
        return None if first is None else laid_entry(first)

    def notes_for(self, job: SourcesJob[Any], methods: Mapping[str, Method]) -> tuple[str, ...]:
        """Return the notes, with what is noticed where these methods fuse."""
        found = list(self.notes)
        for one, path in zip(self.tried or (self.ready,), job.maps, strict=False):
            for note in one.notes_for(methods):
                found.append(f"{path}: {note.removeprefix('alpha: ')}")
        return tuple(found)


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
    read_files = job.inputs_of(files, folder)
    maps = [read.get(role, one) for role, one in zip(job.alpha_roles, job.maps, strict=True)]
    first = _first(job)
    with named_as(_names(job, first)):
        ready = prepare(
            read["foreground"],
            [read[role] for role in job.background_roles],
            maps if len(job.backgrounds) > 1 else maps[first],
            align=job.align,
            levels=job.levels,
            working_space=job.working_space,
            soften=job.soften,
            invert=job.invert,
        )
    tried = tuple(_with_maps(job, ready, maps, first)) if job.tries_maps else ()
    noted = ready.noted
    for role, one in zip(job.alpha_roles, tried, strict=False):
        noted = noted | {role: one.noted.get("alpha", ())}
    inputs = tuple(_told(one, job, noted) for one in read_files)
    made = next((one.made for one in (ready, *tried) if one.made is not None), None)
    notes = job.notes_of(inputs) if made is None else (*job.notes_of(inputs), made.words)
    depth = _alpha_depth(job, read, ready)
    return Opened(
        ready, inputs, notes, _alpha_entry(job, ready, made), depth, read.get("truth"), tried
    )


def _first(job: SourcesJob[Any]) -> int:
    """Return the map that pictures are made ready with: if one is blurred, one with edges."""
    edged = [k for k, one in enumerate(job.maps) if isinstance(one, Path | str)]
    return [*edged, 0][0]


def _names(job: SourcesJob[Any], first: int) -> dict[str, Path]:
    """Return the files by arguments of `prepare`, "alpha" the map that is taken."""
    taken = job.maps[first]
    return job.names | ({"alpha": taken} if job.tries_maps and isinstance(taken, Path) else {})


def _with_maps(
    job: SourcesJob[Any], ready: Prepared, maps: Sequence[Any], first: int
) -> Iterator[Prepared]:
    """Yield the pictures with each map, made ready with the first already."""
    for k, (one, path) in enumerate(zip(maps, job.maps, strict=True)):
        with named_as({"alpha": path} if isinstance(path, Path) else {}):
            yield ready if k == first else ready.with_map(one)


def _alpha_depth(
    job: SourcesJob[Any], read: Mapping[str, Picture], ready: Prepared
) -> np.dtype[np.generic]:
    valid = ready.sources.valid
    changed = job.soften or (valid is not None and not valid.all())
    if "alpha" not in read or changed:
        return np.dtype(np.uint16)
    return read["alpha"].depth


def _alpha_entry(job: SourcesJob[Any], ready: Prepared, made: AutoAlpha | None) -> dict[str, Any]:
    values = [_value(one) for one in job.maps]
    blur = ready.preparation.soften_for(ready.sources.shape)
    entry: dict[str, Any] = {"value": values if isinstance(job.alpha, tuple) else values[0]}
    entry |= {"soften": blur} | ({"invert": True} if job.invert else {})
    if made is not None:
        entry |= {"agreement": made.agreement, "reduced": made.factor, "made": made.words}
    return entry


def _value(alpha: Any) -> float | str | None:
    """Return a map as a record has it: a number, "auto", or None for a file, which is an input."""
    if isinstance(alpha, Path):
        return None
    return alpha if isinstance(alpha, str) else float(alpha)


def _told(entry: Input, job: SourcesJob[Any], noted: Mapping[str, tuple[str, ...]]) -> Input:
    """Return an input with what was done to it."""
    levels = job.levels if entry.role in job.background_roles else None
    notes = (*entry.notes, *noted.get(entry.role, ()))
    return replace(entry, levels=levels, notes=notes)
