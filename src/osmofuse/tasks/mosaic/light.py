r"""Light of each panel: gain, fall-off and black level, from the ratios of panels.

A panel shows :math:`p_k = t\,e^{F_k} + o_k` of a scene t. With y and x from -1 to 1 across
its area,

.. math::

    F_k = g_k + a_k y + b_k x + c_k y^2 + d_k x y + e_k x^2 + S(y, x),

where S, the same for all panels, has terms of second and fourth order: lens and lamp are
often the same. Where panels k and m show the same, :math:`\log p_k / p_m = F_k - F_m + o_k/p_k -
o_m/p_m` to first order; where they only touch, this holds on average. All unknowns but the gains
have priors around 0, which determine what the ratios do not, such as a slope across the whole
mosaic. Each channel is solved by robust least squares.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from osmofuse.filters import MAD
from osmofuse.tasks.mosaic.pairs import Pair, compared
from osmofuse.tasks.mosaic.panels import Panel
from osmofuse.typing import Array, FloatArray

if TYPE_CHECKING:
    from scipy import sparse

Frame: TypeAlias = tuple[float, float, float, float]

# Standard deviations of the priors: of logarithms at the border of a panel, and of the offset in
# parts of white. Half to twice of each works.
_GAIN, _SLOPE, _CURVE, _OFFSET = 10.0, 0.07, 0.1, 0.005
_SHARED_CURVE, _SHARED_FOURTH = 0.3, 0.1
_OWN = np.array([_GAIN, _SLOPE, _SLOPE, _CURVE, _CURVE, _CURVE, _OFFSET])
_SHARED = np.array([*3 * [_SHARED_CURVE], *3 * [_SHARED_FOURTH]])
_GAINS_ONLY = 1e-4  # prior of all other unknowns in the first rounds, which find the gains
# The ratios of one pair count as at most this many independent ones: errors of the model are
# correlated. 50..400 works.
_INDEPENDENT = 200
# The same where panels only touch: the scene differs there too, and only gains can be estimated.
_TOUCHING = 1
# Level, in parts of white, at which a ratio has a quarter of the weight: dark ratios are noisy.
_DARK = 0.05
_BLACK = 0.01  # added to the level by which an offset is divided: 0.003..0.03 works
_LEAST_SCALE = 0.003  # of residuals, against an exact fit
_FIRST_ROUNDS, _ROUNDS = 4, 12  # of reweighting; more change nothing
_EVEN = 33  # samples along each side for the mean of a field


@dataclass(frozen=True, eq=False)
class Light:
    """Light of a panel in one channel, relative to that of the mosaic.

    Attributes
    ----------
    coefficients : array, (5, 5)
        Of the field, by powers of y and x.
    offset : float
        Black level, with white at 1.0.
    frame : tuple of float
        Middle row and column of the panel's data, and half its height and width.
    """

    coefficients: FloatArray
    offset: float
    frame: Frame

    @property
    def gain(self) -> float:
        """Geometric mean of the light over the panel's data box."""
        side = np.linspace(-1.0, 1.0, _EVEN)
        return float(np.exp(_field(side, self.coefficients, side).mean()))

    def brighter(self, factor: float) -> Light:
        """Return this light with the gain times a factor."""
        coefficients = self.coefficients.copy()
        coefficients[0, 0] += math.log(factor)
        return replace(self, coefficients=coefficients)

    def removed_from(self, x: FloatArray) -> FloatArray:
        """Return a plane of the panel as the light of the mosaic shows it; not negative."""
        down, right = _across(self.frame, np.arange(x.shape[0]), np.arange(x.shape[1]))
        found = _field(down, -self.coefficients, right).astype(x.dtype, copy=False)
        np.exp(found, out=found)
        found *= np.maximum(x - x.dtype.type(self.offset), 0)
        return found


def _field(y: FloatArray, coefficients: FloatArray, x: FloatArray) -> FloatArray:
    """Return the field at all crossings of rows and columns, in single precision."""
    down, right = (np.vander(side, 5, increasing=True) for side in (y, x))
    return np.asarray((down @ coefficients).astype(np.float32) @ right.T.astype(np.float32))


def _own_terms(y: FloatArray, x: FloatArray) -> tuple[FloatArray | float, ...]:
    return 1.0, y, x, y * y, y * x, x * x


def _coefficients(own: FloatArray, shared: FloatArray) -> FloatArray:
    """Return the coefficients of a field by powers of y and x."""
    found = np.zeros((5, 5))
    powers = [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2)]
    powers += [(2, 0), (1, 1), (0, 2), (4, 0), (2, 2), (0, 4)]
    for (a, b), value in zip(powers, (*own, *shared), strict=True):
        found[a, b] += value
    return found


def _shared_terms(y: FloatArray, x: FloatArray) -> tuple[FloatArray, ...]:
    return y * y, y * x, x * x, y**4, y * y * x * x, x**4


def _frame(panel: Panel) -> Frame:
    """Return the middle and half the size of the box around the data of a panel."""
    ends = [(0, n - 1) for n in panel.shape]
    if panel.valid is not None:
        lines = (np.flatnonzero(panel.valid.any(axis=axis)) for axis in (1, 0))
        ends = [(int(line[0]), int(line[-1])) for line in lines]
    middles = [(first + last) / 2.0 for first, last in ends]
    halves = [(last - first + 1) / 2.0 for first, last in ends]
    return middles[0], middles[1], halves[0], halves[1]


def _across(frame: Frame, rows: Array, cols: Array) -> tuple[FloatArray, FloatArray]:
    return (rows - frame[0]) / frame[2], (cols - frame[1]) / frame[3]


def lights_of(
    panels: Sequence[Panel], pairs: Sequence[Pair], channel: int, reference: int | None = None
) -> list[Light]:
    """Return the light of each panel in a channel.

    The mean of the logarithms of the gains, weighted by area, is 0, or that of the reference is.
    """
    frames = [_frame(panel) for panel in panels]
    theta = _solved(_Equations(panels, pairs, channel, frames), len(panels))
    own, shared = theta[: -len(_SHARED)].reshape(len(panels), -1), theta[-len(_SHARED) :]
    lights = [
        Light(_coefficients(one[:-1], shared), float(one[-1]), frame)
        for one, frame in zip(own, frames, strict=True)
    ]
    sizes = [panel.size for panel in panels]
    levels = [math.log(light.gain) for light in lights]
    level = np.average(levels, weights=sizes) if reference is None else levels[reference]
    return [light.brighter(math.exp(-level)) for light in lights]


class _Equations:
    """Ratios of all pairs in a channel, linear in the unknowns, with weights."""

    def __init__(
        self,
        panels: Sequence[Panel],
        pairs: Sequence[Pair],
        channel: int,
        frames: Sequence[Frame],
    ) -> None:
        self._rows: list[Array] = []
        self._columns: list[Array] = []
        self._values: list[FloatArray] = []
        ratios, weights = [np.zeros(0)], [np.zeros(0)]
        self._count, self._own = 0, len(_OWN)
        last = self._own * len(panels)
        for pair in pairs:
            one, two = compared(panels, pair, channel, len(pairs))
            n = len(one.level)
            if n == 0:
                continue
            shared: FloatArray = np.zeros((len(_SHARED), n))
            for side, k, sign in ((one, pair.first, 1.0), (two, pair.second, -1.0)):
                y, x = _across(frames[k], side.rows, side.cols)
                black = 1.0 / (side.level + _BLACK) if pair.overlaps else 0.0
                self._put(self._own * k, [sign * t for t in (*_own_terms(y, x), black)], n)
                shared = shared + sign * np.array(_shared_terms(y, x))
            self._put(last, list(shared), n)
            ratios.append(np.log(one.level / two.level))
            dark = np.minimum(one.level, two.level)
            most = _INDEPENDENT if pair.overlaps else _TOUCHING
            weights.append(np.square(dark / (dark + _DARK)) * (min(n, most) / n))
            self._count += n
        self.y, self.weights = np.concatenate(ratios), np.concatenate(weights)
        self.matrix = self._matrix(last + len(_SHARED))

    def _put(self, column: int, terms: Sequence[FloatArray | float], n: int) -> None:
        for t, term in enumerate(terms):
            self._rows.append(np.arange(self._count, self._count + n))
            self._columns.append(np.full(n, column + t))
            self._values.append(np.broadcast_to(term, n))

    def _matrix(self, unknowns: int) -> sparse.csr_matrix:
        from scipy import sparse

        shape = self._count, unknowns
        if self._count == 0:
            return sparse.csr_matrix(shape)
        parts = (np.concatenate(part) for part in (self._values, self._rows, self._columns))
        values, rows, columns = parts
        return sparse.csr_matrix((values, (rows, columns)), shape)


def _solved(equations: _Equations, panels: int) -> FloatArray:
    """Return the unknowns: first the gains by least absolute residuals, then all, robustly."""
    from scipy import sparse
    from scipy.sparse.linalg import spsolve

    A, y = equations.matrix, equations.y
    own = np.tile(_OWN, panels)
    deviations = np.concatenate([own, _SHARED])
    theta = np.zeros(len(deviations))
    if not len(y):
        return theta
    gains = np.where(deviations == _GAIN, _GAIN, _GAINS_ONLY)
    for k in range(_ROUNDS):
        first = k < _FIRST_ROUNDS
        r = y - A @ theta
        s = max(MAD * float(np.median(np.abs(r))), _LEAST_SCALE)
        q = np.abs(r) / s
        robust = 1.0 / np.maximum(q, 0.3) if first else np.square(1.0 + np.square(q / 2.0)) ** -1
        w = equations.weights * robust / s**2
        prior = sparse.diags((gains if first else deviations) ** -2.0)
        theta = spsolve((A.T @ sparse.diags(w) @ A + prior).tocsc(), A.T @ (w * y))
    return np.asarray(theta)
