r"""Fusion by a flow of osmosis: what its linear and its anisotropic form have in common.

Channel by channel, on pictures to which an offset has been added, follow :math:`u_t = A u` from
:math:`u_0` to a time T or to where it ends, with the drifts of the pictures in the matrix A
(`osmofuse.methods.fusion_drift`). A drift has no brightness: only ratios of neighbours enter.

Where nothing is held, the mass of :math:`u_0` is kept and gives the brightness of the result.
Where the foreground is held, it does (d'Autume, Morel and Meinhardt-Llopis 2018,
doi:10.1109/ICIP.2018.8451841).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from osmofuse.checks import choice, number, whole
from osmofuse.kernels import threads_for
from osmofuse.linalg import CLOSED, FREE, HELD, DriftSystem
from osmofuse.linalg.kinds import Kinds
from osmofuse.methods.contract import (
    FARTHEST,
    LARGEST_OFFSET,
    MOST_ITERATIONS,
    Fusion,
    extendable,
)
from osmofuse.methods.fusion_drift import RULES, Rule
from osmofuse.methods.history import Recorder, joined
from osmofuse.methods.planes import Band, check_positive, pictures_of
from osmofuse.methods.region import Box, box_around, cropped, region_of
from osmofuse.methods.sources import Sources
from osmofuse.methods.targets import Product
from osmofuse.optimise import Evolution, Implicit, Outcome, evolve
from osmofuse.optimise.evolve import Stepper
from osmofuse.pixels import scaled
from osmofuse.progress import Guard, Status, Step, Watch, worst
from osmofuse.typing import BoolArray, FloatArray

STATIONARY = 1e-3  # factor on the tolerance at an infinite time


class Planes(NamedTuple):
    """Planes of a channel: pictures, foreground first, with the weight of each, and the kinds."""

    images: list[FloatArray]
    weights: list[FloatArray]
    kind: Kinds
    valid: BoolArray | None

    @property
    def target(self) -> FloatArray:
        """Structure that is compatible with most of the drift: the weighted product."""
        w = np.empty_like(self.images[0])
        Product().fill(w, self.images, self.weights)
        return w


MakeStepper: TypeAlias = Callable[[Planes, float, Callable[[], bool]], Stepper]


@dataclass(frozen=True)
class OsmosisFlow(ABC):
    r"""Fusion by a flow of osmosis.

    Parameters
    ----------
    drift : {"averaged", "hard", "soft"}
        Drift on an edge where pictures meet: the mean of the two ends; that of the picture with
        more weight; or the mean weighted by alpha. Use "soft" with soft maps.
    start : {"pasted", "foreground", "composite"}
        Initial picture, :math:`u_0`: background pasted into the foreground, the foreground, or
        their mean weighted by alpha. It only matters before the steady state: choose "foreground"
        to keep its brightness.
    time : float, 1e-12 to 5e11, or inf
        Flow time, :math:`T`; osmosis acts over :math:`\sqrt{2T}` pixels, and ``math.inf`` is the
        steady state. Raise it to balance colours over larger distances.
    steps : int, 1 to 10000
        Number of time steps, each of length :math:`\tau` = T / steps. Raise it for a more accurate
        result at a finite time.
    extent : {"global", "local"}
        Change the whole picture, or only the region where alpha is 0. Use "local" to keep all other
        pixels bit for bit.
    boundary : {"neumann", "dirichlet", "mixed", None}
        At the frame and the region's rim: no flow; the foreground held; or the foreground held at
        the rim and no flow at the frame. None is "neumann" for the whole picture and "mixed" for a
        region. Use "dirichlet" to hold the frame as well.
    threshold : float, 0 to below 1
        The region is where alpha is at most this. Raise it if the map is soft or grey.
    offset : float, 0 to 100
        Added to all samples while computing. Lower it to transfer ratios of brightness, as light
        and ink act; raise it to transfer differences. With 0 all samples must be positive.
    band : {"keep", "repeat"}
        Colour of a background of one band: the foreground's chromaticity, or grey. Use "repeat"
        to follow the paper, or when the band is to enter as grey.
    rtol : float, 1e-16 to 1
        Relative residual at which a linear solve stops; a thousandth of it at an infinite time.
        Raise it for speed.
    max_iter : int, 1 to 1e6
        Largest number of iterations of a linear solve. Raise it after the status ``max_iter``.

    Notes
    -----
    A pixel whose background is not valid keeps the drift of the foreground towards all its
    neighbours. Pieces of a region that touch nothing held keep the mass of :math:`u_0` each.
    Computed in double precision.
    """

    drift: Rule = "averaged"
    start: Literal["pasted", "foreground", "composite"] = "pasted"
    time: float = 10_000.0
    steps: int = 10
    extent: Literal["global", "local"] = "global"
    boundary: Literal["neumann", "dirichlet", "mixed"] | None = None
    threshold: float = 0.0
    offset: float = 1.0
    band: Band = "keep"
    rtol: float = 1e-8
    max_iter: int = 200

    def __post_init__(self) -> None:
        choice("drift", self.drift, RULES)
        choice("start", self.start, ("pasted", "foreground", "composite"))
        number("time", self.time, least=1e-12, most=FARTHEST**2 / 2.0, infinite=True)
        whole("steps", self.steps, least=1, most=10_000)
        choice("extent", self.extent, ("global", "local"))
        choice("boundary", self.boundary, ("neumann", "dirichlet", "mixed", None))
        number("threshold", self.threshold, most=1.0, below=True)
        number("offset", self.offset, most=LARGEST_OFFSET)
        choice("band", self.band, ("keep", "repeat"))
        number("rtol", self.rtol, least=1e-16, most=1.0)
        whole("max_iter", self.max_iter, least=1, most=MOST_ITERATIONS)
        self._check()

    @abstractmethod
    def _check(self) -> None:
        """Check the other settings."""

    @abstractmethod
    def _steppers(self, sources: Sources, box: Box) -> MakeStepper:
        """Return the function that makes the time stepper of a channel, on a part of the sources.

        It takes the planes, the step, and a function that returns False to stop.
        """

    def __call__(self, sources: Sources, *, watch: Watch | None = None) -> Fusion:
        """Fuse the sources."""
        return self._run(sources, Guard(watch))

    def extend(self, fusion: Fusion, reach: float, *, watch: Watch | None = None) -> Fusion:
        """Continue a fusion made with these settings to a larger reach."""
        sources = extendable(fusion, reach)
        if reach == fusion.reach:
            return fusion
        assert fusion.reach is not None, "a fusion that can be extended has a reach"
        u = fusion.image.reshape(*sources.shape, -1) + np.float64(self.offset)
        begin = Evolution(u, fusion.reach**2 / 2.0)
        longer = replace(self, time=reach**2 / 2.0)._run(sources, Guard(watch), begin)
        return replace(longer, history=joined(fusion.history, longer.history))

    def _run(self, sources: Sources, guard: Guard, begin: Evolution | None = None) -> Fusion:
        """Follow the flow from its start, or from a picture on its way."""
        if self.offset == 0:
            _check_positive(sources)
        image = scaled(sources.foreground, sources.dtype).reshape(*sources.shape, -1)
        kinds = [self._kinds(sources, c) for c in range(sources.channels)]
        box = box_around(kind == FREE for kind in kinds)
        record, ends = Recorder(sources.channels, guard, _step), list[Outcome[Evolution]]()
        if box is not None:
            part, target = cropped(sources, box), image[box]
            every = pictures_of(part, offset=self.offset, band=self.band, dtype=np.float64)
            with threads_for(math.prod(part.shape)):
                make = self._steppers(sources, box)
                for c, (images, weights) in enumerate(every):
                    kind = np.ascontiguousarray(kinds[c][box])
                    u = self._start(images, weights) if begin is None else begin.u[box][..., c]
                    first = Evolution(
                        np.where(kind == FREE, u, images[0]), begin.time if begin else 0.0
                    )
                    record.begin(c, energy=None, reach=_reach(first.time))
                    planes = Planes(images, weights, kind, part.valid)
                    ends.append(self._follow(first, make, planes, record))
                    u = ends[-1].state.u
                    np.copyto(target[..., c], u - self.offset, where=kind == FREE)
        return Fusion(
            image=image.reshape(sources.foreground.shape),
            reach=_reach(min((end.state.time for end in ends), default=self.time)),
            history=tuple(record.history),
            status=worst(end.status for end in ends) if ends else Status.direct,
            seconds=guard.seconds,
            method=self,
            sources=sources,
        )

    def _kinds(self, sources: Sources, channel: int) -> Kinds:
        """Return the kind of each pixel of a channel: free, held or closed."""
        region = region_of(sources, channel, self.threshold)
        domain = region if self.extent == "local" else np.ones_like(region)
        boundary = self.boundary or ("mixed" if self.extent == "local" else "neumann")
        if boundary == "neumann":
            return np.where(domain, FREE, CLOSED).astype(np.uint8)
        frame = np.ones_like(region)
        frame[1:-1, 1:-1] = False
        held = frame if boundary == "dirichlet" else frame & ~region
        return np.where(domain & ~held, FREE, HELD).astype(np.uint8)

    def _start(self, images: list[FloatArray], weights: list[FloatArray]) -> FloatArray:
        """Return u_0: the foreground where alpha is 1, elsewhere as chosen by `start`."""
        f, alpha = images[0], weights[0]
        if self.start == "foreground":
            return f
        pairs = list(zip(weights, images, strict=True))
        if self.start == "pasted":
            pairs = pairs[1:]
        u, total = np.zeros_like(f), np.zeros_like(f)
        for weight, image in pairs:
            u += weight * image
            total += weight
        return np.divide(u, total, out=f.copy(), where=(alpha < 1.0) & (total > 0.0))

    def _follow(
        self,
        first: Evolution,
        make: MakeStepper,
        planes: Planes,
        record: Recorder[Evolution],
    ) -> Outcome[Evolution]:
        """Follow the flow of a channel; after a cancel, leave it where it starts."""
        if not record.guard.beat():
            return Outcome(first, Status.cancelled, 0)
        steps = self._steps
        step = make(planes, (self.time - first.time) / steps, record.guard.beat)
        return evolve(step, first, steps=steps, guard=record.guard, record=record)

    @property
    def _steps(self) -> int:
        """Number of steps; one leads to the end of the flow."""
        return 1 if math.isinf(self.time) else self.steps

    def _implicit(self, system: DriftSystem, tau: float, go_on: Callable[[], bool]) -> Implicit:
        """Return the stepper of a linear system."""
        solve = partial(system.solve, rtol=self._rtol(tau), max_iter=self.max_iter, go_on=go_on)
        return Implicit(solve, tau)

    def _rtol(self, tau: float) -> float:
        """Return the tolerance of a solve.

        A step leaves an error as large as the residual; the end of the flow, a larger one.
        """
        return STATIONARY * self.rtol if math.isinf(tau) else self.rtol


def _step(channel: int | None, iteration: int, s: Evolution) -> Step:
    """Return the record of an iteration; linear osmosis descends no energy."""
    return Step(channel, iteration, s.time, _reach(s.time), None, {}, None, None, s.inner)


def _reach(time: float) -> float:
    """Return the distance in pixels over which the flow acts: the deviation of its kernel."""
    return math.sqrt(2.0 * time)


def _check_positive(sources: Sources) -> None:
    """Check that all samples are positive, also outside the region of a local fusion."""
    for c in range(sources.channels):
        images = [sources.image(k, c, np.float64) for k in range(sources.count)]
        check_positive(images, sources, 0.0)
