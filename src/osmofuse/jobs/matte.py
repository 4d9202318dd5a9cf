"""Matting of a picture file; the map is written with a record."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from osmofuse.checks import number
from osmofuse.errors import InputError, MismatchError
from osmofuse.io import format_of
from osmofuse.io.formats import JPEG
from osmofuse.jobs.files import (
    InputFile,
    Outputs,
    check_job_report,
    check_outputs,
    given,
    named_as,
    read_pictures,
    size_of,
)
from osmofuse.jobs.job import FileJob, Result, provenance_of
from osmofuse.jobs.need import Need, check_limit, need_beyond_start, with_page
from osmofuse.maps.alpha import FARTHEST_EDGE
from osmofuse.maps.foreground_colours import foreground_colours
from osmofuse.maps.map_file import AlphaFile, alpha_of_picture, trimap_of_picture
from osmofuse.maps.matting import DEFAULT, MATTE_SIZE, Matte, check_settings, matte, matte_cost_of
from osmofuse.maps.trimap import trimap_of_mask
from osmofuse.picture import Picture
from osmofuse.pixels import quantise
from osmofuse.progress import Status, Watch
from osmofuse.record import Input, Record, sha256_of_pixels
from osmofuse.report import write_matte
from osmofuse.report.overlays import overlay
from osmofuse.typing import FloatArray

_MASK_SHARE = 0.9  # least share of black and white pixels in a mask; any of 0.8..0.95 works
# Titles of pictures in the report.
_MATTE_SHOWN = ("Picture", "Trimap", "Alpha map", "Overlay", "Cut out")
_TYPICAL_UNKNOWN = 0.2  # unknown share of a trimap, assumed until it is read
# Bytes per pixel, and seconds per million pixels, to upsample a map and to write it.
_UPSAMPLING_BYTES, _WRITING_SECONDS = 60, 1.5
_CUT_OUT_BYTES = 40  # per sample, to estimate foreground colours


@dataclass(frozen=True, eq=False, kw_only=True)
class MatteResult(Result):
    """Result of a `MatteJob`.

    Attributes
    ----------
    matte : Matte
        Map and status.
    unknown : float
        Share of pixels that the trimap leaves unknown.
    """

    matte: Matte
    unknown: float


@dataclass(frozen=True)
class MatteJob(FileJob[MatteResult]):
    """Estimate the alpha map of a picture file from a trimap file.

    Parameters
    ----------
    image, trimap : path
        Picture, and its trimap, scribbles or mask.
    output : path
        Map to write, in 16 bits, or 8 in JPEG; WebP cannot store grey.
    method : str
        See `osmofuse.matte`.
    edge : float, 0 to 10000, optional
        Treat the trimap as a mask, and estimate alpha within this distance of its edge, in pixels.
    foreground_output, preview : path, optional
        Further outputs: the foreground colours with the map as transparency, and the picture with
        the map as an overlay.
    max_pixels : int
        See `osmofuse.matte`.
    overwrite, max_memory, report, page
        See `FileJob`.
    """

    image: Path
    trimap: Path
    output: Path
    method: str = DEFAULT
    edge: float | None = None
    foreground_output: Path | None = None
    preview: Path | None = None
    max_pixels: int = MATTE_SIZE

    kind: ClassVar[str] = "matte"
    settings_recorded: ClassVar[tuple[str, ...]] = ("method", "edge", "max_pixels")

    def __post_init__(self) -> None:
        self._put_path("image", "trimap", "output", "foreground_output", "preview")
        super().__post_init__()
        check_settings(self.method, self.max_pixels)
        if self.edge is not None:
            number("edge", self.edge, most=FARTHEST_EDGE)

    @property
    def pictures(self) -> dict[str, Path]:
        """Pictures to be read, by role."""
        return {"image": self.image, "trimap": self.trimap}

    @property
    def depth(self) -> np.dtype[np.generic]:
        """Depth of the map's file."""
        return np.dtype(np.uint8 if format_of(self.output) is JPEG else np.uint16)

    @property
    def outputs(self) -> dict[str, Path]:
        """Pictures to be written, by role."""
        return given(
            {"foreground": self.foreground_output, "preview": self.preview, "output": self.output}
        )

    @property
    def work(self) -> str:
        """Description of the work, for messages."""
        return f"{self.image}: finding its map"

    def check_outputs(self, files: Mapping[str, InputFile] | None) -> None:
        """Check that the outputs can and may be written."""
        if files is None:
            check_outputs(self)
            check_job_report(self, self.report, _MATTE_SHOWN)

    def need_of(self, files: Mapping[str, InputFile]) -> Need:
        """Check that the files fit together, and return the memory and time needed."""
        image, trimap = files["image"].picture, files["trimap"].picture
        if (trimap.rows, trimap.cols) != (image.rows, image.cols):
            raise MismatchError(
                f"{self.trimap}: {size_of(trimap)}, but the image {self.image} has "
                f"{size_of(image)}; draw the trimap on the picture itself, or crop both alike"
            )
        return self._need(files, _TYPICAL_UNKNOWN)

    def _need(self, files: Mapping[str, InputFile], unknown: float) -> Need:
        """Return the need of a matte with this share of unknown pixels."""
        image, cost = files["image"].picture, matte_cost_of(self.method)
        pixels = image.rows * image.cols
        seen = min(pixels, self.max_pixels)
        held = sum(file.picture.decoded_bytes for file in files.values())
        held += _UPSAMPLING_BYTES * pixels
        if self.foreground_output is not None:
            held += _CUT_OUT_BYTES * pixels * image.bands
        solving = (cost.bytes + cost.more_bytes * unknown) * seen
        seconds = (cost.seconds + cost.more_seconds * unknown) * seen + _WRITING_SECONDS * pixels
        work, drawn = with_page(solving, pixels, pixels * image.bands, self.report)
        return need_beyond_start(held + work, seconds / 1e6 + drawn)

    def do(self, files: Mapping[str, InputFile], watch: Watch | None) -> MatteResult:
        """Estimate the map; write all files, or none."""
        picture, stored = read_pictures(files).values()
        image, known = self.inputs_of(files, self.output.parent)
        trimap = self._trimap(picture, stored)
        unknown = float(np.mean((trimap.alpha > 0.0) & (trimap.alpha < 1.0)))
        # The share of unknown pixels is not in the headers, so check the limit again.
        check_limit(self._need(files, unknown), self.max_memory, self.work)
        with Outputs(self, self.report) as outputs:
            outputs.probe("output", Picture(np.zeros((1, 1), self.depth)))
            if self.foreground_output is not None:
                first = picture.colour[:1, :1].astype(np.float64)
                outputs.probe("foreground", _cut_out(picture, first, trimap.alpha[:1, :1]))
            with named_as(self.pictures):
                found = matte(
                    picture,
                    trimap.alpha,
                    method=self.method,
                    max_pixels=self.max_pixels,
                    watch=watch,
                )
            if found.status is Status.cancelled:
                return MatteResult(status=found.status, matte=found, unknown=unknown)
            pictures = self._pictures(picture, found.alpha)
            for role, made in pictures.items():
                outputs.write(role, made)
            inputs = image, replace(known, notes=(*known.notes, *trimap.notes))
            notes = (*self.notes_of(inputs), *found.notes)
            record = self._record(inputs, found, pictures["output"], unknown)
            written = outputs.files
            if self.report is not None:
                title = f"The map of {self.image.name}"
                written["report"] = write_matte(
                    self.report,
                    image=picture,
                    trimap=trimap.alpha,
                    alpha=found.alpha,
                    facts=_facts(found.alpha, unknown, notes),
                    provenance=provenance_of(self, record, written, title),
                    overwrite=self.overwrite,
                    staging=outputs.staging,
                )
            outputs.commit(record)
        return MatteResult(
            status=found.status, files=written, notes=notes, record=record,
            matte=found, unknown=unknown,
        )  # fmt: skip

    def _trimap(self, picture: Picture, stored: Picture) -> AlphaFile:
        try:
            found = _known(stored, str(self.trimap), self.edge)
        except InputError as error:
            if _is_known(picture) and not _is_known(stored):
                raise self._swapped() from error
            raise
        if found.scribbled and _is_known(picture):
            raise self._swapped()
        return found

    def _swapped(self) -> InputError:
        right = shlex.join(["osmofuse", "matte", str(self.trimap), str(self.image)])
        return InputError(
            f"{self.image} looks like a trimap or a mask, and {self.trimap} does not: are the two "
            f"swapped? The picture comes first: {right} ..."
        )

    def _pictures(self, picture: Picture, alpha: FloatArray) -> dict[str, Picture]:
        made = {}
        if self.foreground_output is not None:
            made["foreground"] = _cut_out(picture, foreground_colours(picture, alpha), alpha)
        if self.preview is not None:
            made["preview"] = Picture(overlay(picture, alpha))
        return made | {"output": Picture(quantise(alpha, self.depth)[0])}

    def _record(
        self, inputs: tuple[Input, ...], found: Matte, output: Picture, unknown: float
    ) -> Record:
        result = {
            "status": str(found.status),
            "unknown": unknown,
            "mean": float(found.alpha.mean()),
            "reduced": found.factor,
            "seconds": found.seconds,
        }
        return self._record_of(
            inputs, result, output={"sha256_of_pixels": sha256_of_pixels(output.pixels)}
        )


def _known(stored: Picture, name: str, edge: float | None) -> AlphaFile:
    """Return the trimap of a file, or that of a mask with an unknown edge."""
    if edge is None:
        return trimap_of_picture(stored, name=name)
    mask = alpha_of_picture(stored, name=name)
    trimap = trimap_of_mask(mask.alpha, edge)
    for value, colour in ((0.0, "black"), (1.0, "white")):
        if (mask.alpha == value).any() and not (trimap == value).any():
            raise InputError(
                f"{name}: an edge of {edge:g} pixels covers all of its {colour}; take a smaller "
                "--edge"
            )
    return AlphaFile(trimap, mask.notes)


def _is_known(picture: Picture) -> bool:
    """Return True for a picture that is itself a trimap or a mask in black and white."""
    if np.ptp(picture.colour.reshape(*picture.shape, -1), axis=2).any():
        return False
    with suppress(InputError):
        return not trimap_of_picture(picture, name="").scribbled
    with suppress(InputError):
        alpha = alpha_of_picture(picture, name="").alpha
        return bool(np.isin(alpha, (0.0, 1.0)).mean() > _MASK_SHARE)
    return False


def _facts(alpha: FloatArray, unknown: float, notes: tuple[str, ...]) -> dict[str, str]:
    """Return the figures of a map for the report."""
    soft = float(np.mean((alpha > 0.0) & (alpha < 1.0)))
    facts = {
        "To be found": f"{unknown:.1%} of the picture",
        "Kept": f"{float(np.mean(alpha == 1.0)):.1%} wholly, {soft:.1%} in part",
        "Mean": f"{float(alpha.mean()):.4f}",
    }
    return facts | ({"Noticed": "; ".join(notes)} if notes else {})


def _cut_out(picture: Picture, colours: FloatArray, alpha: FloatArray) -> Picture:
    """Return colours in the depth of the picture, with the map as transparency."""
    bands = [colours.reshape(*alpha.shape, -1), alpha[..., None]]
    pixels = quantise(np.concatenate(bands, axis=2), picture.depth)[0]
    return Picture(pixels, picture.profile, picture.metadata, transparency=True)
