"""From the files of a job to sources: read, brought to one colour space and range, and checked."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from osmofuse.io import Description, in_profile_of
from osmofuse.jobs.aligned import laid_over
from osmofuse.jobs.job import Job
from osmofuse.jobs.reading import describe_files, notes_on, read_files
from osmofuse.methods import Sources
from osmofuse.picture import Picture, samples
from osmofuse.preparation import as_alpha, soften
from osmofuse.preparation.alpha_file import LOSSY, alpha_of_picture
from osmofuse.preparation.auto_alpha import AutoAlpha, auto_alpha
from osmofuse.preparation.gaps import FADE, kept_around_gaps
from osmofuse.preparation.levels import apply_levels, range_used
from osmofuse.preparation.working_space import to_working
from osmofuse.record import Input, sha256_of_file
from osmofuse.typing import Array

LEAST_RANGE = 0.25  # a background that uses less of its depth's range hardly shows


@dataclass(frozen=True, eq=False)
class Prepared:
    """What a job fuses.

    Attributes
    ----------
    foreground : Picture
        As it was read: the output takes its depth, profile and metadata.
    sources : Sources
        In the working space.
    inputs : tuple of Input
        The files, for the record.
    alpha_depth : dtype
        In which the map was stored; 16 bits if it was no file or has been softened.
    made : AutoAlpha or None
        How the map was made from the pictures, if it was.
    transform : dict or None
        How the background was laid over the foreground, for the record, if it was.
    """

    foreground: Picture
    sources: Sources
    inputs: tuple[Input, ...]
    alpha_depth: np.dtype[np.generic]
    made: AutoAlpha | None = None
    transform: dict[str, Any] | None = None


def prepare(job: Job) -> Prepared:
    """Read the files of a job and make them ready.

    Raises
    ------
    UnreadableError, InputError, MismatchError
        A file cannot be read or used, or the files do not fit together.
    """
    files = describe_files(job.inputs, job.page)
    inputs = {
        role: _with_levels(input_of(role, file, job.output.parent, job.page), job)
        for role, file in files.items()
    }
    read = read_files(files)
    foreground, stored = read["foreground"], read["background"]
    transform = None
    if job.align is not None:
        names = str(job.background), str(job.foreground)
        stored, transform = laid_over(stored, foreground, job.align, names)
    valid = stored.valid
    background, words = _background(job, stored, foreground)
    inputs["background"] = _noted(inputs["background"], words)
    in_space = [
        _in_space(job, picture, name)
        for name, picture in (("foreground", foreground.filled()), ("background", background))
    ]
    made = auto_alpha(in_space[0], in_space[1], valid=valid) if job.alpha == "auto" else None
    if "alpha" in read:
        lossy = files["alpha"].format in LOSSY
        found = alpha_of_picture(read["alpha"], name=str(job.alpha), lossy=lossy)
        inputs["alpha"] = _noted(inputs["alpha"], found.notes)
        alpha, depth = found.alpha, read["alpha"].depth
    else:
        alpha = as_alpha(cast(float, job.alpha)) if made is None else made.alpha
        depth = np.dtype(np.uint16)
    if job.soften:
        alpha, depth = soften(alpha, job.soften), np.dtype(np.uint16)
    if valid is not None and not valid.all():
        alpha, depth = kept_around_gaps(alpha, valid), np.dtype(np.uint16)
    sources = Sources(cast(Array, in_space[0]), cast(Array, in_space[1]), alpha, valid)
    return Prepared(foreground, sources, tuple(inputs.values()), depth, made, transform)


def notes_of(job: Job, prepared: Prepared) -> tuple[str, ...]:
    """Return what a person should know: what was noticed in the files, or done to them."""
    notes = tuple(f"{job.inputs[one.role]}: {n}" for one in prepared.inputs for n in one.notes)
    return notes if prepared.made is None else (*notes, prepared.made.words)


def input_of(role: str, file: Description, folder: Path, page: Sequence[int]) -> Input:
    """Return a picture file as a record in a folder names it, read at pages that were asked for."""
    entry = replace(file_input(role, file.path, folder), page=file.page)
    return _noted(entry, notes_on(file, page))


def file_input(role: str, path: Path, folder: Path) -> Input:
    """Return a file of any kind as a record in a folder names it."""
    return Input(role, _relative(path, folder), sha256_of_file(path))


def _with_levels(entry: Input, job: Job) -> Input:
    return replace(entry, levels=job.levels) if entry.role == "background" else entry


def _noted(entry: Input, words: Iterable[str]) -> Input:
    return replace(entry, notes=(*entry.notes, *words))


def _relative(path: Path, folder: Path) -> str:
    """Return a path relative to a folder, or absolute on another drive."""
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:
        return path.absolute().as_posix()


def _background(job: Job, stored: Picture, foreground: Picture) -> tuple[Picture, list[str]]:
    """Return the background in the foreground's space and range, and what was done to it."""
    valid = stored.valid
    picture, converted = in_profile_of(stored, foreground)
    picture = picture.filled()
    array, adjusted = apply_levels(picture, job.levels, reference=foreground.filled(), valid=valid)
    if adjusted:
        picture = Picture(array, picture.profile)
    empty = faint = None
    if valid is not None:
        empty = (
            f"{np.count_nonzero(~valid)} pixels hold no data; the foreground is kept there, and "
            f"alpha rises to 1 over the {FADE} pixels around"
        )
    used = range_used(picture, valid=valid)
    if used < LEAST_RANGE:
        faint = (
            f"uses {used:.0%} of the range of {picture.depth}, so its structure will hardly show, "
            "or even pale what the foreground has; stretch it with --levels match, or percentiles"
        )
    return picture, [words for words in (converted, adjusted, empty, faint) if words]


def _in_space(job: Job, picture: Picture, name: str) -> Picture:
    """Return a picture in the working space: itself, if samples are fused as they are."""
    if job.working_space == "encoded":
        return picture
    return Picture(to_working(samples(picture, name), job.working_space, picture.profile))
