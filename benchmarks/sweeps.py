"""What a setting of a sweep costs, as a part of a single fusion."""

from __future__ import annotations

import osmofuse
from benchmarks.timing import interleaved
from osmofuse import gallery

SHAPE = (775, 581)  # 0.45 MP
LISTS = {
    "start": ("foreground", "composite"),
    "mu": (10.0, 100.0),
    "reach": 10.0,
    "eta": (0.0, 0.1, 0.5),
    "gamma": (0.0, 1.0),
}


def run() -> dict[str, float]:
    scene = gallery.manuscript(SHAPE)
    pair = scene.foreground, scene.background, scene.alpha
    seconds = interleaved(
        {
            "fuse": lambda: osmofuse.fuse(*pair, target="product"),
            "sweep": lambda: osmofuse.sweep(*pair, **LISTS),
        },
        runs=9,
    )
    return {
        "fuse, 0.45 MP, s": seconds["fuse"],
        "sweep of 24, s": seconds["sweep"],
        "a setting, of a fusion": seconds["sweep"] / 24 / seconds["fuse"],
    }
