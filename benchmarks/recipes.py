"""What each recipe gains on its scene over the paper's model, in dB from the truth.

``python -m benchmarks recipes`` makes the tables of docs/recipes.md: scenes with seeds on which
nothing was tuned, at their own size and at half of it. Recipes that need a map have the scene's,
and so has the paper's model; the others have none, and the paper's model takes 0.5. It also
measures how long the calls without and with a map take, relative to the product as the target.
"""

from __future__ import annotations

import inspect
from functools import partial

import numpy as np

import osmofuse
from benchmarks.timing import interleaved
from osmofuse import gallery
from osmofuse.metrics import psnr
from osmofuse.tasks.best_guess import WITH_MAP, WITHOUT_MAP

SEEDS = range(20, 25)
PARTS = (1.0, 0.5)  # of the size that the scene has by default
TIMED, MEGAPIXEL = ("manuscript", "portrait"), (1000, 1000)


def run() -> dict[str, float]:
    found = {}
    for recipe in osmofuse.recipes():
        if recipe.scene is not None and recipe.command == "fuse":
            for part in PARTS:
                gains = measured(recipe, part)
                found |= {f"{recipe.name} {part:g}: {told}": dB for told, dB in gains.items()}
    for name in TIMED:
        found |= {f"{name} {ratio}": value for ratio, value in costs(name).items()}
    return found


def costs(name: str, shape=MEGAPIXEL, runs: int = 7) -> dict[str, float]:
    """Return the ratios of times of the default targets and of the product.

    The product has the other settings of each, and the numbers that were chosen for it.
    """
    scene = getattr(gallery, name)(shape, SEEDS[0])
    f, b, found = scene.foreground, scene.background, {}
    for alpha, usual in ((None, WITHOUT_MAP), (scene.alpha, WITH_MAP)):
        fusion, target = osmofuse.fuse(f, b, alpha), usual["target"]
        reach = fusion.reach  # both flows go as far
        plain = usual | fusion.chosen | {"target": "product", "reach": reach}
        jobs = {
            target: partial(osmofuse.fuse, f, b, alpha, reach=reach),
            "product": partial(osmofuse.fuse, f, b, scene.alpha, **plain),
        }
        seconds = interleaved(jobs, runs)
        found[f"{target} / product"] = seconds[target] / seconds["product"]
    return found


def measured(recipe: osmofuse.Recipe, part: float, seeds=SEEDS) -> dict[str, float]:
    """Return means over seeds, and the smallest gain."""
    scenes = [drawn(recipe, part, seed) for seed in seeds]
    maps = [scene.alpha if recipe.needs_map else None for scene in scenes]
    pairs = list(zip(scenes, maps, strict=True))
    default = np.array([from_truth(*pair) for pair in pairs])
    with_it = np.array([from_truth(*pair, recipe) for pair in pairs])
    gains = with_it - default
    told = {"paper": default, "recipe": with_it, "gain": gains}
    return {name: float(values.mean()) for name, values in told.items()} | {
        "least gain": float(gains.min())
    }


def drawn(recipe: osmofuse.Recipe, part: float, seed: int) -> gallery.Scene:
    draw = getattr(gallery, recipe.scene)
    shape = inspect.signature(draw).parameters["shape"].default
    return draw(tuple(round(part * side) for side in shape), seed)


def from_truth(scene: gallery.Scene, alpha, recipe: osmofuse.Recipe | None = None) -> float:
    """Return how near a fusion comes to the truth, in dB."""
    if recipe is None:
        fusion = osmofuse.fuse(scene.foreground, scene.background, alpha, target="product")
    else:
        fusion = recipe.fuse(scene.foreground, scene.background, alpha)
    return psnr(fusion.image, scene.truth)
