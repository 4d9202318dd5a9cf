r"""Gradient flow of the joint model: planes, one step, and its error estimate.

u follows :math:`\partial_t u = -\partial_u E`; v minimises the energy for the current u, since it
relaxes a hundred times faster. A step is that of :mod:`osmofuse.optimise.sdirk`: two solves with
one matrix, :math:`[(1/gh + \gamma\alpha) v^2 + L_m]\, \delta = \dots`, for the change
:math:`\delta` of the ratio u/v, by a few multigrid cycles each. A step is first proposed and its
error estimated; u and v change only when it is accepted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from osmofuse.energies import Channel, Regulariser
from osmofuse.energies.flow_kernels import implicit_step, resting_system, structure_system
from osmofuse.linalg import Hierarchy, flexible_cg, inside
from osmofuse.linalg.grid_passes import FRESH, RESTRICTED
from osmofuse.linalg.multigrid import semi_iteration
from osmofuse.linalg.stencil import zeros
from osmofuse.operators import inner
from osmofuse.optimise.sdirk import ERROR_FACTOR, G, K, blend, dense_output, end_step, second_stage
from osmofuse.progress import Guard
from osmofuse.typing import FloatArray

TERMS = ("osmosis", "structure", "fidelity", "regulariser")
ROUND_REDUCTION = 0.1  # of the error of v by the linear solve of a round
MOST_SWEEPS = 8  # of a solve for v; if more are needed, multigrid cycles take over
WEAK_MU = 10.0  # below it, v is relaxed to convergence after the last step
MOST_ROUNDS = 20  # relaxations of v; limits the cost where mu is close to 0
TYPICAL_STIFFNESS = 6.0  # of the osmosis term in v, at brightness 1
RELAXATION_RTOL = 1e-5  # of the energy change, where v is relaxed to convergence
FLOW_ENERGY_FLOOR = 1e-12  # per sample: smaller changes of the energy count as none


@dataclass(frozen=True)
class Weights:
    """Weights of the model, and statistics of the whole picture.

    Attributes
    ----------
    mu, gamma : float
        Weights of the structure's target and of the fidelity.
    regulariser : Regulariser
        Smoothing of the structure.
    lowest : float
        Lower bound of v.
    brightness : float
        Mean of w.
    """

    mu: float
    gamma: float
    regulariser: Regulariser
    lowest: float = 0.0
    brightness: float = 1.0

    @property
    def edges(self) -> float:
        """Bound of the sum of the regulariser's edge weights at a pixel."""
        return 4.0 * self.regulariser.largest_edge


class Unknowns:
    """Planes of a channel that the flow moves, padded: u, v, and the stages of a step.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns.
    dtype : type
        float32 or float64.
    """

    def __init__(self, shape: tuple[int, int], dtype: type) -> None:
        self._planes = zeros(shape, dtype), zeros(shape, dtype)
        self.first, self.v = zeros(shape, dtype), zeros(shape, dtype)
        self.begin_at(self._planes[1])
        self.terms: dict[str, float] = {}

    def begin_at(self, u: FloatArray) -> None:
        """Set u to a plane of another owner, which is not changed."""
        self.u, self.end = u, self._planes[0]

    def begin_with(self, u: FloatArray, v: FloatArray, shape: tuple[int, int]) -> None:
        """Copy u and v from planes without a frame."""
        self.begin_at(self._planes[1])
        inside(self.u, shape)[...], inside(self.v, shape)[...] = u, v

    def advance(self) -> None:
        """Set u to the end of the step."""
        self.u, self.end = self.end, self._planes[self.end is self._planes[0]]


class Workspace:
    """Memory of a flow, kept for the next one on pictures of the same size.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns.
    dtype : type
        float32 or float64.
    channels : int
        Number of channels.

    Attributes
    ----------
    unknowns : list of Unknowns
        One for each channel.
    grid : Hierarchy
        Matrix of the current system, and its coarse levels.
    x, y : array
        Solution of a system for u, the change of the ratio u/v, and its double buffer.
    b : array
        Right-hand side of the current system.
    """

    def __init__(self, shape: tuple[int, int], dtype: type, channels: int) -> None:
        self.shape, self.dtype = shape, dtype
        self.unknowns = [Unknowns(shape, dtype) for _ in range(channels)]
        self.grid = Hierarchy(shape, dtype)
        self.x, self.y, self.b = (zeros(shape, dtype) for _ in range(3))


@dataclass(frozen=True, eq=False)
class FlowState:
    """State of the flow.

    Attributes
    ----------
    time, step : float
        Flow time, and length of the last step.
    terms : dict of str to float
        Terms of the energy, summed over channels.
    rate, seen : float
        Relative descent -dE/dt / E, and the time for which it was estimated.
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
        """Energy."""
        return sum(self.terms.values())


@dataclass(frozen=True)
class Quality:
    r"""Error estimates of a proposed step, as root mean squares over all samples.

    Attributes
    ----------
    error : float
        Estimated error in time.
    residual : float
        Residual of the second solve: what one sweep would change.
    descent : float
        :math:`-dE/dt = \sum (\partial_u E)^2` near the middle of the step, over all samples.
    """

    error: float
    residual: float
    descent: float


class Flow:
    """Integrator of one flow.

    Parameters
    ----------
    channels : sequence of Channel
        Data of the model; padded planes, never changed.
    weights : Weights
        Weights of the model.
    workspace : Workspace
        Working memory; its u and v are set to the start.
    begin : sequence of (array, array), optional
        Warm start: u and v of each channel, without a frame.
    """

    def __init__(
        self,
        channels: Sequence[Channel],
        weights: Weights,
        workspace: Workspace,
        begin: Sequence[tuple[FloatArray, FloatArray]] | None = None,
    ) -> None:
        self.channels, self.weights, self.work = channels, weights, workspace
        self.shape = workspace.shape
        self.number: Any = workspace.dtype
        self.unknowns = workspace.unknowns
        for k, (c, one) in enumerate(zip(channels, self.unknowns, strict=True)):
            if begin is None:
                one.begin_at(c.start)
                np.copyto(one.v, c.w)
            else:
                one.begin_with(*begin[k], self.shape)

    @property
    def samples(self) -> int:
        """Number of pixels times channels."""
        return math.prod(self.shape) * len(self.channels)

    def propose(
        self, h: float, cycles: int, guard: Guard, *, rough: float = math.inf
    ) -> Quality | None:
        """Compute a step in all channels without accepting it; return None if cancelled.

        It ends after a channel when the residual so far exceeds `rough`.
        """
        sums, samples = np.zeros(3), 0
        for k in range(len(self.channels)):
            if not guard.beat():
                return None
            sums += self._advance(k, h, cycles)
            samples += math.prod(self.shape)
            if sums[1] > rough * rough * samples:
                break
        if not guard.beat():
            return None
        # Rounding may make a small sum negative.
        error, residual = (math.sqrt(max(x, 0.0) / samples) for x in sums[:2])
        return Quality(ERROR_FACTOR * error, residual, float(sums[2]) / ((1.0 - G) * h) ** 2)

    def _advance(self, k: int, h: float, cycles: int) -> FloatArray:
        """Compute both stages of a step in a channel; return the sums of `end_step`."""
        work, one, number = self.work, self.unknowns[k], self.number
        rate = 1.0 / (G * h)
        self._set_implicit_step(k, rate)
        work.grid.coarsen(heaviness=rate * self.weights.brightness)
        self._solve(cycles, FRESH)
        s = work.grid.finest
        planes = work.y, work.grid.coarse_b, one.first, work.b, work.x, one.v
        weight, scratch = number(rate * K), work.grid.scratch
        second_stage(*planes, s.down, s.right, s.mass, weight, scratch, *self.shape)
        work.x, work.y = work.y, work.x
        self._solve(cycles, RESTRICTED)
        matrix = s.down, s.right, s.mass, s.inverse
        ends = one.end, work.x, work.b, *matrix, one.first, one.u, one.v
        sums: FloatArray = end_step(*ends, number(K), *self.shape)
        return np.asarray(sums.sum(axis=1, dtype=np.float64))

    def _set_implicit_step(self, k: int, rate: float) -> None:
        s, number = self.work.grid.finest, self.number
        c, one = self.channels[k], self.unknowns[k]
        implicit_step(
            *(s.down, s.right, s.mass, s.inverse, self.work.b, one.u, one.v, c.f, c.alpha),
            *(number(self.weights.gamma), number(rate), *self.shape),
        )

    def _solve(self, cycles: int, start: int) -> None:
        work = self.work
        work.x, work.y = work.grid.cycle(work.x, work.y, work.b, count=cycles, start=start)

    def follow(self, guard: Guard) -> bool:
        """Relax v at the end of the proposed step; return False if cancelled."""
        for k, one in enumerate(self.unknowns):
            for _ in range(self.rounds):
                if not guard.beat():
                    return False
                self.relax(k, one.end, goal=ROUND_REDUCTION)
        return True

    @property
    def rounds(self) -> int:
        """Number of relaxations of v per step: more where mu is small."""
        w = self.weights
        least = math.log1p(
            w.mu * w.brightness / TYPICAL_STIFFNESS
        )  # log of the error reduction of a round, at least
        rounds = math.log(10.0) / max(least, 1e-9)
        if w.edges > w.mu:  # the diffusivity changes as well
            rounds += 1.0
        return min(math.ceil(rounds), MOST_ROUNDS)

    def accept(self, part: float = 1.0) -> None:
        """Set u to the end of the proposed step, or to a point of its dense output."""
        for one in self.unknowns:
            if part != 1.0:
                blend(one.end, one.u, one.first, self.number(dense_output(part)), *self.shape)
            one.advance()

    def relax(self, k: int, u: FloatArray | None, *, goal: float) -> None:
        """Do one step of v towards its minimum, and store the energy terms from before it.

        With the osmosis term linearised, the error of v falls by the factor `goal`; 1 leaves v
        as it is. Without u the osmosis term is left out: it vanishes for a multiple of v.
        """
        one, s = self.unknowns[k], self.work.grid.finest
        structure = [other.v for other in self.unknowns]
        smooth = self.weights.regulariser.set_edges(s.down, s.right, structure, k, self.shape)
        one.terms = self._measure(k, u) | {"regulariser": smooth}
        if goal < 1.0:
            one.v, self.work.y = self.solve_structure(one.v, self.work.b, goal)

    def _measure(self, k: int, u: FloatArray | None) -> dict[str, float]:
        """Set the linear system of a step on v, but for its edges; return the energy terms."""
        c, v, number = self.channels[k], self.unknowns[k].v, self.number
        s, b, mu, gamma = self.work.grid.finest, self.work.b, self.weights.mu, self.weights.gamma
        edges = s.down, s.right
        if u is None:
            sums = resting_system(s.mass, s.inverse, b, v, c.w, *edges, number(mu), *self.shape)
            return {"osmosis": 0.0, "fidelity": 0.0, "structure": mu * _total(sums)}
        planes, data = (s.mass, s.inverse, b, u, v), (c.f, c.alpha, c.w)
        sums = structure_system(*planes, data, edges, number(gamma), number(mu), *self.shape)
        osmosis, fidelity, quadratic = map(_total, sums)
        return {"osmosis": osmosis, "fidelity": fidelity, "structure": mu * quadratic}

    def solve_structure(
        self, v: FloatArray, b: FloatArray, goal: float
    ) -> tuple[FloatArray, FloatArray]:
        """Solve with the lagged matrix: by sweeps if the diagonal dominates, else by cycles."""
        grid, y, edges = self.work.grid, self.work.y, self.weights.edges
        rho = edges / (self.weights.mu + edges)
        sigma = rho / (1.0 + math.sqrt(1.0 - rho * rho))
        sweeps = 1.0 if sigma == 0.0 else math.log(2.0 / goal) / max(-math.log(sigma), 1e-9)
        if sweeps <= MOST_SWEEPS:
            steps = semi_iteration(rho, math.ceil(sweeps))
            return grid.sweep(v, y, b, steps, least=self.weights.lowest)
        grid.coarsen(heaviness=4.0 * self.weights.mu / edges)
        v, y = grid.cycle(v, y, b, count=math.ceil(math.log10(1.0 / goal)))
        least = self.number(self.weights.lowest)
        np.maximum(inside(v, self.shape), least, out=inside(v, self.shape))
        return v, y

    def begin(self, *, goal: float, guard: Guard) -> None:
        """Set v to its minimum without the osmosis term, which vanishes as u approaches c v."""
        for k in range(len(self.channels)):
            self.relax(k, None, goal=goal)
            if not guard.beat():
                return

    def settle(self, *, guard: Guard) -> None:
        """Relax v to convergence where single rounds are short, and update the energy terms."""
        # Near total variation, or with a small mu, a round moves v only a little.
        weak = self.weights.regulariser.converges_slowly or self.weights.mu < WEAK_MU
        least = FLOW_ENERGY_FLOOR * math.prod(self.shape)
        for k, one in enumerate(self.unknowns):
            before = math.inf
            for _ in range(MOST_ROUNDS if weak else 0):
                self.relax(k, one.u, goal=ROUND_REDUCTION)
                energy = sum(one.terms.values())
                if not guard.beat() or before - energy <= max(RELAXATION_RTOL * energy, least):
                    break
                before = energy
            self.relax(k, one.u, goal=1.0)

    def solve_stationary(self, k: int, guard: Guard) -> bool:
        """Set `end` to the stationary u for the current v; return True if the solve converged."""
        work, one = self.work, self.unknowns[k]
        self._set_implicit_step(k, 0.0)
        if not self.channels[k].alpha.any() or self.weights.gamma == 0.0:
            np.multiply(one.v, self.number(inner(one.v, one.u) / inner(one.v, one.v)), out=one.end)
            return True
        work.grid.coarsen()
        found = flexible_cg(
            work.grid.finest, work.b, np.zeros_like(work.b),
            precondition=work.grid.precondition, rtol=1e-6,
            atol=1e-13 * math.sqrt(inner(one.v, one.v)), max_iter=60, go_on=guard.beat,
        )  # fmt: skip
        np.add(one.u, one.v * found.x, out=one.end)
        return found.converged

    def restart_structure(self) -> None:
        """Reset v to its target after a step that left it unusable."""
        for c, one in zip(self.channels, self.unknowns, strict=True):
            np.copyto(one.v, c.w)

    def total(self) -> dict[str, float]:
        """Return the energy terms summed over channels."""
        return {name: sum(one.terms[name] for one in self.unknowns) for name in TERMS}


def _total(sums: FloatArray) -> float:
    """Return the sum of the sums of rows."""
    return float(sums.sum(dtype=np.float64))
