"""Removal of a shadow from a picture file, with a record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from osmofuse.errors import MismatchError
from osmofuse.jobs.files import InputFile, named_as, size_of
from osmofuse.jobs.need import Need
from osmofuse.jobs.picture import PictureJob
from osmofuse.maps.shadow_regions import Removed
from osmofuse.methods.shadow_osmosis import Model
from osmofuse.picture import Picture
from osmofuse.progress import Watch
from osmofuse.tasks.remove_shadow import (
    Extent,
    Level,
    ShadowRemoval,
    check_shadow_settings,
    remove_shadow,
)


@dataclass(frozen=True)
class ShadowJob(PictureJob):
    """Remove a shadow, or a spot of light, from a picture file.

    Parameters
    ----------
    image : path
        The picture.
    boundary : path, optional
        Map of the shadow's edge, black on it; without one the shadow is found.
    model, extent, mask, width, texture, level, remove, offset
        See `osmofuse.remove_shadow`.
    output, recipe, overwrite, max_memory, report, page
        See `PictureJob`.
    """

    image: Path
    boundary: Path | None = None
    model: Model = "linear"
    extent: Extent = "global"
    mask: bool = False
    width: float | None = None
    texture: bool | None = None
    level: Level | None = None
    remove: Removed = "auto"
    offset: float = 0.01

    kind: ClassVar[str] = "shadow"
    reads: ClassVar[tuple[str, ...]] = ("image", "boundary")
    settings_recorded: ClassVar[tuple[str, ...]] = (
        "model", "extent", "mask", "width", "texture", "level", "remove", "offset",
    )  # fmt: skip
    sample_bytes: ClassVar[float] = 250
    seconds: ClassVar[float] = 4.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_shadow_settings(
            self.model, self.extent, self.level, self.remove, self.offset, self.width, self.texture
        )

    def need_of(self, files: Mapping[str, InputFile]) -> Need:
        """Check that the map fits, and return the memory and time needed."""
        if "boundary" in files:
            image, boundary = files["image"].picture, files["boundary"].picture
            if size_of(image) != size_of(boundary):
                raise MismatchError(
                    f"{self.boundary}: {size_of(boundary)}, but the image {self.image} has "
                    f"{size_of(image)}; draw the boundary on the picture itself, or crop both alike"
                )
        return super().need_of(files)

    def make(self, pictures: Mapping[str, Picture], watch: Watch) -> ShadowRemoval:
        """Return the picture without shadow."""
        with named_as(self.pictures | {"picture": self.image}):
            return remove_shadow(
                pictures["image"],
                pictures.get("boundary", "auto"),
                model=self.model,
                extent=self.extent,
                mask=self.mask,
                width=self.width,
                texture=self.texture,
                level=self.level,
                remove=self.remove,
                offset=self.offset,
                watch=watch,
            )
