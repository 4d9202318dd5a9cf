"""Land photographed from above in six overlapping shots, which do not match."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from osmofuse.gallery.cloud import SUMMER, prepare_valley, seen_from_above
from osmofuse.gallery.nuisance import Nuisances, worn
from osmofuse.gallery.scene import Panel, Scene, axes, checked_shape, finished, generator
from osmofuse.typing import Array, FloatArray

_SHOTS = 2, 3  # along the sides; fewer in a small picture
_SMALLEST = 8  # pixels along the side of a shot
_OVERLAP = 0.2  # share of a shot that its neighbour shows as well, on each side
_BRIGHTEST = 0.55  # of the land, so that the brightest shot is not clipped


def shots(shape: Sequence[int] = (360, 480), seed: int = 0, *, nuisance: Nuisances = ()) -> Scene:
    """Draw land in six overlapping shots in colour, and the evenly lit picture of it.

    Parameters
    ----------
    shape : sequence of int
        Rows and columns; there are two by three shots, fewer in a small picture.
    seed : int
        Chooses the land, and gains and falling-off of each shot.
    nuisance : str, tuple of str and float, or sequence of them
        Nuisances of real pictures, see `osmofuse.gallery.nuisance`.

    Returns
    -------
    Scene
        The shots pasted one over another; no background; a map that is 0 along the visible borders
        of the shots and 1 elsewhere; the evenly lit land; and in `panels` the shots.

    Notes
    -----
    With t the truth and r the distance from the middle of a shot, 1 at its corners, a shot is
    g_c (1 - k r²) t, with noise; the gains g_c of the three channels differ.

    Examples
    --------
    >>> scene = shots((36, 48))
    >>> scene.foreground.shape, len(scene.panels), scene.panels[0].box
    ((36, 48, 3), 6, (slice(0, 22, None), slice(0, 19, None)))
    """
    size, rng = checked_shape(shape), generator(seed)
    land = seen_from_above(prepare_valley(size, rng), SUMMER)
    truth = finished(land * np.float32(_BRIGHTEST / max(float(land.max()), _BRIGHTEST)))
    down, right = (_extents(n, count) for n, count in zip(size, _SHOTS, strict=True))
    panels = tuple(_shot(truth, (rows, cols), rng) for rows in down for cols in right)
    pasted, number = np.zeros_like(truth), np.zeros(size, np.int64)
    for k, panel in enumerate(panels):
        pasted[panel.box] = panel.picture
        number[panel.box] = k
    scene = Scene(
        name="shots",
        foreground=finished(pasted),
        background=None,
        alpha=_borders(number),
        truth=truth,
        panels=panels,
    )
    return worn(scene, seed, nuisance)


def _extents(length: int, count: int) -> list[slice]:
    """Return the extents of overlapping shots along a side."""
    count = min(max(length // _SMALLEST, 1), count)
    cuts = [round(k * length / count) for k in range(count + 1)]
    more = round(_OVERLAP * length / count)
    return [slice(max(cuts[k] - more, 0), min(cuts[k + 1] + more, length)) for k in range(count)]


def _shot(truth: FloatArray, box: tuple[slice, slice], rng: np.random.Generator) -> Panel:
    part = truth[box]
    down, right = axes((part.shape[0], part.shape[1]))
    corner = 2.0 * (np.square(down - 0.5) + np.square(right - 0.5))
    falling = 1.0 - np.float32(rng.uniform(0.10, 0.35)) * corner
    gains = rng.uniform(0.7, 1.4) * rng.uniform(0.9, 1.1, 3)
    seen = falling[..., None] * part * gains.astype(np.float32)
    seen += 0.003 * rng.standard_normal(part.shape, dtype=np.float32)
    return Panel(box[0].start, box[1].start, finished(seen))


def _borders(number: Array) -> FloatArray:
    """Return 0 on pixels next to those of another shot, 1 elsewhere."""
    kept = np.ones(number.shape, np.float32)
    down, right = number[1:] != number[:-1], number[:, 1:] != number[:, :-1]
    kept[1:][down] = kept[:-1][down] = 0.0
    kept[:, 1:][right] = kept[:, :-1][right] = 0.0
    return kept
