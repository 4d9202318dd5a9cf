"""Memory of this process, by what Linux says of it.

Not by `getrusage`, whose peak a process inherits from the one that started it.
"""

from __future__ import annotations

import re
from pathlib import Path


def forget_peak() -> None:
    """Let the peak count from here."""
    Path("/proc/self/clear_refs").write_text("5")


def peak() -> int:
    """Return the most bytes that were resident since the start, or since `forget_peak`."""
    return _status("VmHWM")


def resident() -> int:
    """Return the bytes that are resident now."""
    return _status("VmRSS")


def _status(name: str) -> int:
    status = Path("/proc/self/status").read_text()
    return 1024 * int(re.search(rf"{name}:\s+(\d+)", status)[1])
