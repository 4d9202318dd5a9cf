"""Errors of the system as errors of ours, which name the file to be written and what helps."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from osmofuse.errors import OutputError

__all__ = ["cannot_write", "naming"]

_FIXES = {
    errno.ENOSPC: "free some space there, or choose another disk",
    errno.EDQUOT: "free some of your space there, or choose another disk",
    errno.EFBIG: "the disk or the system allows no file of that size; choose another disk",
    errno.EACCES: "choose a folder in which you may write",
    errno.EPERM: "choose a folder in which you may write",
    errno.EROFS: "the disk is read-only; choose another one",
    errno.ENAMETOOLONG: "choose a shorter name",
}


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Turn what the system refuses into an error of ours that names the file to be written."""
    try:
        yield
    except OutputError:  # it names its file already
        raise
    except OSError as error:
        raise cannot_write(path, error) from error


def cannot_write(path: Path, error: OSError) -> OutputError:
    """Return the error that says why a file could not be written, and what helps."""
    fix = _FIXES.get(error.errno or 0, "choose another name or folder")
    return OutputError(f"{path}: cannot be written ({error.strerror or error}); {fix}")
