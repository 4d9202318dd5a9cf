"""The memory that a process may have on this machine.

It is all that there is, not what is free at the moment: whether a job is refused must not depend on
what else is running.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath

GROUPS = Path("/sys/fs/cgroup")
OWN_GROUPS = Path("/proc/self/cgroup")


def memory_of_machine(groups: Path = GROUPS, own: Path = OWN_GROUPS) -> int | None:
    """Return the bytes of memory that this process may have; None where that cannot be asked.

    The least of the physical memory, the limits of the control groups that the process is in, as
    containers have them, and its own limit of address space.

    Parameters
    ----------
    groups, own : Path
        Where Linux tells the limits of control groups, and the groups of the process.
    """
    limits = [*_of_system(), *_of_groups(groups, own)]
    return min(limits, default=None)


def _of_system() -> Iterator[int]:
    """Yield the physical memory, and the limit of the process; nothing on Windows."""
    with suppress(AttributeError, ValueError, OSError):
        yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    with suppress(ImportError):
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit != resource.RLIM_INFINITY:
            yield limit


def _of_groups(groups: Path, own: Path) -> Iterator[int]:
    """Yield the limits of the process's control groups and of all groups around them."""
    lines = []
    with suppress(OSError, UnicodeDecodeError):
        lines = own.read_text(encoding="utf-8").splitlines()
    for line in lines:
        _, _, rest = line.partition(":")
        kinds, _, group = rest.partition(":")
        # Version 2 has one tree, which names no kind; version 1 a tree for memory.
        if kinds == "":
            yield from _up_from(groups, group, "memory.max")
        elif "memory" in kinds.split(","):
            yield from _up_from(groups / "memory", group, "memory.limit_in_bytes")


def _up_from(root: Path, group: str, name: str) -> Iterator[int]:
    # In a container the group may be named as the host knows it, and only the root be there.
    path = PurePosixPath("/") / group
    for place in (path, *path.parents):
        with suppress(OSError, ValueError):  # "max" is no number: there is no limit
            yield int((root / str(place).lstrip("/") / name).read_text(encoding="ascii"))
