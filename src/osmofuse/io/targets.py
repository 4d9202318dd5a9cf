"""Checks of output paths, made before the work starts."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from osmofuse.errors import OutputError, cannot_write, naming
from osmofuse.io.journal import is_own_name, place_of
from osmofuse.io.recovery import recover


def check_target(
    path: Path,
    *,
    overwrite: bool = False,
    inputs: Iterable[str | os.PathLike[str]] = (),
    folders: bool = False,
) -> None:
    """Check that a file can and may be written.

    A commit that was killed there is completed or undone first.

    Parameters
    ----------
    path : Path
        The output.
    overwrite : bool
        An existing file may be replaced.
    inputs : iterable of paths
        Files that must not be replaced, under any name.
    folders : bool
        Missing folders will be created; then the nearest existing one is checked.

    Raises
    ------
    OutputError
        Its folder is missing or not writable, it is a folder, it exists, or it is an input.
    """
    _check_name(path)
    kept = [Path(given) for given in inputs]
    for given in kept:
        if _is_same(path, given) or (
            is_own_name(given.name, path.name) and _is_same(given.parent, path.parent)
        ):
            raise OutputError(f"{path}: would replace the input {given}; choose another name")
    recover([path], kept)
    folder = path.parent
    with naming(path):  # a folder above may be inaccessible
        if folders:
            folder = next(above for above in path.absolute().parents if above.exists())
        if folder.exists() and not folder.is_dir():
            raise OutputError(f"{path}: {folder} is a file; choose another folder")
        if not folder.is_dir():
            raise OutputError(f"{path}: there is no folder {folder}; make it first")
        if path.is_dir():
            raise OutputError(f"{path}: is a folder; add a name for the file")
    if not overwrite:
        check_absent(path)
    effective = os.access in os.supports_effective_ids
    if not os.access(folder, os.W_OK | os.X_OK, effective_ids=effective):
        code = errno.EROFS if _is_read_only(folder) else errno.EACCES
        raise cannot_write(path, OSError(code, os.strerror(code)))


def check_distinct(paths: Iterable[tuple[str, Path]]) -> None:
    """Check that outputs are distinct files, and that none is the folder of another.

    Two are the same also by a link, another spelling of the path, or case.

    Parameters
    ----------
    paths : iterable of (str, Path)
        Role and path of each.
    """
    taken: dict[object, str] = {}
    given = list(paths)
    for role, path in given:
        _check_name(path)
        marks: list[object] = [place_of(path)]
        with suppress(OSError):  # it does not exist yet
            found = path.stat()
            marks.append((found.st_dev, found.st_ino))
        for mark in marks:
            if mark in taken:
                raise OutputError(
                    f"{path}: would be both {taken[mark]} and {role}; choose two names"
                )
            taken[mark] = role
    for role, path in given:
        for above in map(str, Path(place_of(path)).parents):
            if above in taken:
                raise OutputError(
                    f"{path}: {role} cannot lie below {above}, which is to be {taken[above]}; "
                    "choose another folder"
                )


def _check_name(path: Path) -> None:
    """Check that a path can name a file."""
    if path.name in ("", ".."):
        raise OutputError(f"{path}: is a folder; add a name for the file")
    try:
        stored = os.fsencode(path)
    except UnicodeEncodeError as error:
        raise OutputError(f"{str(path)!r}: cannot be a name; choose another one") from error
    if b"\0" in stored:
        raise OutputError(f"{str(path)!r}: cannot be a name; choose another one")


def check_absent(path: Path) -> None:
    """Check that a file does not exist."""
    if os.path.lexists(path):
        raise OutputError(
            f"{path}: exists already; choose another name, or allow it to be replaced with "
            "--overwrite (overwrite=True in Python)"
        )


def _is_same(path: Path, other: Path) -> bool:
    """Return True if two paths are the same file, also by a link or another spelling."""
    with suppress(OSError, ValueError):  # a missing file is not the same
        return path.samefile(other)
    return False


def _is_read_only(folder: Path) -> bool:
    return bool(os.statvfs(folder).f_flag & os.ST_RDONLY) if hasattr(os, "statvfs") else False
