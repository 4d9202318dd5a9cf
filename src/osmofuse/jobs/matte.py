"""From a picture and a trimap in files to a map in a file."""

from __future__ import annotations

import shlex
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter

import numpy as np

from osmofuse.checks import number, whole
from osmofuse.errors import InputError, MismatchError
from osmofuse.io import Description, format_of
from osmofuse.io.formats import JPEG
from osmofuse.jobs.job import MOST_BYTES
from osmofuse.jobs.need import PROGRAM, START, Need, check_limit, peak_bytes, size_of
from osmofuse.jobs.opening import input_of
from osmofuse.jobs.outputs import Outputs, check_outputs, check_page
from osmofuse.jobs.preparation_report import MATTED, report_matte
from osmofuse.jobs.reading import describe_files, pages_of, read_files
from osmofuse.optimise import Status
from osmofuse.picture import Picture, quantise
from osmofuse.preparation.alpha_file import AlphaFile, alpha_of_picture
from osmofuse.preparation.foreground_colours import foreground_colours
from osmofuse.preparation.matting import DEFAULT, LARGEST, Matte, check_settings, find_matte
from osmofuse.preparation.morphology import FARTHEST
from osmofuse.preparation.trimap import trimap_of_mask
from osmofuse.preparation.trimap_file import trimap_of_picture
from osmofuse.record import Record, sha256_of_pixels
from osmofuse.report.overlay import overlay
from osmofuse.typing import FloatArray

MOSTLY = 0.9  # of a mask's pixels are black or white


@dataclass(frozen=True)
class _Cost:
    """Bytes a pixel and seconds a million pixels to find a map, and more for each open pixel."""

    bytes: float
    seconds: float
    more_bytes: float = 0.0
    more_seconds: float = 0.0


# Measured on a portrait, rounded up.
_COSTS = {
    "combined": _Cost(450, 22.0, 2200, 32.0),
    "knn": _Cost(590, 15.0, 190, 28.0),
    "closed-form": _Cost(460, 10.0),
    "lbdm": _Cost(2600, 20.0),
    "lkm": _Cost(460, 17.0),
    "random-walk": _Cost(600, 11.0),
}
_USUALLY_OPEN = 0.2  # the part that a trimap leaves open, until it is read
# Bytes a pixel, and seconds a million pixels, to carry a map to the full size and to write it.
_CARRYING, _WRITING = 60, 1.5
_CUTTING_OUT = 40  # bytes a sample to find the colours of what is kept


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
    band : float, 0 to 10000, optional
        The trimap is a mask; find its edge anew within so many pixels.
    foreground_output, preview : path, optional
        Where to write the colours of what the map keeps, with the map as their transparency; and
        the picture with the map laid over it.
    max_pixels : int
        See `osmofuse.matte`.
    overwrite : bool
        Replace outputs that exist. Never an input.
    max_memory : int, optional
        Refuse to start if more bytes are needed.
    page : tuple of int
        Which page of the files is read, from 1: one for both, or one for each. Empty: the first.
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
    max_memory: int | None = None
    page: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        pages_of(self.inputs, self.page)
        check_settings(self.method, self.max_pixels)
        if self.band is not None:
            number("band", self.band, most=FARTHEST)
        if self.max_memory is not None:
            whole("max_memory", self.max_memory, least=1, most=MOST_BYTES)

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
    job : MatteJob
        What was asked for.
    alpha : array, (rows, cols)
        The map.
    unknown : float
        The part of the picture in which it had to be found.
    notes : tuple of str
        What a person should know: what was noticed in the files, or done to them.
    record : Record
        What was written beside the map.
    files : dict of str to Path
        What was written, by role.
    picture : Picture
        What was matted.
    trimap : array, (rows, cols)
        What was known: 0, 0.5 and 1.
    """

    job: MatteJob
    alpha: FloatArray = field(repr=False)
    unknown: float
    notes: tuple[str, ...]
    record: Record
    files: dict[str, Path]
    picture: Picture = field(repr=False)
    trimap: FloatArray = field(repr=False)

    @property
    def converged(self) -> bool:
        """Whether the method did."""
        return bool(self.record.result["status"] == Status.converged)


def run_matte(job: MatteJob, *, report: Path | None = None) -> MatteResult:
    """Find a map, and write it, and a record beside it.

    Parameters
    ----------
    job : MatteJob
        What to do.
    report : path, optional
        Folder of a report, which is written together with the outputs.

    Raises
    ------
    UnreadableError, InputError, MismatchError
        A file cannot be read or used, or the files do not fit together.
    OutputError
        An output exists, or cannot be written, or the report. Then none of them is.
    SettingError, MissingExtraError
        See `osmofuse.matte`.
    LimitError
        It would need more memory than it may have.
    """
    check_matte(job, report=report)
    files = describe_files(job.inputs, job.page)
    picture, stored = read_files(files).values()
    trimap = _trimap(job, picture, stored)
    unknown = float(np.mean((trimap.alpha > 0.0) & (trimap.alpha < 1.0)))
    _checked_need(job, files, unknown)  # headers did not tell how much that is
    with Outputs(job, report) as outputs:
        outputs.probe("output", Picture(np.zeros((1, 1), job.depth)))
        if job.foreground_output is not None:
            first = picture.colour[:1, :1].astype(np.float64)
            outputs.probe("foreground", _cut_out(picture, first, trimap.alpha[:1, :1]))
        began = perf_counter()
        found = find_matte(picture, trimap.alpha, method=job.method, max_pixels=job.max_pixels)
        seconds = perf_counter() - began
        pictures = _pictures(job, picture, found.alpha)
        for role, made in pictures.items():
            outputs.write(role, made)
        record = _record(job, files, trimap, found, pictures["output"], unknown, seconds)
        read = [f"{job.inputs[one.role]}: {note}" for one in record.inputs for note in one.notes]
        notes = (*read, *found.notes)
        result = MatteResult(
            job, found.alpha, unknown, notes, record, outputs.files, picture, trimap.alpha
        )
        if report is not None:
            result.files["report"] = report_matte(
                result, report, overwrite=job.overwrite, staging=outputs.staging
            )
        outputs.commit(record)
    return result


def check_matte(job: MatteJob, *, report: Path | None = None) -> Need:
    """Return what a matte will need, once it is known that it can be done.

    Parameters
    ----------
    job : MatteJob
        What to do.
    report : path, optional
        Folder of a report that is to be written, too.

    Raises
    ------
    OutputError
        An output cannot be written, or must not.
    UnreadableError, MismatchError
        A file is missing or no picture, or the two are not of one size.
    LimitError
        It needs more memory than it may have.
    """
    check_outputs(job)
    check_page(job, report, MATTED)
    files = describe_files(job.inputs, job.page)
    image, trimap = files["image"], files["trimap"]
    if (trimap.rows, trimap.cols) != (image.rows, image.cols):
        raise MismatchError(
            f"{job.trimap}: {size_of(trimap)}, but the image {job.image} has {size_of(image)}; "
            "draw the trimap on the picture itself, or crop both alike"
        )
    return _checked_need(job, files, _USUALLY_OPEN)


def _checked_need(job: MatteJob, files: dict[str, Description], unknown: float) -> Need:
    """Return what a matte needs that has to be found in a part of the picture."""
    pixels, cost = files["image"].rows * files["image"].cols, _COSTS[job.method]
    seen = min(pixels, job.max_pixels)
    held = sum(file.decoded_bytes for file in files.values()) + _CARRYING * pixels
    if job.foreground_output is not None:
        held += _CUTTING_OUT * pixels * files["image"].bands
    solving = (cost.bytes + cost.more_bytes * unknown) * seen
    seconds = (cost.seconds + cost.more_seconds * unknown) * seen + _WRITING * pixels
    needed = Need(bytes=round(PROGRAM + held + solving), seconds=START + seconds / 1e6)
    check_limit(needed, job.max_memory, f"{job.image}: finding its map")
    return needed


def _trimap(job: MatteJob, picture: Picture, stored: Picture) -> AlphaFile:
    try:
        found = _known(stored, str(job.trimap), job.band)
    except InputError as error:
        if _is_known(picture) and not _is_known(stored):
            raise _swapped(job) from error
        raise
    if found.scribbled and _is_known(picture):
        raise _swapped(job)
    return found


def _known(stored: Picture, name: str, band: float | None) -> AlphaFile:
    """Return what a trimap says, or a mask whose edge is to be found within a band."""
    if band is None:
        return trimap_of_picture(stored, name=name)
    mask = alpha_of_picture(stored, name=name)
    trimap = trimap_of_mask(mask.alpha, band)
    for value, colour in ((0.0, "black"), (1.0, "white")):
        if (mask.alpha == value).any() and not (trimap == value).any():
            raise InputError(
                f"{name}: a band of {band:g} pixels covers all of its {colour}; take a smaller "
                "--band"
            )
    return AlphaFile(trimap, mask.notes)


def _is_known(picture: Picture) -> bool:
    """Tell whether a picture is itself a trimap, or a mask, in black and white."""
    if np.ptp(picture.colour.reshape(*picture.shape, -1), axis=2).any():
        return False
    with suppress(InputError):
        return not trimap_of_picture(picture, name="").scribbled
    with suppress(InputError):
        alpha = alpha_of_picture(picture, name="").alpha
        return bool(np.isin(alpha, (0.0, 1.0)).mean() > MOSTLY)
    return False


def _swapped(job: MatteJob) -> InputError:
    right = shlex.join(["osmofuse", "matte", str(job.trimap), str(job.image)])
    return InputError(
        f"{job.image} looks like a trimap or a mask, and {job.trimap} does not: are the two "
        f"swapped? The picture comes first: {right} ..."
    )


def _record(
    job: MatteJob,
    files: dict[str, Description],
    trimap: AlphaFile,
    found: Matte,
    output: Picture,
    unknown: float,
    seconds: float,
) -> Record:
    inputs = [input_of(role, file, job.output.parent, job.page) for role, file in files.items()]
    inputs[1] = replace(inputs[1], notes=(*inputs[1].notes, *trimap.notes))
    settings = {name: getattr(job, name) for name in ("method", "band", "max_pixels")}
    return Record(
        inputs=tuple(inputs),
        alpha={},
        method={"name": "matte", "settings": settings},
        result={
            "status": str(Status.converged if found.converged else Status.max_iter),
            "unknown": unknown,
            "mean": float(found.alpha.mean()),
            "reduced": found.factor,
            "seconds": seconds,
            "peak_bytes": peak_bytes(),
        },
        output={"sha256_of_pixels": sha256_of_pixels(output.pixels)},
    )


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
