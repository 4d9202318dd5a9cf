"""Graded faults on pictures without any: what a metric of seams or tints is measured with.

A case is a fusion that is right: the truth of a scene of the gallery, its variational fusion, or
a picture whose two sources are the picture itself, under some map. A fault changes the fused
picture by a strength from 0 (nothing) to 1; the same strengths are injected into every case, and
a metric is asked to rank all of them together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import distance_transform_edt, gaussian_filter
from scipy.stats import spearmanr

import osmofuse
from osmofuse import gallery

STRENGTHS = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, eq=False)
class Case:
    """A fusion to be spoilt, on the scale where white is 1.0; the seed varies the faults."""

    name: str
    fused: np.ndarray
    foreground: np.ndarray
    background: np.ndarray
    alpha: np.ndarray
    seed: int = 0

    @property
    def inside(self) -> np.ndarray:
        """Where the background enters, (rows, cols, 1)."""
        return (self.alpha < 0.5)[..., np.newaxis]

    @property
    def soft(self) -> np.ndarray:
        return 1.0 - self.alpha[..., np.newaxis]

    @property
    def depth(self) -> np.ndarray:
        """How far a pixel lies inside the line, in pixels; negative outside."""
        m = self.alpha < 0.5
        far = distance_transform_edt(m) - distance_transform_edt(~m)
        return (far - 0.5 * np.sign(far))[..., np.newaxis]

    @property
    def sign(self) -> float:
        """Whether the seam is brighter or darker, by the seed."""
        return 1.0 if self.seed % 2 else -1.0

    @property
    def hue(self) -> np.ndarray:
        """A direction of colour without lightness, by the seed: the largest part is 1."""
        angle = 2.4 * self.seed + np.array([0.0, 2.0, 4.0]) * np.pi / 3.0
        hue = np.cos(angle)
        return hue / np.abs(hue).max()


def _pasted(case: Case) -> np.ndarray:
    bands = case.background.reshape(*case.alpha.shape, -1)
    return np.where(case.inside, bands, case.foreground)


def _blurred(u: np.ndarray, sigma: float) -> np.ndarray:
    return gaussian_filter(u, (sigma, sigma, 0), mode="nearest") if sigma else u


# Each takes a case and a strength, and gives the spoilt picture.
SEAMS: dict[str, Callable[[Case, float], np.ndarray]] = {
    "gain": lambda c, t: c.fused * (1.0 + 0.3 * t * c.sign * c.inside),
    "offset": lambda c, t: c.fused + 0.15 * t * c.sign * c.inside,
    "fading gain": lambda c, t: (
        c.fused * (1.0 + 0.3 * t * c.sign * c.inside * np.exp(-np.maximum(c.depth, 0.0) / 8.0))
    ),
    "colour step": lambda c, t: c.fused * (1.0 + 0.3 * t * c.inside * c.hue),
    "line": lambda c, t: c.fused * (1.0 + 0.4 * t * c.sign * np.exp(-((c.depth / 1.5) ** 2))),
    "pasted": lambda c, t: (1.0 - t) * c.fused + t * _pasted(c),
}
SOFT_SEAMS: dict[str, Callable[[Case, float], np.ndarray]] = {
    "soft gain": lambda c, t: c.fused * (1.0 + 0.3 * t * c.sign * c.soft),
    "soft offset": lambda c, t: c.fused + 0.15 * t * c.sign * c.soft,
}
TINTS: dict[str, Callable[[Case, float], np.ndarray]] = {
    "tint": lambda c, t: c.fused * (1.0 + 0.3 * t * c.soft * c.hue),
    "hard tint": lambda c, t: c.fused * (1.0 + 0.3 * t * c.inside * c.hue),
    "added tint": lambda c, t: c.fused + 0.12 * t * c.soft * c.hue,
    "greyed": lambda c, t: c.fused + t * c.soft * (c.fused.mean(axis=-1, keepdims=True) - c.fused),
}
BLURS: dict[str, Callable[[Case, float], np.ndarray]] = {
    "blur": lambda c, t: np.where(c.inside, _blurred(c.fused, 4.0 * t), c.fused),
    "soft blur": lambda c, t: c.fused + c.soft * (_blurred(c.fused, 4.0 * t) - c.fused),
}


# The default reach is too short to carry an object's colours over: a patch stays visible.
SEAMLESS = {"clone": "poisson", "cloud": "poisson"}


def of_scene(scene: gallery.Scene, *, seed: int = 0, fuse: bool = False) -> Case:
    """The truth of a scene as a case, or its fusion by a method that leaves no seam in it."""
    b = scene.foreground if scene.background is None else scene.background
    method = SEAMLESS.get(scene.name, "variational")
    u = (
        osmofuse.fuse(scene.foreground, b, scene.alpha, method=method).image
        if fuse
        else scene.truth
    )
    name = f"{scene.name} {'fused' if fuse else 'truth'} {seed}"
    return Case(name, u, scene.foreground, b, scene.alpha, seed)


def of_picture(u: np.ndarray, alpha: np.ndarray, name: str, seed: int = 0) -> Case:
    """A picture fused with itself."""
    return Case(name, u, u, u, alpha, seed)


def maps(shape: tuple[int, int], rng: np.random.Generator) -> Iterator[tuple[str, np.ndarray]]:
    """Yield maps of several shapes: discs, a half, islands; hard and soft."""
    rows, cols = np.indices(shape)
    row, col = (float(rng.uniform(0.4, 0.6)) * n for n in shape)
    disc = np.hypot(rows - row, cols - col) - 0.25 * min(shape)
    half = (cols - col) + 0.3 * (rows - row)
    islands = gaussian_filter(rng.standard_normal(shape), 0.07 * min(shape))
    islands = islands / islands.std() * 0.1 * min(shape)
    for name, far in (("disc", disc), ("half", half), ("islands", islands)):
        yield f"hard {name}", (far > 0).astype(float)
        yield f"soft {name}", np.clip(0.5 + far / 12.0, 0.0, 1.0)


@dataclass(frozen=True)
class Trial:
    """One picture of the bench: the case with its fault injected."""

    fault: str
    strength: float
    case: Case


def trials(
    cases: Iterable[Case],
    faults: dict[str, Callable[[Case, float], np.ndarray]],
    strengths: Sequence[float] = STRENGTHS,
) -> Iterator[Trial]:
    """Yield every case with every fault in every strength, as a file of 8 bits has it."""
    for case in cases:
        for name, fault in faults.items():
            for t in strengths:
                u = np.rint(255.0 * np.clip(fault(case, t), 0.0, 1.0)) / 255.0
                yield Trial(name, t, replace(case, fused=u))


def pooled(metric: Callable[[Case], float], trials_: Iterable[Trial]) -> dict[str, float]:
    """Return Spearman's correlation of a metric with the strength, over all cases, by fault."""
    found: dict[str, list[tuple[float, float]]] = {}
    for trial in trials_:
        found.setdefault(trial.fault, []).append((trial.strength, metric(trial.case)))
    return {fault: float(spearmanr(*zip(*pairs, strict=True))[0]) for fault, pairs in found.items()}
