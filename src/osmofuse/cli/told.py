"""Lists of written files, as all commands print them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def file_lines(files: Mapping[str, Path]) -> list[str]:
    """Return a line for each file, with its role before it."""
    width = max(map(len, files), default=0)
    return [f"  {role:<{width}} {path}" for role, path in files.items()]


def file_data(files: Mapping[str, Path]) -> dict[str, str]:
    """Return the files as `--json` prints them."""
    return {role: str(path) for role, path in files.items()}
