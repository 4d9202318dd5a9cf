"""Copy of an object from one picture file into another, with a record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from osmofuse.jobs.files import InputFile, named_as
from osmofuse.jobs.need import Need, need_beyond_start
from osmofuse.jobs.picture import PictureJob
from osmofuse.picture import Picture
from osmofuse.progress import Watch
from osmofuse.tasks.clone import Cloned, Model, check_settings, clone

_PATCH_BYTES = 200  # per sample of the object as it lies in the picture
_PATCH_SECONDS = 6.0  # per million samples of it


@dataclass(frozen=True)
class CloneJob(PictureJob):
    """Copy an object from one picture file into another.

    Parameters
    ----------
    into, object : path
        The picture that receives the object, and the picture of the object.
    mask : path, optional
        White on the object, of the size of its picture; by default that picture's transparency.
    at : tuple of int, optional
        Row and column of the upper left corner of the object's picture; by default the centre.
    scale, rotate, model, relight
        See `osmofuse.clone`.
    output, overwrite, max_memory, report, page
        See `PictureJob`.
    """

    into: Path
    object: Path
    mask: Path | None = None
    at: tuple[int, int] | None = None
    scale: float = 1.0
    rotate: float = 0.0
    model: Model = "auto"
    relight: float = 1.0

    kind: ClassVar[str] = "clone"
    reads: ClassVar[tuple[str, ...]] = ("into", "object", "mask")
    settings_recorded: ClassVar[tuple[str, ...]] = ("at", "scale", "rotate", "model", "relight")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_settings(self.at, self.scale, self.rotate, self.model, self.relight)
        if self.at is not None:
            self._put("at", tuple(self.at))

    def need_of(self, files: Mapping[str, InputFile]) -> Need:
        """Return the memory and time for pictures of this size."""
        into, thing = (files[role].picture for role in ("into", "object"))
        samples = into.rows * into.cols * into.bands
        part = self.scale**2 * thing.rows * thing.cols * into.bands
        held = sum(file.picture.decoded_bytes for file in files.values())
        memory = held + self.sample_bytes * samples + _PATCH_BYTES * part
        return need_beyond_start(
            int(memory), (self.seconds * samples + _PATCH_SECONDS * part) / 1e6
        )

    def make(self, pictures: Mapping[str, Picture], watch: Watch) -> Cloned:
        """Return the picture with the object."""
        with named_as(self.pictures):
            return clone(
                pictures["into"],
                pictures["object"],
                pictures.get("mask"),
                at=self.at,
                scale=self.scale,
                rotate=self.rotate,
                model=self.model,
                relight=self.relight,
                watch=watch,
            )
