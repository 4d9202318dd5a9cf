"""Journals on the disk: written before a commit, and read by the run after a killed one."""

from __future__ import annotations

import json
import os
import re
import stat
import time
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from osmofuse.errors import OutputError, naming
from osmofuse.io.journal import (
    Entry,
    Journal,
    Owner,
    Stamp,
    is_running,
    owner_of,
    place_of,
    stamp,
    sync,
    this_process,
)
from osmofuse.io.locking import held, locked

_FORMAT = 1  # of journals; others are ignored
_MOST_JOURNAL_BYTES = 2**22  # thousands of entries; anything in 2**20..2**26 works
_FOLDERS = 16  # most folders of a commit, against forged journals; anything in 4..100 works
# Flags that refuse links, and do not wait for the writer of a pipe.
_SAFE_FLAGS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_COMMIT_SECONDS = 3600.0  # no commit takes that long; anything from minutes to a day works
# Names of journals and pointers: machine and process of their owner.
_NAME = re.compile(r".+\.(?P<machine>[\w-]*)-(?P<process>\d+)\.(?:commit|done)", re.A | re.DOTALL)


def store(journal: Journal) -> None:
    """Write a journal and its pointers, and sync them; on failure none is left."""
    home = journal.path.parent
    files = [
        {
            "folder": _relative(one.path.parent, home),
            "name": one.path.name,
            "new": one.new,
            "old": one.old,
        }
        for one in journal.entries
    ]
    head: dict[str, Any] = {"format": _FORMAT, "token": journal.token}
    with ExitStack() as undo:
        _write(journal.path, head | {"files": files}, undo)
        for path in journal.pointers:
            _write(path, head | {"journal": _relative(home, path.parent)}, undo)
        undo.pop_all()


def recover(paths: Iterable[Path], inputs: Iterable[Path] = ()) -> None:
    """Complete or undo killed commits of files that are about to be written.

    An OutputError is raised if another process keeps the folder locked, or if one of the `inputs`,
    which must not change, would be undone.
    """
    ours: dict[Path, dict[str, str]] = {}
    for path in paths:
        ours.setdefault(path.parent, {})[place_of(path)] = path.name
    kept = {place_of(path): path for path in inputs}
    for folder, places in ours.items():
        for found in _journals(folder):
            try:
                journal = _read(found)
                if journal is None:
                    _discard(found, places.values())
                elif places.keys() & {place_of(one.path) for one in journal.entries}:
                    _recover(journal, kept)
            except OutputError:
                raise
            except OSError:  # unreadable now: left for a later run
                continue


def _discard(path: Path, names: Iterable[str]) -> None:
    """Remove an incomplete journal, or a pointer whose journal is gone."""
    written = any(owner_of(path.name, name, "commit") for name in names)
    if not (written or "journal" in _parts(path)):
        return
    with locked([path.parent]) as alone:
        if _read(path) is None and _is_abandoned(path, alone=alone):
            path.unlink()


def _recover(journal: Journal, inputs: dict[str, Path]) -> None:
    with locked(journal.folders) as alone, held():
        again = _read(journal.path)  # its owner may have finished meanwhile
        if again is None or not _is_abandoned(again.path, alone=alone):
            return
        if again.path.suffix == ".done":
            again.finish()
            return
        for one in again.entries:
            if stamp(one.path) == one.new and place_of(one.path) in inputs:
                raise OutputError(
                    f"{inputs[place_of(one.path)]}: was left by a run that was killed while it "
                    f"wrote {again.entries[-1].path}, which this one undoes; copy it to another "
                    "name first"
                )
        again.roll_back()


def _is_abandoned(path: Path, *, alone: bool) -> bool:
    """Return True if no process can still be using a journal."""
    owner = _owner_of(path)
    if owner.machine == this_process().machine and (alone or not is_running(owner.process)):
        return True
    return time.time() - path.lstat().st_mtime > _COMMIT_SECONDS


def _journals(folder: Path) -> list[Path]:
    """Return files in a folder that are named like journals or pointers."""
    with suppress(OSError), os.scandir(folder) as names:
        return [folder / one.name for one in names if _NAME.fullmatch(one.name)]
    return []


def _owner_of(path: Path) -> Owner:
    found = _NAME.fullmatch(path.name)
    assert found is not None, "only such names are looked at"
    return Owner(found["machine"], int(found["process"]))


def _read(path: Path) -> Journal | None:
    """Return a journal, given its path or that of a pointer; None if missing or damaged.

    One that exists but cannot be read raises an OSError.
    """
    parts = _parts(path)
    try:
        if "journal" not in parts:
            return _journal_of(path, parts)
        home = _real(path.parent / _text(parts["journal"]))
        for name in (path.name, path.with_suffix(".done").name):
            found = _parts(home / name)
            if found and found.get("token") == parts["token"]:
                return _journal_of(home / name, found)
    except (KeyError, TypeError, ValueError):
        pass
    return None


def _journal_of(path: Path, parts: dict[str, Any]) -> Journal:
    home, token, owner = _real(path.parent), _text(parts["token"]), _owner_of(path)
    entries = []
    for part in parts["files"]:
        name, old = _text(part["name"]), part["old"]
        if Path(name).name != name:
            raise ValueError("no name of a file")
        place = _real(home / _text(part["folder"])) / name
        old = None if old is None else _stamp(old)
        entries.append(Entry(place, _stamp(part["new"]), old, owner))
    folders = {one.path.parent for one in entries} | {home}
    if len(folders) > _FOLDERS:
        raise ValueError("too many folders")
    pointer = path.with_suffix(".commit").name
    marked = {one for one in folders if _parts(one / pointer).get("token") == token} | {home}
    known = [one for one in entries if one.path.parent in marked]
    if not known:
        raise ValueError("no files")
    return Journal(home / path.name, token, known, tuple(folders - marked))


def _parts(path: Path) -> dict[str, Any]:
    """Return the content of a journal; empty if it is missing, damaged or not trusted."""
    with suppress(FileNotFoundError, NotADirectoryError, ValueError, RecursionError):
        handle = os.open(path, os.O_RDONLY | _SAFE_FLAGS)
        with open(handle, "rb") as file:
            if not _is_trusted(os.fstat(handle), path.parent):
                return {}
            parts = json.loads(file.read(_MOST_JOURNAL_BYTES))
            if isinstance(parts, dict) and parts.get("format") == _FORMAT:
                return parts
    return {}


def _is_trusted(found: os.stat_result, folder: Path) -> bool:
    """Return True for a small regular file of this user, or of the folder's owner."""
    if not stat.S_ISREG(found.st_mode) or found.st_size > _MOST_JOURNAL_BYTES:
        return False
    return not hasattr(os, "geteuid") or found.st_uid in (os.geteuid(), folder.stat().st_uid)


def _text(value: Any) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise TypeError("no text")
    return value


def _stamp(value: Any) -> Stamp:
    size, time_ = value
    if type(size) is not int or type(time_) is not int:
        raise TypeError("no number")
    return size, time_


def _write(path: Path, parts: dict[str, Any], undo: ExitStack) -> None:
    with naming(path):
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        undo.callback(_remove, path)
        with open(handle, "wb") as file:
            file.write(json.dumps(parts).encode())
            file.flush()
            os.fsync(handle)
    sync(path.parent)


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()


def _real(folder: Path) -> Path:
    return Path(os.path.realpath(folder))


def _relative(folder: Path, start: Path) -> str:
    """Return a folder relative to another, so that both can be moved together."""
    real = os.path.realpath(folder)
    try:
        return os.path.relpath(real, os.path.realpath(start))
    except ValueError:  # on another drive
        return real
