r"""Spectral fusion by total variation (Benning et al. 2017, arXiv:1703.08001).

Each picture is a sum of bands, from coarse to fine, in which things lie by their size times
their height, with sharp edges in every band (`osmofuse.optimise.spectrum`). With the bands
:math:`f_n` of the foreground and :math:`b_n` of the background,

.. math::

    u = \alpha f + (1 - \alpha) \sum_n \big(\omega^f_n f_n + \omega^b_n b_n\big) .

The paper takes the first of 12 bands from the foreground, colours and large shapes, and the
2nd to the 12th from the background.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from osmofuse.checks import choice, number, whole
from osmofuse.errors import SettingError
from osmofuse.kernels import threads_for
from osmofuse.methods.contract import MOST_ITERATIONS, Fusion
from osmofuse.methods.cost import Cost
from osmofuse.methods.passes import Passes, fuse_by_passes
from osmofuse.methods.planes import Band, Layers
from osmofuse.methods.sources import Sources
from osmofuse.optimise.spectrum import Scales, filtered
from osmofuse.progress import Guard, Status, Watch
from osmofuse.typing import FloatArray


@dataclass(frozen=True)
class SpectralTV:
    r"""Fusion by bands of total variation.

    Parameters
    ----------
    bands : int, 2 to 100
        Number of bands of each picture. Raise it to weight scales more finely.
    finest, coarsest : float, 1e-6 to 1e4
        Scale that bounds the finest or the coarsest band; a disc of radius R pixels and height h,
        white at 1.0, has the scale h R / 2. Lower it if the structure is fine or faint, raise it if
        it is large.
    foreground_weights, background_weights : sequence of float, -100 to 100
        Weight of each band, coarse bands first; the last number counts for all further bands.
        Raise the weights of the bands that the picture should give.
    transform : {"inverse", "flow"}
        Transform that finds the bands: the inverse scale space or the flow of total variation.
        Use "flow" to compare with it.
    coupled : bool
        Split all channels together, with common edges. Use it against colour fringes.
    accuracy : float, 1e-10 to 1
        Largest root mean square error of a step between bands. Raise it for speed.
    max_iter : int, 1 to 1e6
        Largest number of iterations of a step on each grid. Raise it after the status ``max_iter``.
    band : {"keep", "repeat"}
        Colour of a background of one band: the foreground's chromaticity, or grey. Use "repeat"
        to follow the paper, or when the band is to enter as grey.

    Notes
    -----
    Where alpha is 1 the foreground keeps its bits. With the same weight for all bands of a
    picture, the picture comes back, whatever the accuracy. The scales were chosen to meet the
    table of Parisotto et al. 2020; those of its authors are not published.

    A hole of the background is filled with the foreground, whose bands then spread into the
    background's nearby.
    """

    bands: int = 12
    finest: float = 0.005
    coarsest: float = 1.5
    foreground_weights: Sequence[float] = (1.0, 0.0)
    background_weights: Sequence[float] = (0.0, 1.0)
    transform: Literal["inverse", "flow"] = "inverse"
    coupled: bool = False
    accuracy: float = 0.002
    max_iter: int = 10_000
    band: Band = "keep"

    cost: ClassVar[Cost] = Cost(130, 130, 5.0)
    wants_soft_map: ClassVar[bool] = True  # a hard edge shows as a line

    def __post_init__(self) -> None:
        whole("bands", self.bands, least=2, most=100)
        number("finest", self.finest, least=1e-6, most=1e4)
        number("coarsest", self.coarsest, least=1e-6, most=1e4)
        if self.finest > self.coarsest or (self.bands > 2 and self.finest == self.coarsest):
            raise SettingError(f"coarsest: {self.coarsest!r}; must be above finest, {self.finest}")
        for name in ("foreground_weights", "background_weights"):
            object.__setattr__(self, name, _numbers(name, getattr(self, name), self.bands))
        choice("transform", self.transform, ("inverse", "flow"))
        choice("coupled", self.coupled, (True, False))
        number("accuracy", self.accuracy, least=1e-10, most=1.0)
        whole("max_iter", self.max_iter, least=1, most=MOST_ITERATIONS)
        choice("band", self.band, ("keep", "repeat"))

    def __call__(self, sources: Sources, *, watch: Watch | None = None) -> Fusion:
        """Fuse the sources."""
        guard, found = Guard(watch), [Status.converged]
        passes = self._passes(sources, guard, found)
        return fuse_by_passes(self, sources, passes, guard, found=found)

    @property
    def scales(self) -> Scales:
        """Scales that part the bands; the coarsest alone, if there are two."""
        times = np.geomspace(self.coarsest, self.finest, self.bands - 1)[::-1]
        return Scales(times.tolist(), self.transform, self.accuracy, self.max_iter)

    def _passes(self, sources: Sources, guard: Guard, found: list[Status]) -> Passes:
        """Yield the channels; append the status of each decomposition to `found`."""
        layers = Layers(sources, self.band, np.float64)
        every = list(range(sources.channels))
        for group in [every] if self.coupled else [[c] for c in every]:
            f = np.stack([layers.image(0, c) for c in group])
            u = f.copy()
            for part in self._parts(layers, f, group, guard, found):
                u += part
                yield None
            yield from u

    def _parts(
        self, layers: Layers, f: FloatArray, group: list[int], guard: Guard, found: list[Status]
    ) -> Iterator[FloatArray]:
        """Yield the change of the foreground by each background in some channels."""
        own = None
        for k in range(1, layers.sources.count):
            weight = np.stack([layers.weight(k, c) for c in group])
            if not weight.any():
                continue
            if own is None:
                own = self._filtered(f, self.foreground_weights, guard, found)
            b = np.stack([layers.image(k, c) for c in group])
            mixed = own + self._filtered(b, self.background_weights, guard, found)
            yield weight * (mixed - f)

    def _filtered(
        self, x: FloatArray, weights: Sequence[float], guard: Guard, found: list[Status]
    ) -> FloatArray:
        """Return the weighted bands of coupled planes."""
        longer = [*weights, *[weights[-1]] * (self.bands - len(weights))]
        with threads_for(x[0].size):
            total, status = filtered(x, self.scales, longer, guard)
        found.append(status)
        return total


def _numbers(name: str, values: object, bands: int) -> tuple[float, ...]:
    """Return the weights of bands, checked."""
    if isinstance(values, str) or not isinstance(values, Sequence) or not values:
        raise SettingError(f"{name}: {values!r}; must be one number for each band, or fewer")
    if len(values) > bands:
        raise SettingError(f"{name}: {len(values)} numbers for {bands} bands; give fewer")
    for value in values:
        number(name, value, least=-100.0, most=100.0)
    return tuple(values)
