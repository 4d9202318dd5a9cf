"""What each kernel of a whole fusion takes, and how near it comes to the memory's limit.

The limit of a pass is the speed of a triad over as many bytes as the pass moves, so that planes
that fit a cache are compared with that cache. What a kernel moves is counted by
`benchmarks.kernel_traffic`; what NumPy moves between kernels is not.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher

import osmofuse
from benchmarks.kernel_traffic import passes_of
from benchmarks.pictures import enlarged, one_band, portrait_of, puppets
from benchmarks.timing import seconds_of
from benchmarks.triad import Triad

RUNS = 9
MEGAPIXELS = 6.0

Observer = Callable[[str, float, tuple[Any, ...]], None]


def run() -> dict[str, float]:
    triad = Triad()
    found = triad.told()
    for title, (pair, settings) in pairs().items():
        job = partial(osmofuse.fuse, *pair, target="product", **settings)
        stages = stages_of(job, triad, samples=pair[0].size)
        found |= {f"{title}, {name}": value for name, value in stages.items()}
    return found


def pairs():
    """Return the pairs, with settings."""
    f, b, alpha = puppets()
    large = tuple(enlarged(picture) for picture in portrait_of(MEGAPIXELS))
    return {
        "puppets": ((f, b, one_band(alpha)), {"eta": 0.5}),
        f"{MEGAPIXELS:g} MP": (large, {"reach": 15.0}),
    }


def stages_of(
    job: Callable[[], object], triad: Triad, *, samples: int, runs: int = RUNS
) -> dict[str, float]:
    """Return the calls, the time and the speed of each kernel of a job, the slowest first."""
    job()
    calls = traffic(job)
    whole, seconds = times(job, runs)
    moved = {name: sum(map(sum, passes)) for name, passes in calls.items()}
    found = {
        "whole, ms": 1e3 * whole,
        "outside kernels, ms": 1e3 * (whole - sum(seconds.values())),
        "bytes a sample": sum(moved.values()) / samples,
    }
    for name in sorted(seconds, key=seconds.__getitem__, reverse=True):
        title, taken = name.strip("_").replace("_", " "), seconds[name]
        found |= {f"{title}, calls": len(calls[name]), f"{title}, ms": 1e3 * taken}
        if moved[name]:
            least = sum(triad.seconds(n) for passes in calls[name] for n in passes)
            found |= {
                f"{title}, MB moved": moved[name] / 1e6,
                f"{title}, GB/s": moved[name] / 1e9 / taken,
                f"{title}, part of the triad": least / taken,
            }
    return found


def traffic(job: Callable[[], object]) -> dict[str, list[list[int]]]:
    """Return the bytes of each pass of each call, by kernel."""
    found = defaultdict(list)

    def count(name, _, arguments):
        found[name].append(passes_of(name, arguments))

    with observed(count):
        job()
    return dict(found)


def times(job: Callable[[], object], runs: int) -> tuple[float, dict[str, float]]:
    """Return the median seconds of a job, and of each of its kernels, over all their calls."""
    whole, parts = [], []
    for _ in range(runs):
        spent: dict[str, float] = defaultdict(float)

        def add(name, seconds, _, spent=spent):
            spent[name] += seconds

        with observed(add):
            whole.append(seconds_of(job))
        parts.append(spent)
    medians = {name: float(np.median([part[name] for part in parts])) for name in parts[0]}
    return float(np.median(whole)), medians


@contextmanager
def observed(tell: Observer) -> Iterator[None]:
    """Tell the name, the seconds and the arguments of each call of a kernel from Python."""
    found = [
        (module, name, value)
        for title, module in list(sys.modules.items())
        if title.partition(".")[0] == "osmofuse"
        for name, value in list(vars(module).items())
        if isinstance(value, Dispatcher) and value.targetoptions.get("parallel")
    ]
    for module, name, kernel in found:
        setattr(module, name, observer(kernel, tell))
    try:
        yield
    finally:
        for module, name, kernel in found:
            setattr(module, name, kernel)


def observer(kernel: Dispatcher, tell: Observer) -> Callable[..., object]:
    @wraps(kernel.py_func)
    def call(*arguments):
        start = time.perf_counter()
        result = kernel(*arguments)
        tell(kernel.__name__, time.perf_counter() - start, arguments)
        return result

    return call
