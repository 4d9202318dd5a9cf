r"""Scheme of the paper's experiments, kept to reproduce the published runs.

**Not** a method to use. It differs from the model in ways that cannot be corrected without
changing the published numbers:

- the energy puts v at the base pixel of a forward difference, but the gradient in u is that
  of harmonic edges;
- the last term of the gradient in v has a factor v/2 that does not belong there;
- the proximal map of :math:`H^*` divides by :math:`1 + \sigma\varepsilon` instead of
  :math:`1 + \sigma\varepsilon/\eta`, so gradients are smoothed below
  :math:`\varepsilon\eta`, not below :math:`\varepsilon`;
- its inner loop stops on an absolute residual, and extrapolates with the previous theta.

The descent test of v therefore fails for good steps, its Lipschitz estimate climbs to 1e6, and
v freezes after some fifteen iterations.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from osmofuse.energies import HuberTV, JointModel, osmosis_forward, osmosis_gradients
from osmofuse.kernels import kernel, pixel, prange
from osmofuse.operators import inner
from osmofuse.operators.difference import forward_difference
from osmofuse.optimise.ipiano import (
    BETA,
    ENERGY_FLOOR,
    GROW,
    LEAST_ITERATIONS,
    MAX_TRIALS,
    RELAX,
    IPiano,
    step_size,
)
from osmofuse.optimise.iterate import Outcome, iterate
from osmofuse.optimise.primal_dual import adjoint_at, dual_step, primal_step
from osmofuse.progress import Guard, Status
from osmofuse.typing import FloatArray

INNER_TOLERANCE = 1e-4  # on the residual per pixel, as in the experiments
SLACK = 1e-10  # of the descent tests, per pixel, as in the experiments


def published(
    model: JointModel,
    start: tuple[FloatArray, FloatArray],
    *,
    rtol: float = 1e-6,
    max_iter: int = 10_000,
    guard: Guard | None = None,
    record: Callable[[int, IPiano], None] | None = None,
) -> Outcome[IPiano]:
    """Run the published scheme on one channel.

    Parameters
    ----------
    model : JointModel
        Energy; its regulariser is Huber-TV, or has weight 0.
    start : tuple of array
        Initial u and v.
    rtol : float
        Relative tolerance of the energy change.
    max_iter : int
        Maximum number of iterations.
    guard : Guard, optional
        Pulsed between iterations.
    record : callable, optional
        Called with each iteration and its state.

    Returns
    -------
    Outcome
        Its energies are on forward differences.
    """
    least = ENERGY_FLOOR * start[0].size

    def step(s: IPiano) -> IPiano:
        return _Pass(model, s, guard).run()

    def stop(iteration: int, old: IPiano, new: IPiano) -> Status | None:
        settled = abs(new.measure - old.measure) <= max(rtol * abs(old.measure), least)
        return Status.converged if settled and iteration >= LEAST_ITERATIONS else None

    u, v = start
    first = IPiano(u, v, u, v, RELAX, RELAX, 0, model.terms(u, v, "forward"))
    return iterate(step, first, stop=stop, max_iter=max_iter, guard=guard, record=record)


class _Pass:
    """One iteration: trials of each block, from its first gradient, until its own test holds."""

    def __init__(self, model: JointModel, s: IPiano, guard: Guard | None) -> None:
        self.model, self.s, self.guard = model, s, guard
        self.slack = SLACK * s.u.size
        self.u, self.v = s.u, s.v  # the current values: old until accepted
        self.flow = osmosis_gradients(s.u, s.v)[0] * s.v  # L_m r of the old v
        self.gu = self.flow / s.v
        self.gv = self.gradient_v(s.u, s.v)

    def gradient_v(self, u: FloatArray, v: FloatArray) -> FloatArray:
        return published_gradient_v(u, v) + self.model.structure.gradient(v)

    def smooth(self, u: FloatArray, v: FloatArray) -> float:
        return osmosis_forward(u, v) + self.model.structure.value(v)

    def run(self) -> IPiano:
        """Return the state with both blocks accepted; a round tests both on the same values."""
        L1, L2 = self.s.L1 / RELAX, self.s.L2 / RELAX
        p1 = p2 = None
        inner = 0
        for _ in range(MAX_TRIALS):
            if p1 is not None and p2 is not None:
                break
            if self.guard is not None and self.guard.cancelled:
                return self.s
            trial_u = self.try_u(L1) if p1 is None else None
            trial_v, inner = self.try_v(L2) if p2 is None else (None, inner)
            if trial_u is not None:
                L1, p1 = (L1, trial_u) if self.holds_u(trial_u, L1) else (L1 * GROW, None)
            if trial_v is not None:
                L2, p2 = (L2, trial_v) if self.holds_v(trial_v, L2) else (L2 * GROW, None)
            self.u = self.s.u if p1 is None else p1
            self.v = self.s.v if p2 is None else p2
        if p1 is None or p2 is None:
            return self.s
        terms = self.model.terms(p1, p2, "forward")
        return IPiano(p1, p2, self.s.u, self.s.v, L1, L2, inner, terms)

    def try_u(self, L1: float) -> FloatArray:
        s, zeta = self.s, step_size(L1)
        return self.model.fidelity.prox(s.u - zeta * self.gu + BETA * (s.u - s.u_old), zeta)

    def try_v(self, L2: float) -> tuple[FloatArray, int]:
        s, zeta = self.s, step_size(L2)
        q = s.v - zeta * self.gv + BETA * (s.v - s.v_old)
        term = self.model.proximal_term
        return (q, 0) if term is None else published_prox(q, zeta, term, self.guard)

    def holds_u(self, p: FloatArray, L1: float) -> bool:
        u, d = self.s.u, p - self.s.u
        rise = self.smooth(p, self.v) - self.smooth(u, self.v)
        # The matrix belongs to the old v, the division to the current one.
        return rise - inner(self.flow / self.v, d) - L1 / 2 * inner(d, d) < self.slack

    def holds_v(self, p: FloatArray, L2: float) -> bool:
        v, d = self.s.v, p - self.s.v
        rise = self.smooth(self.u, p) - self.smooth(self.u, v)
        slope = inner(self.gradient_v(self.u, v), d)
        return rise - slope - L2 / 2 * inner(d, d) < self.slack


@dataclass(frozen=True, eq=False)
class _Inner:
    """State of the published inner loop; theta is the previous one."""

    x: FloatArray
    x_hat: FloatArray
    y: FloatArray
    tau: float
    sigma: float
    theta: float
    measure: float


def published_prox(
    q: FloatArray, zeta: float, term: HuberTV, guard: Guard | None = None
) -> tuple[FloatArray, int]:
    r"""Return the published approximation of :math:`\operatorname{prox}_{\zeta\eta H}(q)`.

    The second value is the number of iterations.
    """

    def step(s: _Inner) -> _Inner:
        y = dual_step(s.y, s.x_hat, s.sigma, 1.0 + s.sigma * term.epsilon, term.eta)
        x, x_hat = primal_step(s.x, y, q, s.tau, zeta, s.theta)
        theta = 1.0 / math.sqrt(1.0 + s.tau / zeta)
        tau, sigma = theta * s.tau, s.sigma / theta
        residual = _residual_rows(s.x, x, x_hat, s.y, y, tau, sigma).sum() / q.size
        return _Inner(x, x_hat, y, tau, sigma, theta, float(residual))

    def stop(_: int, __: _Inner, s: _Inner) -> Status | None:
        return Status.converged if s.measure < INNER_TOLERANCE else None

    first = _Inner(q, q, forward_difference(q), 0.99 / 8, 1.0, 1.0, math.inf)
    found = iterate(step, first, stop=stop, max_iter=10_000, guard=guard)
    return found.state.x, found.iterations


@kernel
def _residual_rows(
    x_old: FloatArray,
    x: FloatArray,
    x_hat: FloatArray,
    y_old: FloatArray,
    y: FloatArray,
    tau: float,
    sigma: float,
) -> FloatArray:
    """Return |primal residual| + |dual residual| summed over each row."""
    rows, cols = x.shape
    total = np.zeros(rows)
    for i in prange(rows):
        below = min(i + 1, rows - 1)
        s = 0.0
        for j in range(cols):
            right = min(j + 1, cols - 1)
            step = x_old[i, j] - x_hat[i, j]
            down = x_old[below, j] - x_hat[below, j] - step
            across = x_old[i, right] - x_hat[i, right] - step
            change = adjoint_at(y_old, i, j) - adjoint_at(y, i, j)
            s += abs((x_old[i, j] - x[i, j]) / tau - change)
            s += abs((y_old[0, i, j] - y[0, i, j]) / sigma - down)
            s += abs((y_old[1, i, j] - y[1, i, j]) / sigma - across)
        total[i] = s
    return total


@kernel
def published_gradient_v(u: FloatArray, v: FloatArray) -> FloatArray:
    r"""Return the gradient of the osmosis term in v as the experiments computed it.

    .. math::

        \tfrac12 \Big[ -\frac{|\nabla u|^2}{v^2} + \frac{4u}{v^3} \nabla u\cdot\nabla v
        - D^*\Big(\frac{2u}{v^2}\nabla u\Big) - \frac{3u^2}{v^4} |\nabla v|^2
        + v\, D^*\Big(\frac{u^2}{v^3}\nabla v\Big) \Big]
    """
    rows, cols = u.shape
    out = np.empty_like(u)
    for i in prange(rows):
        below = min(i + 1, rows - 1)
        above = max(i - 1, 0)
        for j in range(cols):
            right = min(j + 1, cols - 1)
            before = max(j - 1, 0)
            q = 1.0 / v[i, j]
            r = u[i, j] * q
            u1, u2 = u[below, j] - u[i, j], u[i, right] - u[i, j]
            v1, v2 = v[below, j] - v[i, j], v[i, right] - v[i, j]
            local = (
                -(u1 * u1 + u2 * u2)
                + 4.0 * r * (u1 * v1 + u2 * v2)
                - 3.0 * r * r * (v1 * v1 + v2 * v2)
            )
            # D* at this pixel: in from the edges above and to the left, out to the others.
            up, left = _into(u, v, i, j, above, j), _into(u, v, i, j, i, before)
            along_u = up[0] + left[0] - 2.0 * r * q * (u1 + u2)
            along_v = up[1] + left[1] - r * r * q * (v1 + v2)
            out[i, j] = 0.5 * (q * q * local - along_u + v[i, j] * along_v)
    return out


@pixel
def _into(u: FloatArray, v: FloatArray, i: int, j: int, a: int, b: int) -> tuple[float, float]:
    """Return (2u/v²) ∇u and (u²/v³) ∇v on the edge from pixel (a, b) to (i, j)."""
    q = 1.0 / v[a, b]
    r = u[a, b] * q
    return 2.0 * r * q * (u[i, j] - u[a, b]), r * r * q * (v[i, j] - v[a, b])
