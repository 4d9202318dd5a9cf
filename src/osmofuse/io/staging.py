"""Atomic writing of several files: all appear, complete, or none does.

Each is written in its final folder under a name of this process that ends in ``.partial``. When all
are complete they are synced and renamed, see `osmofuse.io.journal`. A process that is killed leaves
partial files or a journal; the next one that writes the same output removes them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType

from osmofuse.errors import OutputError, naming
from osmofuse.io.journal import begin, is_running, own_path, owner_of, sync, sync_file, this_process
from osmofuse.io.locking import held, locked
from osmofuse.io.recovery import recover, store
from osmofuse.io.targets import check_absent, check_distinct

# Partial files older than this, of any machine, are abandoned: no job runs a day. Anything from
# hours to weeks works.
_JOB_SECONDS = 24 * 3600.0


class Staging:
    """Files being written; those not committed are removed at the end of the block.

    Parameters
    ----------
    paths : iterable of Path
        Their final names. They are renamed in this order; the last is the main output.
    overwrite : bool
        Replace existing files on commit.
    ending : int
        Number of `paths`, from the end, that are renamed after those of `add`.
    """

    def __init__(self, paths: Iterable[Path], *, overwrite: bool = True, ending: int = 0) -> None:
        self.paths = list(paths)
        self.overwrite, self.ending = overwrite, ending

    def __enter__(self) -> Staging:
        recover(self.paths)
        for path in self.paths:
            _clear_stale(path)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with held():
            for path in self.paths:
                with suppress(OSError):
                    self.partial(path).unlink(missing_ok=True)

    @staticmethod
    def partial(path: Path) -> Path:
        """Return the path under which this process writes a file before it is committed."""
        return own_path(path, "partial")

    def add(self, paths: Iterable[Path]) -> None:
        """Add further files; an existing one raises an OutputError."""
        added, place = list(paths), len(self.paths) - self.ending
        known = [("an output", path) for path in self.paths]
        check_distinct([*known, *(("part of the report", path) for path in added)])
        for path in added:
            _clear_stale(path)
        self.paths[place:place] = added

    def commit(self) -> None:
        """Sync and rename all files; if one fails, restore all old ones and raise an OutputError.

        Interrupts are delayed until that is done.
        """
        for path in self.paths:
            with naming(path):
                sync_file(self.partial(path))
        _check_partials(self.paths)
        with locked(path.parent for path in self.paths), held():
            if not self.overwrite:
                for path in self.paths:
                    check_absent(path)
            if len(self.paths) == 1:  # a single rename is atomic by itself
                with naming(self.paths[0]):
                    os.replace(self.partial(self.paths[0]), self.paths[0])
                sync(self.paths[0].parent)
            else:
                _commit(self.paths)


def _commit(paths: list[Path]) -> None:
    journal = begin(paths)
    store(journal)
    try:
        journal.apply()
    except BaseException as error:
        if left := journal.roll_back():
            raise OutputError(
                f"{error}; old files could not be restored: {', '.join(map(str, left))}. They are "
                "kept there, ending in .aside, and restored when the same output is written again"
            ) from error
        raise
    journal.finish()


@contextmanager
def made_folder(folder: Path) -> Iterator[None]:
    """Create a folder and its parents; at the end, remove new ones that are empty."""
    missing = [above for above in (folder, *folder.parents) if not os.path.lexists(above)]
    with ExitStack() as undo:
        for above in reversed(missing):
            undo.callback(_remove_empty, above)
        with naming(folder):
            folder.mkdir(parents=True, exist_ok=True)
        yield


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):  # it is not empty
        folder.rmdir()


def _check_partials(paths: list[Path]) -> None:
    """Refuse outputs that are one file to the file system, e.g. if it ignores case."""
    seen: dict[tuple[int, int], Path] = {}
    for path in paths:
        with naming(path):
            found = os.lstat(Staging.partial(path))
        other = seen.setdefault((found.st_dev, found.st_ino), path)
        if other is not path:
            raise OutputError(f"{path}: is the same file as {other} there; choose two names")


def _clear_stale(path: Path) -> None:
    """Remove partial files of an output that ended processes, or this one, have left."""
    with suppress(OSError):  # a folder that cannot be listed may still be writable
        for candidate in path.parent.iterdir():
            with suppress(OSError):  # another process may remove it, too
                if _is_stale(candidate, path):
                    candidate.unlink()


def _is_stale(candidate: Path, path: Path) -> bool:
    owner, us = owner_of(candidate.name, path.name, "partial"), this_process()
    if owner is None:
        return False
    if owner == us or (owner.machine == us.machine and not is_running(owner.process)):
        return True
    return time.time() - candidate.lstat().st_mtime > _JOB_SECONDS
