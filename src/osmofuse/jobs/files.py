"""Input files of a job: looked at, read, and recorded, always the same bytes.

Pictures are parsed and decoded in the limited child: nobody vouches for them. A file that changes
between the first look and the hash in the record is refused.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from osmofuse.errors import OsmofuseError, SettingError, UnreadableError, reading
from osmofuse.io import Description, Limits, describe_isolated, read_isolated
from osmofuse.io.tiff_pages import check_page
from osmofuse.picture import Picture
from osmofuse.record import Input, sha256_of_file

SECONDS = 15.0  # for the smallest picture
SLOWEST = 5e6  # bytes a second that decoding may be down to, on a busy machine
TICK = 20_000_000  # nanoseconds; times of files are at least as exact


@dataclass(frozen=True)
class InputFile:
    """A file as it was when a job looked at it.

    Attributes
    ----------
    path : Path
        Where it is.
    size : int
        Bytes.
    modified, changed : int
        When its content and its entry were last changed, in nanoseconds.
    inode, device : int
        Which file it is.
    description : Description or None
        What its header says; None for what is no picture.
    """

    path: Path
    size: int
    modified: int
    changed: int
    inode: int
    device: int
    description: Description | None = field(default=None, compare=False)

    @property
    def picture(self) -> Description:
        """Description of a picture file, from its header."""
        assert self.description is not None, f"{self.path} is no picture"
        return self.description

    def check_unchanged(self) -> None:
        """Refuse the file if it is not the one that was looked at.

        Raises
        ------
        UnreadableError
            It has been changed, replaced or removed since.
        """
        if look_at(self.path) != self:
            raise UnreadableError(
                f"{self.path}: has changed since the job looked at it; run the job again"
            )


def look_at(path: Path) -> InputFile:
    """Return a file as it is now, without what its content says.

    Raises
    ------
    UnreadableError
        It is not there.
    """
    with reading(path):
        found = os.stat(path)
        if abs(time.time_ns() - found.st_ctime_ns) < TICK:
            time.sleep(TICK / 1e9)  # else a change in the same tick would not be told from this
            found = os.stat(path)
    times = found.st_mtime_ns, found.st_ctime_ns
    return InputFile(path, found.st_size, *times, found.st_ino, found.st_dev)


def look_at_pictures(paths: Mapping[str, Path], page: Sequence[int] = ()) -> dict[str, InputFile]:
    """Describe picture files, by role; see `pages_of` for the pages.

    Raises
    ------
    UnreadableError, LimitError, MissingExtraError
        A file cannot be read.
    SettingError
        A file has no such page.
    """
    pages = pages_of(paths, page)
    return {role: _described(path, pages[role]) for role, path in paths.items()}


def _described(path: Path, page: int) -> InputFile:
    found = look_at(path)
    return replace(found, description=describe_isolated(path, page=page))


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


def read_pictures(files: Mapping[str, InputFile]) -> dict[str, Picture]:
    """Read picture files that have been looked at, by role; see `input_of`.

    Raises
    ------
    UnreadableError, LimitError
        A file cannot be read, has changed, or asks for more than it may.
    """
    for file in files.values():
        file.check_unchanged()
    paths, pages = zip(*((f.path, f.picture.page) for f in files.values()), strict=True)
    limits = limits_for(file.picture for file in files.values())
    try:
        read = read_isolated(paths, limits, pages=pages)
    except OsmofuseError:
        for file in files.values():  # a file that is half written cannot be read, either
            file.check_unchanged()
        raise
    return dict(zip(files, read, strict=True))


def input_of(role: str, file: InputFile, folder: Path, page: Sequence[int] = ()) -> Input:
    """Return a file that has been read, as a record in a folder names it.

    Its hash is that of the bytes that were read, or there is none.

    Parameters
    ----------
    role : str
        What it is for.
    file : InputFile
        As the job looked at it.
    folder : Path
        Of the record.
    page : sequence of int
        Pages that were asked for; empty if none was.

    Raises
    ------
    UnreadableError
        It has changed since the job looked at it.
    """
    entry = Input(role, _relative(file.path, folder), sha256_of_file(file.path))
    file.check_unchanged()
    if file.description is None:
        return entry
    notes = tuple(notes_on(file.description, page))
    return replace(entry, page=file.description.page, notes=notes)


def _relative(path: Path, folder: Path) -> str:
    """Return a path relative to a folder, or absolute on another drive."""
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:
        return path.absolute().as_posix()


def limits_for(files: Iterable[Description]) -> Limits:
    """Return limits that give a large picture time to be decoded, also on a busy machine."""
    largest = max(file.decoded_bytes for file in files)
    return Limits(seconds=SECONDS + largest / SLOWEST)


def notes_on(file: Description, page: Sequence[int]) -> list[str]:
    """Return notes for a person on how a file is read.

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


def size_of(file: Description) -> str:
    """Return the size of a picture as viewers show it, its width first."""
    return f"{file.cols} × {file.rows} pixels"


@contextmanager
def named_as(names: Mapping[str, Path]) -> Iterator[None]:
    """Let errors name files where they name the arguments that were read from them."""
    try:
        yield
    except OsmofuseError as error:
        argument, colon, words = str(error).partition(": ")
        if not colon or argument not in names:
            raise
        if "foreground" in names:
            words = words.replace("align it to foreground", f"align it to {names['foreground']}")
        raise type(error)(f"{names[argument]}: {words}") from error
