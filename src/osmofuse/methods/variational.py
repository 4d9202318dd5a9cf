r"""Variational osmosis (Parisotto, Calatroni, Bugeau, Papadakis and Schönlieb 2020).

Channel by channel, on pictures to which an offset has been added, seek the fused picture u
and the structure v that make

.. math::

    E(u, v) = \tfrac12 \int v\,|\nabla (u/v)|^2 + \tfrac{\mu}{2} \int (v - w)^2
            + \tfrac{\gamma}{2} \int \alpha (u - f)^2 + \eta \int R(\nabla v),
    \qquad w = f^{\alpha} b^{1-\alpha}

small, from :math:`v = w` and a chosen u (doi:10.1109/TIP.2020.2983537).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Literal, TypeAlias, get_args

import numpy as np

from osmofuse.checks import choice, number, whole
from osmofuse.energies import Edges, HuberTV
from osmofuse.energies.model import Smooth
from osmofuse.errors import InputError, SettingError, did_you_mean
from osmofuse.kernels import threads_for
from osmofuse.methods.contract import (
    FARTHEST,
    LARGEST_OFFSET,
    MOST_ITERATIONS,
    NEAREST,
    Fusion,
    Sources,
    extendable,
)
from osmofuse.methods.cost import Cost
from osmofuse.methods.problem import Problem, picture_of, problems
from osmofuse.methods.published import published
from osmofuse.methods.spectral_tv import SpectralTV
from osmofuse.methods.variational_flow import LOWEST_STRUCTURE, FlowSolver
from osmofuse.optimise import IPiano, Outcome, ipiano
from osmofuse.optimise.plan import Plan
from osmofuse.optimise.primal_dual import WarmProx
from osmofuse.progress import Guard, Progress, Status, Step, Watch, worst
from osmofuse.typing import FloatArray

# The inner problem is solved so well that the energy's descent is the outer method's own.
INNER_RTOL = 1e-8
# The paper's solvers end when they have converged: after some 200 iterations on most pictures.
Regulariser: TypeAlias = Literal["huber", "tv", "tikhonov"]

# Regularisers of the solvers that do not know all of them.
_REGULARISERS = {
    "flow": ("huber", "tv", "tikhonov", None),
    "published": ("huber", "tv", None),
}
_COSTS = {
    "flow": Cost(68, 88, 0.5),
    "ipiano": Cost(130, 260, 32.0),
    "published": Cost(140, 260, 95.0),
}


@dataclass(frozen=True)
class VariationalOsmosis:
    r"""Fusion by variational osmosis.

    Parameters
    ----------
    eta : float, 0 to 1e4
        Smoothing of the structure, :math:`\eta`. Raise it if the background is noisy; lower it to
        keep fine strokes.
    mu : float, 1e-20 to 1e10
        Weight of the target in the structure, :math:`\mu`. Raise it for crisper structure; lower it
        to let osmosis and smoothing change it.
    gamma : float, 0 to 1e9, or inf
        Weight of the foreground's values where alpha keeps it, :math:`\gamma`; ``math.inf`` holds
        them exactly where alpha is 1. Raise it to keep the foreground; lower it to let colours
        adapt.
    epsilon : float, 0 to 1e6
        Gradient below which smoothing is quadratic, :math:`\varepsilon`. Raise it if flat parts
        look like steps; lower it to keep edges sharper.
    regulariser : {"huber", "tv", "tikhonov", None}
        Smoothing of the structure, :math:`R`: Huber, total variation, quadratic or none; the flow
        takes an epsilon below 0.001, and total variation, for 0.001. Use "tikhonov" for soft
        transitions, None to compare.
    offset : float, 0 to 100
        Added to all samples while computing. Lower it to transfer ratios of brightness, as light
        and ink act; raise it to transfer differences. With 0 all samples must be positive.
    start : {"foreground", "composite", "means"}
        Initial fused picture: the foreground, the mean of the pictures weighted by alpha, or that
        of their mean colours. Use "composite" to begin with the background's colours, too.
    reach : float, 0.001 to 1e6, or inf, or None
        Distance over which osmosis acts, in pixels or as a text like "2 %"; None is the paper's
        stopping rule. Raise it to balance colours over the picture; lower it to transfer only fine
        structure.
    solver : {"flow", "ipiano", "published"}
        Gradient flow in a few implicit steps; the paper's Algorithm 1 with the exact gradient; or
        the scheme of its experiments. Use the last two to reproduce the paper.
    band : {"keep", "repeat"}
        Colour of a background of one band: the foreground's chromaticity, or grey. Use "repeat"
        to follow the paper, or when the band is to enter as grey.
    target : {"product", "spectral"}
        Target of the structure, :math:`w`: the pictures to the power of their weights, as in the
        paper; or the same with the foreground's coarse bands in the backgrounds. Use "spectral" if
        the background's brightness shows.
    precision : {"single", "double"}
        Floating-point precision of "flow"; other solvers use double. Use "double" to check a
        result.
    rtol : float, 0 to 1
        Relative energy tolerance of "ipiano" and "published". Lower it for a more exact minimum.
    max_iter : int, 1 to 1e6
        Largest number of iterations in a channel of "ipiano" and "published". Raise it after the
        status ``max_iter``.
    """

    eta: float = 0.1
    mu: float = 100.0
    gamma: float = 1.0
    epsilon: float = 0.05
    regulariser: Regulariser | None = "huber"
    offset: float = 1.0
    start: Literal["foreground", "composite", "means"] = "foreground"
    reach: float | None = None
    solver: Literal["flow", "ipiano", "published"] = "flow"
    band: Literal["keep", "repeat"] = "keep"
    target: Literal["product", "spectral"] = "product"
    precision: Literal["single", "double"] = "single"
    rtol: float = 1e-6
    max_iter: int = 10_000

    wants_soft_map: ClassVar[bool] = True  # a hard edge shows as a line
    has_structure: ClassVar[bool] = True

    def __post_init__(self) -> None:
        number("eta", self.eta, most=1e4)
        number("mu", self.mu, least=1e-20, most=1e10)
        number("gamma", self.gamma, most=1e9, infinite=True)
        number("epsilon", self.epsilon, most=1e6)
        number("offset", self.offset, most=LARGEST_OFFSET)
        number("rtol", self.rtol, most=1.0)
        whole("max_iter", self.max_iter, least=1, most=MOST_ITERATIONS)
        choice("regulariser", self.regulariser, (*get_args(Regulariser), None))
        choice("start", self.start, ("foreground", "composite", "means"))
        choice("band", self.band, ("keep", "repeat"))
        choice("target", self.target, ("product", "spectral"))
        choice("precision", self.precision, ("single", "double"))
        choice("solver", self.solver, ("flow", "ipiano", "published"))
        if self.reach is not None:
            self._check_reach()
        if self.regulariser not in _REGULARISERS.get(self.solver, (self.regulariser,)):
            raise SettingError(
                f"regulariser: {self.regulariser!r} needs another solver than {self.solver!r}"
            )
        if self.solver == "published" and math.isinf(self.gamma):
            raise SettingError("gamma: inf needs another solver than 'published'")

    def _check_reach(self) -> None:
        number("reach", self.reach, least=NEAREST, most=FARTHEST, infinite=True)
        if self.solver != "flow":
            raise SettingError(f"reach: {self.reach!r} needs the solver 'flow'; use None")

    @property
    def cost(self) -> Cost:
        """The memory and time that it takes."""
        cost = _COSTS[self.solver]
        if self.solver == "flow" and (self.precision == "double" or self.reach == math.inf):
            cost = Cost(2 * cost.colour, 2.4 * cost.grey, 2 * cost.seconds)
        if self.target == "spectral":  # bands are found in double precision
            seconds = cost.seconds + SpectralTV.cost.seconds
            cost = Cost(cost.colour + 20, cost.grey + 40, seconds)
        return cost

    @property
    def edges(self) -> Edges:
        """The discretisation in which the solver states its energy."""
        return "forward" if self.solver == "published" else "harmonic"

    @property
    def has_plan(self) -> bool:
        """True if a fusion with these settings has a plan of steps."""
        return self.solver == "flow" and self.reach != math.inf

    @property
    def can_prepare(self) -> bool:
        """True if what settings do not change is done once for many fusions."""
        return self.solver == "flow"

    def __call__(self, sources: Sources, *, watch: Watch | None = None) -> Fusion:
        """Fuse the sources."""
        if self.solver == "flow":
            guard = Guard(watch)
            return FlowSolver(self, sources, guard).run(guard)
        return self._fuse_by_channels(sources, watch)

    def plan(self, sources: Sources) -> Plan:
        """Return what the flow is to do on the sources, found by running it."""
        self._need_flow("plan")
        if self.reach == math.inf:
            raise SettingError("reach: inf has no plan of steps; use a number of pixels")
        fusion = FlowSolver(self, sources).run(Guard(None))
        if fusion.plan is None:
            raise InputError(f"foreground: the flow ended as {fusion.status}; it has no plan")
        return fusion.plan

    def run(self, sources: Sources, plan: Plan, *, watch: Watch | None = None) -> Fusion:
        """Do what a plan says: the same plan gives the same pixels."""
        self._need_flow("run")
        guard = Guard(watch)
        return FlowSolver(self, sources, guard).run(guard, plan=plan)

    def prepare(self, sources: Sources) -> PreparedFlow:
        """Do once what settings do not change, for many fusions of the same pictures."""
        self._need_flow("prepare")
        return PreparedFlow(FlowSolver(self, sources))

    def extend(self, fusion: Fusion, reach: float, *, watch: Watch | None = None) -> Fusion:
        """Go on from a fusion made with these settings to a larger reach."""
        self._need_flow("extend")
        sources = extendable(fusion, reach)
        if reach == fusion.reach:
            return fusion
        guard = Guard(watch)
        return FlowSolver(replace(self, reach=reach), sources, guard).extend(fusion, guard)

    def _need_flow(self, what: str) -> None:
        if self.solver != "flow":
            raise SettingError(f"solver: {self.solver!r} has no {what}; use 'flow'")

    def _fuse_by_channels(self, sources: Sources, watch: Watch | None) -> Fusion:
        """Fuse one channel after the other, in double precision."""
        guard, history = Guard(watch), list[Step]()
        with threads_for(sources.shape[0] * sources.shape[1]):
            found = [
                self._solve(problem, guard, _Recorder(c, sources.channels, history, guard))
                for c, problem in enumerate(problems(sources, self))
            ]
        return Fusion(
            image=picture_of([o.state.u for o in found], sources, self, held=True),
            structure=picture_of([o.state.v for o in found], sources, self),
            energy=np.array([o.state.measure for o in found]),
            reach=None,
            history=tuple(history),
            status=worst(o.status for o in found),
            seconds=guard.seconds,
            method=self,
        )

    def _solve(self, problem: Problem, guard: Guard, record: _Recorder) -> Outcome[IPiano]:
        """Minimise the energy of a channel; after a cancel, leave it where it starts."""
        model, u, v = problem
        terms = model.terms(u, v, self.edges)
        record.begin(sum(terms.values()))
        if guard.cancelled:
            return Outcome(IPiano(u, v, u, v, 1.0, 1.0, 0, terms), Status.cancelled, 0)
        if self.solver == "published":
            return published(
                model, (u, v), rtol=self.rtol, max_iter=self.max_iter, guard=guard, record=record
            )
        return ipiano(
            model,
            (u, v),
            prox_u=model.fidelity.prox,
            prox_v=_prox_of(model.regulariser, guard),
            v_min=LOWEST_STRUCTURE * float(v.min()),
            rtol=self.rtol,
            max_iter=self.max_iter,
            guard=guard,
            record=record,
        )


@dataclass(frozen=True)
class PreparedFlow:
    """Pictures made ready by `VariationalOsmosis.prepare`; they are fused one call at a time."""

    solver: FlowSolver

    def solve(self, *, watch: Watch | None = None, **changes: Any) -> Fusion:
        """Fuse with some settings changed, e.g. ``solve(eta=0.2, reach=10)``."""
        known = [field.name for field in fields(VariationalOsmosis)]
        if unknown := [name for name in changes if name not in known]:
            raise SettingError(
                f"{', '.join(unknown)}: no setting{did_you_mean(unknown[0], known)}; they are "
                f"{', '.join(known)}"
            )
        return self.solve_with(replace(self.solver.settings, **changes), watch=watch)

    def serves(self, settings: VariationalOsmosis) -> bool:
        """Return True if what was prepared does for these settings, too."""
        return settings.solver == "flow" and self.solver.serves(settings)

    def solve_with(self, settings: VariationalOsmosis, *, watch: Watch | None = None) -> Fusion:
        """Fuse with other settings, whatever was prepared."""
        if settings.solver != "flow":
            return settings(self.solver.sources, watch=watch)
        guard = Guard(watch)
        return self.solver.changed(settings, guard).run(guard)


@dataclass(frozen=True)
class _Recorder:
    """Keep the history of a channel, and tell the guard where it is."""

    channel: int
    channels: int
    history: list[Step]
    guard: Guard

    def __call__(self, iteration: int, s: IPiano) -> None:
        step = Step(self.channel, iteration, None, None, s.measure, s.terms, s.L1, s.L2, s.inner)
        self.history.append(step)
        self._tell(iteration, s.measure)

    def begin(self, energy: float) -> None:
        """Tell the guard of the channel's start."""
        self._tell(0, energy)

    def _tell(self, iteration: int, energy: float) -> None:
        self.guard.tell(Progress(self.channel, self.channels, iteration, energy, None, 0.0))


def _prox_of(
    term: HuberTV | Smooth | None, guard: Guard
) -> Callable[[FloatArray, float], tuple[FloatArray, int]]:
    """Return the proximal map of what the smooth part of the energy does not hold already."""
    if isinstance(term, HuberTV):
        return WarmProx(term, rtol=INNER_RTOL, guard=guard)
    return lambda q, _: (q, 0)
