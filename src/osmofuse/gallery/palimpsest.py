"""Parchment written on twice: the first text was scraped off and shows again in ultraviolet."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from osmofuse.gallery.nuisance import Nuisances, stroke_width, worn
from osmofuse.gallery.page import painted, parchment, spared, stained, surface, written
from osmofuse.gallery.scene import Scene, checked_shape, finished, generator, ink_map
from osmofuse.gallery.texture import mix
from osmofuse.typing import FloatArray

_FIRST_INK = (0.38, 0.24, 0.12)
# Coverage of the first text as written, and the share of it that scraping left.
_COVER, _SCRAPED_LEFT = 0.8, 0.07
# Grey of parchment, of the first text and of the second in ultraviolet.
_GLOW, _FIRST_GREY, _SECOND_GREY = 0.70, 0.24, 0.30


def palimpsest(
    shape: Sequence[int] = (600, 450), seed: int = 0, *, nuisance: Nuisances = ()
) -> Scene:
    """Draw a page with a faint first text below a second one, and both texts legible.

    Parameters
    ----------
    shape : sequence of int
        Rows and columns; the writing grows with the page.
    seed : int
        Chooses both texts, stains and every unevenness.
    nuisance : str, tuple or sequence of them
        Nuisances of real pictures, see :mod:`osmofuse.gallery.nuisance`.

    Returns
    -------
    Scene
        The visible page, with the first text, at right angles to the second, nearly gone; the
        ultraviolet page (one band) with both; a map that is 0 where the first text is; and the
        page with the first text as it was written, below the second. `truth` equals `foreground`
        bit for bit wherever `alpha` is 1. `ink` is the first text where the second leaves it free.

    Raises
    ------
    InputError
        An argument cannot be used.

    Examples
    --------
    >>> scene = palimpsest((60, 45))
    >>> scene.foreground.shape, scene.background.shape
    ((60, 45, 3), (60, 45))
    """
    size, rng = checked_shape(shape), generator(seed)
    stroke = stroke_width(nuisance)
    second = written(size, rng, stroke)
    # A scribe turned the old leaf before writing on it again.
    first = np.ascontiguousarray(np.rot90(written((size[1], size[0]), rng, stroke).ink))
    skin, grain = surface(size, rng)
    bare = stained(parchment(size, skin, grain), rng)

    def page(left: float) -> FloatArray:
        return painted(mix(bare, _FIRST_INK, _COVER * left * first), second, second.ink)

    scene = Scene(
        name="palimpsest",
        foreground=page(_SCRAPED_LEFT),
        background=_ultraviolet(first, second.ink, 0.35 * skin + grain, rng),
        alpha=spared(first),
        truth=page(1.0),
        contrast_left=_SCRAPED_LEFT,
        ink=ink_map(first, hidden=second.ink),
    )
    return worn(scene, seed, nuisance, drawn=("wide", "fine"))


def _ultraviolet(
    first: FloatArray, second: FloatArray, skin: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Draw one band: parchment glows, both texts are dark."""
    page = _GLOW + 0.016 * skin
    page += (_FIRST_GREY - page) * 0.9 * first
    page += (_SECOND_GREY - page) * second
    return finished(page + 0.010 * rng.standard_normal(page.shape, dtype=np.float32))
