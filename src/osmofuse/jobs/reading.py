"""The picture files of a job, read: nobody vouches for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from osmofuse.io import Description, Limits, read_isolated
from osmofuse.picture import Picture

SLOWEST = 5e6  # bytes a second that decoding may be down to


def read_files(paths: Mapping[str, Path], files: Mapping[str, Description]) -> dict[str, Picture]:
    """Decode picture files in a process of its own, one for all of them.

    Parameters
    ----------
    paths : mapping of str to Path
        The files, by role.
    files : mapping of str to Description
        What they contain, by role.

    Returns
    -------
    dict of str to Picture
        By role.

    Raises
    ------
    UnreadableError, LimitError
        A file cannot be read, or asks for more than it may.
    """
    pictures = read_isolated(list(paths.values()), limits_for(files.values()))
    return dict(zip(paths, pictures, strict=True))


def limits_for(files: Iterable[Description]) -> Limits:
    """Return limits that give a large picture time to be decoded, also on a busy machine."""
    largest = max(file.decoded_bytes for file in files)
    return Limits(seconds=max(Limits().seconds, largest / SLOWEST))
