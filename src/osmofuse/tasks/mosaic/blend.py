r"""Blend of levelled panels by osmosis: their drifts composed, and integrated once.

With :math:`p_k` the levelled panels and :math:`w_k` the distance to the border of each, the mean
:math:`m = \sum w_k p_k / \sum w_k` has the drifts of the panels and, where the weights vary, what
is left of their differences of brightness. The blend :math:`u + \epsilon = (m + \epsilon) e^\psi`
has the drifts alone:

.. math::

    \psi = \arg\min \sum_e \Big(\Delta\psi - \frac{\sum_k \bar w_k \Delta \log(p_k + \epsilon)}
    {\sum_k \bar w_k} + \Delta \log (m + \epsilon)\Big)^2 + \sum_i \psi_i^2 / \text{tie}^2

("Image Blending with Osmosis", SSVM 2023, doi:10.1007/978-3-031-31975-4_50, which integrates by an
evolution). On an edge where two panels touch that no panel covers, the mismatch of the two is taken
off, and nothing else of their difference, which is the scene's. The tie keeps errors from adding up
across the mosaic.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from osmofuse.linalg.composed_drift import ComposedDrift
from osmofuse.linalg.integral import Integral
from osmofuse.tasks.mosaic.light import Light
from osmofuse.tasks.mosaic.pairs import DEPTHS, Pair
from osmofuse.tasks.mosaic.panels import Panel
from osmofuse.tasks.mosaic.seams import agreed, mismatch
from osmofuse.typing import FloatArray

EPSILON = 0.01  # added to samples, so that noise of black has no large ratios: 0.003..0.03 works
CYCLES = 8  # V-cycles of the integral; each leaves less than half of the error


class Blend:
    """Blend of panels on a canvas, channel by channel; the memory is kept.

    Parameters
    ----------
    panels, pairs, shape
        Panels on a canvas of that shape, and all their pairs.
    dtype : type
        Precision of the result; the integral is in single precision.
    """

    def __init__(
        self, panels: Sequence[Panel], pairs: Sequence[Pair], shape: tuple[int, int], dtype: type
    ) -> None:
        self._panels, self._shape, self._dtype = panels, shape, dtype
        self._seams = [pair for pair in pairs if not pair.overlaps]
        self._integral: Integral | None = None
        self._tie = math.sqrt(float(np.median([panel.size for panel in panels])))

    def plane(self, lights: Sequence[Light], channel: int, go_on: Callable[[], bool]) -> FloatArray:
        """Return the blend of a channel; once cancelled, as far as it came."""
        if len(self._panels) == 1:
            return lights[0].removed_from(self._panels[0].plane(channel, self._dtype))
        mean = self._mean(lights, channel)
        if not go_on():
            return mean
        epsilon = mean.dtype.type(EPSILON)
        phi = np.log(mean + epsilon, dtype=np.float32)
        self._set_drift(lights, channel, phi)
        psi = np.zeros(self._shape, np.float32)
        for _ in range(CYCLES):
            if not go_on():
                break
            psi = self._grid.cycle(1)
        mean += epsilon
        mean *= np.exp(psi, out=psi)
        mean -= epsilon
        return np.maximum(mean, 0, out=mean)

    @property
    def _grid(self) -> Integral:
        if self._integral is None:
            self._integral = Integral(self._shape)
            self._integral.set_mass(self._tie**-2.0)
        return self._integral

    def _mean(self, lights: Sequence[Light], channel: int) -> FloatArray:
        """Return the mean of the panels, weighted by the distance to the border of each."""
        mean: FloatArray = np.zeros(self._shape, self._dtype)
        total: FloatArray = np.zeros(self._shape, self._dtype)
        for panel, light in zip(self._panels, lights, strict=True):
            x = light.removed_from(panel.plane(channel, self._dtype))
            x *= panel.weight
            mean[panel.box] += x
            total[panel.box] += panel.weight
        np.divide(mean, total, out=mean, where=total > 0.0)
        return mean

    def _set_drift(self, lights: Sequence[Light], channel: int, phi: FloatArray) -> None:
        """Set the drift of the integral, and its start to 0."""
        composed = ComposedDrift(self._shape)
        for panel, light in zip(self._panels, lights, strict=True):
            x = light.removed_from(panel.plane(channel, np.float32))
            x += np.float32(EPSILON)
            composed.add(panel.box, np.log(x, out=x), panel.weight)
        composed.subtract(phi)
        for pair in self._seams:
            beside = [pair.beside(depth, self._panels) for depth in DEPTHS]
            steps = [mismatch(phi[there] - phi[here], *pair.here) for here, there in beside]
            composed.set_uncovered(pair.here, pair.there, -agreed(steps))
        self._grid.set_drift(composed.drift)
        self._grid.set_start(0.0)
