"""Medians of interleaved runs: the machines are noisy, ratios within one run are not."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import numpy as np


def interleaved(jobs: Mapping[str, Callable[[], object]], runs: int) -> dict[str, float]:
    """Run all jobs in turn, several times, after a warm-up; return each one's median seconds."""
    for job in jobs.values():
        job()
    seconds: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(runs):
        for name, job in jobs.items():
            start = time.perf_counter()
            job()
            seconds[name].append(time.perf_counter() - start)
    return {name: float(np.median(values)) for name, values in seconds.items()}
