"""Regions on both sides of a shadow's boundary: which are in ordinary light, and which are not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from osmofuse.errors import InputError
from osmofuse.typing import Array, BoolArray, FloatArray

Removed: TypeAlias = Literal["auto", "shadow", "light"]

STRIP = 6  # pixels on each side of the boundary that are compared; any of 3..12 works
LEAST_JUMP = 0.02  # of logarithms, 2 % of brightness: a weaker shadow is texture
LEAST_REGION = 16  # pixels; smaller ones are specks in the boundary
MOST_REGIONS = 200  # the largest; a boundary with more is a net


@dataclass(frozen=True, eq=False)
class ShadowRegions:
    """Parts into which a boundary cuts a picture.

    Attributes
    ----------
    lit : array of bool, (rows, cols)
        Ordinary light, which is kept.
    changed : array of bool, (rows, cols)
        In shadow, or under a spot of light.
    band : array of bool, (rows, cols)
        The boundary, and specks in it.
    """

    lit: BoolArray
    changed: BoolArray
    band: BoolArray

    def within(self, box: tuple[slice, slice]) -> ShadowRegions:
        """Return the regions in a part of the picture."""
        return ShadowRegions(self.lit[box], self.changed[box], self.band[box])


def shadow_regions(
    logarithms: FloatArray, band: BoolArray, *, remove: Removed = "auto"
) -> ShadowRegions | None:
    """Return the regions on both sides of a boundary; None if it cuts nothing off.

    The medians of strips on both sides of the boundary are compared from region to region, so
    differences of the ground farther away do not matter.

    Parameters
    ----------
    logarithms : array, (rows, cols)
        Logarithm of the picture's brightness.
    band : array of bool, (rows, cols)
        The boundary.
    remove : {"auto", "shadow", "light"}
        Ordinary light is that of the largest region, of the brightest, or of the darkest.
    """
    labels, sizes = _labelled(band)
    if len(sizes) < 2:
        return None
    levels = _levels(logarithms, labels, band)
    if remove == "auto":
        levels = levels - levels[np.argmax(sizes)]
    else:
        large = levels[sizes >= 0.01 * band.size]
        some = large if large.size else levels
        levels = levels - (np.nanmax(some) if remove == "shadow" else np.nanmin(some))
    extreme = levels[np.nanargmax(np.abs(levels))]
    if abs(extreme) < LEAST_JUMP:
        raise InputError(
            f"boundary: both sides are equally bright, within {LEAST_JUMP:.0%}; it must lie on the "
            "edge of a shadow or of a spot of light"
        )
    changed = np.append(False, levels / extreme > 0.5)[labels]
    specks = (labels == 0) | np.append(False, np.isnan(levels))[labels]
    return ShadowRegions(~changed & ~specks, changed, specks)


def _labelled(band: BoolArray) -> tuple[Array, Array]:
    """Return the labels of the regions from 1, and their sizes; specks have the label 0."""
    from scipy import ndimage

    labels, count = ndimage.label(~band)
    sizes = np.bincount(labels.ravel(), minlength=count + 1)[1:]
    order = np.argsort(-sizes, kind="stable")[:MOST_REGIONS]
    kept = np.sort(order[sizes[order] >= LEAST_REGION])
    number = np.zeros(count + 1, np.intp)
    number[kept + 1] = np.arange(1, len(kept) + 1)
    return number[labels], sizes[kept]


def _levels(logarithms: FloatArray, labels: Array, band: BoolArray) -> FloatArray:
    """Return the brightness of each region, from jumps across the boundary; NaN if unconnected."""
    from scipy import ndimage

    # The pixels next to those without a label have one, so a box with a margin of 1 will do.
    first, last = (np.flatnonzero((labels == 0).any(axis=k))[[0, -1]] for k in (1, 0))
    box = tuple(slice(max(int(a) - 1, 0), int(b) + 2) for a, b in (first, last))
    near = labels[box]
    depth, nearest = ndimage.distance_transform_edt(near == 0, return_indices=True)
    width = 2.0 * float(np.percentile(depth[band[box]], 95))
    grown = near[tuple(nearest)]
    count = int(labels.max())
    meet = np.zeros((count + 1, count + 1), np.intp)
    for one, other in ((grown[:-1], grown[1:]), (grown[:, :-1], grown[:, 1:])):
        np.add.at(meet, (one[one != other], other[one != other]), 1)
    meet += meet.T
    levels = np.full(count, np.nan)
    levels[np.argmax(np.bincount(labels.ravel())[1:])] = 0.0
    while True:
        known = ~np.isnan(levels)
        contact = np.where(known, meet[1:, 1:], 0).sum(axis=1) * ~known
        if not contact.any():
            return levels
        k = int(np.argmax(contact))
        others = np.flatnonzero(known & (meet[1 + k, 1:] > 0))
        jumps = _jumps(logarithms, labels, k + 1, others + 1, width)
        weights = np.where(np.isnan(jumps), 0.0, meet[1 + k, 1 + others])
        if not weights.any():
            meet[1 + k] = 0
            continue
        levels[k] = np.average(levels[others] + np.nan_to_num(jumps), weights=weights)


def _jumps(
    logarithms: FloatArray, labels: Array, one: int, others: Array, width: float
) -> FloatArray:
    """Return the difference of a region's strip to those of its neighbours; NaN without pixels."""
    from scipy import ndimage

    reach = width + STRIP
    margin = int(reach) + 1
    inside = ndimage.find_objects(labels, max_label=one)[one - 1]
    box = tuple(slice(max(part.start - margin, 0), part.stop + margin) for part in inside)
    own, values = labels[box], logarithms[box]
    strip = (own == one) & (ndimage.distance_transform_edt(own == one) <= STRIP)
    near = ndimage.distance_transform_edt(own != one) <= reach
    level = float(np.median(values[strip]))
    found = [values[near & (own == other)] for other in others]
    return np.array([level - np.median(x) if x.size else np.nan for x in found])
