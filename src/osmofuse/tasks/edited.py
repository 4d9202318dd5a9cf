"""Result of a task that makes one picture: a shadow removed, an object copied, a mosaic."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import DTypeLike

from osmofuse.picture import Picture
from osmofuse.pixels import summary
from osmofuse.progress import Status
from osmofuse.typing import BoolArray, FloatArray


@dataclass(frozen=True, eq=False)
class Edited:
    """Result of a task such as the removal of a shadow.

    Attributes
    ----------
    image : array, (rows, cols) or (rows, cols, channels)
        The new picture: white at 1.0, not clipped.
    status : Status
        Outcome; not converging is a status. After a cancellation the picture is unfinished.
    notes : tuple of str
        Remarks for the user, on the picture and on choices that were made.
    seconds : float
        Run time.
    original : Picture or None
        Picture whose depth, profile and metadata `picture` takes.
    changed : array of bool, (rows, cols), or None
        Where False, `picture` has the original's bits, in its depth; None if all may differ.
    """

    image: FloatArray = field(repr=False)
    status: Status = Status.direct
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    original: Picture | None = field(default=None, repr=False)
    changed: BoolArray | None = field(default=None, repr=False, kw_only=True)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({summary(self.image)}, {self.status})"

    def _repr_png_(self) -> bytes | None:
        """Return the picture for a notebook; None if it cannot be shown."""
        return Picture(self.image)._repr_png_()

    def picture(self, depth: DTypeLike | None = None) -> tuple[Picture, int]:
        """Return the picture as the command writes it.

        Parameters
        ----------
        depth : dtype, optional
            uint8, uint16, float32, ...; the original's if not given.

        Returns
        -------
        tuple of Picture and int
            With the original's profile, metadata, transparency and no-data value; how many
            samples were clipped.
        """
        like = Picture(self.image) if self.original is None else self.original
        made, clipped = like.with_samples(self.image, depth=depth)
        if self.changed is None or made.depth != like.depth:
            return made, clipped
        here = self.changed.reshape(*made.shape, *(1,) * (made.pixels.ndim - 2))
        return replace(made, pixels=np.where(here, made.pixels, like.pixels)), clipped
