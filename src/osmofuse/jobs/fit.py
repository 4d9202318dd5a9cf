"""Check that files fit together, by what their headers say."""

from __future__ import annotations

from collections.abc import Mapping

from osmofuse.errors import MismatchError
from osmofuse.jobs.files import InputFile, size_of


def check_fit(files: Mapping[str, InputFile], *, aligned: bool = False) -> None:
    """Refuse files that do not fit together, by what their headers say.

    Parameters
    ----------
    files : mapping of str to InputFile
        By role.
    aligned : bool
        The background will be laid over the foreground: it may have a size of its own.

    Raises
    ------
    MismatchError
        They do not.
    """
    first = files["foreground"]
    backgrounds = [role for role in files if role.startswith("background")]
    for role, file in files.items():
        if aligned and role in backgrounds:
            continue
        if size_of(file.picture) != size_of(first.picture):
            raise MismatchError(
                f"{file.path}: {size_of(file.picture)}, but the foreground {first.path} has "
                f"{size_of(first.picture)}; {_remedy(role)}"
            )
    for role in backgrounds:
        if files[role].picture.colours not in (1, first.picture.colours):
            raise MismatchError(
                f"{files[role].path}: {files[role].picture.colours} bands of colour, but the "
                f"foreground {first.path} has {first.picture.colours}; the picture whose colours "
                "are kept comes first: are the two swapped? Else give the background as many "
                "bands, or one"
            )


def _remedy(role: str) -> str:
    if role.startswith("background"):
        return "lay it over the foreground with --align homography, or crop them to one size"
    return "crop or enlarge it to that size"
