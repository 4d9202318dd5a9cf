r"""Backgrounds whose bands are one picture stored several times, as itself or in false colour.

Such a picture has no colours of the scene. Its bands are averaged, and it takes the foreground's
colours as a background of one band does. Looked at without details, it is one of these:

- its log-chroma is the same everywhere;
- one number explains its colours, the brightness or the hue, as in any colour map, and its
  log-chroma is not that of the foreground. This is tried on the pixels, too: dark colour maps leave
  their curve when they are smoothed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from functools import partial
from typing import Literal, TypeAlias

import numpy as np

from osmofuse.filters import reduced, smooth
from osmofuse.methods.sources import Sources
from osmofuse.methods.statistics import Statistics, percentile
from osmofuse.methods.union.pair import grey_of
from osmofuse.methods.union.settings import UnionSettings
from osmofuse.pixels import bands_of
from osmofuse.typing import BoolArray, FloatArray

BackgroundBands: TypeAlias = Literal["auto", "one", "all"]
# Deviation of the smoothing, as a share of the side: compression blurs colours.
CHROMA_WINDOW = 1 / 64
COLOUR_SAMPLES = 20_000  # looked at; the shares are then right within 0.01
HUE_BINS = 64  # of brightness or hue
# Deviation of log-chroma below which a picture is grey or evenly tinted: 0.02 for grey pictures
# compressed in colour, 0.11 and more for colour pictures of the gallery.
LEAST_CHROMA = 0.03
# Share of the variance of colours that one number explains. Colour pictures of the gallery have at
# most 0.82; its infrared pictures in the 22 colour maps of OpenCV 0.87 and more unless they are
# evenly tinted, the paper's infrared manuscript 0.91. All of these 616 are recognised; compressed
# as JPEG, 28 of them, most of them dark, are taken for colour pictures.
EXPLAINED = 0.84
SAME_KIND = 0.5  # correlation of log-chroma of two pictures of one scene in visible light


def averaged(sources: Sources, which: Sequence[bool]) -> Sources:
    """Return sources with the bands of some backgrounds averaged."""
    if not any(which):
        return sources
    found = copy(sources)
    pairs = enumerate(zip(sources.backgrounds, which, strict=True), 1)
    backgrounds = tuple(grey_of(sources, k) if one else b for k, (b, one) in pairs)
    object.__setattr__(found, "backgrounds", backgrounds)
    return found


def to_average(sources: Sources, bands: BackgroundBands, known: Statistics) -> tuple[bool, ...]:
    """Return True for each background whose bands are to be averaged."""
    several = [sources.channels > 1 and bands_of(b) > 1 for b in sources.backgrounds]
    if bands == "auto":
        return tuple(
            more and bool(known(f"one band {k}", partial(shows_one_band, sources, k)))
            for k, more in enumerate(several, 1)
        )
    return tuple(more and bands == "one" for more in several)


def shows_one_band(sources: Sources, k: int) -> bool:
    """Return True if a background shows one band, as grey or in false colour."""
    b = _samples(sources, k, CHROMA_WINDOW)
    if b.size == 0:
        return False
    chroma = _chroma(b)
    if math.sqrt(float(chroma.var(axis=1).mean())) < LEAST_CHROMA:
        return True
    if _correlation(chroma, _chroma(_samples(sources, 0, CHROMA_WINDOW))) > SAME_KIND:
        return False
    return max(on_a_curve(b), on_a_curve(_samples(sources, k, 0.0))) > EXPLAINED


def on_a_curve(colours: FloatArray) -> float:
    """Return the share of the variance of colours that the brightness or the hue explains."""
    by_brightness = explained_share(colours.mean(axis=0), _chroma(colours))
    if len(colours) != 3:
        return by_brightness
    return max(by_brightness, explained_share(_hue(colours), colours))


def explained_share(by: FloatArray, x: FloatArray) -> float:
    """Return the share of the variance of the rows of x that the ranks of a number explain.

    >>> by = np.arange(64.0)
    >>> round(explained_share(by, np.stack([by**2, -by])), 6)
    1.0
    """
    ranks = np.empty(by.size, np.int64)
    ranks[np.argsort(by, kind="stable")] = np.arange(by.size)
    bins = ranks * HUE_BINS // by.size
    count = np.maximum(np.bincount(bins, minlength=HUE_BINS), 1)
    means = np.stack([np.bincount(bins, row, HUE_BINS) / count for row in x])
    return float(means[:, bins].var(axis=1).sum() / max(x.var(axis=1).sum(), 1e-12))


def _samples(sources: Sources, k: int, window: float) -> FloatArray:
    """Return smoothed colours of a picture at a grid of valid pixels, (bands, pixels)."""
    size = sources.shape[0] * sources.shape[1]
    step = max(1, math.ceil(math.sqrt(size / COLOUR_SAMPLES)))
    valid: BoolArray = np.ones(sources.shape, bool) if sources.valid is None else sources.valid
    seen = valid[::step, ::step]

    # Means of blocks are smooth already; the window is wider than a block.
    sigma = math.sqrt(max(window**2 * size - (step**2 - 1) / 12, 0.0)) / step

    def plane(c: int) -> FloatArray:
        if window == 0.0:
            return sources.image(k, c, np.float32, step=step)
        return smooth(reduced(sources.image(k, c, np.float32), step), sigma)

    return np.stack([plane(c)[seen] for c in range(sources.channels)]).astype(np.float64)


def _chroma(x: FloatArray) -> FloatArray:
    """Return ratios of successive bands, in the logarithm."""
    white = max(percentile(x, 99.0), 1e-6)
    return np.asarray(np.diff(np.log(x + UnionSettings.offset * white), axis=0))


def _hue(x: FloatArray) -> FloatArray:
    """Return the angle around the grey axis of colours of three bands."""
    red, green, blue = x
    return np.asarray(np.arctan2(math.sqrt(3.0) * (green - blue), 2.0 * red - green - blue))


def _correlation(x: FloatArray, y: FloatArray) -> float:
    """Return the correlation of two arrays of the same shape, row by row."""
    x, y = (a - a.mean(axis=1, keepdims=True) for a in (x, y))
    return float((x * y).sum() / math.sqrt(max(float((x * x).sum() * (y * y).sum()), 1e-30)))
