r"""Linear osmosis (Weickert, Hagenburg, Breuß and Vogel 2013; Vogel et al. 2013).

Channel by channel, on pictures to which an offset has been added, follow

.. math::

    \partial_t u = \Delta u - \operatorname{div}(d\, u) = A u, \qquad u(0) = u_0,

with the drift :math:`d = \nabla \log v` of the foreground here and of the background there
(`osmofuse.methods.fusion_drift`), to a time T or to where it ends (doi:10.1007/978-3-642-40395-8_3,
doi:10.1007/978-3-642-38267-3_31). A drift has no brightness: only ratios of neighbours enter.

Where nothing is held, the mass of :math:`u_0` is kept and gives the brightness of the result.
Where the foreground is held, it does (d'Autume, Morel and Meinhardt-Llopis 2018,
doi:10.1109/ICIP.2018.8451841).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Literal

import numpy as np

from osmofuse.checks import choice, number, whole
from osmofuse.errors import SettingError
from osmofuse.kernels import threads_for
from osmofuse.linalg import CLOSED, FREE, HELD, DriftSystem, SplitMatrix
from osmofuse.linalg.kinds import Kinds
from osmofuse.methods.contract import (
    FARTHEST,
    LARGEST_OFFSET,
    MOST_ITERATIONS,
    Fusion,
    extendable,
)
from osmofuse.methods.cost import Cost
from osmofuse.methods.fusion_drift import RULES, Rule, fusion_drift
from osmofuse.methods.history import Recorder, joined
from osmofuse.methods.planes import Band, check_positive, pictures_of
from osmofuse.methods.region import box_around, cropped, region_of
from osmofuse.methods.sources import Sources
from osmofuse.methods.targets import Product
from osmofuse.optimise import Evolution, Implicit, Outcome, evolve
from osmofuse.optimise.evolve import Stepper
from osmofuse.optimise.steppers import LOOPS, SCHEMES, Scheme, stepper
from osmofuse.pixels import scaled
from osmofuse.progress import Guard, Status, Step, Watch, worst
from osmofuse.typing import BoolArray, FloatArray

STATIONARY = 1e-3  # factor on the tolerance at an infinite time
LONGEST_LOOP = 1e4  # time for schemes whose steps are made of passes of at most 1/8


@dataclass(frozen=True)
class LinearOsmosis:
    r"""Fusion by linear osmosis.

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
    scheme : str
        Time scheme. "implicit" allows any step, and alone an infinite time; "aos", "mos" and "amos"
        split directions and stay positive; "peaceman-rachford" (second order) and "douglas"
        alternate directions, for short steps; "explicit" and "exponential" (exact) are limited to a
        time of 1e4. Choose another than "implicit" to compare schemes.
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
    The defaults are those with which the table of Parisotto et al. 2020 is met.

    A pixel whose background is not valid keeps the drift of the foreground towards all its
    neighbours. Pieces of a region that touch nothing held keep the mass of :math:`u_0` each.
    Computed in double precision.
    """

    drift: Rule = "averaged"
    start: Literal["pasted", "foreground", "composite"] = "pasted"
    time: float = 10_000.0
    steps: int = 10
    scheme: Scheme = "implicit"
    extent: Literal["global", "local"] = "global"
    boundary: Literal["neumann", "dirichlet", "mixed"] | None = None
    threshold: float = 0.0
    offset: float = 1.0
    band: Band = "keep"
    rtol: float = 1e-8
    max_iter: int = 200

    cost: ClassVar[Cost] = Cost(130, 300, 3.0)

    def __post_init__(self) -> None:
        choice("drift", self.drift, RULES)
        choice("start", self.start, ("pasted", "foreground", "composite"))
        number("time", self.time, least=1e-12, most=FARTHEST**2 / 2.0, infinite=True)
        whole("steps", self.steps, least=1, most=10_000)
        choice("scheme", self.scheme, ("implicit", *SCHEMES))
        if math.isinf(self.time) and self.scheme != "implicit":
            raise SettingError(f"time: inf needs the scheme 'implicit', not {self.scheme!r}")
        if self.scheme in LOOPS and self.time > LONGEST_LOOP:
            raise SettingError(
                f"time: {self.time!r}; the scheme {self.scheme!r} would take more than "
                f"{8 * LONGEST_LOOP:.0f} passes: at most {LONGEST_LOOP:g}, or use 'implicit'"
            )
        choice("extent", self.extent, ("global", "local"))
        choice("boundary", self.boundary, ("neumann", "dirichlet", "mixed", None))
        number("threshold", self.threshold, most=1.0, below=True)
        number("offset", self.offset, most=LARGEST_OFFSET)
        choice("band", self.band, ("keep", "repeat"))
        number("rtol", self.rtol, least=1e-16, most=1.0)
        whole("max_iter", self.max_iter, least=1, most=MOST_ITERATIONS)

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
                for c, (images, weights) in enumerate(every):
                    kind = np.ascontiguousarray(kinds[c][box])
                    u = self._start(images, weights) if begin is None else begin.u[box][..., c]
                    first = Evolution(
                        np.where(kind == FREE, u, images[0]), begin.time if begin else 0.0
                    )
                    record.begin(c, energy=None, reach=_reach(first.time))
                    ends.append(self._follow(first, images, weights, kind, part.valid, record))
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
        images: list[FloatArray],
        weights: list[FloatArray],
        kind: Kinds,
        valid: BoolArray | None,
        record: Recorder[Evolution],
    ) -> Outcome[Evolution]:
        """Follow the flow of a channel; after a cancel, leave it where it starts."""
        if not record.guard.beat():
            return Outcome(first, Status.cancelled, 0)
        steps = self._steps
        # Every step of an infinite time is infinite.
        tau = (self.time - first.time) / steps
        drift = fusion_drift(images, weights, self.drift, valid)
        if self.scheme != "implicit":
            step = stepper(self.scheme, SplitMatrix(drift, kind), tau, record.guard.beat)
            return evolve(step, first, steps=steps, guard=record.guard, record=record)
        target = np.empty_like(images[0])
        Product().fill(target, images, weights)
        step = self._implicit(drift, target, kind, tau, record.guard.beat)
        return evolve(step, first, steps=steps, guard=record.guard, record=record)

    @property
    def _steps(self) -> int:
        """Number of steps; one leads to the end of the flow."""
        return 1 if math.isinf(self.time) else self.steps

    def _implicit(
        self,
        drift: FloatArray,
        w: FloatArray,
        kind: Kinds,
        tau: float,
        go_on: Callable[[], bool],
    ) -> Stepper:
        """Return the implicit stepper; arguments as for `DriftSystem`."""
        system = DriftSystem(drift, w, kind, tau)
        solve = partial(
            system.solve, rtol=self._rtol(tau), max_iter=self.max_iter, go_on=go_on
        )
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
