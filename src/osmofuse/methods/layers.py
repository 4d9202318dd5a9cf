r"""The pictures of a fusion as planes, all in the foreground's channels.

A background of one band has no colour of its own. It is repeated in every channel, or it takes
the foreground's chromaticity,

.. math::

    b_c = b \, \frac{f_c}{\mathrm{GCM}(f)}, \qquad \mathrm{GCM}(f) = \Big(\prod_c f_c\Big)^{1/C},

with :math:`C` channels, all pictures carrying an offset.

Where a background is not valid, the foreground stands in for it: to a filter, a hole would be
something dark, with edges.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from osmofuse.methods.contract import Sources
from osmofuse.typing import BoolArray, FloatArray

Band: TypeAlias = Literal["keep", "repeat"]

# What variational osmosis adds to pictures by default: all methods colour a band alike.
OFFSET = 1.0

# Rec. 601, for pictures of three channels. Some programs have 0.2989 for red, among them that of
# the authors of guided-filter fusion: its scores on pictures of 8 bits are the same with both.
LUMA = (0.299, 0.587, 0.114)


@dataclass(frozen=True, eq=False)
class Layers:
    """The pictures of a fusion, white at 1.0.

    Parameters
    ----------
    sources : Sources
        The pictures.
    band : {"keep", "repeat"}
        What a background of one band becomes in each channel: itself in the foreground's
        chromaticity, or itself.
    dtype : type
        float32 or float64.
    """

    sources: Sources
    band: Band
    dtype: type

    def image(self, source: int, channel: int) -> FloatArray:
        """Return a channel of a source as a new plane; source 0 is the foreground.

        Where a background is not valid, the foreground stands in for it.
        """
        sources, dtype = self.sources, self.dtype
        plane = sources.image(source, channel, dtype)
        if source > 0 and self.band == "keep" and sources.is_one_band(source):
            colour = (sources.image(0, channel, dtype) + dtype(OFFSET)) / self._chromatic_mean
            plane = (plane + dtype(OFFSET)) * colour - dtype(OFFSET)
        if source > 0 and sources.valid is not None:
            unknown = ~sources.valid
            plane[unknown] = sources.image(0, channel, dtype)[unknown]
        return plane

    def weight(self, source: int, channel: int) -> FloatArray:
        """Return how much of a source enters a channel, as a new plane."""
        return self.sources.weight(source, channel, self.dtype)

    def grey(self, source: int) -> FloatArray:
        """Return a source without its colours: the luma of three channels, else their mean."""
        channels = self.sources.channels
        parts = LUMA if channels == 3 else (1.0 / channels,) * channels
        planes = (self.dtype(part) * self.image(source, c) for c, part in enumerate(parts))
        return np.asarray(sum(planes))

    def is_own(self, source: int, radius: int) -> BoolArray | bool:
        """Return where all samples of a source up to a radius are its own, not the foreground's.

        Elsewhere what a filter of that radius finds may be the seam between the two.
        """
        if source == 0 or self.sources.valid is None:
            return True
        from scipy.ndimage import minimum_filter

        return np.asarray(minimum_filter(self.sources.valid, 2 * radius + 1, mode="nearest"))

    @property
    def rounding(self) -> float:
        """Differences that rounding can explain, as a part of the largest sample.

        64 units in the last place of the pictures' types, for a few sums of samples. Levels of
        integers are exact.
        """
        pictures = (self.sources.foreground, *self.sources.backgrounds)
        depths = [x.dtype if x.dtype.kind == "f" else np.dtype(np.float64) for x in pictures]
        return 64.0 * max(float(np.finfo(depth).eps) for depth in depths)

    @cached_property
    def _chromatic_mean(self) -> FloatArray:
        return chromatic_mean(self.sources, OFFSET, self.dtype)


def chromatic_mean(sources: Sources, offset: float, dtype: type) -> FloatArray:
    """Return the geometric mean of the foreground's channels, offset included."""
    planes = (sources.image(0, c, dtype) + dtype(offset) for c in range(sources.channels))
    with np.errstate(divide="ignore"):  # where a sample is 0
        total = sum(np.log(plane) for plane in planes)
    return np.asarray(np.exp(total / dtype(sources.channels)))
