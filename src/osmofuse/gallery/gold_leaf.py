"""Illuminated page whose tooled gold is lost in glare, and an infrared picture that shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import ndimage

from osmofuse.gallery.gilding import Field, relief
from osmofuse.gallery.nuisance import Nuisances, worn
from osmofuse.gallery.page import INK, layout, parchment, pitch_of, running, surface
from osmofuse.gallery.scene import Colour, Scene, axes, checked_shape, finished, generator, side_of
from osmofuse.gallery.script import CAPITALS, TEXT, Hand, Pen, paste, spiral, stamp, write_line
from osmofuse.gallery.texture import bump, fractal_noise, mix, smooth_noise, smoothstep
from osmofuse.typing import FloatArray

# Pigments of frame, foliage and initial.
_LAPIS, _ROSE, _LEAD_WHITE = (0.13, 0.23, 0.52), (0.67, 0.21, 0.20), (0.93, 0.90, 0.84)
_GREEN, _OUTLINE = (0.22, 0.40, 0.24), (0.20, 0.11, 0.07)
# Grey of ink and colours in infrared; below, of parchment and gold.
_IN_INFRARED = {
    INK: 0.13,
    _LAPIS: 0.36,
    _ROSE: 0.68,
    _LEAD_WHITE: 0.86,
    _GREEN: 0.50,
    _OUTLINE: 0.22,
}
_PARCHMENT, _LEAF = 0.80, 0.64
# The panel on the page, in fractions of height and width.
_PANEL_TOP, _PANEL_BOTTOM, _PANEL_LEFT, _PANEL_RIGHT = 0.07, 0.64, 0.15, 0.90
# Contrast of the relief that is left in the glare.
_TOOLING_LEFT = 0.05


@dataclass(frozen=True, eq=False)
class _Page:
    """Gilded share of each pixel, and the layers of colour above it, in order."""

    gilded: FloatArray
    colours: list[tuple[Colour, FloatArray]]

    def paint(self) -> tuple[FloatArray, FloatArray]:
        """Return the share of each pixel that is left bare, and the paint on the rest."""
        shape = (self.gilded.shape[0], self.gilded.shape[1])
        bare, paint = np.ones(shape, np.float32), np.zeros((*shape, 3), np.float32)
        for colour, cover in self.colours:
            bare *= 1.0 - cover
            paint = mix(paint, colour, cover)
        return bare, paint


def gold_leaf(
    shape: Sequence[int] = (600, 450), seed: int = 0, *, nuisance: Nuisances = ()
) -> Scene:
    """Draw an illuminated page with glaring gold, its infrared picture and the page tooled.

    Parameters
    ----------
    shape : sequence of int
        Rows and columns; the panel grows with the page.
    seed : int
        Chooses initial, text, sheen, cracks and what is lost.
    nuisance : str, tuple of str and float, or sequence of them
        Nuisances of real pictures, see `osmofuse.gallery.nuisance`.

    Returns
    -------
    Scene
        The visible page, on which glare and wear hide the punch marks, grooves and cracks of a
        part of the gold; the infrared page (one band) with all of them; the map of the loss; and
        the visible page with the relief restored in the colour of the gold. `truth` equals
        `foreground` bit for bit wherever `alpha` is 1.

    Examples
    --------
    >>> scene = gold_leaf((60, 45))
    >>> scene.foreground.shape, scene.background.shape
    ((60, 45, 3), (60, 45))
    """
    size, rng = checked_shape(shape), generator(seed)
    field = _panel(size)
    page = _illuminated(size, field, rng)
    skin, grain = surface(size, rng, octaves=5)
    bare = parchment(size, skin, grain)
    light = _tooled(_within(field, _frame(field)), rng)
    lost = _lost(field, rng) * page.gilded
    leaf = _leaf(field, lost, rng)
    # Flat gold sends back the light of the tooled gold, but evenly.
    even = np.float32(np.average(light, weights=page.gilded + 1e-6))
    paint = page.paint()
    left = light + (even - light) * np.float32(1.0 - _TOOLING_LEFT) * lost
    scene = Scene(
        name="gold_leaf",
        foreground=_visible(bare, leaf * left[..., None], page.gilded, paint),
        background=_infrared(0.35 * skin + grain, light, page, rng),
        alpha=finished(1.0 - lost),
        truth=_visible(bare, leaf * light[..., None], page.gilded, paint),
        contrast_left=_TOOLING_LEFT,
    )
    return worn(scene, seed, nuisance)


def _panel(shape: tuple[int, int]) -> Field:
    rows, cols = shape
    down, right = (part * size for part, size in zip(axes(shape), shape, strict=True))
    height, width = (_PANEL_BOTTOM - _PANEL_TOP) * rows, (_PANEL_RIGHT - _PANEL_LEFT) * cols
    # Lozenges under 8 pixels would be moiré instead of tooling.
    cell = max(np.sqrt(height * width) / 8.5, 8.0)
    return Field(
        np.asarray(down - np.float32(_PANEL_TOP * rows), dtype=np.float32),
        np.asarray(right - np.float32(_PANEL_LEFT * cols), dtype=np.float32),
        height,
        width,
        cell,
    )


def _frame(field: Field) -> float:
    return 0.055 * min(field.height, field.width)


def _within(field: Field, margin: float) -> Field:
    """Return the rectangle that is left inside a margin."""
    return replace(
        field,
        down=field.down - np.float32(margin),
        right=field.right - np.float32(margin),
        height=field.height - 2 * margin,
        width=field.width - 2 * margin,
    )


def _tooled(field: Field, rng: np.random.Generator) -> FloatArray:
    """Return the relief of the gold on the whole page, 1 around the panel."""
    light = np.ones((field.down.size, field.right.size), dtype=np.float32)
    rows = np.flatnonzero((field.down[:, 0] > -1) & (field.down[:, 0] < field.height + 1))
    cols = np.flatnonzero((field.right[0] > -1) & (field.right[0] < field.width + 1))
    panel = np.ix_(rows, cols)
    light[panel] = relief(replace(field, down=field.down[rows], right=field.right[:, cols]), rng)
    return light


def _illuminated(shape: tuple[int, int], field: Field, rng: np.random.Generator) -> _Page:
    """Lay out the page: writing below, the frame, foliage and the initial on the gold."""
    first = int(rng.integers(len(TEXT)))
    ink = _writing(shape, first, rng)
    frame = _frame(field)
    inside = smoothstep(frame, frame + 1.0, field.depth)
    bar = smoothstep(-0.5, 0.5, field.depth) * (1.0 - inside)
    letter, vine, leaves = (np.zeros(shape, dtype=np.float32) for _ in range(3))
    _initial(letter, TEXT[first][0], field)
    _foliage(vine, leaves, field)
    # The paint keeps off the frame, and the foliage off the initial.
    keep = smoothstep(1.6 * frame, 1.6 * frame + 1.0, field.depth)
    letter *= keep
    rim = np.asarray(ndimage.grey_dilation(letter, size=(3, 3)), dtype=np.float32)
    vine, leaves = vine * keep * (1.0 - rim), leaves * keep * (1.0 - rim)
    blue, rose = _counterchanged(field, bar)
    edges = np.maximum(bump(field.depth, 0.9), bump(field.depth - frame, 0.9))
    colours: list[tuple[Colour, FloatArray]] = [
        (INK, ink), (_LAPIS, blue), (_ROSE, rose),
        (_LEAD_WHITE, 0.8 * _lozenges(field, frame) * bar),
        (_OUTLINE, 0.85 * edges), (_GREEN, vine), (_ROSE, leaves), (_OUTLINE, 0.8 * (rim - letter)),
        (_LAPIS, letter), (_LEAD_WHITE, 0.85 * _filigree(letter)),
    ]  # fmt: skip
    gilded = inside * (1.0 - np.maximum(rim, np.maximum(vine, leaves))) * (1.0 - edges)
    return _Page(np.where(gilded > 0.02, gilded, 0.0), colours)


def _writing(shape: tuple[int, int], first: int, rng: np.random.Generator) -> FloatArray:
    ink = np.zeros(shape, dtype=np.float32)
    pitch = pitch_of(shape)
    hand, words = Hand(0.37 * pitch, rng), running(first)
    lines, columns = layout(shape, pitch)
    for left, right in columns:
        for base in lines:
            if base - 1.1 * pitch > _PANEL_BOTTOM * shape[0]:
                write_line(ink, words, (base, left, right), hand, rng)
    return ink * np.float32(0.94)


def _initial(canvas: FloatArray, letter: str, field: Field) -> None:
    height = 0.62 * min(field.height, field.width)
    sign = stamp(CAPITALS[letter], height, Pen(width=0.2, thickness=0.03, angle=20.0))
    row = -float(field.down[0, 0]) + 0.5 * field.height + 0.5 * height
    col = -float(field.right[0, 0]) + 0.5 * field.width - 0.45 * height
    paste(canvas, sign, row, col)


def _foliage(vine: FloatArray, leaves: FloatArray, field: Field) -> None:
    """Draw a scroll with a bud into each corner of the panel."""
    unit = min(field.height, field.width)
    top, left = -float(field.down[0, 0]), -float(field.right[0, 0])
    bud = stamp([[(0.0, 0.0), (0.001, 0.0)]], unit, Pen(width=0.0, thickness=0.019))
    for down in (0.25, 0.75):
        for right in (0.24, 0.76):
            # Mirrored scrolls: each starts at the middle of a side and winds into its corner.
            start = np.arctan2(down - 0.5, 0.5 - right)
            turns = 1.3 if (down - 0.5) * (right - 0.5) < 0 else -1.3
            coil = stamp([spiral(turns, 0.11, float(start))], unit, Pen(0.016, 0.007))
            row, col = top + down * field.height, left + right * field.width
            paste(vine, coil, row, col)
            paste(leaves, bud, row, col)
            for part in (0.0, 0.17, 0.34):
                angle, away = start + 2 * np.pi * turns * part, 0.128 - 0.09 * part
                up, across = away * np.sin(angle), away * np.cos(angle)
                paste(vine, bud, row - up * unit, col + across * unit)


def _counterchanged(field: Field, bar: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Divide the frame into blue and rose lengths."""
    down, right = field.down / field.height, field.right / field.width
    turn = np.floor(4 * down) + np.floor(4 * right)
    odd = np.asarray(np.mod(turn, 2), dtype=np.float32)
    return bar * odd, bar * (1.0 - odd)


def _lozenges(field: Field, frame: float) -> FloatArray:
    """Return small white lozenges along the middle of the frame."""
    step = 1.3 * frame
    middle = np.abs(field.depth - 0.5 * frame)
    near = [
        np.abs(part / step - np.round(part / step)) * step for part in (field.down, field.right)
    ]
    sideways = np.minimum(field.right, field.width - field.right) < frame
    along = np.where(sideways, near[0], near[1])
    return smoothstep(0.30 * frame, 0.12 * frame, middle + along)


def _filigree(letter: FloatArray) -> FloatArray:
    """Return a white line that follows the inside of the letter's outline."""
    if not (letter > 0.5).any():
        return np.zeros_like(letter)
    depth = np.asarray(ndimage.distance_transform_edt(letter > 0.5), dtype=np.float32)
    deepest = float(depth.max())
    return bump(depth - 0.42 * deepest, max(0.055 * deepest, 0.6))


def _lost(field: Field, rng: np.random.Generator) -> FloatArray:
    """Return how far the relief has gone, 0 to 1; the upper left of the panel keeps it."""
    shape = (field.down.size, field.right.size)
    slant = 0.62 * field.down / field.height + 0.55 * field.right / field.width
    noise = fractal_noise(shape, 0.22 * side_of(shape), rng, octaves=3)
    return smoothstep(0.44, 0.58, slant + 0.07 * noise + rng.uniform(-0.04, 0.04))


def _leaf(field: Field, lost: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Colour the gold: sheen, joins of the leaves, a paler glare where the relief is lost."""
    shape = (field.down.size, field.right.size)
    sheen = smooth_noise(shape, 0.2 * side_of(shape), rng) - 0.8 * field.down / field.height
    gold = mix((0.66, 0.47, 0.16), (0.84, 0.66, 0.30), smoothstep(-2.0, 1.2, sheen))
    # The glare is broad, so the restored gold has it too: only the relief comes back.
    broad = ndimage.gaussian_filter(lost, 0.25 * field.cell, mode="nearest")
    gold = mix(gold, (0.89, 0.75, 0.43), 0.55 * np.asarray(broad, dtype=np.float32))
    square = 2.6 * field.cell
    join = np.minimum(
        *(
            np.abs(part / square - np.round(part / square)) * square
            for part in (field.down, field.right)
        )
    )
    rough = 1.0 + 0.018 * smooth_noise(shape, 0.8, rng) + 0.02 * smooth_noise(shape, 3.0, rng)
    return np.asarray(gold * (rough - 0.05 * bump(join, 1.1))[..., None], dtype=np.float32)


def _visible(
    page: FloatArray, gold: FloatArray, gilded: FloatArray, paint: tuple[FloatArray, FloatArray]
) -> FloatArray:
    return finished(mix(page, gold, gilded) * paint[0][..., None] + paint[1])


def _infrared(
    skin: FloatArray, light: FloatArray, page: _Page, rng: np.random.Generator
) -> FloatArray:
    picture = _PARCHMENT + 0.012 * skin
    picture += (_LEAF * light - picture) * page.gilded
    for colour, cover in page.colours:
        picture += (_IN_INFRARED[colour] - picture) * cover
    return finished(picture + 0.006 * rng.standard_normal(picture.shape, dtype=np.float32))
