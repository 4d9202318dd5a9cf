"""Journal of a commit, from which the next run completes or undoes what a kill has left.

``fused.tif`` is written as ``fused.tif.MACHINE-PROCESS.partial``; an older file waits as
``.aside``, and the journal ends in ``.commit`` or ``.done``. So a later run can see which process
owns them, and if it still runs.

The journal is on the disk before the first file is touched, next to the main output and ending in
``.commit``; it lists the files with size and time of the old and the new ones. Old files are moved
aside, new ones are renamed, and then the journal is renamed to end in ``.done``: until then all is
undone, from then on the old files are removed. Every further folder that is written to holds a
pointer of the same name, without which nothing in it is touched.

A journal may be forged. It can make a run touch only files whose size and time to the nanosecond
it knows, in folders that hold it or a pointer to it.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from platform import node
from secrets import token_hex
from typing import Literal, NamedTuple, TypeAlias, TypeVar

from osmofuse.errors import naming

Kind: TypeAlias = Literal["partial", "aside", "commit", "done"]

# Of the output's name in own names: file systems allow 255 bytes, and the ending takes up to 50.
_MOST_NAME_BYTES = 200
_HASH_DIGITS = 8  # of the hash that replaces the rest of a long name; anything in 8..16 works
# Ends of own names: machine and process of their owner, and their kind.
_OWNED = re.compile(r"(?P<machine>[\w-]*)-(?P<process>\d+)\.(?:partial|aside|commit|done)", re.A)
T = TypeVar("T")
Stamp: TypeAlias = tuple[int, int]  # size, and time of the last change in nanoseconds


class Owner(NamedTuple):
    """Process that owns a file, and its machine."""

    machine: str
    process: int


def this_process() -> Owner:
    """Return this process as an owner."""
    return Owner(re.sub(r"[^\w-]", "_", node(), flags=re.A)[:16], os.getpid())


def own_path(path: Path, kind: Kind, owner: Owner | None = None) -> Path:
    """Return the path of an own file next to an output; of this process by default."""
    machine, process = owner or this_process()
    return path.with_name(f"{_shortened(path.name)}.{machine}-{process}.{kind}")


def owner_of(candidate: str, name: str, kind: Kind) -> Owner | None:
    """Return the owner of an own file of a kind next to an output, by its name; None for others."""
    start = f"{_shortened(name)}."
    if not (candidate.startswith(start) and candidate.endswith(f".{kind}")):
        return None
    return _owner(candidate.removeprefix(start))


def is_own_name(candidate: str, name: str) -> bool:
    """Return True for the name of an own file, of any process, next to an output."""
    start = f"{_shortened(name)}."
    return candidate.startswith(start) and _owner(candidate.removeprefix(start)) is not None


def is_running(process: int) -> bool:
    """Return False if a process of this machine has certainly ended."""
    if os.name == "nt":  # os.kill would end it there; callers then go by the file's age
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # it belongs to another user
        pass
    return True


def _owner(ending: str) -> Owner | None:
    found = _OWNED.fullmatch(ending)
    return Owner(found["machine"], int(found["process"])) if found else None


def _shortened(name: str) -> str:
    """Return a name; if it is long, its beginning and a hash, so that own names fit."""
    stored = os.fsencode(name)
    if len(stored) <= _MOST_NAME_BYTES:
        return name
    start = name
    while len(os.fsencode(start)) > _MOST_NAME_BYTES - _HASH_DIGITS - 1:
        start = start[:-1]
    return f"{start}~{sha256(stored).hexdigest()[:_HASH_DIGITS]}"


@dataclass(frozen=True)
class Entry:
    """File of a commit: final name, stamps of the new and the old file (if any), and process."""

    path: Path
    new: Stamp
    old: Stamp | None
    owner: Owner

    @property
    def partial(self) -> Path:
        """Path of the new file before it is renamed."""
        return own_path(self.path, "partial", self.owner)

    @property
    def aside(self) -> Path:
        """Path of the old file during the commit."""
        return own_path(self.path, "aside", self.owner)

    def undo(self) -> None:
        """Restore the old file, unless the output was written by another process since."""
        there = stamp(self.path)
        if self.old is not None and stamp(self.aside) == self.old:
            if there in (None, self.new):
                os.replace(self.aside, self.path)
            else:
                self.aside.unlink()
        elif self.old is None and there == self.new:
            self.path.unlink()
        self.partial.unlink(missing_ok=True)

    def clear(self) -> None:
        """Remove the old file, which was moved aside."""
        if self.old is not None and stamp(self.aside) == self.old:
            self.aside.unlink()


@dataclass(frozen=True)
class Journal:
    """Journal of a commit: files that are renamed together, the main output last."""

    path: Path  # ends in .commit or, once all are renamed, in .done
    token: str  # random text that pointers repeat
    entries: Sequence[Entry]  # in the order in which they are renamed
    further: Sequence[Path] = ()  # folders without entries, from which only a pointer is removed

    @property
    def done(self) -> Path:
        """Path of the journal once all files are renamed."""
        return self.path.with_suffix(".done")

    @property
    def folders(self) -> list[Path]:
        """Folders of the journal (first) and of all files, each once."""
        spelled = [self.path.parent, *(one.path.parent for one in self.entries), *self.further]
        real: dict[str, Path] = {}
        for folder in spelled:
            real.setdefault(os.path.realpath(folder), folder)
        return list(real.values())

    @property
    def pointers(self) -> list[Path]:
        """Paths of the pointers in the further folders."""
        return [folder / self.path.with_suffix(".commit").name for folder in self.folders[1:]]

    def apply(self) -> None:
        """Move the old files aside, the main output first, and rename the new ones, it last.

        So the main output is never next to files of another commit. If a file cannot be renamed,
        an OutputError is raised; `roll_back` undoes the rest.
        """
        for one in reversed(self.entries):
            if one.old is not None:
                with naming(one.path):
                    os.replace(one.path, one.aside)
        for one in self.entries:
            with naming(one.path):
                os.replace(one.partial, one.path)
        for folder in self.folders:
            sync(folder)
        with naming(self.entries[-1].path):
            os.replace(self.path, self.done)
        sync(self.path.parent)

    def roll_back(self) -> list[Path]:
        """Restore all old files, the main output last; return those that cannot be."""
        main = self.entries[-1]
        with suppress(OSError):
            if stamp(main.path) == main.new:
                main.path.unlink()
        return self._settle(Entry.undo)

    def finish(self) -> list[Path]:
        """Remove the old files and the journal; return outputs whose old file cannot be removed."""
        return self._settle(Entry.clear)

    def _settle(self, settle: Callable[[Entry], None]) -> list[Path]:
        failed = [one for one in self.entries if not _works(settle, one)]
        failed = [one for one in failed if not _works(settle, one)]  # in case it was transient
        if not failed:
            for folder in self.folders:
                sync(folder)
            for path in (*self.pointers, self.path, self.done):
                if not _works(_remove, path):
                    _works(_remove, path)
        return [one.path for one in failed]


def begin(paths: Sequence[Path]) -> Journal:
    """Return the journal of a commit, not on the disk yet; the partial files must exist."""
    owner, entries = this_process(), []
    for path in paths:
        with naming(path):
            found = os.lstat(own_path(path, "partial", owner))
            new = (found.st_size, found.st_mtime_ns)
            if path.is_dir() and not path.is_symlink():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            entries.append(Entry(path, new, stamp(path), owner))
    return Journal(own_path(paths[-1], "commit", owner), token_hex(8), entries)


def stamp(path: Path) -> Stamp | None:
    """Return size and time of a file, or of a link itself; None if it is missing."""
    try:
        found = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_size, found.st_mtime_ns


def place_of(path: Path) -> str:
    """Return the path of a file in a unique spelling: links in its folder are resolved."""
    real = os.path.join(os.path.realpath(path.parent), path.name)
    return os.path.normcase(real)


def sync(path: Path) -> None:
    """Wait until renames in a folder are on the disk, where the system supports it."""
    with suppress(OSError):  # Windows opens no folders, and some file systems cannot sync them
        sync_file(path, os.O_RDONLY)


def sync_file(path: Path, flags: int = os.O_RDWR) -> None:
    """Wait until a file is on the disk."""
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)


def _works(step: Callable[[T], None], one: T) -> bool:
    try:
        step(one)
    except OSError:
        return False
    return True
