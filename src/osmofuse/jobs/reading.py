"""Picture files of a job, described and read in the limited child: nobody vouches for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from osmofuse.errors import SettingError
from osmofuse.io import Description, Limits, describe_isolated, read_isolated
from osmofuse.io.tiff_pages import check_page
from osmofuse.picture import Picture
from osmofuse.tasks.lengths import in_pixels, is_part

SECONDS = 15.0  # for the smallest picture
SLOWEST = 5e6  # bytes a second that decoding may be down to, on a busy machine


def pages_of(roles: Iterable[str], page: Sequence[int]) -> dict[str, int]:
    """Return which page of each picture is read.

    Parameters
    ----------
    roles : iterable of str
        The pictures of a job, in their order.
    page : sequence of int
        Counted from 1: one for all pictures, one for each, or none for the first of each.

    Raises
    ------
    SettingError
        There are more or fewer, or one is no page.
    """
    roles = list(roles)
    for one in page:
        check_page("", one)
    if len(page) not in (0, 1, len(roles)):
        raise SettingError(
            f"page: {len(page)} numbers for {len(roles)} pictures ({', '.join(roles)}); give one "
            "for all, or one for each"
        )
    return dict(zip(roles, page if len(page) > 1 else [*page, 1][:1] * len(roles), strict=True))


def describe_files(paths: Mapping[str, Path], page: Sequence[int] = ()) -> dict[str, Description]:
    """Describe picture files, by role; see `pages_of` for the pages.

    Raises
    ------
    UnreadableError, LimitError, MissingExtraError
        A file cannot be read.
    SettingError
        A file has no such page.
    """
    pages = pages_of(paths, page)
    return {role: describe_isolated(path, page=pages[role]) for role, path in paths.items()}


def read_files(files: Mapping[str, Description]) -> dict[str, Picture]:
    """Read picture files that have been described, by role.

    Raises
    ------
    UnreadableError, LimitError
        A file cannot be read, or asks for more than it may.
    """
    paths, pages = zip(*((file.path, file.page) for file in files.values()), strict=True)
    pictures = read_isolated(paths, limits_for(files.values()), pages=pages)
    return dict(zip(files, pictures, strict=True))


def sized(parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a job with their lengths in pixels, for the size of its foreground.

    Parameters
    ----------
    parts : mapping
        Of which ``soften`` and the ``reach`` in ``settings`` may be texts like "2 %".

    Raises
    ------
    UnreadableError
        The foreground, whose size counts, cannot be read.
    SettingError
        A length is none.
    """
    settings = dict(parts.get("settings", {}))
    if not any(is_part(one) for one in (parts.get("soften"), *settings.values())):
        return dict(parts)
    page = tuple(parts.get("page", ()))[:1]
    file = describe_files({"foreground": Path(parts["foreground"])}, page)["foreground"]
    shape = (file.rows, file.cols)
    return in_pixels(parts, shape) | {"settings": in_pixels(settings, shape)}


def limits_for(files: Iterable[Description]) -> Limits:
    """Return limits that give a large picture time to be decoded, also on a busy machine."""
    largest = max(file.decoded_bytes for file in files)
    return Limits(seconds=SECONDS + largest / SLOWEST)


def notes_on(file: Description, page: Sequence[int]) -> list[str]:
    """Return what a person should know of how a file is read.

    Parameters
    ----------
    file : Description
        The file.
    page : sequence of int
        Pages that were asked for; empty if none was.
    """
    named = file.format_of_name
    pages = f"has {file.pages} pages, of which page 1 is read; --page N reads another"
    notes = (
        f"its name says {named}, its content is {file.format}" if named else None,
        file.note,
        pages if file.pages > 1 and not page else None,
    )
    return [note for note in notes if note]
