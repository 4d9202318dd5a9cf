"""From the files of a job to sources: read, brought to one colour space and range, and checked."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from osmofuse.io import read
from osmofuse.jobs.interim import (
    apply_levels,
    describe,
    in_profile_of,
    range_used,
    to_working,
)
from osmofuse.jobs.job import Job
from osmofuse.methods import Sources
from osmofuse.picture import Picture, samples
from osmofuse.preparation import as_alpha, soften
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
    inputs = {role: _input_of(job, role) for role in job.inputs}
    foreground = read(job.foreground)
    background, words = _background(job, foreground)
    inputs["background"] = _noted(inputs["background"], words)
    alpha, depth = _alpha(job)
    space = job.working_space
    planes: list[Array] = [foreground.colour, background]
    if space != "encoded":
        names = "foreground", "background"
        planes = [
            to_working(samples(plane, name), space)
            for plane, name in zip(planes, names, strict=True)
        ]
    sources = Sources(planes[0], planes[1], alpha)
    return Prepared(foreground, sources, tuple(inputs.values()), depth)


def _input_of(job: Job, role: str) -> Input:
    path = job.inputs[role]
    file = describe(path)
    entry = Input(
        role,
        _relative(path, job.output.parent),
        sha256_of_file(path),
        levels=job.levels if role == "background" else None,
    )
    if file.format_of_name in (file.format, None):
        return entry
    return _noted(entry, [f"its name says {file.format_of_name}, its content is {file.format}"])


def _noted(entry: Input, words: list[str]) -> Input:
    return replace(entry, notes=(*entry.notes, *words))


def _relative(path: Path, folder: Path) -> str:
    """Return a path relative to a folder, or absolute on another drive."""
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:
        return path.absolute().as_posix()


def _background(job: Job, foreground: Picture) -> tuple[Array, list[str]]:
    """Return the background's colours in the foreground's space, and what was done to them."""
    picture, converted = in_profile_of(read(job.background), foreground)
    array, adjusted = apply_levels(picture.colour, job.levels, reference=foreground.colour)
    used, faint = range_used(array), None
    if used < LEAST_RANGE:
        faint = (
            f"uses {used:.0%} of the range of {picture.depth}, so its structure will hardly show; "
            "levels 'percentiles' or 'match' would stretch it"
        )
    return array, [words for words in (converted, adjusted, faint) if words]


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
