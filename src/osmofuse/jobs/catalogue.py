"""All kinds of jobs, as records name them."""

from __future__ import annotations

from typing import Any

from osmofuse.jobs.align import AlignJob
from osmofuse.jobs.compare import CompareJob
from osmofuse.jobs.fuse import FuseJob
from osmofuse.jobs.job import FileJob
from osmofuse.jobs.matte import MatteJob
from osmofuse.jobs.score import ScoreJob
from osmofuse.jobs.sweep import SweepJob

_KINDS: tuple[type[FileJob[Any]], ...] = (
    FuseJob, AlignJob, MatteJob, CompareJob, SweepJob, ScoreJob,
)  # fmt: skip
JOBS: dict[str, type[FileJob[Any]]] = {one.kind: one for one in _KINDS}
