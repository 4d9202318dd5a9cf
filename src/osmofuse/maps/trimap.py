"""Trimaps: masks of the pixels where a map is known to be 1, and to be 0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from osmofuse.errors import InputError
from osmofuse.filters import reduced
from osmofuse.maps.alpha import grow
from osmofuse.picture import Picture, as_alpha
from osmofuse.typing import ArrayLike, BoolArray, FloatArray

SURE = 0.01  # largest distance from 0 or 1 of a known pixel: two levels of 8 bits


@dataclass(frozen=True, eq=False)
class Trimap:
    """Known part of a map.

    Parameters
    ----------
    kept : array of bool, (rows, cols)
        Pixels known to be 1.
    entered : array of bool, (rows, cols)
        Pixels known to be 0.
    """

    kept: BoolArray
    entered: BoolArray

    @classmethod
    def of(cls, trimap: ArrayLike | Picture, *, name: str = "trimap") -> Trimap:
        """Return the trimap of an array: white is known to be 1, black to be 0, the rest is open.

        It must have one band, and pixels of both kinds.
        """
        levels = as_alpha(trimap, name=name)
        if levels.ndim == 3 and levels.shape[2] == 1:
            levels = levels[..., 0]
        if levels.ndim != 2:
            raise InputError(f"{name}: shape {levels.shape}; must be (rows, cols)")
        found = cls(levels >= 1.0 - SURE, levels <= SURE)
        for colour, known in (("white", found.kept), ("black", found.entered)):
            if not known.any():
                values = len(np.unique(levels))
                raise InputError(
                    f"{name}: {values} grey value{'s' if values > 1 else ''} from "
                    f"{levels.min():.3g} to {levels.max():.3g} of white, and no {colour}; a trimap "
                    "is white where the map is sure to be 1, black where it is sure to be 0, and "
                    "grey between"
                )
        return found

    @property
    def known(self) -> BoolArray:
        """Mask of the pixels whose value is known."""
        return self.kept | self.entered

    @property
    def levels(self) -> FloatArray:
        """The map as far as it is known, and 0.5 elsewhere."""
        return np.where(self.kept, 1.0, np.where(self.entered, 0.0, 0.5))

    def reduced(self, factor: int) -> Trimap:
        """Return a reduced copy; its pixels are known where all pixels they replace are."""
        parts = (reduced(x.astype(np.float64), factor) for x in (self.kept, self.entered))
        return Trimap(*(np.asarray(part == 1.0) for part in parts))


def trimap_of_mask(mask: ArrayLike | Picture, width: float) -> FloatArray:
    """Return the trimap of a mask, open along the mask's edge.

    Parameters
    ----------
    mask : array_like, (rows, cols)
        A map; the edge lies where it crosses 0.5.
    width : float
        Distance from the edge up to which the map is open, in pixels.

    Returns
    -------
    array
        0, 0.5 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> trimap_of_mask(np.array([[0, 0, 0, 1, 1, 1]]), 1).tolist()
    [[0.0, 0.0, 0.5, 0.5, 1.0, 1.0]]
    """
    inside = as_alpha(mask, name="mask") > 0.5
    return (grow(inside, width) + grow(inside, -width)) / 2.0
