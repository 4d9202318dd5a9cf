"""Files that appear whole, and together, or not at all.

Each is written beside its place under a name of this process that ends in ``.partial``. When all
are there they are synced and renamed. A process that is killed leaves partial files behind; the
next one that writes the same output clears them away.
"""

from __future__ import annotations

import errno
import os
import re
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from platform import node
from types import TracebackType

from osmofuse.errors import OutputError

__all__ = ["Staging", "cannot_write", "check_target", "made_folder", "naming"]

# No job takes that long: what is older was left behind, on whatever machine.
_OLD = 24 * 3600.0
_FIXES = {
    errno.ENOSPC: "free some space there, or choose another disk",
    errno.EDQUOT: "free some of your space there, or choose another disk",
    errno.EFBIG: "the disk or the system allows no file of that size; choose another disk",
    errno.EACCES: "choose a folder in which you may write",
    errno.EPERM: "choose a folder in which you may write",
    errno.EROFS: "the disk is read-only; choose another one",
}


class Staging:
    """Files while they are being written; what is not committed is removed.

    Parameters
    ----------
    paths : iterable of Path
        Where they are to be. They get their names in this order.
    """

    def __init__(self, paths: Iterable[Path]) -> None:
        self.paths = tuple(paths)

    def __enter__(self) -> Staging:
        for path in self.paths:
            _clear_stale(path)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for path in self.paths:
            with suppress(OSError):
                self.partial(path).unlink(missing_ok=True)

    @staticmethod
    def partial(path: Path) -> Path:
        """Return the name under which this process writes a file."""
        return path.with_name(f"{path.name}.{_machine()}-{os.getpid()}.partial")

    def commit(self) -> None:
        """Sync all files and give them their names; if one fails, take back those that are new.

        Raises
        ------
        OutputError
            One cannot be synced or renamed.
        """
        for path in self.paths:
            with naming(path):
                _sync(self.partial(path))
        with ExitStack() as undo:
            for path in self.paths:
                new = not os.path.lexists(path)
                with naming(path):
                    os.replace(self.partial(path), path)
                if new:
                    undo.callback(path.unlink, missing_ok=True)
            undo.pop_all()
        for folder in {path.parent for path in self.paths}:
            _sync(folder)


@contextmanager
def made_folder(folder: Path) -> Iterator[None]:
    """Make a folder, and those above it; take back what is new and empty if the work fails.

    Raises
    ------
    OutputError
        It cannot be made.
    """
    missing = [above for above in (folder, *folder.parents) if not os.path.lexists(above)]
    with ExitStack() as undo:
        for above in reversed(missing):
            undo.callback(_remove_empty, above)
        with naming(folder):
            folder.mkdir(parents=True, exist_ok=True)
        yield
        undo.pop_all()


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):  # somebody else has put something there
        folder.rmdir()


def check_target(
    path: Path,
    *,
    overwrite: bool = False,
    inputs: Iterable[str | os.PathLike[str]] = (),
    folders: bool = False,
) -> None:
    """Refuse a place where a file cannot or must not be written.

    Parameters
    ----------
    path : Path
        The place.
    overwrite : bool
        Whether a file there may be replaced.
    inputs : iterable of paths
        Files that are never replaced, under whatever name.
    folders : bool
        Whether folders that are missing will be made; then the nearest one counts.

    Raises
    ------
    OutputError
        Its folder is missing or closed, it is a folder, it exists, or it is an input.
    """
    for given in inputs:
        if _is_same(path, Path(given)) or _is_partial(Path(given), path):
            raise OutputError(
                f"{path}: would replace the input {os.fspath(given)}; choose another name"
            )
    folder = path.parent
    with naming(path):  # a folder above may be closed
        if folders:
            folder = next(above for above in path.absolute().parents if above.exists())
        if folder.exists() and not folder.is_dir():
            raise OutputError(f"{path}: {folder} is a file; choose another folder")
        if not folder.is_dir():
            raise OutputError(f"{path}: there is no folder {folder}; make it first")
        if path.is_dir():
            raise OutputError(f"{path}: is a folder; add a name for the file")
    if os.path.lexists(path) and not overwrite:
        raise OutputError(
            f"{path}: exists already; choose another name, or allow it to be replaced with "
            "--overwrite (overwrite=True in Python)"
        )
    effective = os.access in os.supports_effective_ids
    if not os.access(folder, os.W_OK | os.X_OK, effective_ids=effective):
        code = errno.EROFS if _is_read_only(folder) else errno.EACCES
        raise cannot_write(path, OSError(code, os.strerror(code)))


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Turn what the system refuses into an error of ours that names the file to be written."""
    try:
        yield
    except OutputError:
        raise  # names its file already
    except OSError as error:
        raise cannot_write(path, error) from error


def cannot_write(path: Path, error: OSError) -> OutputError:
    """Return the error that says why a file could not be written, and what helps."""
    fix = _FIXES.get(error.errno or 0, "choose another name or folder")
    return OutputError(f"{path}: cannot be written ({error.strerror or error}); {fix}")


def _is_same(path: Path, other: Path) -> bool:
    """Tell whether two paths are one file, also where a link or another spelling hides it."""
    with suppress(OSError):  # what is not there cannot be the same file
        return path.samefile(other)
    return False


def _is_read_only(folder: Path) -> bool:
    return bool(os.statvfs(folder).f_flag & os.ST_RDONLY) if hasattr(os, "statvfs") else False


def _is_partial(candidate: Path, path: Path) -> bool:
    """Tell whether a file has the name of a partial one of some process."""
    name = rf"{re.escape(path.name)}\.[\w-]*-\d+\.partial"
    return bool(re.fullmatch(name, candidate.name)) and _is_same(candidate.parent, path.parent)


def _clear_stale(path: Path) -> None:
    """Remove what processes that are gone have left of a file, and what is in our own place."""
    own = Staging.partial(path)
    with suppress(OSError):  # a folder that cannot be listed may still be written
        for candidate in path.parent.iterdir():
            if _is_partial(candidate, path) and (candidate == own or _is_stale(candidate)):
                with suppress(OSError):
                    candidate.unlink()


def _is_stale(partial: Path) -> bool:
    machine, _, process = partial.name.removesuffix(".partial").rpartition("-")
    if machine.endswith(f".{_machine()}") and not _is_running(int(process)):
        return True
    return time.time() - partial.lstat().st_mtime > _OLD


def _is_running(process: int) -> bool:
    if os.name == "nt":  # there, asking would interrupt it; so only age counts
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # it is somebody else's
        pass
    return True


def _machine() -> str:
    """Return a name of this machine that can be part of a file's name."""
    return re.sub(r"[^\w-]", "_", node())[:16]


def _sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    if path.is_dir() and os.name == "nt":  # Windows cannot open folders
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
