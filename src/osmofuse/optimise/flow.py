r"""The gradient flow of the joint model: its planes, a step, and what a step costs in accuracy.

u follows :math:`\partial_t u = -\partial_u E`; v stays where it minimises the energy for the
current u, which it reaches a hundred times faster. A step is that of
:mod:`osmofuse.optimise.sdirk`: two solves with one matrix,
:math:`[(1/gh + \gamma\alpha) v^2 + L_m]\, \delta = \dots`, for the change :math:`\delta` of the
ratio u/v, by a few multigrid cycles each. It is proposed first; what it would leave is estimated,
and only a step that is accepted moves u and brings v after it.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from osmofuse.energies.fused import implicit_step, lagged_matrix, measure
from osmofuse.linalg import Hierarchy, flexible_cg
from osmofuse.linalg.smoothing import semi_iteration
from osmofuse.linalg.stencil import zeros
from osmofuse.operators import inner
from osmofuse.optimise.sdirk import SHARE, G, K, blend, dense_output, end_step, second_stage
from osmofuse.progress import Guard
from osmofuse.typing import FloatArray

ROUND = 0.1  # how far the solve of a round on v brings its error
TERMS = ("osmosis", "structure", "fidelity", "regulariser")
MOST_SWEEPS = 8
NEARLY_TV = 0.01
WEAK = 10.0
ROUNDS = 20
TYPICAL_STIFFNESS = 6.0  # of the pull on a structure of brightness 1
SETTLED = 1e-5  # a smaller part of the energy is nothing to relax for
LEAST_ENERGY = 1e-12  # per sample: a smaller change of the energy is none


@dataclass(frozen=True)
class Weights:
    """The numbers of the model that the flow needs.

    Attributes
    ----------
    mu, eta, epsilon, gamma : float
        Weights of the model; eta = 0 for no regulariser.
    lowest : float
        v stays above it.
    brightness : float
        The mean of w.
    """

    mu: float
    eta: float
    epsilon: float
    gamma: float = 1.0
    lowest: float = 0.0
    brightness: float = 1.0


class Channel:
    """The planes of a channel, padded: u, v and the stages of a step.

    f, w and alpha are to be set; they are never changed.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns.
    dtype : type
        float32 or float64.
    """

    def __init__(self, shape: tuple[int, int], dtype: type) -> None:
        self.u, self.first, self.end, self.v = (zeros(shape, dtype) for _ in range(4))
        self.f = self.w = self.alpha = self.u
        self.terms: dict[str, float] = {}


@dataclass(frozen=True, eq=False)
class FlowState:
    """Where the flow is.

    Attributes
    ----------
    time, step : float
        Flow time, and the step that led there.
    terms : dict of str to float
        The energy by term, of all channels.
    rate, seen : float
        The descent -dE/dt as a part of the energy, and the time at which it was so.
    cycles : int
        Multigrid cycles of the step, in each channel.
    """

    time: float
    step: float
    terms: dict[str, float]
    rate: float
    seen: float = 0.0
    cycles: int = 0

    @property
    def measure(self) -> float:
        """The energy."""
        return sum(self.terms.values())


@dataclass(frozen=True)
class Quality:
    r"""What a proposed step would leave, as root mean squares over all samples.

    Attributes
    ----------
    error : float
        The error of the step in time.
    residual : float
        The error of its second solve, at most.
    descent : float
        :math:`-dE/dt = \sum (\partial_u E)^2` about the middle of the step, of all samples.
    """

    error: float
    residual: float
    descent: float


class Flow:
    """The integrator: planes to work on, shared by all channels, and a step.

    Parameters
    ----------
    channels : sequence of Channel
        With u, v, f, w and alpha set, or to be set.
    weights : Weights
        Of the model; they may be changed between runs.
    shape : tuple of int
        Rows and columns.
    dtype : type
        float32 or float64.
    """

    def __init__(
        self, channels: Sequence[Channel], weights: Weights, shape: tuple[int, int], dtype: type
    ) -> None:
        self.channels, self.weights, self.shape = channels, weights, shape
        self.number: Any = dtype
        self.grid = Hierarchy(shape, dtype)
        # Two planes have two uses each: while u moves they hold the change of the ratio and the
        # iterate before it; between, the pull on v and its stiffness.
        self.x, self.y, self.b = (zeros(shape, dtype) for _ in range(3))
        self.lock = threading.Lock()  # for who shares the planes

    @property
    def samples(self) -> int:
        """Pixels times channels."""
        return math.prod(self.shape) * len(self.channels)

    def propose(self, h: float, cycles: int, guard: Guard) -> Quality | None:
        """Compute a step in all channels, not accepted yet; None if it was cancelled."""
        sums = np.zeros(3)
        for c in self.channels:
            if not guard.beat():
                return None
            sums += self._advance(c, h, cycles)
        if not guard.beat():
            return None
        # Rounding may leave less than nothing of an error.
        error, residual = (math.sqrt(max(x, 0.0) / self.samples) for x in sums[:2])
        return Quality(SHARE * error, residual, float(sums[2]) / ((1.0 - G) * h) ** 2)

    def _advance(self, c: Channel, h: float, cycles: int) -> FloatArray:
        """Compute both stages of a step; return the sums of `end_step`."""
        number, grid, shape = self.number, self.grid, self.shape
        rate = 1.0 / (G * h)
        self._implicit_step(c, rate)
        grid.coarsen(heaviness=rate * self.weights.brightness)
        self.x.fill(0.0)
        self._solve(cycles)
        second_stage(self.x, self.b, c.first, c.v, number(rate * K), *shape)
        self._solve(cycles)
        s = grid.finest
        planes = (c.end, self.x, self.b, s.down, s.right, s.mass, c.first, c.u, c.v)
        sums: FloatArray = end_step(*planes, number(K), *shape)
        return np.asarray(sums.sum(axis=1, dtype=np.float64))

    def _implicit_step(self, c: Channel, rate: float) -> None:
        s, number = self.grid.finest, self.number
        implicit_step(
            *(s.down, s.right, s.mass, s.inverse, self.b, c.u, c.v, c.f, c.alpha),
            *(number(self.weights.gamma), number(rate), *self.shape),
        )

    def _solve(self, cycles: int) -> None:
        for _ in range(cycles):
            self.x, self.y = self.grid.cycle(self.x, self.y, self.b)

    def follow(self, guard: Guard) -> bool:
        """Bring v after the end of a step that is to be accepted; False if it was cancelled."""
        for c in self.channels:
            for _ in range(self.rounds):
                if not guard.beat():
                    return False
                self.measure(c, c.end)
                self.relax(c, goal=ROUND)
        return True

    @property
    def rounds(self) -> int:
        """Relaxations that the structure needs to follow u: more where mu is weak."""
        w = self.weights
        least = math.log1p(w.mu * w.brightness / TYPICAL_STIFFNESS)  # errors fall so in a round
        rounds = math.log(10.0) / max(least, 1e-9)
        if 4.0 * w.eta / w.epsilon > w.mu:  # the diffusivity has to follow, too
            rounds += 1.0
        return min(math.ceil(rounds), ROUNDS)

    def accept(self, part: float = 1.0) -> None:
        """Make a part of the step the new u: all of it, or a point of its dense output."""
        for c in self.channels:
            if part == 1.0:
                c.u, c.end = c.end, c.u
            else:
                blend(c.u, c.first, c.end, self.number(dense_output(part)), *self.shape)

    def measure(self, c: Channel, u: FloatArray) -> None:
        """Measure the terms at a u, and its pull on v."""
        sums = measure(
            self.x, self.y, u, c.v, c.f, c.alpha, self.number(self.weights.gamma), *self.shape
        )
        osmosis, fidelity = sums.sum(axis=1, dtype=np.float64)
        c.terms = {"osmosis": float(osmosis), "fidelity": float(fidelity)}

    def relax(self, c: Channel, *, goal: float) -> None:
        """Bring v nearer to its minimum: errors fall by `goal`, for a pull that is held still.

        The pull is the one measured last. The terms of the energy that are told of are those
        before.
        """
        w, s, number = self.weights, self.grid.finest, self.number
        sums = lagged_matrix(
            *(s.down, s.right, s.mass, self.b, c.v, c.w, self.x, self.y),
            *(number(w.mu), number(w.eta), number(w.epsilon)),
            *self.shape,
        )
        quadratic, huber = sums.sum(axis=1, dtype=np.float64)
        c.terms |= {"structure": w.mu * float(quadratic), "regulariser": w.eta * float(huber)}
        if goal < 1.0:
            s.invert_diagonal()
            c.v, self.y = self.solve_structure(c.v, goal)
            np.maximum(c.v, number(w.lowest), out=c.v)
            _clear_frame(c.v, self.shape)

    def solve_structure(self, v: FloatArray, goal: float) -> tuple[FloatArray, FloatArray]:
        """Solve with the lagged matrix: by sweeps where its mass is heavy, else by cycles."""
        edges = 4.0 * self.weights.eta / self.weights.epsilon
        rho = edges / (self.weights.mu + edges)
        sigma = rho / (1.0 + math.sqrt(1.0 - rho * rho))
        sweeps = 1.0 if sigma == 0.0 else math.log(2.0 / goal) / max(-math.log(sigma), 1e-9)
        if sweeps <= MOST_SWEEPS:
            return self.grid.sweep(v, self.y, self.b, semi_iteration(rho, math.ceil(sweeps)))
        self.grid.coarsen(heaviness=4.0 * self.weights.mu / edges)
        y = self.y
        for _ in range(math.ceil(math.log10(1.0 / goal))):
            v, y = self.grid.cycle(v, y, self.b)
        return v, y

    def begin(self, *, goal: float, guard: Guard) -> None:
        """Bring v to where u, soon at peace with it, does not pull."""
        for c in self.channels:
            self.x.fill(0.0)
            self.y.fill(0.0)
            self.relax(c, goal=goal)
            if not guard.beat():
                return

    def settle(self, *, guard: Guard) -> None:
        """Bring v to its minimum where steps do not, and the terms of the energy up to date."""
        # Near total variation, or with a weak mu, a step on the structure is a short one.
        weak = self.weights.epsilon <= NEARLY_TV or self.weights.mu < WEAK
        least = LEAST_ENERGY * math.prod(self.shape)
        for c in self.channels:
            before = math.inf
            for _ in range(ROUNDS if weak else 0):
                self.measure(c, c.u)
                self.relax(c, goal=ROUND)
                energy = sum(c.terms.values())
                if not guard.beat() or before - energy <= max(SETTLED * energy, least):
                    break
                before = energy
            self.measure(c, c.u)
            self.relax(c, goal=1.0)

    def solve_stationary(self, c: Channel, guard: Guard) -> bool:
        """Solve for u with v held still, as `end`; tell whether it converged."""
        self._implicit_step(c, 0.0)
        if not c.alpha.any() or self.weights.gamma == 0.0:
            np.multiply(c.v, self.number(inner(c.v, c.u) / inner(c.v, c.v)), out=c.end)
            return True
        self.grid.coarsen()
        found = flexible_cg(
            self.grid.finest, self.b, np.zeros_like(self.b),
            precondition=self.grid.precondition, rtol=1e-6,
            atol=1e-13 * math.sqrt(inner(c.v, c.v)), max_iter=60, go_on=guard.beat,
        )  # fmt: skip
        np.add(c.u, c.v * found.x, out=c.end)
        return found.converged

    def total(self) -> dict[str, float]:
        """Return the terms of the energy of all channels."""
        return {name: sum(c.terms[name] for c in self.channels) for name in TERMS}


def _clear_frame(v: FloatArray, shape: tuple[int, int]) -> None:
    """Set the frame to 0 again, where sweeps, interpolation and clamping leave values."""
    v[0] = 0.0
    v[shape[0] + 1 :] = 0.0
    v[:, 0] = 0.0
    v[:, shape[1] + 1 :] = 0.0
