r"""Quadratic smoothing of the structure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from osmofuse.operators.difference import backward_divergence, forward_difference
from osmofuse.typing import FloatArray


@dataclass(frozen=True)
class Tikhonov:
    r"""The term :math:`\tfrac{\eta}{2} |D v|^2`.

    Parameters
    ----------
    eta : float
        Weight, not negative.
    """

    eta: float

    def value(self, v: FloatArray) -> float:
        """Return the energy of a plane."""
        return 0.5 * self.eta * float(np.sum(forward_difference(v) ** 2))

    def gradient(self, v: FloatArray) -> FloatArray:
        r"""Return :math:`\eta D^* D v`."""
        return np.asarray(self.eta * backward_divergence(forward_difference(v)))

    def prox(self, v: FloatArray, tau: float) -> FloatArray:
        r"""Return :math:`(1 + \tau\eta D^* D)^{-1} v`.

        The cosines of the type-2 transform are the eigenvectors of :math:`D^* D`, with
        eigenvalues :math:`4\sin^2(\pi k / 2n)` on each axis.
        """
        from scipy.fft import dctn, idctn

        rows, cols = (4.0 * np.sin(0.5 * np.pi * np.arange(n) / n) ** 2 for n in v.shape)
        symbol = 1.0 + tau * self.eta * (rows[:, None] + cols[None, :])
        return np.asarray(idctn(dctn(v, norm="ortho") / symbol, norm="ortho"))
