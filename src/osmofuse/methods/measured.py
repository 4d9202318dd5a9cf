r"""Settings chosen from the pictures: those that are ``"auto"``.

- reach: the width of the structure that the foreground lacks (`osmofuse.methods.union.bands`);
- eta: one and a half deviations of the foreground's noise;
- mu: 10, with which the structure keeps to its target and loses only noise;
- offset: a twentieth of the white of each picture: ratios count, and a gain of the background
  changes nothing;
- tie: how far the background's brightness counts (`osmofuse.methods.seamless`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np

from osmofuse.maps.auto_alpha import noise_of
from osmofuse.methods.background_bands import BackgroundBands, averaged, to_average
from osmofuse.methods.ground import COARSE, STROKE_PARTS, CoarseGround, Ground, ground_of
from osmofuse.methods.planes import Filling, Found, Target, WholeTarget, chromatic_mean
from osmofuse.methods.seamless import MOST_TIE, TiedTarget
from osmofuse.methods.sources import Sources
from osmofuse.methods.statistics import Statistics
from osmofuse.methods.union.bands import structure_of
from osmofuse.methods.union.fit import strips
from osmofuse.methods.union.pair import grey_of, log_pair, white_of
from osmofuse.methods.union.settings import UnionSettings

Auto: TypeAlias = Literal["auto"]
# Eta in deviations of the noise. On drawn pages 1 to 3 differ by 0.6 dB, the less the better; the
# noise of real foregrounds is less even.
SMOOTHING = 1.5
MU = 10.0
AVERAGED = (
    "the bands of the background are averaged, since they show one picture; "
    'background_bands="all" takes them as colours'
)


@dataclass(frozen=True, eq=False)
class Measured:
    """Pictures with a target made for them, from which settings are chosen."""

    sources: Sources
    target: Filling
    known: Statistics
    single: tuple[bool, ...]

    @classmethod
    def of(
        cls,
        sources: Sources,
        target: Target | WholeTarget,
        bands: BackgroundBands,
        known: Statistics,
        reach: float | None = None,
    ) -> Measured:
        """Make a target for pictures, and for a reach if one is given."""
        single = to_average(sources, bands, known)
        sources = averaged(sources, single)
        if isinstance(target, WholeTarget):
            return cls(sources, target.for_sources(sources, known, reach), known, single)
        return cls(sources, target, known, single)

    @cached_property
    def ground(self) -> Ground | CoarseGround | None:
        """Ground of the foreground, or around the ink that a target takes away."""
        if isinstance(self.target, TiedTarget):
            return self.target.ground
        y = np.log(chromatic_mean(self.sources, self.offset, np.float32))
        known = self.known.within("ground")
        return ground_of(y, COARSE * known("side", lambda: math.sqrt(y.size)), STROKE_PARTS, known)

    def offsets(self, asked: float | Auto) -> tuple[float, ...]:
        """Return what is added to each picture: a given number to all."""
        if asked != "auto":
            return (asked,) * self.sources.count
        return tuple(UnionSettings.offset * white for white in self._whites)

    def chosen(self, **asked: Any) -> dict[str, float]:
        """Return a number for each of the settings that is "auto"."""
        return {name: getattr(self, name) for name, value in asked.items() if value == "auto"}

    @property
    def offset(self) -> float:
        """Offset of the foreground."""
        return UnionSettings.offset * self._whites[0]

    @cached_property
    def _whites(self) -> list[float]:
        return [self._white(k) for k in range(self.sources.count)]

    def _white(self, k: int) -> float:
        return white_of(self.sources, k, self.known.within(f"source {k}"))

    @property
    def tie(self) -> float:
        """Tie of the seamless target, in pixels."""
        assert isinstance(self.target, TiedTarget), "no other has a tie"
        return self.target.tie

    @property
    def mu(self) -> float:
        """Weight of the target."""
        return MU

    @property
    def eta(self) -> float:
        """Smoothing."""
        return SMOOTHING * self.noise

    @cached_property
    def noise(self) -> float:
        """Deviation of the foreground's noise."""
        return self.known("noise", lambda: noise_of(strips(grey_of(self.sources, 0))))

    @cached_property
    def reach(self) -> float:
        """Width of the structure that the foreground lacks, in pixels."""
        if isinstance(self.target, Found):
            return self.target.reach
        settings, known = UnionSettings(), self.known.within("background 1")
        pair = log_pair(self.sources, 1, settings.offset, known)
        return settings.reach * structure_of(pair, settings, known).scale

    def words(self, chosen: Mapping[str, float]) -> Iterator[str]:
        """Yield what was chosen and why, for a person."""
        if chosen:
            causes = []
            if "reach" in chosen:
                causes.append(f"strokes about {chosen['reach']:.2g} px wide")
            if "eta" in chosen:
                causes.append(f"foreground noise {self.noise:.2g}")
            found = ", ".join(_told(name, value) for name, value in chosen.items())
            yield f"{', '.join(causes)}: {found}" if causes else found
        if any(self.single):
            yield AVERAGED
        if isinstance(self.target, Found):
            yield from self.target.notes


def _told(name: str, value: float) -> str:
    """Return a setting and its value as text."""
    return (
        f"no limit of the {name}" if name == "tie" and value >= MOST_TIE else f"{name} {value:.2g}"
    )
