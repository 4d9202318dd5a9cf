"""Numba settings in one place: how kernels are compiled and threaded.

A kernel is a compiled loop over planes. It lives beside the operator or term it serves and
is declared with :func:`kernel`; its NumPy reference lives in the tests. `osmofuse.kernel_cache`
keeps the machine code.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

# How long a thread of the OpenMP pool spins for its next kernel: some 0.1 ms. The default is
# many times that, which makes kernels on a busy machine wait for threads that only spin.
os.environ.setdefault("GOMP_SPINCOUNT", "5000")

import numba
from numba import prange
from numba.core import codegen, event

from osmofuse.kernel_cache import KernelCache
from osmofuse.progress import leave_out

__all__ = [
    "code_in_use",
    "fast_kernel",
    "kernel",
    "pixel",
    "prange",
    "seconds_compiling",
    "threads_for",
]

# Below this a kernel ends sooner than a second thread wakes up.
_SMALL = 20_000

Kernel = TypeVar("Kernel", bound=Callable[..., object])


def kernel(function: Kernel) -> Kernel:
    """Compile a function over planes: in parallel over rows, kept in a cache.

    Floating-point laws are kept (no ``fastmath``) and sums are made per row, so that one
    thread and two give the same bits.
    """
    return _compiled(function, fastmath=False)


def fast_kernel(function: Kernel) -> Kernel:
    """Compile like `kernel`, letting sums within a row be reordered and multiply-adds fused.

    Still the same bits for any number of threads, and NaN stays NaN. Divisions stay divisions:
    the reciprocals that processors offer instead are good to three digits.
    """
    return _compiled(function, fastmath={"contract", "reassoc", "nsz"})


def _compiled(function: Kernel, *, fastmath: bool | set[str]) -> Kernel:
    compile_ = numba.njit(parallel=True, error_model="numpy", fastmath=fastmath)
    compiled = compile_(function)
    if hasattr(compiled, "_cache"):  # not if NUMBA_DISABLE_JIT leaves functions as they are
        compiled._cache = KernelCache(compiled)
        if fastmath:
            _reordered.append(compiled)
    return cast(Kernel, compiled)


def pixel(function: Kernel) -> Kernel:
    """Compile what a kernel does at one pixel, to be inlined into it."""
    return cast(Kernel, numba.njit(error_model="numpy")(function))


@contextmanager
def threads_for(pixels: int) -> Iterator[None]:
    """Run kernels on planes of so many pixels with as many threads as pay."""
    before = numba.get_num_threads()
    if before == 1 or pixels >= _SMALL:
        yield  # nothing to change: setting it costs as much as a small kernel
        return
    numba.set_num_threads(1)
    try:
        yield
    finally:
        numba.set_num_threads(before)


def code_in_use() -> str:
    """Return the processor that kernels were compiled for, and whether Numba alone did it.

    That happens where `KernelCache` fails, and counts only for kernels whose last bits depend on
    it. Two processes with different answers may differ in the last bits of their results.
    """
    name, _, features = _processor().partition(" ")
    digest = hashlib.sha256(features.encode()).hexdigest()[:8]
    new = any(one.stats.cache_misses for one in _reordered)
    return f"for {name} (features {digest}){', compiled by this process' if new else ''}"


def _processor() -> str:
    """Return the processor that Numba compiles for: its name, and the features used."""
    config: Any = numba.config
    host: Any = codegen
    name, features = config.CPU_NAME, config.CPU_FEATURES
    if features is None:
        features = host.get_host_cpu_features()
    return f"{name or host.ll.get_host_cpu_name()} {features}"


def seconds_compiling() -> float:
    """Return how long this process has compiled kernels so far."""
    return float(_compiling.duration if _compiling.done else 0)


_reordered = list[Any]()  # kernels whose bits depend on how they were optimised
_events: Any = event
_compiling = _events.TimingListener()
_events.register("numba:compile", _compiling)
leave_out(seconds_compiling)  # it happens once on a machine, and would hide how long the work takes
