"""Planes in strips of rows: what looks at a few pixels at a time needs no copies of the whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from osmofuse.typing import FloatArray

PIXELS = 1 << 16  # of a strip: several planes of them fit into a processor's cache


def sum_over_strips(
    local: Callable[..., FloatArray], *planes: FloatArray, reach: int = 0
) -> FloatArray:
    """Return the sum over the pixels of maps that depend on a neighbourhood only.

    Parameters
    ----------
    local : callable
        Given strips of the planes, with `reach` rows more on each side but for the planes' own
        borders; gives the map, or several, (..., rows, cols).
    *planes : array, (rows, cols)
        Of one size.
    reach : int
        How many rows away a pixel of the map looks.

    Returns
    -------
    array
        One sum for each map.
    """
    rows, cols = planes[0].shape
    total = np.zeros(())
    for start, stop in strips(rows, cols):
        first, last = max(start - reach, 0), min(stop + reach, rows)
        maps = local(*(plane[first:last] for plane in planes))
        total = total + maps[..., start - first : stop - first, :].sum(axis=(-2, -1))
    return np.asarray(total)


def strips(rows: int, cols: int) -> Iterator[tuple[int, int]]:
    """Yield the first row of each strip, and the one after its last."""
    step = max(PIXELS // cols, 1)
    for start in range(0, rows, step):
        yield start, min(start + step, rows)
