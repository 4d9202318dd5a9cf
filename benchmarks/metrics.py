"""The set "vifb" and each metric on a colour picture of 630 × 460; beside the set its bar."""

from __future__ import annotations

import osmofuse
from benchmarks.pictures import eight_bits
from benchmarks.timing import interleaved
from osmofuse.metrics.catalogue import METRICS, SETS

BAR = 1.0  # seconds for the set, on two cores


def run() -> dict[str, float]:
    f, b, alpha = eight_bits((460, 630))
    fused = osmofuse.fuse(f, b, alpha, method="guided-filter").image

    def scoring(names):
        return lambda: osmofuse.score(fused, f, b, alpha, truth=f, metrics=names)

    def without_truth(names):
        return lambda: osmofuse.score(fused, f, b, alpha, metrics=names)

    jobs = {"nothing, the pictures only": without_truth(()), "vifb": without_truth(SETS["vifb"])}
    for name in METRICS:
        jobs[name] = scoring([name]) if name in SETS["truth"] else without_truth([name])
    seconds = interleaved(jobs, runs=5)
    found = {f"{name}, s": value for name, value in seconds.items()}
    return {"vifb, the bar, s": BAR, **found}
