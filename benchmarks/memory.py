"""Memory of this process, from /proc; the peak of `getrusage` is inherited from the parent."""

from __future__ import annotations

import re
from pathlib import Path


def forget_peak() -> None:
    """Reset the peak."""
    Path("/proc/self/clear_refs").write_text("5")


def peak() -> int:
    """Return the peak of the resident memory in bytes, since the start or `forget_peak`."""
    return _status("VmHWM")


def resident() -> int:
    """Return the resident memory in bytes."""
    return _status("VmRSS")


def _status(name: str) -> int:
    status = Path("/proc/self/status").read_text()
    return 1024 * int(re.search(rf"{name}:\s+(\d+)", status)[1])
