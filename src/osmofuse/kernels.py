"""Numba settings in one place: how kernels are compiled, cached and threaded.

A kernel is a compiled loop over planes. It lives beside the operator or term it serves and
is declared with :func:`kernel`; its NumPy reference lives in the tests. The machine code is
cached below the user's cache directory in a folder named by a hash of every kernel source,
since Numba on its own does not notice a change in a kernel that another one calls. Where that
directory cannot be written, a private one in the temporary directory takes its place.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import logging
import os
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

# How long a thread of the OpenMP pool spins for its next kernel: some 0.1 ms. The default is
# many times that, which makes kernels on a busy machine wait for threads that only spin.
os.environ.setdefault("GOMP_SPINCOUNT", "5000")

import numba
from numba import prange
from numba.core import codegen, event

from osmofuse.processes import python_command, python_environment

__all__ = [
    "cache_directory",
    "code_in_use",
    "fast_kernel",
    "kernel",
    "make_ready",
    "pixel",
    "prange",
    "seconds_compiling",
    "threads_for",
]

# Below this a kernel ends sooner than a second thread wakes up.
_SMALL = 20_000

Kernel = TypeVar("Kernel", bound=Callable[..., object])


def kernel(function: Kernel) -> Kernel:
    """Compile a function over planes: in parallel over rows, cached on disk.

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
    # Numba reads its cache directory while decorating; other users of Numba in this
    # process keep theirs.
    config: Any = numba.config
    other, folder = config.CACHE_DIR, cache_directory()
    compile_ = numba.njit(
        parallel=True, cache=folder is not None, error_model="numpy", fastmath=fastmath
    )
    if folder is not None:
        config.CACHE_DIR = str(folder)
    try:
        compiled = compile_(function)
    finally:
        config.CACHE_DIR = other
    if fastmath:
        _reordered.append(compiled)
    return cast(Kernel, compiled)


def pixel(function: Kernel) -> Kernel:
    """Compile what a kernel does at one pixel, to be inlined into it."""
    return cast(Kernel, numba.njit(error_model="numpy")(function))


@contextmanager
def threads_for(pixels: int) -> Iterator[None]:
    """Run kernels on planes of so many pixels with as many threads as pay."""
    make_ready()
    before = numba.get_num_threads()
    if before == 1 or pixels >= _SMALL:
        yield  # nothing to change: setting it costs as much as a small kernel
        return
    numba.set_num_threads(1)
    try:
        yield
    finally:
        numba.set_num_threads(before)


@functools.cache
def make_ready(precision: Literal["single", "double"] = "single") -> None:
    """Fill the cache of compiled kernels, if it is empty, and say so: it takes a while.

    Another process does it. Numba optimises what it loads from its cache once more than what
    it has just compiled, and the two round differently: a process that compiles for itself
    would have other bits than all that come after it.
    """
    folder = cache_directory()
    if os.environ.get(_FILLING) or (folder is not None and _marker(folder, precision).exists()):
        return
    log = logging.getLogger("osmofuse")
    if folder is None:
        log.warning(
            "compiling kernels, which takes some 20 seconds each time: neither the user's cache "
            "folder nor a private one in %s can be written; set OSMOFUSE_CACHE to one that can",
            tempfile.gettempdir(),
        )
        return
    log.warning("compiling kernels for this machine, once; this takes some 20 seconds")
    start = time.perf_counter()
    # Where no other process can be had, this one compiles, and the next one fills the cache.
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        subprocess.run(
            python_command(_FILL.format(precision=precision, dtype=_TYPES[precision])),
            env=python_environment(**{_FILLING: "1"}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=600,
            check=True,
        )
        _marker(folder, precision).touch()
    _waits.append(time.perf_counter() - start)


def _marker(folder: Path, precision: str) -> Path:
    """Return the path of the file that marks the cache as filled.

    Numba keeps code by the place of its source and by the processor it is for, so another copy
    of the package has its own, and so has another machine that shares the folder.
    """
    key = f"{Path(__file__).resolve()} {_processor()}"
    return folder / f"{precision}-{hashlib.sha256(key.encode()).hexdigest()[:16]}.done"


def code_in_use() -> str:
    """Return the processor that kernels were compiled for, and whether this process did it.

    The second counts only for kernels whose last bits depend on it, see `make_ready`. Two
    processes with different answers may differ in the last bits of their results.
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
    """Return how long this process has compiled kernels so far, or waited for them."""
    return sum(_waits) + float(_compiling.duration if _compiling.done else 0)


_waits = list[float]()
_reordered = list[Any]()  # kernels whose bits depend on how they were optimised
_events: Any = event
_compiling = _events.TimingListener()
_events.register("numba:compile", _compiling)

_FILLING = "OSMOFUSE_FILLING_CACHE"
_TYPES = {"single": "float32", "double": "float64"}
_FILL = """
import numpy, osmofuse
f = numpy.linspace(0.2, 0.8, 600, dtype="{dtype}").reshape(20, 30)
osmofuse.fuse(f, f[::-1].copy(), 0.5, precision="{precision}")
osmofuse.fuse(f, f[::-1].copy(), f > 0.5, method="poisson")
"""


@functools.cache
def cache_directory() -> Path | None:
    """Return the folder of the compiled kernels, one for each state of their sources.

    The user's; a private one in the temporary directory where that cannot be written, so that
    processes started from this one need not all compile. None where neither can be had: then
    every process compiles for itself.
    """
    for folder in (_user_cache, _temporary_cache):
        with contextlib.suppress(OSError, RuntimeError):  # also if nobody knows the user's home
            kernels = folder() / "kernels" / _hash_of_sources()
            kernels.mkdir(parents=True, exist_ok=True)
            probe = kernels / f".probe-{os.getpid()}"
            probe.touch()
            probe.unlink()
            return kernels
    return None


def _temporary_cache() -> Path:
    """Return a folder in the temporary directory that nobody else can read or write.

    On Windows the temporary directory itself is the user's own.

    Raises
    ------
    OSError
        There is none, and none can be made, or somebody else may have made it: code from there
        would be theirs.
    """
    user = os.getuid() if hasattr(os, "getuid") else "user"
    folder = Path(tempfile.gettempdir()) / f"osmofuse-{user}"
    if folder.parent == Path.cwd():  # where Python looks last, among anybody's files
        raise PermissionError(f"{folder}: in the current folder, not in a temporary one")
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    mine = stat.S_ISDIR(found.st_mode) and (os.name == "nt" or found.st_uid == user)
    if not mine or (os.name != "nt" and stat.S_IMODE(found.st_mode) & 0o077):
        raise PermissionError(f"{folder}: not a private folder of this user")
    return folder


def _user_cache() -> Path:
    """Return the user's cache folder for osmofuse, by the platform's convention."""
    if own := os.environ.get("OSMOFUSE_CACHE"):
        return Path(own)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "osmofuse" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "osmofuse"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "osmofuse"


def _hash_of_sources() -> str:
    """Hash the sources of kernels and their settings, with the versions that compile them."""
    digest = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        source = path.read_bytes()
        if b"osmofuse.kernels" in source or path == Path(__file__):
            digest.update(source)
    return digest.hexdigest()[:16]
