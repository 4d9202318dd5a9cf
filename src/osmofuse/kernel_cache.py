"""Cache of compiled kernels: files that are checked before they are used, and never needed.

Numba's own cache trusts its files: an empty one ends the program, a wrong byte of machine code is
run. Here each entry carries a digest; one that does not fit is compiled anew and replaced. Where
nothing can be written, each process compiles for itself, with the same bits.

The folder lies in the user's cache directory and is named by a hash of every kernel source, since a
kernel inlines what other files declare. Where that directory cannot be written, a private one in
the temporary directory takes its place.
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

__all__ = ["KernelCache", "cache_directory"]

_LARGEST = 1 << 26  # bytes of an entry; a kernel takes some 30 kB
_PROBE = bytes(1 << 16)  # about what a kernel takes: on a full disk, an empty file can be made

_log = logging.getLogger("osmofuse")
_numba: Any = numba
_codegen: Any = codegen
_compiler: Any = compiler
_events: Any = event
_serialize: Any = serialize
_signatures: Any = sigutils


class KernelCache(NullCache):
    """Cache of one kernel, as Numba's dispatchers use it.

    A kernel that was just compiled is taken apart and put together again as if it came from a
    file. Otherwise it would run code that was optimised once less than what later processes
    load, and round differently: of a parallel loop there are then two copies in the process, its
    own and one inlined into the kernel, and calls find the former. For the same reason each kernel
    has an engine of its own, where it finds nothing but itself.

    Parameters
    ----------
    dispatcher : numba.core.dispatcher.Dispatcher
        The kernel.
    """

    def __init__(self, dispatcher: Any) -> None:
        self._dispatcher = dispatcher

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return a kernel for types of arguments: loaded, or compiled and kept.

        None if that fails, whatever the reason; then Numba compiles it in its own way.
        """
        with contextlib.suppress(Exception):
            target_context.refresh()
            name = self._name(sig, target_context)
            payload = _entry(name)
            if payload is not None:
                with contextlib.suppress(Exception):  # e.g. of another version of llvmlite
                    return _rebuilt(payload, target_context)
            payload = self._compiled(sig)
            _keep(name, payload)
            return _rebuilt(payload, target_context)
        return None

    def _compiled(self, sig: Any) -> bytes:
        _announce()
        arguments, result = _signatures.normalize_signature(sig)
        details = {"dispatcher": self._dispatcher, "args": arguments, "return_type": result}
        with _events.trigger_event("numba:compile", data=details):
            compiled = self._dispatcher._compiler.compile(arguments, result)
        if compiled.lifted or compiled.library.has_dynamic_globals:
            raise ValueError("the code holds addresses of this process")
        return bytes(_serialize.dumps(compiled._reduce()))

    def _name(self, sig: Any, target_context: Any) -> str:
        """Return the name of an entry: one for each kernel, place, types and processor."""
        code = self._dispatcher.py_func.__code__
        place = (code.co_filename, code.co_firstlineno, code.co_code)
        key = repr((place, sig, target_context.codegen().magic_tuple()))
        digest = hashlib.sha256(key.encode()).hexdigest()[:16]
        return f"{Path(code.co_filename).stem}.{code.co_name}-{digest}.nbc"


class _OwnEngine:
    """Numba's context of a processor, with an engine that holds no other code."""

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
    """Return an entry of the cache; None if there is none, or it is damaged."""
    folder = cache_directory()
    if folder is None:
        return None
    try:
        found = (folder / name).stat()
        if not stat.S_ISREG(found.st_mode) or found.st_size > _LARGEST:
            return None
        content = (folder / name).read_bytes()
    except OSError:
        return None
    digest, payload = content[:32], content[32:]
    return payload if digest == _digest(name, payload) else None


def _keep(name: str, payload: bytes) -> None:
    """Write an entry, in place of a damaged one; without it the next process compiles again."""
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
        _complain(str(error))


def _digest(name: str, payload: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\0" + payload).digest()


@functools.cache
def _announce() -> None:
    """Log, once a process, that compiling takes a while."""
    if cache_directory() is None:
        _log.warning(
            "compiling kernels, which takes up to 40 seconds each time: neither the user's cache "
            "folder nor a private temporary one can be written; set OSMOFUSE_CACHE to one that can"
        )
    else:
        _log.info("compiling kernels that are new here, for this and later runs; up to 40 seconds")


@functools.cache
def _complain(reason: str) -> None:
    _log.warning(
        "compiled kernels cannot be kept (%s); they are compiled each time until there is room "
        "or OSMOFUSE_CACHE names another folder",
        reason,
    )


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
    """Raise if a folder is not this user's, or gives others forbidden rights.

    Entries are code: whoever can write them acts as whoever loads them, e.g. as root in the cache
    of a user. On Windows the folders in question are the user's own.

    Raises
    ------
    PermissionError
        The folder must not be used.
    """
    found = folder.lstat()
    ours = os.name == "nt" or (
        found.st_uid == os.getuid() and not stat.S_IMODE(found.st_mode) & forbidden
    )
    if not (stat.S_ISDIR(found.st_mode) and ours):
        raise PermissionError(f"{folder}: not a private folder of this user")


def _temporary_cache() -> Path:
    """Return a folder in the temporary directory that nobody else can read or write.

    Raises
    ------
    OSError
        There is none, and none can be made, or somebody else may have made it: code from there
        would be theirs.
    """
    user = os.getuid() if hasattr(os, "getuid") else "user"
    folder = Path(tempfile.gettempdir()) / f"osmofuse-{user}"
    if folder.parent == Path.cwd():  # where tempfile looks last, among anybody's files
        raise PermissionError(f"{folder}: in the current folder, not in a temporary one")
    folder.mkdir(mode=0o700, exist_ok=True)
    _check_owner(folder, 0o077)
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
    digest = hashlib.sha256(f"{_numba.__version__} {sys.version}".encode())
    here = Path(__file__).parent
    for path in sorted(here.rglob("*.py")):
        source = path.read_bytes()
        if b"osmofuse.kernel" in source or path == here / "kernels.py":
            digest.update(source)
    return digest.hexdigest()[:16]
