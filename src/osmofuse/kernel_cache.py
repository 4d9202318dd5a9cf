"""Cache of compiled kernels, whose files are checked before use.

Numba's own cache trusts its files: an empty one ends the program, a wrong byte of machine code is
run. Here each entry has a digest; a damaged one is compiled again and replaced. Where nothing can
be written, each process compiles for itself, with the same results bit for bit.

The folder is in the user's cache directory and is named by a hash of all kernel sources, since
kernels inline functions of other files. If that directory is not writable, a private one in the
temporary directory is used.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import logging
import os
import pickle
import shutil
import stat
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import numba
from numba.core import codegen, compiler, event, serialize, sigutils
from numba.core.caching import NullCache

_MOST_ENTRY_BYTES = 1 << 26  # a kernel takes some 30 kB; anything from 1 MB works
# Content of the test file, about the size of a kernel: a full disk still takes an empty file.
_PROBE = bytes(1 << 16)

_log = logging.getLogger("osmofuse")
_numba: Any = numba
_codegen: Any = codegen
_compiler: Any = compiler
_events: Any = event
_serialize: Any = serialize
_signatures: Any = sigutils


class KernelCache(NullCache):
    """Cache of one kernel, with the interface of Numba's dispatchers.

    A newly compiled kernel is serialised and loaded again as if it came from a file. Otherwise it
    would run code that was optimised once less than what later processes load, and round
    differently: the process would have two copies of a parallel loop, its own and one inlined into
    the kernel, and calls would use the former. For the same reason each kernel has its own engine.
    """

    def __init__(self, dispatcher: Any) -> None:
        self._dispatcher = dispatcher

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return a kernel for argument types: from the cache, or compiled and stored.

        None if that fails for any reason; then Numba compiles it without the cache.
        """
        with contextlib.suppress(Exception):
            target_context.refresh()
            name = self._name(sig, target_context)
            payload = _entry(name)
            if payload is not None:
                with contextlib.suppress(Exception):  # e.g. of another version of llvmlite
                    return _rebuilt(payload, target_context)
            payload = self._compiled(sig)
            _store(name, payload)
            return _rebuilt(payload, target_context)
        return None

    def _compiled(self, sig: Any) -> bytes:
        _log_compiling()
        arguments, result = _signatures.normalize_signature(sig)
        details = {"dispatcher": self._dispatcher, "args": arguments, "return_type": result}
        with _events.trigger_event("numba:compile", data=details):
            compiled = self._dispatcher._compiler.compile(arguments, result)
        if compiled.lifted or compiled.library.has_dynamic_globals:
            raise ValueError("the code holds addresses of this process")
        return bytes(_serialize.dumps(compiled._reduce()))

    def _name(self, sig: Any, target_context: Any) -> str:
        """Return the file name of an entry, unique for kernel, source line, types, processor."""
        code = self._dispatcher.py_func.__code__
        place = (code.co_filename, code.co_firstlineno, code.co_code)
        key = repr((place, sig, target_context.codegen().magic_tuple()))
        digest = hashlib.sha256(key.encode()).hexdigest()[:16]
        return f"{Path(code.co_filename).stem}.{code.co_name}-{digest}.nbc"


class _OwnEngine:
    """Numba target context with a code engine of its own."""

    def __init__(self, context: Any) -> None:
        self._context = context
        self._codegen = _codegen.JITCPUCodegen("osmofuse")

    def codegen(self) -> Any:
        return self._codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)


def _rebuilt(payload: bytes, context: Any) -> Any:
    return _compiler.CompileResult._rebuild(_OwnEngine(context), *pickle.loads(payload))


def _entry(name: str) -> bytes | None:
    """Return an entry of the cache; None if it is missing or damaged."""
    folder = cache_directory()
    if folder is None:
        return None
    try:
        found = (folder / name).stat()
        if not stat.S_ISREG(found.st_mode) or found.st_size > _MOST_ENTRY_BYTES:
            return None
        content = (folder / name).read_bytes()
    except OSError:
        return None
    digest, payload = content[:32], content[32:]
    return payload if digest == _digest(name, payload) else None


def _store(name: str, payload: bytes) -> None:
    """Write an entry, replacing a damaged one; on failure only log a warning."""
    folder = cache_directory()
    if folder is None:
        return
    path = folder / name
    partial = folder / f".{name}.{os.getpid()}-{threading.get_ident()}"
    try:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        partial.write_bytes(_digest(name, payload) + payload)
        partial.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            partial.unlink()
        _warn_not_stored(str(error))


def _digest(name: str, payload: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\0" + payload).digest()


@functools.cache
def _log_compiling() -> None:
    """Log, once per process, that compilation takes a while."""
    if cache_directory() is None:
        _log.warning(
            "compiling kernels, which takes up to 40 seconds each time: neither the user's cache "
            "folder nor a private temporary one can be written; set OSMOFUSE_CACHE to one that can"
        )
    else:
        _log.info("compiling kernels that are new here, for this and later runs; up to 40 seconds")


@functools.cache
def _warn_not_stored(reason: str) -> None:
    _log.warning(
        "compiled kernels cannot be kept (%s); they are compiled each time until there is room "
        "or OSMOFUSE_CACHE names another folder",
        reason,
    )


@functools.cache
def cache_directory() -> Path | None:
    """Return the folder of compiled kernels for the current state of their sources.

    In the user's cache directory, else a private one in the temporary directory, so that child
    processes need not compile again. None if neither is writable: then every process compiles for
    itself.
    """
    for folder in (_user_cache, _temporary_cache):
        with contextlib.suppress(OSError, RuntimeError):  # the latter if the home is unknown
            kernels = folder() / "kernels" / _hash_of_sources()
            kernels.parent.mkdir(parents=True, exist_ok=True)
            kernels.mkdir(mode=0o700, exist_ok=True)
            _check_owner(kernels, 0o022)
            probe = kernels / f".probe-{os.getpid()}"
            try:
                probe.write_bytes(_PROBE)
            finally:
                probe.unlink(missing_ok=True)
            return kernels
    return None


def _check_owner(folder: Path, forbidden: int) -> None:
    """Refuse a folder that does not belong to this user, or gives others forbidden rights.

    Entries are code: a user who can write them could run code as the user who loads them. On
    Windows the folders in question are private anyway.
    """
    found = folder.lstat()
    ours = os.name == "nt" or (
        found.st_uid == os.getuid() and not stat.S_IMODE(found.st_mode) & forbidden
    )
    if not (stat.S_ISDIR(found.st_mode) and ours):
        raise PermissionError(f"{folder}: not a private folder of this user")


def _temporary_cache() -> Path:
    """Return a folder in the temporary directory that only this user can read or write."""
    user = os.getuid() if hasattr(os, "getuid") else "user"
    folder = Path(tempfile.gettempdir()) / f"osmofuse-{user}"
    if folder.parent == Path.cwd():  # the last resort of tempfile, shared with other files
        raise PermissionError(f"{folder}: in the current folder, not in a temporary one")
    folder.mkdir(mode=0o700, exist_ok=True)
    _check_owner(folder, 0o077)
    return folder


def _user_cache() -> Path:
    """Return the user's cache folder of osmofuse, by the platform's convention."""
    if own := os.environ.get("OSMOFUSE_CACHE"):
        return Path(own)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "osmofuse" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "osmofuse"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "osmofuse"


def _hash_of_sources() -> str:
    """Return a hash of all kernel sources and the versions of Numba and Python."""
    digest = hashlib.sha256(f"{_numba.__version__} {sys.version}".encode())
    here = Path(__file__).parent
    for path in sorted(here.rglob("*.py")):
        source = path.read_bytes()
        if b"osmofuse.kernel" in source or path == here / "kernels.py":
            digest.update(source)
    return digest.hexdigest()[:16]
