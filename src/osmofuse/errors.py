"""The error kinds, and the exit code the command line gives each of them.

Some are also ValueErrors or OSErrors, for callers who catch those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class OsmofuseError(Exception):
    """Base of every error that osmofuse raises on purpose."""

    exit_code = 1


class InputError(OsmofuseError, ValueError):
    """An argument has values that cannot be used; the message names it and the fix."""

    exit_code = 2


class SettingError(OsmofuseError, ValueError):
    """A method or a setting is unknown, out of range or does not fit another one."""

    exit_code = 2


class MissingExtraError(OsmofuseError):
    """A feature needs an optional extra that is not installed."""

    exit_code = 2


class UnreadableError(OsmofuseError, OSError):
    """A file is no picture, is damaged, or is unsafe to decode."""

    exit_code = 3


class MismatchError(OsmofuseError, ValueError):
    """Pictures do not fit together (size, bands)."""

    exit_code = 4


class LimitError(OsmofuseError):
    """A job would go over a limit of pixels, bands, bytes or memory."""

    exit_code = 6


class OutputError(OsmofuseError, OSError):
    """An output exists already, or cannot be written."""

    exit_code = 7


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return what an unknown name may have been meant to be, in brackets for a message.

    Examples
    --------
    >>> did_you_mean("poison", ["direct", "poisson"])
    " (did you mean 'poisson'?)"
    >>> did_you_mean("seam", ["fmi", "seam_visibility"])
    " (did you mean 'seam_visibility'?)"
    >>> did_you_mean("photoshop", ["direct", "poisson"])
    ''
    """
    from difflib import get_close_matches  # only those who err wait for it

    names, low = list(known), str(word).lower()
    found = get_close_matches(low, names, n=1)
    if not found and len(low) > 2:
        found = [name for name in names if name.startswith(low)]
    return f" (did you mean {found[0]!r}?)" if found else ""
