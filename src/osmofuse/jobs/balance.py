"""Levelling and blending of the picture files of a mosaic."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from osmofuse.checks import whole
from osmofuse.errors import SettingError
from osmofuse.jobs.files import InputFile, given, named_as
from osmofuse.jobs.need import Need, need_beyond_start, with_page
from osmofuse.jobs.picture import PictureJob
from osmofuse.picture import Picture
from osmofuse.progress import Watch
from osmofuse.tasks.balance import Balanced, balance
from osmofuse.tasks.edited import Edited
from osmofuse.tasks.mosaic.layout import canvas_of, check_alike, checked_places, one_frame

_PASTED = "Pasted"  # title of the plain mosaic in the report
# Memory in bytes: per pixel of the mosaic, per sample of it, and per pixel of all pictures.
_CANVAS_BYTES, _SAMPLE_BYTES, _PANEL_BYTES = 64, 12, 8
_SECONDS = 0.6  # per million samples of the mosaic


@dataclass(frozen=True)
class BalanceJob(PictureJob):
    """Level the picture files of a mosaic, and blend them into one.

    Parameters
    ----------
    images : path, or tuple of path
        The pictures.
    places : tuple of (int, int), optional
        Row and column of each picture's first pixel, (top, left); None for registered pictures of
        one frame.
    flat : path, optional
        Picture of an evenly lit white surface, by which all are divided.
    reference : int, optional
        Number of the picture, from 0, whose level is kept.
    output, overwrite, max_memory, report, page
        See `PictureJob`.
    """

    images: tuple[Path, ...]
    places: tuple[tuple[int, int], ...] | None = None
    flat: Path | None = None
    reference: int | None = None

    kind: ClassVar[str] = "balance"
    reads: ClassVar[tuple[str, ...]] = ()
    settings_recorded: ClassVar[tuple[str, ...]] = ("places", "reference")

    def __post_init__(self) -> None:
        images: Any = self.images
        images = images if isinstance(images, list | tuple) else (images,)
        self._put("images", tuple(map(Path, images)))
        self._put_path("flat")
        if not self.images:
            raise SettingError("images: none; give the pictures of the mosaic")
        super().__post_init__()
        if self.places is not None:
            self._put("places", checked_places(self.places, len(self.images)))
        if self.reference is not None:
            whole("reference", self.reference, least=0, most=len(self.images) - 1)

    @property
    def roles(self) -> list[str]:
        """Names of the pictures in the record: "image", "image-2", ..."""
        return ["image", *(f"image-{k}" for k in range(2, len(self.images) + 1))]

    @property
    def pictures(self) -> dict[str, Path]:
        """Pictures to be read, by role."""
        return dict(zip(self.roles, self.images, strict=True)) | given({"flat": self.flat})

    @property
    def titles(self) -> list[str]:
        """Title of the plain mosaic in the report."""
        return [_PASTED]

    def shown(self, pictures: Mapping[str, Picture], made: Picture | Edited) -> dict[str, Picture]:
        """Return the plain mosaic, to compare with."""
        del pictures  # each shows a part
        plain = made.original if isinstance(made, Edited) else None
        return {} if plain is None else {_PASTED: plain}

    def need_of(self, files: Mapping[str, InputFile]) -> Need:
        """Check that depths, bands and places fit, and return the memory and time needed."""
        read = {str(files[role].path): files[role].picture for role in self.roles}
        check_alike({name: (one.depth, one.colours) for name, one in read.items()})
        shapes = {name: (one.rows, one.cols) for name, one in read.items()}
        if self.places is None:
            one_frame(shapes)
        each = [(files[role].picture.rows, files[role].picture.cols) for role in self.roles]
        _, (rows, cols) = canvas_of(each, self.places or [(0, 0)] * len(each))
        pixels, panels = rows * cols, sum(map(math.prod, each))
        bands = next(iter(read.values())).colours
        held: float = sum(file.picture.decoded_bytes for file in files.values())
        held += (_CANVAS_BYTES + _SAMPLE_BYTES * bands) * pixels + _PANEL_BYTES * panels
        held, drawing = with_page(held, pixels, pixels * bands, self.report)
        return need_beyond_start(held, _SECONDS * pixels * bands / 1e6 + drawing)

    def make(self, pictures: Mapping[str, Picture], watch: Watch) -> Balanced:
        """Return the levelled mosaic, in the depth of the pictures."""
        names = {f"pictures[{k}]": path for k, path in enumerate(self.images)}
        with named_as(names | given({"flat": self.flat})):
            return balance(
                [pictures[role] for role in self.roles],
                self.places,
                flat=pictures.get("flat"),
                reference=self.reference,
                watch=watch,
            )
