"""The methods the paper compares with, and FMI, on its face pair; beside each the time it may take.

The face is 460 × 600 pixels in colour, and the region of the local methods 14385 of them.
"""

from __future__ import annotations

import numpy as np

import osmofuse
from benchmarks.pictures import face
from benchmarks.timing import interleaved
from osmofuse.methods import METHODS

# Name, settings and the bar in seconds on two cores. What there is no method for yet is left out.
BARS = {
    "Poisson editing": ("poisson", {}, 0.06),
    "local osmosis, stationary": ("linear-osmosis", {"extent": "local", "time": np.inf}, 0.06),
    "linear osmosis to T = 10000": ("linear-osmosis", {}, 1.0),
    "guided-filter fusion": ("guided-filter", {}, 0.3),
    "structure-aware fusion": ("structure-aware", {}, 0.3),
}
FMI_BAR = 0.5


def run() -> dict[str, float]:
    f, b, alpha = face()
    jobs, bars = {}, {}
    for title, (name, settings, bar) in BARS.items():
        if name in METHODS:
            jobs[title], bars[title] = fusion(f, b, alpha, name, settings), bar
        else:
            print(f"no method is called {name!r} yet")
    fused = osmofuse.fuse(f, b, alpha, method="guided-filter").image
    # As `score` takes them: pictures of 8 bits, white at 1.0.
    pictures = [np.rint(255 * fused.clip(0, 1)) / 255, f / 255, b / 255]
    jobs["FMI"], bars["FMI"] = (lambda: osmofuse.metrics.fmi(*pictures)), FMI_BAR
    found = {}
    for title, seconds in interleaved(jobs, runs=9).items():
        found[f"{title}, s"] = seconds
        found[f"{title}, the bar, s"] = bars[title]
    return found


def fusion(f, b, alpha, name, settings):
    return lambda: osmofuse.fuse(f, b, alpha, method=name, **settings)
