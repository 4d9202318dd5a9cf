r"""Fusion by Laplacian pyramids: details are blended over distances of their own size.

A picture :math:`g_0` is halved again and again, :math:`g_{l+1} = \mathrm{reduce}(g_l)`, and its
details :math:`g_l - \mathrm{expand}(g_{l+1})` are kept. On every level the details of the sources
are summed with weights that have been halved as often, so that coarse structure fades over wide
seams and fine structure over narrow ones (Burt and Adelson 1983, doi:10.1145/245.247).

Reducing filters rows and columns with (1, 4, 6, 4, 1)/16 and keeps every second pixel; expanding
gives kept pixels (1, 6, 1)/8 and those between (4, 4)/8 of the small picture. Borders are
mirrored at the last pixel; a direction of one pixel stays. Constants are kept, and what is
reduced is expanded in the same way when details are taken and when they are put together, so
that alpha = 1 gives back the foreground, and alpha = 0 the background, up to rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from osmofuse.checks import choice, whole
from osmofuse.methods.contract import Fusion
from osmofuse.methods.cost import Cost
from osmofuse.methods.passes import Pass, Passes, fuse_by_passes
from osmofuse.methods.planes import Band, Layers
from osmofuse.methods.sources import Sources
from osmofuse.progress import Guard, Watch
from osmofuse.typing import FloatArray


@dataclass(frozen=True)
class LaplacianPyramid:
    """Fusion by Laplacian pyramids, with alpha (or the weights of all sources) as the mask.

    Parameters
    ----------
    halvings : int, 0 to 64, or None
        Number of pyramid levels: seams are about 2^halvings pixels wide; 0 is direct matting, None
        halves down to one pixel. Raise it to hide seams, lower it to keep changes local.
    band : {"keep", "repeat"}
        Colour of a background of one band: the foreground's chromaticity, or grey. Use "repeat"
        to follow the paper, or when the band is to enter as grey.

    Notes
    -----
    Where `valid` is False the foreground replaces the backgrounds. Seams are wide there as
    elsewhere, so a little of the surroundings enters a hole along its border.
    """

    halvings: int | None = None
    band: Band = "keep"

    cost: ClassVar[Cost] = Cost(20, 30, 0.06, wide=2.4)

    def __post_init__(self) -> None:
        choice("band", self.band, ("keep", "repeat"))
        if self.halvings is not None:
            whole("halvings", self.halvings, least=0, most=64)

    def __call__(self, sources: Sources, *, watch: Watch | None = None) -> Fusion:
        """Fuse the sources."""
        passes = self._passes(sources)
        return fuse_by_passes(self, sources, passes, Guard(watch), keep_holes=False)

    def _passes(self, sources: Sources) -> Passes:
        most = (max(sources.shape) - 1).bit_length()
        levels = most if self.halvings is None else min(self.halvings, most)
        layers = Layers(sources, self.band, sources.dtype)
        for c in range(sources.channels):
            fused = yield from _fused_pyramid(layers, c, levels)
            u = fused.pop()
            while fused:
                detail = fused.pop()
                u = expand(u, detail.shape) + detail
            yield u


def _fused_pyramid(layers: Layers, channel: int, levels: int) -> Pass[list[FloatArray]]:
    """Return the weighted details of all sources, fine to coarse, and the coarsest level."""
    fused: list[FloatArray] = []
    for k in range(layers.sources.count):
        image, weight = layers.image(k, channel), layers.weight(k, channel)
        for level in range(levels + 1):
            small = reduce(image) if level < levels else None
            detail = image if small is None else image - expand(small, image.shape)
            if k == 0:
                fused.append(weight * detail)
            else:
                fused[level] += weight * detail
            if small is not None:
                image, weight = small, reduce(weight)
            yield None
    return fused


def reduce(x: FloatArray) -> FloatArray:
    """Return a plane of half the size, rounded up."""
    for axis in (0, 1):
        x = np.moveaxis(_reduce_rows(np.moveaxis(x, axis, 0)), 0, axis)
    return x


def expand(x: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    """Return a plane of the shape of which x is the half."""
    for axis in (0, 1):
        x = np.moveaxis(_expand_rows(np.moveaxis(x, axis, 0), shape[axis]), 0, axis)
    return x


def _reduce_rows(x: FloatArray) -> FloatArray:
    rows = x.shape[0]
    if rows == 1:
        return x
    p = np.pad(x, ((2, 2), (0, 0)), mode="reflect")
    p = p[: rows + 3 + rows % 2]
    return ((p[:-4:2] + p[4::2]) + 4 * (p[1:-3:2] + p[3:-1:2]) + 6 * p[2:-2:2]) / 16


def _expand_rows(x: FloatArray, rows: int) -> FloatArray:
    if rows == 1:
        return x
    # Mirroring at a pixel that was kept repeats the one before it; at one between, the last.
    after = x[-2:-1] if rows % 2 else x[-1:]
    before = x[1:2] if x.shape[0] > 1 else x
    p = np.concatenate([before, x, after])
    out: FloatArray = np.empty((rows, *x.shape[1:]), x.dtype)
    out[::2] = (p[:-2] + 6 * p[1:-1] + p[2:]) / 8
    out[1::2] = (p[1 : 1 + rows // 2] + p[2 : 2 + rows // 2]) / 2
    return out
