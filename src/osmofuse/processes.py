"""Child processes that run Python.

A child has the import path of this process without the current folder: a ``json.py`` among the
pictures must not run. It ignores the user's ``PYTHON...`` variables.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


def python_command(program: str, *arguments: str) -> list[str]:
    """Return the command line that runs a program, Python code, in an isolated interpreter.

    It can import what this process can, but nothing from the current folder.
    """
    code = f"import sys; sys.path[:] = {_search_path()!a}\n{program}"
    return [sys.executable, "-I", "-c", code, *arguments]


def python_environment(**variables: str) -> dict[str, str]:
    """Return the environment of a child: ours without ``PYTHON...``, plus some variables."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
    return kept | variables


def _search_path() -> list[str]:
    """Return the import path of a child: absolute folders except the current one."""
    home = str(Path(__file__).resolve().parent.parent)
    current = os.path.realpath(os.curdir)
    found = [path for path in sys.path if os.path.isabs(path)]
    found = [path for path in found if os.path.realpath(path) != current]
    return found if home in map(os.path.realpath, found) else [*found, home]
