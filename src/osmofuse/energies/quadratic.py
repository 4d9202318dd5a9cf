r"""The weighted quadratic term that ties a picture to a target."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from osmofuse.typing import BoolArray, FloatArray


@dataclass(frozen=True, eq=False)
class Quadratic:
    r"""The term :math:`q(x) = \tfrac12 \sum_i c_i (x_i - t_i)^2`.

    Parameters
    ----------
    weight : float or array
        :math:`c \ge 0`. Infinite where x is held at the target: those pixels add nothing to
        the value, have no gradient, and the proximal map puts them on the target bit for bit.
    target : array
        :math:`t`, of the shape of x.
    """

    weight: float | FloatArray
    target: FloatArray

    @cached_property
    def _held(self) -> BoolArray:
        return np.asarray(np.isinf(np.broadcast_to(self.weight, self.target.shape)))

    @cached_property
    def _finite(self) -> float | FloatArray:
        if isinstance(self.weight, np.ndarray):
            return np.where(np.isinf(self.weight), self.weight.dtype.type(0.0), self.weight)
        return 0.0 if math.isinf(self.weight) else self.weight

    def value(self, x: FloatArray) -> float:
        """Return q(x)."""
        return 0.5 * float(np.sum(self._finite * (x - self.target) ** 2))

    def gradient(self, x: FloatArray) -> FloatArray:
        r"""Return :math:`c\,(x - t)`."""
        return np.asarray(self._finite * (x - self.target))

    def prox(self, x: FloatArray, tau: float) -> FloatArray:
        r"""Return :math:`\arg\min_p q(p) + |p - x|^2 / 2\tau = (x + \tau c\,t)/(1 + \tau c)`."""
        c = tau * self._finite
        p = (x + c * self.target) / (1.0 + c)
        return np.where(self._held, self.target, p) if self._held.any() else p
