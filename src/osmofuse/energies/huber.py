r"""Huber-smoothed total variation, and total variation itself (epsilon = 0).

.. math::

    \eta \sum_i H_\varepsilon(|(D v)_i|), \qquad
    H_\varepsilon(t) = \begin{cases} t^2 / 2\varepsilon & t < \varepsilon \\
                                     t - \varepsilon/2 & t \ge \varepsilon. \end{cases}

Its proximal map has no closed form (:mod:`osmofuse.optimise.primal_dual` computes it); the
one of its convex conjugate on dual fields y has:

.. math::

    (\eta H_\varepsilon)^*(y) = \frac{\varepsilon}{2\eta} |y|^2
    \quad\text{on } |y_i| \le \eta .
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from osmofuse.kernels import kernel, prange
from osmofuse.operators.difference import backward_divergence, forward_difference
from osmofuse.typing import FloatArray


@dataclass(frozen=True)
class HuberTV:
    r"""The term :math:`\eta \sum H_\varepsilon(|D v|)`, isotropic, on forward differences.

    Parameters
    ----------
    eta : float
        Weight, positive.
    epsilon : float
        Gradients below it are smoothed quadratically; 0 gives total variation.
    """

    eta: float
    epsilon: float

    def value(self, v: FloatArray) -> float:
        """Return the energy of a plane."""
        return self.eta * float(_huber_rows(v, self.epsilon).sum())

    def gradient(self, v: FloatArray) -> FloatArray:
        r"""Return :math:`\eta D^*\big(D v / \max(|D v|, \varepsilon)\big)`, for epsilon > 0."""
        p = forward_difference(v)
        return np.asarray(self.eta * backward_divergence(p / np.maximum(_norm(p), self.epsilon)))

    def conj_value(self, y: FloatArray) -> float:
        r"""Return :math:`(\varepsilon / 2\eta)\,|y|^2`, infinite where some |y| exceeds eta."""
        if float(_norm(y).max(initial=0.0)) > self.eta * (1.0 + 1e-9):
            return np.inf
        return 0.5 * self.epsilon / self.eta * float(np.sum(y * y))

    def conj_prox(self, y: FloatArray, sigma: float) -> FloatArray:
        r"""Return :math:`y / (1 + \sigma\varepsilon/\eta)`, projected on :math:`|y| \le \eta`."""
        y = y / (1.0 + sigma * self.epsilon / self.eta)
        return np.asarray(y / np.maximum(1.0, _norm(y) / self.eta))


def _norm(p: FloatArray) -> FloatArray:
    """Return |p| at each pixel."""
    return np.asarray(np.hypot(p[0], p[1]))


@kernel
def _huber_rows(v: FloatArray, epsilon: float) -> FloatArray:
    """Return the sum of H(|D v|) over each row."""
    rows, cols = v.shape
    total = np.zeros(rows)
    for i in prange(rows):
        s = 0.0
        below = min(i + 1, rows - 1)
        for j in range(cols):
            right = min(j + 1, cols - 1)
            t = np.sqrt((v[below, j] - v[i, j]) ** 2 + (v[i, right] - v[i, j]) ** 2)
            s += t - 0.5 * epsilon if t >= epsilon else t * t / (2.0 * epsilon)
        total[i] = s
    return total
