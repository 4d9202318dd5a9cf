"""Infrared reflectogram of a painting, assembled from exposures that do not match."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from osmofuse.gallery.bust import Look, paint_bust, prepare_canvas
from osmofuse.gallery.face import Features
from osmofuse.gallery.scene import Panel, Scene, axes, checked_shape, finished, generator, side_of
from osmofuse.gallery.texture import bump, fractal_noise, smooth_noise
from osmofuse.typing import FloatArray

# The painting as infrared sees it: pale flesh, translucent cloth, light in one colour.
_INFRARED = Look(
    skin=(0.74, 0.74, 0.74), hair=(0.26, 0.26, 0.26), cloth=(0.46, 0.46, 0.46),
    wall=(0.40, 0.40, 0.40), light=(-0.45, 0.5, 0.74), sun=(0.78, 0.78, 0.78),
    ambient=(0.26, 0.26, 0.26),
)  # fmt: skip
_PANELS = 3  # along each side
# Share of a panel that its neighbour shows as well, on each side.
_OVERLAP = 0.15


def mosaic(shape: Sequence[int] = (540, 450), seed: int = 0) -> Scene:
    """Draw an infrared mosaic of unequal panels and the even picture.

    Parameters
    ----------
    shape : sequence of int
        Rows and columns; there are three by three panels, fewer in a picture under 24 pixels.
    seed : int
        Chooses sitter, brush work, and gain, offset and falling-off of each exposure.

    Returns
    -------
    Scene
        The mosaic (one band), cut at the middle of the overlaps; no background; a map that is 0
        along the seams and 1 elsewhere; the even reflectogram; and in `panels` the exposures
        with their overlaps.

    Notes
    -----
    With t the truth and r the distance from the middle of a panel, 1 at its corners, an exposure
    is g (1 - k r²) t + o, with noise. The gains g of a scene have the mean 1.

    Examples
    --------
    >>> scene = mosaic((54, 45))
    >>> scene.foreground.shape, len(scene.panels), scene.panels[0].box
    ((54, 45), 9, (slice(0, 21, None), slice(0, 17, None)))
    """
    size, rng = checked_shape(shape), generator(seed)
    truth = _reflectogram(size, rng)
    rows, cols = (_cuts(length) for length in size)
    panels = _exposures(truth, rows, cols, rng)
    picture = np.empty(size, dtype=np.float32)
    for number, panel in enumerate(panels):
        row, col = divmod(number, len(cols) - 1)
        cell = slice(rows[row], rows[row + 1]), slice(cols[col], cols[col + 1])
        inner = tuple(
            slice(part.start - first, part.stop - first)
            for part, first in zip(cell, (panel.top, panel.left), strict=True)
        )
        picture[cell] = panel.picture[inner]
    return Scene(
        name="mosaic",
        foreground=finished(picture),
        background=None,
        alpha=_seams(size, rows, cols),
        truth=truth,
        panels=panels,
    )


def _cuts(length: int) -> list[int]:
    """Return the positions of the cuts between panels, from 0 to `length`."""
    count = min(max(length // 8, 1), _PANELS)
    return [round(k * length / count) for k in range(count + 1)]


def _reflectogram(shape: tuple[int, int], rng: np.random.Generator) -> FloatArray:
    """Draw the painting in infrared, with its brush work and the squared-up drawing below it."""
    side = side_of(shape)
    bust = paint_bust(prepare_canvas(shape, rng), Features(), _INFRARED).mean(axis=2)
    picture = 0.10 + 0.72 * bust + 0.012 * fractal_noise(shape, max(side / 6, 2.0), rng, 6)
    unit = float(np.clip(side / 450, 0.8, 2.0))
    picture += 0.010 * smooth_noise(shape, (1.5 * unit, 12 * unit), rng)
    return finished(picture * (1.0 - 0.30 * _squares(shape, rng)))


def _squares(shape: tuple[int, int], rng: np.random.Generator) -> FloatArray:
    """Return the net of charcoal lines by which a painter enlarges a drawing."""
    side, grid = side_of(shape), np.zeros(shape, dtype=np.float32)
    step, width = max(side / 5.5, 6.0), max(side / 520, 0.7)
    for place, size in zip(axes(shape), shape, strict=True):
        along = place * np.float32(size) + 0.004 * side * smooth_noise(shape, side / 3, rng)
        away = along - step * np.round(along / step)
        np.maximum(grid, bump(away, width), out=grid)
    # Charcoal skips over the tooth of the ground.
    tooth = 0.7 + 0.3 * smooth_noise(shape, max(side / 300, 1.0), rng)
    return np.asarray(grid * np.clip(tooth, 0.0, 1.0), dtype=np.float32)


def _exposures(
    truth: FloatArray, rows: list[int], cols: list[int], rng: np.random.Generator
) -> tuple[Panel, ...]:
    """Photograph the painting panel by panel, row by row."""
    count = (len(rows) - 1) * (len(cols) - 1)
    gains = rng.uniform(0.75, 1.25, count)
    gains /= gains.mean()
    panels = []
    for number, gain in enumerate(gains):
        row, col = divmod(number, len(cols) - 1)
        box = _widened(rows, row), _widened(cols, col)
        part = truth[box]
        down, right = axes((part.shape[0], part.shape[1]))
        corner = 2.0 * (np.square(down - 0.5) + np.square(right - 0.5))
        falling = 1.0 - np.float32(rng.uniform(0.08, 0.22)) * corner
        seen = np.float32(gain) * falling * part + np.float32(rng.uniform(-0.03, 0.05))
        seen += 0.004 * rng.standard_normal(part.shape, dtype=np.float32)
        panels.append(Panel(box[0].start, box[1].start, finished(seen)))
    return tuple(panels)


def _widened(cuts: list[int], number: int) -> slice:
    """Return a panel's extent along one side, overlaps included."""
    first, last = cuts[number], cuts[number + 1]
    more = round(_OVERLAP * (last - first))
    return slice(max(first - more, 0), min(last + more, cuts[-1]))


def _seams(shape: tuple[int, int], rows: list[int], cols: list[int]) -> FloatArray:
    """Return 0 on the pixels at either side of a cut, 1 elsewhere."""
    kept = np.ones(shape, dtype=np.float32)
    for cut in rows[1:-1]:
        kept[cut - 1 : cut + 1] = 0.0
    for cut in cols[1:-1]:
        kept[:, cut - 1 : cut + 1] = 0.0
    return kept
