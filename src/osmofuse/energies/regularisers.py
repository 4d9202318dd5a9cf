r"""Smoothing terms of the structure, :math:`\eta R(v)`, one class each.

The flow minimises a term by a quadratic majoriser: with the differences :math:`D v` of the current
structure, the term is at most :math:`\tfrac12 \sum_e m_e (D v)_e^2` plus a constant, with equality
at that structure. A term sets the edge weights m in one pass over its planes. The paper's solvers
use its gradient, or the proximal map of Huber's term.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from osmofuse.kernels import fast_kernel, kernel, prange
from osmofuse.operators.difference import backward_divergence, forward_difference
from osmofuse.typing import FloatArray

# The flow smooths gradients below it also in total variation: 1/4 of a level of 8 bits, so that
# nobody sees it, and the largest edge weight stays finite.
LEAST_EPSILON = 1e-3
# Measured: with an epsilon below it lagged weights need rounds of their own to converge.
NEARLY_TV = 0.01


@runtime_checkable
class Regulariser(Protocol):
    r"""Smoothing term of the structure, :math:`\eta R(v)`.

    Your own term needs these five members; pass an instance as
    ``VariationalOsmosis(regulariser=...)``.
    """

    @property
    def largest_edge(self) -> float:
        """Upper bound of the edge weights that `set_edges` sets; 0 if it smooths nothing."""
        ...

    @property
    def converges_slowly(self) -> bool:
        """True if the weights change much from one structure to the next, as near TV."""
        ...

    def set_edges(
        self,
        down: FloatArray,
        right: FloatArray,
        structure: Sequence[FloatArray],
        channel: int,
        shape: tuple[int, int],
    ) -> float:
        """Set the edge weights of the majoriser in one channel, and return the term's value there.

        Parameters
        ----------
        down, right : array
            Weights of the edges to the lower and to the right neighbour, to be set; padded planes
            (`osmofuse.linalg.stencil`). Those into the frame must be 0.
        structure : sequence of array
            v of all channels; padded planes, not to be changed.
        channel : int
            Channel whose weights are wanted.
        shape : tuple of int
            Rows and columns inside the frame.
        """
        ...

    def value(self, v: FloatArray, /) -> float:
        """Return the term's value on a plane without a frame."""
        ...

    def gradient(self, v: FloatArray, /) -> FloatArray:
        """Return the gradient of `value`."""
        ...


@dataclass(frozen=True)
class HuberTV:
    r"""The term :math:`\eta \sum H_\varepsilon(|D v|)`, isotropic, on forward differences.

    .. math::

        H_\varepsilon(t) = \begin{cases} t^2 / 2\varepsilon & t < \varepsilon \\
                                         t - \varepsilon/2 & t \ge \varepsilon. \end{cases}

    Its proximal map has no closed form (:mod:`osmofuse.optimise.primal_dual` computes it); the one
    of its convex conjugate on dual fields y has:
    :math:`(\eta H_\varepsilon)^*(y) = \frac{\varepsilon}{2\eta} |y|^2` on :math:`|y_i| \le \eta`.

    Parameters
    ----------
    eta : float
        Weight, positive.
    epsilon : float
        Gradients below it are smoothed quadratically; 0 gives total variation.
    """

    eta: float
    epsilon: float

    @property
    def largest_edge(self) -> float:
        r"""Bound of the edge weights, :math:`\eta / \varepsilon`."""
        return self.eta / self._smoothed

    @property
    def converges_slowly(self) -> bool:
        """True near total variation."""
        return self._smoothed <= NEARLY_TV

    @property
    def _smoothed(self) -> float:
        return max(self.epsilon, LEAST_EPSILON)

    def set_edges(
        self,
        down: FloatArray,
        right: FloatArray,
        structure: Sequence[FloatArray],
        channel: int,
        shape: tuple[int, int],
    ) -> float:
        r"""Set the weights :math:`\eta / \max(|D v|, \varepsilon)`; see `Regulariser`."""
        v = structure[channel]
        number: Any = v.dtype.type
        weights = number(self.eta), number(self._smoothed), number(self.epsilon)
        sums = _huber_edges(down, right, v, *weights, *shape)
        return self.eta * float(sums.sum(dtype=np.float64))

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


@dataclass(frozen=True)
class Tikhonov:
    r"""The term :math:`\tfrac{\eta}{2} |D v|^2`.

    Parameters
    ----------
    eta : float
        Weight, not negative; 0 smooths nothing.
    """

    eta: float

    @property
    def largest_edge(self) -> float:
        """Weight of every edge."""
        return self.eta

    @property
    def converges_slowly(self) -> bool:
        """False: the weights never change."""
        return False

    def set_edges(
        self,
        down: FloatArray,
        right: FloatArray,
        structure: Sequence[FloatArray],
        channel: int,
        shape: tuple[int, int],
    ) -> float:
        r"""Set the weight :math:`\eta` on all edges; see `Regulariser`."""
        v = structure[channel]
        number: Any = v.dtype.type
        sums = _quadratic_edges(down, right, v, number(self.eta), *shape)
        return self.eta * float(sums.sum(dtype=np.float64))

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


def _norm(p: FloatArray) -> FloatArray:
    """Return |p| at each pixel."""
    return np.asarray(np.hypot(p[0], p[1]))


@fast_kernel
def _huber_edges(
    down: FloatArray,
    right: FloatArray,
    v: FloatArray,
    eta: float,
    smoothed: float,
    epsilon: float,
    rows: int,
    cols: int,
) -> FloatArray:
    """Set the edge weights eta / max(|D v|, smoothed); return the sum of H(|D v|) over each row."""
    half, zero, one = v.dtype.type(0.5), v.dtype.type(0.0), v.dtype.type(1.0)
    sums = np.zeros(rows, v.dtype)
    for i in prange(1, rows + 1):
        keep = one if i < rows else zero
        huber = zero
        for j in range(1, cols + 1):
            x = v[i, j]
            step = keep * (v[i + 1, j] - x)
            across = v[i, j + 1] - x if j < cols else zero
            t = np.sqrt(step * step + across * across)
            phi = eta / max(t, smoothed)
            down[i, j] = keep * phi
            right[i, j] = phi
            huber += t - half * epsilon if t >= epsilon else half * t * t / epsilon
        right[i, cols] = zero
        sums[i - 1] = huber
    return sums


@fast_kernel
def _quadratic_edges(
    down: FloatArray, right: FloatArray, v: FloatArray, eta: float, rows: int, cols: int
) -> FloatArray:
    """Set all edge weights to eta; return the sum of |D v|² / 2 over each row."""
    half, zero, one = v.dtype.type(0.5), v.dtype.type(0.0), v.dtype.type(1.0)
    sums = np.zeros(rows, v.dtype)
    for i in prange(1, rows + 1):
        keep = one if i < rows else zero
        total = zero
        for j in range(1, cols + 1):
            step = keep * (v[i + 1, j] - v[i, j])
            across = v[i, j + 1] - v[i, j] if j < cols else zero
            down[i, j] = keep * eta
            right[i, j] = eta
            total += half * (step * step + across * across)
        right[i, cols] = zero
        sums[i - 1] = total
    return sums


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
