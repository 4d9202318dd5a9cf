r"""Spectral decomposition of total variation: pictures as sums of bands.

Under the flow of total variation, :math:`-u_t \in \partial\,\mathrm{TV}(u)` from
:math:`u(0) = x`, a disc of radius R and height h sinks at the speed 2/R and vanishes at
:math:`t = hR/2`: small and faint structures vanish first. The transform
:math:`\varphi = t\, u_{tt}` is a peak at that time, of the disc's full height (Gilboa 2014,
doi:10.1137/130930704). Its integral between two times has a closed form,

.. math::

    \int_s^t \varphi = x(s) - x(t), \qquad x(t) = u(t) - t\, u_t(t),

so that the *levels* :math:`x(t)`, which hold what vanishes after t, determine all bands. The
inverse scale space runs the other way (Burger, Gilboa, Osher and Xu 2006,
doi:10.4310/CMS.2006.v4.n1.a7): a disc appears at the time 1/t, at its full height at once; its
levels are the pictures themselves.

A *band* is the difference of two neighbouring levels. With the picture x itself as the finest
level, the bands sum to x whatever the levels are, even if these are inexact.
Bands are numbered from coarse to fine; the first is the coarsest level.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np

from osmofuse.operators.difference import backward_divergence
from osmofuse.optimise.iterate import Outcome
from osmofuse.optimise.rof import DualField, rof_by_grids
from osmofuse.progress import Guard, Status, worst
from osmofuse.typing import FloatArray

Transform: TypeAlias = Literal["flow", "inverse"]


@dataclass(frozen=True)
class Scales:
    """Settings of a decomposition: times, transform and accuracy.

    Attributes
    ----------
    times : sequence of float
        Scales between bands, in t = hR/2 with white at 1; positive and ascending.
    transform : {"flow", "inverse"}
        Implicit steps of the flow of total variation, from fine to coarse; or of its inverse
        scale space (Bregman's iteration), from coarse to fine.
    accuracy : float
        Tolerance of the root mean square error of each step, over pixels.
    max_iter : int
        Maximum number of iterations of a step.
    """

    times: Sequence[float]
    transform: Transform = "flow"
    accuracy: float = 1e-3
    max_iter: int = 10_000

    def levels(self, x: FloatArray, guard: Guard | None = None) -> Iterator[Level]:
        """Yield the levels of coupled planes, (channels, rows, cols), one by one."""
        return (_flow if self.transform == "flow" else _inverse)(x, self, guard)

    def step(
        self, q: FloatArray, tau: float, y0: FloatArray | None, guard: Guard | None
    ) -> Outcome[DualField]:
        """Return the field of a proximal step, warm-started from a previous field."""
        return rof_by_grids(
            q, tau, y0=y0, accuracy=self.accuracy, max_iter=self.max_iter, guard=guard
        )


@dataclass(frozen=True, eq=False)
class Level:
    """Part of a picture that vanishes after a given time.

    Attributes
    ----------
    index : int
        Index of the time in `Scales.times`.
    x : array, (channels, rows, cols)
        Level; it has the mean of the picture in each channel.
    status : Status
        Status of the last step.
    """

    index: int
    x: FloatArray
    status: Status


def _flow(x: FloatArray, scales: Scales, guard: Guard | None) -> Iterator[Level]:
    """Yield u + t D* y after implicit steps u - tau D* y: the velocity is -D* y."""
    u, y, before = x, None, 0.0
    for index, t in enumerate(scales.times):
        tau = t - before
        found = scales.step(u, tau, y, guard)
        y, before = found.state.y, t
        slope = _divergence(y).astype(x.dtype)
        u = u - tau * slope
        yield Level(index, u + t * slope, found.status)


def _inverse(x: FloatArray, scales: Scales, guard: Guard | None) -> Iterator[Level]:
    """Yield u of Bregman's iteration, whose steps in 1/t add up to the 1/t of each scale."""
    y, pull, before = None, np.zeros_like(x), 0.0
    for index, t in reversed(list(enumerate(scales.times))):
        tau = 1.0 / (1.0 / t - before)
        q = x + tau * pull
        found = scales.step(q, tau, y, guard)
        y, before = found.state.y, 1.0 / t
        pull = _divergence(y).astype(x.dtype)
        yield Level(index, q - tau * pull, found.status)


def _divergence(y: FloatArray) -> FloatArray:
    """Return D* y of each channel, in double precision so that its sum is 0 up to rounding."""
    return np.stack([backward_divergence(field.astype(np.float64)) for field in y])


def filtered(
    x: FloatArray, scales: Scales, weights: Sequence[float], guard: Guard | None = None
) -> tuple[FloatArray, Status]:
    r"""Return :math:`\sum_n \omega_n x_n` over the bands :math:`x_n`, and the worst status.

    Parameters
    ----------
    x : array, (channels, rows, cols)
        Coupled planes.
    scales : Scales
        Settings of the decomposition.
    weights : sequence of float
        :math:`\omega_n` of each band, coarse ones first; one more than there are times.
    guard : Guard, optional
        Pulsed between steps; after a cancellation the partial sum is returned.

    Notes
    -----
    Only levels at which weights change are added, and no step is taken beyond the last of them.
    Only one level is in memory at a time.
    """
    # Change of the weights at level k, which lies between the bands n - k - 1 and n - k.
    last = len(weights) - 1
    changes = [weights[last - k - 1] - weights[last - k] for k in range(last)]
    total, left = weights[last] * x, sum(map(bool, changes))
    found = [Status.converged]
    for level in scales.levels(x, guard) if left else ():
        if guard is not None and guard.cancelled:
            return total, Status.cancelled
        found.append(level.status)
        if change := changes[level.index]:
            total += change * level.x
            left -= 1
        if not left:
            break
    return total, worst(found)


@dataclass(frozen=True, eq=False)
class Bands:
    r"""Bands of a picture.

    Attributes
    ----------
    bands : array, (bands, channels, rows, cols)
        From coarse to fine; they sum to the picture.
    limits : array, (bands + 1,)
        Band n holds what vanishes between the times ``limits[n + 1]`` and ``limits[n]``; the first
        is infinite and the last is 0.
    status : Status
        ``converged``, or the worst status of all steps.
    """

    bands: FloatArray
    limits: FloatArray
    status: Status

    def spectrum(self) -> FloatArray:
        r"""Return :math:`S(t) = \sum |\varphi(t)|`, the mean over each band but the first."""
        size = np.abs(self.bands[1:]).sum(axis=(1, 2, 3))
        return np.asarray(size / -np.diff(self.limits[1:]))

    def filtered(self, weights: Sequence[float] | FloatArray) -> FloatArray:
        """Return a weighted sum of the bands.

        Parameters
        ----------
        weights : sequence
            Of each band, coarse ones first: a number, or an array that broadcasts with
            (channels, rows, cols), for weights that differ from place to place.
        """
        terms = (w * band for w, band in zip(weights, self.bands, strict=True))
        return np.asarray(sum(terms))


def decompose(x: FloatArray, scales: Scales, guard: Guard | None = None) -> Bands:
    """Return the bands of coupled planes, (channels, rows, cols).

    Examples
    --------
    >>> import numpy as np
    >>> x = np.zeros((1, 8, 8))
    >>> x[0, 2:6, 2:6] = 1.0
    >>> found = decompose(x, Scales(times=(0.1, 10.0)))
    >>> bool(abs(found.bands.sum(axis=0) - x).max() < 1e-14)
    True
    >>> found.spectrum().shape
    (2,)
    """
    levels = {level.index: level for level in scales.levels(x, guard)}
    order = [levels[k] for k in sorted(levels, reverse=True)]
    planes = [np.zeros_like(x), *(level.x for level in order), x]
    limits = np.array([np.inf, *reversed(scales.times), 0.0])
    bands = np.stack([fine - coarse for coarse, fine in pairwise(planes)])
    return Bands(bands, limits, worst(level.status for level in order))
