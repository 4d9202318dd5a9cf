"""System errors while a file is read, as UnreadableErrors that name the file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from osmofuse.errors import OsmofuseError, UnreadableError

__all__ = ["cannot_read", "reading"]


@contextmanager
def reading(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn what the system refuses into an error of ours that names the file to be read.

    Only for opening and reading: a ValueError is taken for one of the file's name.

    Raises
    ------
    UnreadableError
        The file is missing or cannot be read, or no file can have this name.
    """
    try:
        yield
    except OsmofuseError:  # it names its file already
        raise
    except (OSError, ValueError) as error:
        raise cannot_read(path, error) from error


def cannot_read(path: str | os.PathLike[str], error: OSError | ValueError) -> UnreadableError:
    """Return the error that says why a file cannot be read.

    Parameters
    ----------
    path : path
        The file.
    error : OSError or ValueError
        The system's refusal; a ValueError of a name that no file can have.
    """
    if isinstance(error, ValueError):  # it holds a zero byte, or characters that no system has
        return UnreadableError(f"{os.fspath(path)!r}: no name of a file ({error})")
    if isinstance(error, FileNotFoundError):
        return UnreadableError(f"{path}: no such file")
    return UnreadableError(f"{path}: {error.strerror or error}")
