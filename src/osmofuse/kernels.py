"""Numba settings: compilation and threading of kernels.

A kernel is a compiled loop over planes. It is next to the operator or term it serves and
is declared with :func:`kernel`; its NumPy reference is in the tests. `osmofuse.kernel_cache`
stores the machine code.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

# Spin count of idle OpenMP threads: some 0.1 ms. The default is many times that, which slows
# kernels down on a busy machine, where spinning threads occupy the cores.
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
    "row_kernel",
    "seconds_compiling",
    "threads",
    "threads_for",
    "view",
]

_REORDERED = {"contract", "reassoc", "nsz"}
_SMALL_PLANE = 20_000  # pixels; a kernel on fewer ends sooner than a second thread wakes up

Kernel = TypeVar("Kernel", bound=Callable[..., object])


def kernel(function: Kernel) -> Kernel:
    """Compile a function over planes: in parallel over rows, cached.

    IEEE arithmetic is kept (no ``fastmath``) and sums are made per row, so that results do not
    depend on the number of threads.
    """
    return _compiled(function, fastmath=False)


def fast_kernel(function: Kernel) -> Kernel:
    """Compile like `kernel`, but allow reordered sums within a row and fused multiply-adds.

    Results still do not depend on the number of threads, and NaN stays NaN. Divisions are not
    replaced by approximate reciprocals, which are accurate to three digits only.
    """
    return _compiled(function, fastmath=_REORDERED)


def _compiled(function: Kernel, *, fastmath: bool | set[str]) -> Kernel:
    compile_ = numba.njit(parallel=True, error_model="numpy", fastmath=fastmath)
    compiled = compile_(function)
    if hasattr(compiled, "_cache"):  # False with NUMBA_DISABLE_JIT
        compiled._cache = KernelCache(compiled)
        if fastmath:
            _reordered.append(compiled)
    return cast(Kernel, compiled)


def row_kernel(function: Kernel) -> Kernel:
    """Compile a function of rows or of a strip of rows, to be called by fast kernels.

    It must not allocate: views of rows are then not counted, which costs as much as a short row.
    """
    njit: Any = numba.njit
    return cast(Kernel, njit(error_model="numpy", fastmath=_REORDERED, _nrt=False)(function))


def view(function: Kernel) -> Kernel:
    """Compile a function that returns a part of an array, as a part of its caller.

    Where views are not counted, in a `row_kernel`, they cannot be returned by a call.
    """
    return cast(Kernel, numba.njit(inline="always")(function))


def pixel(function: Kernel) -> Kernel:
    """Compile a function of one pixel, to be inlined into kernels."""
    return cast(Kernel, numba.njit(error_model="numpy")(function))


@contextmanager
def threads_for(pixels: int) -> Iterator[None]:
    """Run kernels on planes of this size, with one thread if they are small."""
    before = numba.get_num_threads()
    if before == 1 or pixels >= _SMALL_PLANE:
        yield  # setting the number of threads costs as much as a small kernel
        return
    numba.set_num_threads(1)
    try:
        yield
    finally:
        numba.set_num_threads(before)


def threads() -> int:
    """Return the number of threads of a kernel."""
    return int(numba.get_num_threads())


def code_in_use() -> str:
    """Return the processor that kernels are compiled for, and a mark if the cache failed.

    Where `KernelCache` fails, Numba compiles alone, and kernels of `fast_kernel` may round
    differently. Two processes with different answers may differ in the last bits of results.
    """
    name, _, features = _processor().partition(" ")
    digest = hashlib.sha256(features.encode()).hexdigest()[:8]
    new = any(one.stats.cache_misses for one in _reordered)
    return f"for {name} (features {digest}){', compiled by this process' if new else ''}"


def _processor() -> str:
    """Return name and features of the processor that Numba compiles for."""
    config: Any = numba.config
    host: Any = codegen
    name, features = config.CPU_NAME, config.CPU_FEATURES
    if features is None:
        features = host.get_host_cpu_features()
    return f"{name or host.ll.get_host_cpu_name()} {features}"


def seconds_compiling() -> float:
    """Return the time this process has spent compiling kernels."""
    return float(_compiling.duration if _compiling.done else 0)


_reordered = list[Any]()  # kernels of `fast_kernel`, whose rounding depends on optimisation
_events: Any = event
_compiling = _events.TimingListener()
_events.register("numba:compile", _compiling)
leave_out(seconds_compiling)  # it happens once on a machine, and would distort timings
