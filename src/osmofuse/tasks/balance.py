"""Levelled mosaics: panels and overlapping shots become one picture without seams."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from osmofuse.checks import whole
from osmofuse.errors import MismatchError
from osmofuse.kernels import threads_for
from osmofuse.picture import Picture
from osmofuse.progress import Guard, Status, Watch, check_watch
from osmofuse.tasks.edited import Edited
from osmofuse.tasks.mosaic.blend import Blend
from osmofuse.tasks.mosaic.layout import Layout, Places, layout_of
from osmofuse.tasks.mosaic.light import lights_of
from osmofuse.tasks.mosaic.pairs import Pair, agreement, compared, connected, pairs_of
from osmofuse.tasks.mosaic.panels import Panel
from osmofuse.typing import ArrayLike, BoolArray, FloatArray

LEAST_AGREEMENT = 0.2  # correlation below which overlaps show different things
_WIDE = 2.0  # ratio of the largest to the smallest gain above which a note warns of noise


@dataclass(frozen=True, eq=False, repr=False)
class Balanced(Edited):
    """Levelled mosaic.

    Attributes
    ----------
    image : array, (rows, cols) or (rows, cols, channels)
        The mosaic: white at 1.0, not clipped, 0 where no picture has data.
    valid : array of bool, (rows, cols), or None
        Where the mosaic has data; None everywhere.
    gains : array, (pictures, channels)
        Brightness of each picture before levelling, relative to the mosaic.
    corner : tuple of int
        Row and column of the first pixel, counted as `places` are.
    status, notes, seconds, original
        See `Edited`; `original` is the plain mosaic, later pictures over earlier ones.
    """

    valid: BoolArray | None = field(default=None, repr=False)
    gains: FloatArray = field(default_factory=lambda: np.ones((0, 0)), repr=False)
    corner: tuple[int, int] = (0, 0)


def balance(
    pictures: Sequence[ArrayLike | Picture],
    places: Places | None = None,
    *,
    flat: ArrayLike | Picture | None = None,
    reference: int | None = None,
    watch: Watch | None = None,
) -> Balanced:
    r"""Level the pictures of a mosaic and blend them without seams.

    Gain, fall-off and black level of each picture are estimated where pictures overlap or touch,
    and removed. The remaining differences are blended by osmosis: the drifts of the pictures,
    weighted by the distance to the border of each, are composed and integrated once.

    Parameters
    ----------
    pictures : sequence of array_like or Picture
        All of one depth and number of bands. No-data and transparent pixels, and masked samples, do
        not count. Colours are converted to the profile of the first picture.
    places : sequence of (int, int), optional
        Row and column of each picture's first pixel, (top, left); they may be negative. The mosaic
        is the smallest rectangle that holds all. None for registered pictures of one frame.
    flat : array_like or Picture, optional
        Picture of an evenly lit white surface, of the pictures' size and with their bands, or one.
        The pictures are divided by it, relative to its mean.
    reference : int, optional
        Number of the picture, from 0, whose level is kept; by default the mean level of all is.
    watch : callable, optional
        Called with a `Progress` at intervals; if it returns True the work is cancelled.

    Returns
    -------
    Balanced
        The mosaic.

    Raises
    ------
    InputError, SettingError
        A picture or the flat field cannot be used; a place is not two whole numbers.
    MismatchError
        Pictures differ in depth or bands, or one neither overlaps nor touches the others, so its
        level is unknown.
    LimitError
        The places span too large a mosaic.

    Notes
    -----
    The light of a picture, :math:`g (1 + \dots)`, is a polynomial of its logarithm, see
    `osmofuse.tasks.mosaic.light`; the blend is that of "Image Blending with Osmosis" (SSVM 2023),
    as a least-squares integral. A slope of light over the whole mosaic cannot be told from the
    scene, and stays; give a flat field to remove one that all pictures share. Where pictures only
    touch, only gains are estimated, and the rest of the step is removed around the seam. Samples
    that may be clipped are replaced where other pictures show the same.

    Examples
    --------
    >>> import numpy as np
    >>> import osmofuse
    >>> left, right = np.full((8, 6), 0.3), np.full((8, 6), 0.6)
    >>> mosaic = osmofuse.balance([left, right], [(0, 0), (0, 4)], reference=0)
    >>> mosaic.image.shape, mosaic.gains.ravel().round(2).tolist()
    ((8, 10), [1.0, 2.0])
    """
    check_watch(watch)
    guard = Guard(watch)
    layout = layout_of(pictures, places, flat)
    if reference is not None:
        whole("reference", reference, least=0, most=len(layout.panels) - 1)
    pairs = pairs_of(layout.panels)
    _check_connected(layout, pairs)
    with threads_for(layout.shape[0] * layout.shape[1]):
        image, gains = _levelled(layout, pairs, reference, guard)
    original, valid = layout.pasted()
    return Balanced(
        image=image,
        status=Status.cancelled if guard.cancelled else Status.direct,
        notes=(
            *layout.notes,
            *_notes(gains, flat is not None, len(layout.panels)),
            *_doubts(layout.panels, pairs),
        ),
        seconds=guard.seconds,
        original=original,
        valid=None if valid.all() else valid,
        gains=gains,
        corner=layout.corner,
    )


def _levelled(
    layout: Layout, pairs: list[Pair], reference: int | None, guard: Guard
) -> tuple[FloatArray, FloatArray]:
    """Return the blend of all channels, and the gains."""
    panels = layout.panels
    bands = layout.first.colour.shape[2:]
    image = np.zeros((*layout.shape, *bands), layout.dtype)
    gains = np.ones((len(panels), panels[0].channels))
    blend = Blend(panels, pairs, layout.shape, layout.dtype)
    for c in range(panels[0].channels):
        if not guard.next_pass():
            break
        lights = lights_of(panels, pairs, c, reference)
        gains[:, c] = [light.gain for light in lights]
        image[(..., c) if bands else ...] = blend.plane(lights, c, guard.beat)
    return image, gains


def _check_connected(layout: Layout, pairs: Sequence[Pair]) -> None:
    """Check that all panels are connected with the first one."""
    there = connected(len(layout.panels), pairs)
    for k, panel in enumerate(layout.panels):
        if k not in there:
            raise MismatchError(
                f"{panel.name}: neither overlaps nor touches the first picture or those next to "
                "it, so its level cannot be known; check the places, or leave it out"
            )


def _notes(gains: FloatArray, flattened: bool, count: int) -> Iterator[str]:
    """Yield notes on what was estimated, for a person."""
    if count == 1:
        rest = "divided by the flat field" if flattened else "left as it is"
        yield f"only one picture, so there is nothing to level; it was {rest}"
        return
    least, most = float(gains.min()), float(gains.max())
    noisy = "; what was brightened most has the most noise" if most / least > _WIDE else ""
    yield f"{count} pictures levelled, whose gains were from {least:.3g} to {most:.3g}{noisy}"


def _doubts(panels: Sequence[Panel], pairs: Sequence[Pair]) -> Iterator[str]:
    """Yield a note if overlaps show different things."""
    wrong = []
    for pair in pairs:
        if pair.overlaps:
            alike = agreement(*compared(panels, pair, 0, len(pairs)))
            if alike is not None and alike < LEAST_AGREEMENT:
                wrong.append(f"{panels[pair.first].name} and {panels[pair.second].name}")
    if wrong:
        yield (
            f"{', '.join(wrong)} show different things where they overlap; check the places "
            "(X,Y on the command line, row and column in Python)"
        )
