"""Region into which the background's structure enters, and the part of a picture around it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np

from osmofuse.methods.sources import Sources
from osmofuse.picture import Picture
from osmofuse.typing import Array, BoolArray

Box: TypeAlias = tuple[slice, slice]


def region_of(sources: Sources, channel: int, threshold: float = 0.0) -> BoolArray:
    """Return the mask of pixels where alpha is at most a threshold."""
    return np.asarray(sources.weight(0, channel, np.float64) <= threshold)


def box_around(masks: Iterable[BoolArray], *, margin: int = 1) -> Box | None:
    """Return the bounding box of all masks, with a margin; None if they are empty."""
    union = np.logical_or.reduce(list(masks))
    rows, cols = (np.flatnonzero(union.any(axis=axis)) for axis in (1, 0))
    if not rows.size:
        return None
    first, last = (slice(max(int(n[0]) - margin, 0), int(n[-1]) + 1 + margin) for n in (rows, cols))
    return first, last


def cropped(sources: Sources, box: Box) -> Sources:
    """Return the sources within a box; views of the same samples."""

    def cut(array: Array) -> Array:
        return array if array.ndim < 2 else array[box]

    pictures = (sources.foreground, *sources.backgrounds)
    foreground, *backgrounds = (Picture(cut(one)) for one in pictures)
    alphas = [cut(one) for one in sources.alphas]
    return Sources(
        foreground,
        backgrounds,
        alphas if len(alphas) > 1 else alphas[0],
        None if sources.valid is None else sources.valid[box],
    )
