"""Names of the files that a process keeps beside an output while it writes it.

``fused.tif`` is written as ``fused.tif.MACHINE-PROCESS.partial``; an older one waits as
``.aside``, and the journal of a commit ends in ``.commit`` or ``.done``. So a later run can see
whose they are, and whether their owner is gone.
"""

from __future__ import annotations

import os
import re
from hashlib import sha256
from pathlib import Path
from platform import node
from typing import Literal, NamedTuple, TypeAlias

__all__ = ["Kind", "Owner", "is_own_name", "is_running", "own_path", "owner_of", "this_process"]

Kind: TypeAlias = Literal["partial", "aside", "commit", "done"]

_MOST = 200  # bytes of the output's name in ours, which file systems limit to 255
_DIGITS = 8
_OWNED = re.compile(r"(?P<machine>[\w-]*)-(?P<process>\d+)\.(?:partial|aside|commit|done)", re.A)


class Owner(NamedTuple):
    """The process that keeps a file, and its machine."""

    machine: str
    process: int


def this_process() -> Owner:
    """Return the owner of what this process writes."""
    return Owner(re.sub(r"[^\w-]", "_", node(), flags=re.A)[:16], os.getpid())


def own_path(path: Path, kind: Kind, owner: Owner | None = None) -> Path:
    """Return the path of a file beside an output, of this process unless told otherwise."""
    machine, process = owner or this_process()
    return path.with_name(f"{_shortened(path.name)}.{machine}-{process}.{kind}")


def owner_of(candidate: str, name: str, kind: Kind) -> Owner | None:
    """Return whose file of a kind beside an output this is by its name; None if it is none."""
    start = f"{_shortened(name)}."
    if not (candidate.startswith(start) and candidate.endswith(f".{kind}")):
        return None
    return _owner(candidate.removeprefix(start))


def is_own_name(candidate: str, name: str) -> bool:
    """Return True for the name of a file that some process keeps beside an output."""
    start = f"{_shortened(name)}."
    return candidate.startswith(start) and _owner(candidate.removeprefix(start)) is not None


def is_running(process: int) -> bool:
    """Return False if a process of this machine is gone for certain."""
    if os.name == "nt":  # there, asking would interrupt it; so only age counts
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # it is somebody else's
        pass
    return True


def _owner(ending: str) -> Owner | None:
    found = _OWNED.fullmatch(ending)
    return Owner(found["machine"], int(found["process"])) if found else None


def _shortened(name: str) -> str:
    """Return a name, or of a long one the beginning and a hash, so that ours always fit."""
    stored = os.fsencode(name)
    if len(stored) <= _MOST:
        return name
    start = name
    while len(os.fsencode(start)) > _MOST - _DIGITS - 1:
        start = start[:-1]
    return f"{start}~{sha256(stored).hexdigest()[:_DIGITS]}"
