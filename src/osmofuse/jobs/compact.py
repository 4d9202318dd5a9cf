"""Reconstruction of a picture file from its edges, with a record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from osmofuse.jobs.files import named_as
from osmofuse.jobs.picture import PictureJob
from osmofuse.picture import Picture
from osmofuse.progress import Watch
from osmofuse.tasks.compact import Compacted, check_settings, compact


@dataclass(frozen=True)
class CompactJob(PictureJob):
    """Reconstruct a picture file from its edges.

    Parameters
    ----------
    image : path
        The picture.
    share, width
        See `osmofuse.compact`.
    output, overwrite, max_memory, report, page
        See `PictureJob`.
    """

    image: Path
    share: float = 0.1
    width: int = 1

    kind: ClassVar[str] = "compact"
    settings_recorded: ClassVar[tuple[str, ...]] = ("share", "width")
    sample_bytes: ClassVar[float] = 300
    seconds: ClassVar[float] = 4.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_settings(self.share, self.width)

    def make(self, pictures: Mapping[str, Picture], watch: Watch) -> Compacted:
        """Return the reconstruction."""
        with named_as({"picture": self.image}):
            return compact(pictures["image"], share=self.share, width=self.width, watch=watch)
