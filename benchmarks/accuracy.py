"""Decibels between the flow and a fine flow to the same time, on drawn scenes.

The fine flow takes many short steps, each solved by more cycles than it needs, in double
precision. For each setting the scene is told on which the flow is farthest from it.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from osmofuse import gallery
from osmofuse.gallery import Scene
from osmofuse.methods.contract import Fusion
from osmofuse.methods.sources import Sources
from osmofuse.methods.variational import VariationalOsmosis
from osmofuse.optimise.plan import Plan

SHAPE, SEED = (96, 128), 3
SCENES = ("clone", "gold_leaf", "manuscript", "night", "portrait")
SETTINGS: dict[str, dict[str, Any]] = {
    "defaults": {},
    **{f"reach {r:g}": {"reach": r} for r in (0.5, 2.0, 8.0, 30.0, 100.0)},
    **{f"gamma inf, reach {r:g}": {"gamma": math.inf, "reach": r} for r in (15.0, 60.0)},
    "offset 0.05": {"offset": 0.05},
    "mu 1": {"mu": 1.0},
}
NOISE = 0.2  # of white, standard deviation
STEPS, GROWTH, CYCLES = 60, 1.1, 6  # of the fine flow


def run() -> dict[str, float]:
    scenes = {name: getattr(gallery, name)(SHAPE, seed=SEED) for name in SCENES}
    noisy = {name: with_noise(scene) for name, scene in scenes.items()}
    cases = [(title, settings, scenes) for title, settings in SETTINGS.items()]
    found = {}
    for title, settings, drawn in [*cases, ("harsh noise", {}, noisy)]:
        flow = VariationalOsmosis(**settings)
        reached = {name: decibels(flow, sources_of(scene)) for name, scene in drawn.items()}
        worst = min(reached, key=reached.__getitem__)
        found[f"{title}: least, on {worst}, dB"] = reached[worst]
    return found


def sources_of(scene: Scene) -> Sources:
    return Sources(scene.foreground, scene.background, scene.alpha)


def with_noise(scene: Scene) -> Scene:
    """Return a scene with noise in both pictures, as strong as it is rarely seen."""
    rng = np.random.default_rng(SEED)
    f, b = (
        np.clip(picture + NOISE * rng.standard_normal(picture.shape), 0.0, 1.0)
        for picture in (scene.foreground, scene.background)
    )
    return replace(scene, foreground=f, background=b)


def decibels(flow: VariationalOsmosis, sources: Sources) -> float:
    """Return how near a fusion comes to that by the fine flow; white is 1."""
    fusion = flow(sources)
    error = fusion.image - fine(flow, sources, fusion.plan).image
    return -10.0 * math.log10(np.mean(np.square(error, dtype=np.float64)))


def fine(flow: VariationalOsmosis, sources: Sources, plan: Plan) -> Fusion:
    """Return the fusion by the fine flow to the time of a plan."""
    first = plan.time * (GROWTH - 1.0) / (GROWTH**STEPS - 1.0)
    steps = tuple(first * GROWTH**k for k in range(STEPS))
    many = replace(plan, steps=steps, cycles=(CYCLES,) * STEPS, part=1.0)
    return replace(flow, precision="double").run(sources, many)
