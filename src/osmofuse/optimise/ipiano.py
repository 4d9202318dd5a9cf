r"""iPiano with backtracking in two blocks: Algorithm 1 of the paper.

For :math:`\min_{u,v} O(u, v) + g(u) + h(v)`, O smooth, g and h convex:

.. math::

    u^{k+1} &= \operatorname{prox}_{\zeta_1 g}
        \big(u^k - \zeta_1 \partial_u O(u^k, v^k) + \beta (u^k - u^{k-1})\big), \\
    v^{k+1} &= \operatorname{prox}_{\zeta_2 h}
        \big(v^k - \zeta_2 \partial_v O(u^k, v^k) + \beta (v^k - v^{k-1})\big),

with :math:`\zeta_i = 0.99\,(1 - 2\beta)/L_i` and estimates :math:`L_1, L_2` that are doubled
until O lies below its quadratic models: in u, in v, and in both together. The paper leaves
the third test out; with it the energy plus :math:`\sum \delta_i L_i |x_i^{k+1} - x_i^k|^2`
can only fall, unless an estimate rises more than 3.5-fold from one iteration to the next (Ochs,
Chen, Brox and Pock 2014, doi:10.1137/130942954).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from osmofuse.operators import inner
from osmofuse.optimise.iterate import Outcome, iterate
from osmofuse.progress import Guard, Status
from osmofuse.typing import FloatArray

BETA = 0.4  # inertia, the paper's value; the step size is positive for any beta below 1/2
# Factors of the published runs by which a Lipschitz estimate grows after a failed test and shrinks
# after an accepted step; anything above 1 works.
GROW, RELAX = 2.0, 1.2
MAX_TRIALS = 100  # of a backtracking: the estimate grows by up to 2**100, about 1e30
ENERGY_FLOOR = 1e-14  # per pixel: smaller changes of the energy count as convergence
LEAST_ITERATIONS = 5  # before the stopping rule applies: the energy may pause while inertia builds


class Objective(Protocol):
    """Energy O(u, v) + g(u) + h(v), split as the method needs it."""

    def coupling(self, u: FloatArray, v: FloatArray) -> float:
        """Return the smooth part O(u, v)."""
        ...

    def coupling_gradients(self, u: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the gradients of O in u and v."""
        ...

    def terms(self, u: FloatArray, v: FloatArray) -> dict[str, float]:
        """Return every term of the energy by name."""
        ...


Prox = Callable[[FloatArray, float], FloatArray]
CountedProx = Callable[[FloatArray, float], tuple[FloatArray, int]]


@dataclass(frozen=True, eq=False)
class IPiano:
    """State: both blocks, now and one iteration before, and the accepted estimates L1 and L2."""

    u: FloatArray
    v: FloatArray
    u_old: FloatArray
    v_old: FloatArray
    L1: float
    L2: float
    inner: int
    terms: dict[str, float]

    @property
    def measure(self) -> float:
        """Energy."""
        return sum(self.terms.values())


def ipiano(
    objective: Objective,
    start: tuple[FloatArray, FloatArray],
    *,
    prox_u: Prox,
    prox_v: CountedProx,
    v_min: float,
    rtol: float = 1e-6,
    max_iter: int = 10_000,
    guard: Guard | None = None,
    record: Callable[[int, IPiano], None] | None = None,
) -> Outcome[IPiano]:
    """Minimise an energy of two blocks.

    Parameters
    ----------
    objective : Objective
        Energy.
    start : tuple of array
        Initial u and v.
    prox_u, prox_v : callable
        Proximal maps of g and h, called with a point and a step; that of h also returns its
        number of iterations.
    v_min : float
        Trials with a smaller v are rejected: O needs v > 0.
    rtol : float
        Relative tolerance of the energy change.
    max_iter : int
        Maximum number of accepted iterations.
    guard : Guard, optional
        Pulsed after each iteration.
    record : callable, optional
        Called with each iteration and its state.

    Returns
    -------
    Outcome
        Its status is ``stalled`` if no step size passes the tests.
    """
    u, v = start
    least = ENERGY_FLOOR * u.size

    def stop(iteration: int, old: IPiano, new: IPiano) -> Status | None:
        settled = abs(new.measure - old.measure) <= max(rtol * abs(old.measure), least)
        return Status.converged if settled and iteration >= LEAST_ITERATIONS else None

    def step(s: IPiano) -> IPiano:
        search = _Search(objective, s, prox_u, prox_v, v_min)
        for _ in range(MAX_TRIALS):
            if search.accepts():
                return search.state()
            if guard is not None and guard.cancelled:
                break
        return s

    first = IPiano(u, v, u, v, RELAX, RELAX, 0, objective.terms(u, v))
    return iterate(step, first, stop=stop, max_iter=max_iter, guard=guard, record=record)


class _Search:
    """Backtracking of one iteration: trials p1, p2 with estimates L1, L2."""

    def __init__(
        self, objective: Objective, s: IPiano, prox_u: Prox, prox_v: CountedProx, v_min: float
    ) -> None:
        self.O, self.s, self.prox_u, self.prox_v, self.v_min = objective, s, prox_u, prox_v, v_min
        self.gu, self.gv = objective.coupling_gradients(s.u, s.v)
        self.base = objective.coupling(s.u, s.v)
        # O is a sum over the picture: differences below this are rounding.
        self.slack = 1e-13 * abs(self.base)
        self.L1, self.L2 = s.L1 / RELAX, s.L2 / RELAX
        self.beta_v = BETA
        self.try_u()
        self.try_v()

    def try_u(self) -> None:
        zeta, s = step_size(self.L1), self.s
        self.p1 = self.prox_u(s.u - zeta * self.gu + BETA * (s.u - s.u_old), zeta)
        du = self.p1 - s.u
        self.model_u = inner(self.gu, du) + 0.5 * self.L1 * inner(du, du)

    def try_v(self) -> None:
        zeta, s = step_size(self.L2), self.s
        self.p2, self.inner = self.prox_v(
            s.v - zeta * self.gv + self.beta_v * (s.v - s.v_old), zeta
        )
        dv = self.p2 - s.v
        self.model_v = inner(self.gv, dv) + 0.5 * self.L2 * inner(dv, dv)

    def below(self, u: FloatArray, v: FloatArray, model: float) -> bool:
        """Return True if O lies below its quadratic model."""
        return self.O.coupling(u, v) - self.base - model <= self.slack

    def accepts(self) -> bool:
        """Test both trials; where a test fails, increase its estimate and try again."""
        s = self.s
        positive = float(self.p2.min()) > self.v_min
        if not positive:
            self.beta_v = 0.0  # with inertia, v may stay too small for every step size
        holds_u = self.below(self.p1, s.v, self.model_u)
        holds_v = positive and self.below(s.u, self.p2, self.model_v)
        if holds_u and holds_v:
            holds_u = holds_v = self.below(self.p1, self.p2, self.model_u + self.model_v)
        if not holds_u:
            self.L1 *= GROW
            self.try_u()
        if not holds_v:
            self.L2 *= GROW
            self.try_v()
        return holds_u and holds_v

    def state(self) -> IPiano:
        """Return the accepted trials as the next state."""
        s, terms = self.s, self.O.terms(self.p1, self.p2)
        return IPiano(self.p1, self.p2, s.u, s.v, self.L1, self.L2, self.inner, terms)


def step_size(L: float) -> float:
    """Return the paper's step; up to 2 (1 - beta) / L would still converge."""
    return 0.99 * (1.0 - 2.0 * BETA) / L
