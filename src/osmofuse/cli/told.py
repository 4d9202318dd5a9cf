"""What every command that writes files says of them, and the report that goes along."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from osmofuse.cli.progress import progress_line


def file_lines(files: Mapping[str, Path]) -> list[str]:
    """Return a line for each file, with its role before it."""
    width = max(map(len, files), default=0)
    return [f"  {role:<{width}} {path}" for role, path in files.items()]


def file_data(files: Mapping[str, Path]) -> dict[str, str]:
    """Return the files as `--json` prints them."""
    return {role: str(path) for role, path in files.items()}


def with_report(
    files: Mapping[str, Path], folder: Path | None, write: Callable[[Path], Path]
) -> dict[str, Path]:
    """Return files, and among them the page of a report, written if a folder for it is given."""
    if folder is None:
        return dict(files)
    with progress_line("Writing the report"):
        return {**files, "report": write(folder)}
