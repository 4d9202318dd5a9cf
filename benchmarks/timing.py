"""Medians of interleaved runs: the machines are noisy, ratios within one run are not."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import numpy as np

Jobs = Mapping[str, Callable[[], object]]


def interleaved(jobs: Jobs, runs: int) -> dict[str, float]:
    """Run all jobs in turn, several times, after a warm-up; return each one's median seconds."""
    return {name: float(np.median(seconds)) for name, seconds in rounds(jobs, runs).items()}


def rounds(jobs: Jobs, runs: int) -> dict[str, np.ndarray]:
    """Run all jobs in turn, several times, after a warm-up; return the seconds of all runs."""
    for job in jobs.values():
        job()
    taken = [[seconds_of(job) for job in jobs.values()] for _ in range(runs)]
    return dict(zip(jobs, np.array(taken).T, strict=True))


def seconds_of(job: Callable[[], object]) -> float:
    """Return the seconds of one run."""
    start = time.perf_counter()
    job()
    return time.perf_counter() - start


def spread(name: str, values: np.ndarray) -> dict[str, float]:
    """Return the median of some values, and their quartiles."""
    low, middle, high = np.quantile(values, (0.25, 0.5, 0.75))
    return {
        name: float(middle),
        f"{name}, lower quartile": float(low),
        f"{name}, upper quartile": float(high),
    }
