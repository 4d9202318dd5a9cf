"""What came of a job: the fusion, its record and its files."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from osmofuse.jobs.job import Job
from osmofuse.jobs.opening import Opened
from osmofuse.methods import Fusion
from osmofuse.record import Record


@dataclass(frozen=True, eq=False)
class Result:
    """Result of a job.

    Attributes
    ----------
    job : Job
        What was asked for.
    fusion : Fusion
        What the method found.
    record : Record or None
        What was written beside the output; None if the job was cancelled, and nothing written.
    files : dict of str to Path
        What was written, by role: "output", "record", perhaps "structure", "alpha",
        "report" and "manifest".
    notes : tuple of str
        What a person should know: what was noticed in the files, or done to them.
    opened : Opened or None
        What was fused; None if the job was cancelled.
    """

    job: Job
    fusion: Fusion
    record: Record | None = None
    files: dict[str, Path] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    opened: Opened | None = None
