r"""Variational osmosis (Parisotto, Calatroni, Bugeau, Papadakis and Schönlieb 2020).

Channel by channel, on pictures to which an offset has been added, minimise over the fused picture
u and the structure v

.. math::

    E(u, v) = \tfrac12 \int v\,|\nabla (u/v)|^2 + \tfrac{\mu}{2} \int (v - w)^2
            + \tfrac{\gamma}{2} \int \alpha (u - f)^2 + \eta \int R(\nabla v),
    \qquad w = f^{\alpha} b^{1-\alpha}

from :math:`v = w` and a chosen u (doi:10.1109/TIP.2020.2983537).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Literal, TypeAlias, get_args

import numpy as np

from osmofuse.checks import choice, number, number_or_auto, whole
from osmofuse.energies import Channel, Edges, JointModel, Regulariser
from osmofuse.errors import InputError, MismatchError, SettingError, did_you_mean
from osmofuse.kernels import threads_for
from osmofuse.methods.background_bands import BackgroundBands
from osmofuse.methods.contract import (
    FARTHEST,
    LARGEST_OFFSET,
    MOST_ITERATIONS,
    NEAREST,
    Fusion,
    extendable,
)
from osmofuse.methods.cost import Cost
from osmofuse.methods.flow_solver import LOWEST_STRUCTURE, FlowSolver, not_begun
from osmofuse.methods.history import Recorder
from osmofuse.methods.measured import Auto, Measured
from osmofuse.methods.planes import (
    AnyBand,
    Start,
    Target,
    WholeTarget,
    picture_of,
)
from osmofuse.methods.seamless import LEAST_TIE, MOST_TIE, Seamless
from osmofuse.methods.settled import Settled
from osmofuse.methods.sources import Sources
from osmofuse.methods.statistics import CancelledError, Statistics
from osmofuse.methods.targets import TARGETS
from osmofuse.optimise import IPiano, Outcome, ipiano
from osmofuse.optimise.plan import Plan
from osmofuse.optimise.primal_dual import WarmProx
from osmofuse.optimise.published import published
from osmofuse.progress import Guard, Progress, Status, Step, Watch, worst
from osmofuse.typing import ArrayLike, FloatArray

Smoothing: TypeAlias = Literal["huber", "tv", "tikhonov"]
TargetName: TypeAlias = Literal["product", "spectral", "seamless", "union", "level", "scene"]
Solver: TypeAlias = Literal["flow", "ipiano", "published"]
Precision: TypeAlias = Literal["single", "double"]

# Tolerance of the inner problem: the energy's descent is then the outer method's own.
INNER_RTOL = 1e-8
# The paper's solvers end when they have converged: after some 200 iterations on most pictures.
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
    eta : float, 0 to 1e4, or "auto"
        Smoothing of the structure, :math:`\eta`; "auto" is 1.5 deviations of the foreground's
        noise. Raise it if the background is noisy; lower it to keep fine strokes.
    mu : float, 1e-20 to 1e10, or "auto"
        Weight of the target in the structure, :math:`\mu`; "auto" is 10. Raise it for crisper
        structure; lower it to let osmosis and smoothing change it.
    gamma : float, 0 to 1e9, or inf
        Weight of the foreground's values where alpha keeps it, :math:`\gamma`; ``math.inf`` holds
        them exactly where alpha is 1. Raise it to keep the foreground; lower it to let colours
        adapt.
    epsilon : float, 0 to 1e6
        Gradient below which smoothing is quadratic, :math:`\varepsilon`. Raise it if flat parts
        look like steps; lower it to keep edges sharper.
    regulariser : {"huber", "tv", "tikhonov", None} or Regulariser
        Smoothing of the structure, :math:`R`: Huber, total variation, quadratic or none; the flow
        takes an epsilon below 0.001, and total variation, for 0.001. Use "tikhonov" for soft
        transitions, None to compare. An object of your own has its own weights.
    offset : float, 0 to 100, or "auto"
        Added to all samples while computing; "auto" is a twentieth of each picture's white. Lower
        it to transfer ratios of brightness, as light and ink act; raise it to transfer differences.
        With 0 all samples must be positive.
    start : {"foreground", "composite", "means", "target"}
        Initial fused picture: the foreground, the mean of the pictures weighted by alpha, that of
        their mean colours, or the target. Use "composite" to begin with the background's colours,
        too, "target" with the targets "union", "level" and "scene".
    reach : float, 0.001 to 1e6, or inf, or None, or "auto"
        Distance over which osmosis acts, in pixels or as a text like "2 %"; None is the paper's
        stopping rule, "auto" the width of the strokes that the foreground lacks. Raise it to
        balance colours over the picture; lower it to transfer only fine structure.
    solver : {"flow", "ipiano", "published"}
        Gradient flow in a few implicit steps; the paper's Algorithm 1 with the exact gradient; or
        the scheme of its experiments. Use the last two to reproduce the paper.
    band : {"keep", "repeat", "coarse"}
        Colour of a background of one band: the foreground's chromaticity, or grey; or the
        foreground's, with that of the ground around in place of its strokes'. Use "repeat" to
        follow the paper, or when the band is to enter as grey; "coarse" if colours of ink that
        lies over writing remain.
    background_bands : {"all", "one", "auto"}
        Bands of a background with as many as the foreground: colours, or one picture stored
        several times, which is averaged; "auto" decides by its colours. Use "one" for infrared in
        false colour.
    target : {"product", "spectral", "seamless", "union", "level", "scene"} or Target
        Target of the structure, :math:`w`: the pictures to the power of their weights, as in the
        paper; the same with the foreground's coarse bands in the backgrounds; the integral of
        their mixed drifts. Without a map: the foreground and the layer that it lacks; the
        background's writing on the level of the foreground's ground; or the foreground in which
        what is hot or hidden stands out. Use "seamless" if the background's brightness shows,
        "level" for writing under other ink, "scene" for a visible and a thermal camera.
    tie : float, 0.1 to 1e6, or "auto"
        Distance in pixels from which on the target "seamless" has the foreground's brightness;
        "auto" is a fourteenth of the side of a square with the picture's area for backgrounds of
        one band, and no limit for those in colour. Raise it if a large area is to keep the
        background's shades.
    precision : {"single", "double"}
        Floating-point precision of "flow"; other solvers use double. Use "double" to check a
        result.
    rtol : float, 0 to 1
        Relative energy tolerance of "ipiano" and "published". Lower it for a more exact minimum.
    max_iter : int, 1 to 1e6
        Largest number of iterations in a channel of "ipiano" and "published". Raise it after the
        status ``max_iter``.
    """

    eta: float | Auto = 0.1
    mu: float | Auto = 100.0
    gamma: float = 1.0
    epsilon: float = 0.05
    regulariser: Smoothing | Regulariser | None = "huber"
    offset: float | Auto = 1.0
    start: Start = "foreground"
    reach: float | Auto | None = None
    solver: Solver = "flow"
    band: AnyBand = "keep"
    background_bands: BackgroundBands = "all"
    target: TargetName | Target | WholeTarget = "product"
    tie: float | Auto = "auto"
    precision: Precision = "single"
    rtol: float = 1e-6
    max_iter: int = 10_000

    has_structure: ClassVar[bool] = True

    @property
    def wants_soft_map(self) -> bool:
        """True if a hard edge of the map shows as a line."""
        return not self.finds_map

    @property
    def finds_map(self) -> bool:
        """True if the target finds where a background enters."""
        rule = self._rule
        return isinstance(rule, WholeTarget) and rule.finds_map

    def __post_init__(self) -> None:
        number_or_auto("eta", self.eta, most=1e4)
        number_or_auto("mu", self.mu, least=1e-20, most=1e10)
        number("gamma", self.gamma, most=1e9, infinite=True)
        number("epsilon", self.epsilon, most=1e6)
        number_or_auto("offset", self.offset, most=LARGEST_OFFSET)
        number_or_auto("tie", self.tie, least=LEAST_TIE, most=MOST_TIE)
        number("rtol", self.rtol, most=1.0)
        whole("max_iter", self.max_iter, least=1, most=MOST_ITERATIONS)
        if not isinstance(self.regulariser, Regulariser):
            choice("regulariser", self.regulariser, (*get_args(Smoothing), None))
        if not isinstance(self.target, Target | WholeTarget):
            choice("target", self.target, get_args(TargetName))
        choice("start", self.start, get_args(Start))
        choice("band", self.band, get_args(AnyBand))
        choice("background_bands", self.background_bands, get_args(BackgroundBands))
        choice("precision", self.precision, get_args(Precision))
        choice("solver", self.solver, get_args(Solver))
        if self.reach is not None:
            self._check_reach()
        if self.solver == "published":
            self._check_published()

    def _check_reach(self) -> None:
        number_or_auto("reach", self.reach, least=NEAREST, most=FARTHEST, infinite=True)
        if self.solver != "flow":
            raise SettingError(f"reach: {self.reach!r} needs the solver 'flow'; use None")

    def _check_published(self) -> None:
        if self.regulariser not in ("huber", "tv", None):
            raise SettingError(
                f"regulariser: {self.regulariser!r} needs another solver than 'published'"
            )
        if math.isinf(self.gamma):
            raise SettingError("gamma: inf needs another solver than 'published'")

    @property
    def _rule(self) -> Target | WholeTarget:
        """The target as an object."""
        if self.target == "seamless":
            return Seamless(self.tie)
        return TARGETS[self.target] if isinstance(self.target, str) else self.target

    @property
    def dtype(self) -> type:
        """Type of the planes."""
        # The stationary point needs double precision.
        wide = self.solver != "flow" or self.precision == "double" or self.reach == math.inf
        return np.float64 if wide else np.float32

    @property
    def _given_reach(self) -> float | None:
        """A reach in pixels, which a target that finds its map takes for the width of strokes."""
        given = self.reach
        return None if given is None or given == "auto" or math.isinf(given) else given

    @property
    def planes(self) -> tuple[Any, ...]:
        """Settings on which the planes depend."""
        held, reach = math.isinf(self.gamma), self._given_reach if self.finds_map else None
        bands = (self.band, self.background_bands)
        return (self.offset, bands, self.start, self._rule, held, self.dtype, reach)

    @property
    def cost(self) -> Cost:
        """Memory and time that it takes."""
        cost, more = _COSTS[self.solver], self._rule.cost
        if self.solver == "flow" and self.dtype is np.float64:
            cost = Cost(2 * cost.colour, 2.4 * cost.grey, 2 * cost.seconds)
        return Cost(cost.colour + more.colour, cost.grey + more.grey, cost.seconds + more.seconds)

    @property
    def edges(self) -> Edges:
        """Discretisation in which the solver states its energy."""
        return "forward" if self.solver == "published" else "harmonic"

    @property
    def has_plan(self) -> bool:
        """True if a fusion with these settings has a plan of steps."""
        return self.solver == "flow" and self.reach != math.inf

    @property
    def can_prepare(self) -> bool:
        """True if sources can be prepared once for many fusions."""
        return self.solver == "flow"

    def __call__(self, sources: Sources, *, watch: Watch | None = None) -> Fusion:
        """Fuse the sources."""
        if self.solver == "flow":
            return self._follow(sources, Guard(watch))
        return self._fuse_by_channels(sources, watch)

    def plan(self, sources: Sources) -> Plan:
        """Return the plan of the flow for the sources, found by running it."""
        self._need_flow("plan")
        if self.reach == math.inf:
            raise SettingError("reach: inf has no plan of steps; use a number of pixels")
        fusion = self._follow(sources, Guard(None))
        if fusion.plan is None:
            raise InputError(f"foreground: the flow ended as {fusion.status}; it has no plan")
        return fusion.plan

    def run(self, sources: Sources, plan: Plan, *, watch: Watch | None = None) -> Fusion:
        """Follow a plan: the same plan gives the same pixels."""
        self._need_flow("run")
        return self._follow(sources, Guard(watch), plan)

    def prepare(self, sources: Sources) -> PreparedFlow:
        """Compute what settings do not change, for many fusions of the same pictures."""
        self._need_flow("prepare")
        settled = self.settled(sources)
        solver = FlowSolver.prepared(sources, settled.reading, Guard(None))
        assert solver is not None, "it is not cancelled"
        return PreparedFlow(settled, solver)

    def extend(self, fusion: Fusion, reach: float, *, watch: Watch | None = None) -> Fusion:
        """Continue a fusion made with these settings to a larger reach."""
        self._need_flow("extend")
        sources = extendable(fusion, reach)
        if reach == fusion.reach:
            return fusion
        guard, known = Guard(watch), fusion.plan.statistics if fusion.plan else None
        solver = None
        with suppress(CancelledError):
            settled = self.settled(sources, Statistics(known, guard))
            settled = replace(self, reach=reach).settled_by(settled.measured)
            solver = FlowSolver.prepared(sources, settled.reading, guard)
        if solver is None:
            return replace(fusion, status=Status.cancelled)
        return settled.told(solver.extend(fusion, settled.weights, reach, guard))

    def settled(self, sources: Sources, known: Statistics | None = None) -> Settled:
        """Return these settings with numbers for those that are "auto", found in pictures."""
        known = Statistics() if known is None else known
        bands, reach = self.background_bands, self._given_reach
        return self.settled_by(Measured.of(sources, self._rule, bands, known, reach))

    def settled_by(self, measured: Measured) -> Settled:
        """Return these settings with numbers for those that are "auto"."""
        tie = {"tie": self.tie} if self.target == "seamless" else {}
        auto = measured.chosen(
            reach=self.reach, eta=self.eta, mu=self.mu, offset=self.offset, **tie
        )
        return Settled(self, measured, auto)

    def models(self, sources: Sources) -> Iterator[tuple[JointModel, Channel]]:
        """Yield the energy and the planes of each channel, in double precision."""
        yield from self.settled(sources).models()

    def _need_flow(self, what: str) -> None:
        if self.solver != "flow":
            raise SettingError(f"solver: {self.solver!r} has no {what}; use 'flow'")

    def _follow(self, sources: Sources, guard: Guard, plan: Plan | None = None) -> Fusion:
        """Fuse by the flow."""
        solver = None
        guard.tell(Progress(None, sources.channels, 0, None, 0.0, 0.0))
        with suppress(CancelledError), threads_for(sources.shape[0] * sources.shape[1]):
            settled = self.settled(sources, Statistics(plan.statistics if plan else None, guard))
            solver = FlowSolver.prepared(sources, settled.reading, guard)
        if solver is None:
            return replace(not_begun(sources, guard), method=self)
        return settled.follow(solver, guard, plan)

    def _fuse_by_channels(self, sources: Sources, watch: Watch | None) -> Fusion:
        """Fuse one channel after the other, in double precision."""
        guard = Guard(watch)
        record = Recorder(sources.channels, guard, _step)
        try:
            settled = self.settled(sources, Statistics(guard=guard))
        except CancelledError:
            return replace(not_begun(sources, guard), method=self)
        with threads_for(sources.shape[0] * sources.shape[1]):
            models = enumerate(settled.models())
            found = [self._solve(c, *model, guard, record) for c, model in models]
        held, offset = math.isinf(self.gamma), settled.reading.offsets[0]
        fusion = Fusion(
            image=picture_of([o.state.u for o in found], sources, offset, held=held),
            structure=picture_of([o.state.v for o in found], sources, offset),
            energy=np.array([o.state.measure for o in found]),
            history=tuple(record.history),
            status=worst(o.status for o in found),
            seconds=guard.seconds,
        )
        return settled.told(fusion)

    def _solve(
        self, c: int, model: JointModel, channel: Channel, guard: Guard, record: Recorder[IPiano]
    ) -> Outcome[IPiano]:
        """Minimise the energy of a channel; after a cancel, leave it where it starts."""
        u, v = channel.start, channel.w
        terms = model.terms(u, v, self.edges)
        record.begin(c, energy=sum(terms.values()), reach=None)
        if guard.cancelled:
            return Outcome(IPiano(u, v, u, v, 1.0, 1.0, 0, terms), Status.cancelled, 0)
        limits: dict[str, Any] = {"rtol": self.rtol, "max_iter": self.max_iter}
        if self.solver == "published":
            return published(model, (u, v), **limits, guard=guard, record=record)
        term = model.proximal_term
        return ipiano(
            model,
            (u, v),
            prox_u=model.fidelity.prox,
            # A term without a proximal map is part of the smooth terms.
            prox_v=WarmProx(term, rtol=INNER_RTOL, guard=guard) if term else lambda q, _: (q, 0),
            v_min=LOWEST_STRUCTURE * float(v.min()),
            **limits,
            guard=guard,
            record=record,
        )


@dataclass(frozen=True, eq=False)
class PreparedFlow:
    """Pictures prepared by `VariationalOsmosis.prepare`; they are fused one call at a time."""

    settled: Settled
    solver: FlowSolver

    @property
    def method(self) -> VariationalOsmosis:
        """Settings they were prepared with."""
        return self.settled.asked

    def solve(self, *, watch: Watch | None = None, **changes: Any) -> Fusion:
        """Fuse with some settings changed, e.g. ``solve(eta=0.2, reach=10)``."""
        known = [field.name for field in fields(VariationalOsmosis)]
        if unknown := [name for name in changes if name not in known]:
            raise SettingError(
                f"{', '.join(unknown)}: no setting{did_you_mean(unknown[0], known)}; they are "
                f"{', '.join(known)}"
            )
        return self.solve_with(replace(self.method, **changes), watch=watch)

    def serves(self, settings: VariationalOsmosis) -> bool:
        """Return True if the prepared pictures also serve these settings."""
        return settings.solver == "flow" and settings.planes == self.method.planes

    def solve_with(self, settings: VariationalOsmosis, *, watch: Watch | None = None) -> Fusion:
        """Fuse with other settings; the pictures are prepared again if needed."""
        if not self.serves(settings):
            return settings(self.solver.sources, watch=watch)
        return settings.settled_by(self.settled.measured).follow(self.solver, Guard(watch))


def _step(channel: int | None, iteration: int, s: IPiano) -> Step:
    """Return the record of an iteration; these solvers have neither a flow time nor a reach."""
    return Step(channel, iteration, None, None, s.measure, s.terms, s.L1, s.L2, s.inner)


def energy(
    u: ArrayLike,
    v: ArrayLike,
    sources: Sources,
    settings: VariationalOsmosis,
    *,
    edges: Edges = "harmonic",
) -> FloatArray:
    """Return the energy of a fused picture and its structure, one number for each channel.

    Parameters
    ----------
    u, v : array
        `Fusion.image` and `Fusion.structure`: white at 1.0, without the offset.
    sources : Sources
        The pictures they were made from.
    settings : VariationalOsmosis
        The weights and the offset.
    edges : {"harmonic", "forward"}
        The discretisation: the model's, or that of the paper's experiments.
    """
    choice("edges", edges, get_args(Edges))
    settled = settings.settled(sources)
    offset = settled.reading.offsets[0]
    planes = [_planes(x, sources, name) + offset for x, name in ((u, "u"), (v, "v"))]
    return np.array(
        [
            sum(model.terms(planes[0][c].copy(), planes[1][c].copy(), edges).values())
            for c, (model, _) in enumerate(settled.models())
        ]
    )


def _planes(x: ArrayLike, sources: Sources, name: str) -> FloatArray:
    """Return a picture as float64 (channels, rows, cols)."""
    array = np.asarray(x, np.float64)
    if array.shape != sources.foreground.shape:
        raise MismatchError(
            f"{name}: shape {array.shape}; must be that of foreground, {sources.foreground.shape}"
        )
    return np.moveaxis(array.reshape(*sources.shape, sources.channels), -1, 0)
