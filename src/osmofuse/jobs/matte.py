"""From a picture and a trimap in files to a map in a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from osmofuse.errors import MismatchError
from osmofuse.io import describe, format_of
from osmofuse.io.formats import JPEG
from osmofuse.jobs.outputs import Outputs, check_outputs
from osmofuse.jobs.reading import read_files
from osmofuse.picture import Picture, quantise
from osmofuse.preparation.alpha_file import LOSSY, AlphaFile, alpha_of_picture
from osmofuse.preparation.foreground_colours import foreground_colours
from osmofuse.preparation.matting import DEFAULT, LARGEST, find_matte
from osmofuse.preparation.trimap import trimap_of_mask
from osmofuse.preparation.trimap_file import trimap_of_picture
from osmofuse.report.overlay import overlay
from osmofuse.typing import FloatArray


@dataclass(frozen=True)
class MatteJob:
    """Files in, settings, files out.

    Parameters
    ----------
    image, trimap : path
        The picture, and what is known of the map.
    output : path
        The map to write: 16 bits, or 8 in JPEG; WebP holds no grey.
    method : str
        See `osmofuse.matte`.
    band : float, optional
        The trimap is a mask; find its edge anew within so many pixels.
    foreground_output, preview : path, optional
        Where to write the colours of what the map keeps, with the map as their transparency; and
        the picture with the map laid over it.
    max_pixels : int
        See `osmofuse.matte`.
    overwrite : bool
        Replace outputs that exist. Never an input.
    """

    image: Path
    trimap: Path
    output: Path
    method: str = DEFAULT
    band: float | None = None
    foreground_output: Path | None = None
    preview: Path | None = None
    max_pixels: int = LARGEST
    overwrite: bool = False

    @property
    def inputs(self) -> dict[str, Path]:
        """The files to be read, by role."""
        return {"image": self.image, "trimap": self.trimap}

    @property
    def depth(self) -> np.dtype[np.generic]:
        """In which the map is written."""
        return np.dtype(np.uint8 if format_of(self.output) is JPEG else np.uint16)

    @property
    def outputs(self) -> dict[str, Path]:
        """The files to be written, by role."""
        found = {
            "foreground": self.foreground_output,
            "preview": self.preview,
            "output": self.output,
        }
        return {role: path for role, path in found.items() if path is not None}


@dataclass(frozen=True, eq=False)
class MatteResult:
    """What came of it.

    Attributes
    ----------
    alpha : array, (rows, cols)
        The map.
    unknown : float
        The part of the picture in which it had to be found.
    notes : tuple of str
        What a person should know: what was noticed in the files, or done to them.
    files : dict of str to Path
        What was written, by role.
    """

    alpha: FloatArray = field(repr=False)
    unknown: float
    notes: tuple[str, ...]
    files: dict[str, Path]


def run_matte(job: MatteJob) -> MatteResult:
    """Find a map, and write it.

    Raises
    ------
    UnreadableError, InputError, MismatchError
        A file cannot be read or used, or the files do not fit together.
    OutputError
        An output exists, or cannot be written.
    SettingError, MissingExtraError
        See `osmofuse.matte`.
    """
    check_outputs(job, recorded=False)
    files = {role: describe(path) for role, path in job.inputs.items()}
    picture, stored = read_files(job.inputs, files).values()
    trimap = _trimap(job, stored, lossy=files["trimap"].format in LOSSY)
    if trimap.alpha.shape != picture.shape:
        sizes = [f"{cols} × {rows} pixels" for rows, cols in (trimap.alpha.shape, picture.shape)]
        raise MismatchError(
            f"{job.trimap}: {sizes[0]}, but the image {job.image} has {sizes[1]}; "
            "draw the trimap on the picture itself, or crop both alike"
        )
    with Outputs(job, recorded=False) as outputs:
        outputs.probe("output", Picture(np.zeros((1, 1), job.depth)))
        if job.foreground_output is not None:
            first = picture.colour[:1, :1].astype(np.float64)
            outputs.probe("foreground", _cut_out(picture, first, trimap.alpha[:1, :1]))
        found = find_matte(picture, trimap.alpha, method=job.method, max_pixels=job.max_pixels)
        for role, made in _pictures(job, picture, found.alpha).items():
            outputs.write(role, made)
        outputs.commit()
    notes = (*(f"{job.trimap}: {note}" for note in trimap.notes), *found.notes)
    unknown = float(np.mean((trimap.alpha > 0.0) & (trimap.alpha < 1.0)))
    return MatteResult(found.alpha, unknown, notes, job.outputs)


def _trimap(job: MatteJob, stored: Picture, *, lossy: bool) -> AlphaFile:
    name = str(job.trimap)
    if job.band is None:
        return trimap_of_picture(stored, name=name, lossy=lossy)
    mask = alpha_of_picture(stored, name=name, lossy=lossy)
    return AlphaFile(trimap_of_mask(mask.alpha, job.band), mask.notes)


def _pictures(job: MatteJob, picture: Picture, alpha: FloatArray) -> dict[str, Picture]:
    made = {}
    if job.foreground_output is not None:
        made["foreground"] = _cut_out(picture, foreground_colours(picture, alpha), alpha)
    if job.preview is not None:
        made["preview"] = Picture(overlay(picture, alpha))
    return made | {"output": Picture(quantise(alpha, job.depth)[0])}


def _cut_out(picture: Picture, colours: FloatArray, alpha: FloatArray) -> Picture:
    """Return colours in the depth of the picture, with the map as their transparency."""
    bands = [colours.reshape(*alpha.shape, -1), alpha[..., None]]
    pixels = quantise(np.concatenate(bands, axis=2), picture.depth)[0]
    return Picture(pixels, picture.profile, picture.metadata, transparency=True)
