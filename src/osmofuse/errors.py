"""Error classes with their exit codes, and conversion of system errors.

Some are also ValueErrors or OSErrors, for callers who catch those.
"""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Advice by number of the system's error.
_FIXES = {
    errno.ENOSPC: "free some space there, or choose another disk",
    errno.EDQUOT: "free some of your space there, or choose another disk",
    errno.EFBIG: "the disk or the system allows no file of that size; choose another disk",
    errno.EACCES: "choose a folder in which you may write",
    errno.EPERM: "choose a folder in which you may write",
    errno.EROFS: "the disk is read-only; choose another one",
    errno.ENAMETOOLONG: "choose a shorter name",
}


class OsmofuseError(Exception):
    """Base of every error that osmofuse raises on purpose."""

    exit_code = 1


class InputError(OsmofuseError, ValueError):
    """Error in the values of an argument; the message names it and the fix."""

    exit_code = 2


class SettingError(OsmofuseError, ValueError):
    """Error for a method or setting that is unknown, out of range or conflicts with another."""

    exit_code = 2


class MissingExtraError(OsmofuseError):
    """Error for a feature whose optional extra is not installed."""

    exit_code = 2


class UnreadableError(OsmofuseError, OSError):
    """Error for a file that is not a picture, is damaged, or is unsafe to decode."""

    exit_code = 3


class MismatchError(OsmofuseError, ValueError):
    """Error for pictures that do not fit together (size, bands)."""

    exit_code = 4


class LimitError(OsmofuseError):
    """Error for a job over a limit of pixels, bands, bytes or memory."""

    exit_code = 6


class OutputError(OsmofuseError, OSError):
    """Error for an output that exists already, or cannot be written."""

    exit_code = 7


@contextmanager
def reading(path: str | os.PathLike[str]) -> Iterator[None]:
    """Convert system errors to UnreadableErrors that name the file.

    Only for opening and reading: a ValueError is taken for an invalid file name.
    """
    try:
        yield
    except OsmofuseError:  # it names its file already
        raise
    except (OSError, ValueError) as error:
        raise cannot_read(path, error) from error


def cannot_read(path: str | os.PathLike[str], error: OSError | ValueError) -> UnreadableError:
    """Return the error for a file that cannot be read; a ValueError means an invalid file name."""
    if isinstance(error, ValueError):  # a zero byte, or characters that cannot be encoded
        return UnreadableError(f"{os.fspath(path)!r}: not a valid file name ({error})")
    if isinstance(error, FileNotFoundError):
        return UnreadableError(f"{path}: no such file")
    return UnreadableError(f"{path}: {error.strerror or error}")


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Convert system errors to OutputErrors that name the file and a fix."""
    try:
        yield
    except OutputError:  # it names its file already
        raise
    except OSError as error:
        raise cannot_write(path, error) from error


def cannot_write(path: str | os.PathLike[str], error: OSError) -> OutputError:
    """Return the error for a file that cannot be written, with a fix."""
    fix = _FIXES.get(error.errno or 0, "choose another name or folder")
    return OutputError(f"{path}: cannot be written ({error.strerror or error}); {fix}")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the known name closest to an unknown one, in brackets for a message; "" if none is.

    Examples
    --------
    >>> did_you_mean("poison", ["direct", "poisson"])
    " (did you mean 'poisson'?)"
    >>> did_you_mean("seam", ["fmi", "seam_visibility"])
    " (did you mean 'seam_visibility'?)"
    >>> did_you_mean("photoshop", ["direct", "poisson"])
    ''
    """
    from difflib import get_close_matches  # imported only where a name is wrong

    names, low = list(known), str(word).lower()
    found = get_close_matches(low, names, n=1)
    if not found and len(low) > 2:
        found = [name for name in names if name.startswith(low)]
    return f" (did you mean {found[0]!r}?)" if found else ""
