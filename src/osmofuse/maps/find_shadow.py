"""Search for one cast shadow, which refuses when it is not certain.

Dark regions are found by thresholds on red, on the brighter of red and green, of which skylight
has least, and on the mean of red and green less a part of blue, in which bright and dark spots of
the ground are nearly alike. A region is a shadow, not a dark object, if all along its edge

- the brightness falls by nearly the same factor, whatever the ground;
- the colour of the light changes by the same factors, too;
- red loses most and blue least, since the light that is left comes from the sky.

On a spotted ground, spots make the fall of a weak shadow uneven. It may be so if the spots continue
across the edge: then the brightness on both sides is correlated along it. On the edge of an object,
or of a spot, it is not.

A dark object rarely meets all three conditions. Neither does a shadow that an object interrupts: it
is not found. A picture of one band has no colours to compare.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from osmofuse.errors import InputError
from osmofuse.filters import reduced, robust_deviation
from osmofuse.typing import BoolArray, FloatArray

SIDE = 240  # pixels of the reduced picture; a contour there has a hundred independent places
THRESHOLDS = 32  # quantiles that are tried
SMALLEST, LARGEST = 0.01, 0.6  # share of the picture
SHORTEST = 100  # pixels of edge in the reduced picture; shorter ones match by chance
INNER, OUTER = 2, 5  # distance from the edge of the strips that are compared
MARGIN = 16  # pixels around a region that matter: a strip, and a window on it
# Bounds, from drawn scenes and about 60 pictures with and without shadows.
LEAST_FALL = 0.12  # of the logarithm of the brightness
LEAST_CONTINUITY = 0.65  # correlation of the ground's brightness on both sides; 0.6..0.7 works
MOST_UNEVEN = 0.1  # of a weak shadow's fall along the edge, deviation of the logarithm
SLACK = 0.03  # by which the order of the channels may be violated, relative to the fall
LESS_BLUE = 0.7  # part of blue's logarithm taken off: the ground's own brightness nearly cancels
LEAST_BLUE, MOST_BLUE = 0.5, 0.85  # fall of blue relative to red's


class Evenness(NamedTuple):
    """Bounds for an even fall of the brightness along an edge.

    Least share of the edge where it falls by 0.5 to 1.6 times the median; largest robust deviation
    of the fall, relative to the median; and of the differences between channels.
    """

    steady: float
    spread: float
    colour_spread: float


ON_ANY_GROUND = Evenness(0.8, 0.22, 0.1)
ON_SPOTTED_GROUND = Evenness(0.75, 0.5, 0.12)  # of a weak shadow, if the spots continue across it


class Edge(NamedTuple):
    """Change of light along the edge of a dark region.

    Median fall of each channel, its evenness (see `Evenness`), length of the edge, and correlation
    of the ground's brightness on both sides.
    """

    fall: FloatArray
    steady: float
    spread: float
    colour_spread: float
    length: int
    continuity: float

    @property
    def is_shadow(self) -> bool:
        """True if the region is a shadow."""
        red, green, blue = self.fall
        mean = float(self.fall.mean())
        slack = SLACK * mean
        return (
            mean >= LEAST_FALL
            and red + slack >= green >= blue - slack
            and LEAST_BLUE * red <= blue <= MOST_BLUE * red
            and self.length >= SHORTEST
            and self._is_even
        )

    @property
    def _is_even(self) -> bool:
        """True if the light falls by the same factor along the edge, within the ground's bounds."""
        weak = self.spread * float(self.fall.mean()) <= MOST_UNEVEN
        spotted = weak and self.continuity >= LEAST_CONTINUITY
        bounds = ON_SPOTTED_GROUND if spotted else ON_ANY_GROUND
        return (
            self.steady >= bounds.steady
            and self.spread <= bounds.spread
            and self.colour_spread <= bounds.colour_spread
        )

    @property
    def quality(self) -> float:
        """Evenness, more for a longer edge."""
        return (self.steady - self.spread - self.colour_spread) * math.sqrt(self.length)


def find_shadow(logarithms: FloatArray) -> tuple[BoolArray, str]:
    """Return a mask of the shadow in a picture, and a note; raise an InputError if none is certain.

    Parameters
    ----------
    logarithms : array, (rows, cols, channels)
        Logarithm of the picture.
    """
    rows, cols, channels = logarithms.shape
    if channels != 3:
        raise InputError(
            f"boundary: 'auto' needs red, green and blue, not {channels} bands: the colour of the "
            "light tells a shadow from a dark object; draw the boundary"
        )
    factor = max(1, math.ceil(max(rows, cols) / SIDE))
    small = np.stack(
        [reduced(np.ascontiguousarray(logarithms[..., c]), factor) for c in range(3)], -1
    )
    best: tuple[BoolArray, Edge] | None = None
    for region in _dark_regions(small):
        edge = edge_of(small, region)
        if edge is None or not edge.is_shadow:
            continue
        if best is None or edge.quality > best[1].quality:
            best = region, edge
    if best is None:
        raise InputError(
            "boundary: no shadow found for sure; draw its edge, or give a rough mask of it with "
            "--mask (in Python mask=True)"
        )
    region, edge = best
    mask = np.kron(region, np.ones((factor, factor), bool))[:rows, :cols]
    left = ", ".join(f"{x:.0%}" for x in np.exp(-edge.fall))
    return (
        mask,
        f"found a shadow on {mask.mean():.1%} of the picture; it leaves {left} of the light",
    )


def _dark_regions(small: FloatArray) -> Iterator[BoolArray]:
    """Yield candidates: connected regions below a threshold, cleaned of specks and small holes."""
    from scipy import ndimage

    yellow = small[..., :2].mean(axis=2)
    for feature in (small[..., :2].max(axis=2), small[..., 0], yellow - LESS_BLUE * small[..., 2]):
        smooth = ndimage.median_filter(feature, 5)
        for threshold in np.quantile(smooth, np.linspace(0.02, 0.7, THRESHOLDS)):
            dark = ndimage.binary_opening(smooth < threshold, iterations=2)
            dark = ndimage.binary_closing(np.pad(dark, 6, mode="edge"), iterations=3)[6:-6, 6:-6]
            labels, _ = ndimage.label(dark)
            sizes = np.bincount(labels.ravel())[1:]
            for k in np.argsort(-sizes, kind="stable")[:3]:
                if SMALLEST * dark.size < sizes[k] < LARGEST * dark.size:
                    yield _without_holes(labels == k + 1)


def _without_holes(region: BoolArray) -> BoolArray:
    """Return a region with its small holes filled."""
    from scipy import ndimage

    labels, _ = ndimage.label(~region)
    sizes = np.bincount(labels.ravel())
    small = sizes < 0.4 * SMALLEST * region.size
    small[0] = False
    return np.asarray(region | small[labels])


def edge_of(logarithms: FloatArray, region: BoolArray) -> Edge | None:
    """Return the change of light along the edge of a region; None if it has hardly any."""
    from scipy import ndimage

    found = ndimage.find_objects(region.astype(np.uint8))
    if not found:
        return None
    box = tuple(slice(max(part.start - MARGIN, 0), part.stop + MARGIN) for part in found[0])
    logarithms, region = logarithms[box], region[box]
    inside, outside = _strip(region), _strip(~region)
    edge = region & ~ndimage.binary_erosion(region, border_value=1)
    weights = [_around(strip.astype(np.float64)) for strip in (inside, outside)]
    places = edge & (weights[0] > 0.03) & (weights[1] > 0.03)
    length = int(np.count_nonzero(places))
    if length < SHORTEST // 2:
        return None
    means = [
        np.stack([_around(strip * logarithms[..., c])[places] for c in range(3)], -1)
        / weight[places][:, None]
        for strip, weight in zip((inside, outside), weights, strict=True)
    ]
    falls = means[1] - means[0]
    grey = falls.mean(axis=1)
    fall, middle = np.median(falls, axis=0), float(np.median(grey))
    if middle <= 0.0:
        return None
    colour = falls - grey[:, None]
    return Edge(
        fall,
        float(np.mean((grey > 0.5 * middle) & (grey < 1.6 * middle))),
        float(robust_deviation(grey)) / middle,
        float(robust_deviation(colour - np.median(colour, axis=0))) / middle,
        length,
        _continuity(*(one.mean(axis=1) for one in means)),
    )


def _continuity(inside: FloatArray, outside: FloatArray) -> float:
    """Return the correlation of the ground's brightness on both sides of an edge, at most 1."""
    among = float(robust_deviation(inside)) ** 2 + float(robust_deviation(outside)) ** 2
    return 1.0 - float(robust_deviation(outside - inside)) ** 2 / max(among, 1e-12)


def _strip(region: BoolArray) -> BoolArray:
    """Return the pixels of a region at some distance from its edge, without the frame."""
    from scipy import ndimage

    inner, outer = (
        ndimage.binary_erosion(region, iterations=n, border_value=1) for n in (INNER, OUTER)
    )
    return np.asarray(inner & ~outer)


def _around(x: FloatArray) -> FloatArray:
    from scipy import ndimage

    return np.asarray(ndimage.gaussian_filter(x, 2.5, mode="constant", truncate=3.0))
