"""From the files of a job to sources: read, brought to one colour space and range, and checked."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import numpy as np

from osmofuse.io import describe, in_profile_of, read
from osmofuse.jobs.job import Job
from osmofuse.methods import Sources
from osmofuse.picture import Picture, samples
from osmofuse.preparation import as_alpha, soften
from osmofuse.preparation.levels import apply_levels, range_used
from osmofuse.preparation.working_space import to_working
from osmofuse.record import Input, sha256_of_file
from osmofuse.typing import Array, FloatArray

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
    """

    foreground: Picture
    sources: Sources
    inputs: tuple[Input, ...]
    alpha_depth: np.dtype[np.generic]


def prepare(job: Job) -> Prepared:
    """Read the files of a job and make them ready.

    Raises
    ------
    UnreadableError, InputError, MismatchError
        A file cannot be read or used, or the files do not fit together.
    """
    inputs = {
        role: input_of(role, path, job.output.parent, job.levels if role == "background" else None)
        for role, path in job.inputs.items()
    }
    foreground, stored = read(job.foreground), read(job.background)
    valid = stored.valid
    background, words = _background(job, stored, foreground)
    inputs["background"] = _noted(inputs["background"], words)
    alpha, depth = _alpha(job)
    pictures = [
        _in_space(job, picture, name)
        for name, picture in (("foreground", foreground.filled()), ("background", background))
    ]
    sources = Sources(cast(Array, pictures[0]), cast(Array, pictures[1]), alpha, valid)
    return Prepared(foreground, sources, tuple(inputs.values()), depth)


def input_of(role: str, path: Path, folder: Path, levels: str | None = None) -> Input:
    """Return a picture file as a record in a folder names it."""
    file = describe(path)
    entry = replace(file_input(role, path, folder), levels=levels)
    if file.format_of_name is None:
        return entry
    return _noted(entry, [f"its name says {file.format_of_name}, its content is {file.format}"])


def file_input(role: str, path: Path, folder: Path) -> Input:
    """Return a file of any kind as a record in a folder names it."""
    return Input(role, _relative(path, folder), sha256_of_file(path))


def _noted(entry: Input, words: list[str]) -> Input:
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
        empty = f"{np.count_nonzero(~valid)} pixels hold no data; the foreground is kept there"
    used = range_used(picture, valid=valid)
    if used < LEAST_RANGE:
        faint = (
            f"uses {used:.0%} of the range of {picture.depth}, so its structure will hardly show; "
            "levels 'percentiles' or 'match' would stretch it"
        )
    return picture, [words for words in (converted, adjusted, empty, faint) if words]


def _in_space(job: Job, picture: Picture, name: str) -> Picture | FloatArray:
    """Return a picture in the working space: itself, if samples are fused as they are."""
    if job.working_space == "encoded":
        return picture
    return to_working(samples(picture, name), job.working_space, picture.profile)


def _alpha(job: Job) -> tuple[FloatArray, np.dtype[np.generic]]:
    if not isinstance(job.alpha, Path):
        return as_alpha(job.alpha), np.dtype(np.uint16)
    picture = read(job.alpha)
    alpha = as_alpha(_one_band(picture), name=str(job.alpha))
    if job.soften:
        return soften(alpha, job.soften), np.dtype(np.uint16)
    return alpha, picture.depth


def _one_band(picture: Picture) -> Picture | Array:
    """Return one band of a map that painting programs have stored as grey colours."""
    if picture.transparency and np.all(picture.pixels[..., -1] == _opaque(picture)):
        picture = replace(picture, pixels=picture.colour, transparency=False)
    pixels = picture.pixels
    if pixels.ndim == 3 and not picture.transparency and np.all(pixels == pixels[..., :1]):
        return np.asarray(pixels[..., 0])
    return picture


def _opaque(picture: Picture) -> int:
    return 1 if picture.depth.kind == "f" else int(np.iinfo(picture.depth.name).max)
