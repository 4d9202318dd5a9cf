"""Memory and time that a job will need, and the limits on them."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from osmofuse.errors import LimitError
from osmofuse.jobs.files import InputFile
from osmofuse.jobs.machine import memory_of_machine

PROGRAM = 350e6  # bytes of the process itself, with its kernels
START = 1.5  # seconds until the kernels are loaded


@dataclass(frozen=True)
class Need:
    """Rough needs of a job, estimated from the headers of its files.

    Attributes
    ----------
    bytes : int
        The most memory that the process will have in use.
    seconds : float
        How long it will take with compiled kernels on one core of an ordinary computer.
    files : mapping of str to InputFile
        The files that were looked at, by role. A job that is run with this need refuses others.
    """

    bytes: int
    seconds: float
    files: Mapping[str, InputFile] = field(default_factory=dict)


def check_limit(needed: Need, limit: int | None, work: str) -> None:
    """Refuse work that needs more memory than it may have, or than the machine has.

    Parameters
    ----------
    needed : Need
        Of the work.
    limit : int, optional
        Bytes that the user allows.
    work : str
        What it is, for the message.

    Raises
    ------
    LimitError
        It does.
    """
    there = memory_of_machine()
    if there is not None and needed.bytes > there and (limit is None or limit > there):
        raise LimitError(
            f"{work} needs about {in_bytes(needed.bytes)} of memory, and this machine has "
            f"{in_bytes(there)}; take a smaller picture, or a machine that has more"
        )
    if limit is not None and needed.bytes > limit:
        raise LimitError(
            f"{work} needs about {in_bytes(needed.bytes)} of memory, over the limit of "
            f"{in_bytes(limit)}; allow more, or take a smaller picture"
        )


def in_bytes(count: float) -> str:
    """Return a number of bytes as people say it."""
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} GB"


def peak_bytes() -> int | None:
    """Return the most memory this process has had in use; None where that cannot be asked."""
    # A child begins with its parent's peak in getrusage, so ask Linux itself if it is there.
    with suppress(OSError, StopIteration):
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        line = next(line for line in lines if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    if os.name == "nt":
        return None
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
