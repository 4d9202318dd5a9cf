"""Jobs from files to files with a record, all with one protocol."""

from osmofuse.jobs.align import AlignJob, AlignResult
from osmofuse.jobs.balance import BalanceJob
from osmofuse.jobs.clone import CloneJob
from osmofuse.jobs.compact import CompactJob
from osmofuse.jobs.compare import CompareJob
from osmofuse.jobs.files import InputFile
from osmofuse.jobs.fuse import FuseJob, FuseResult
from osmofuse.jobs.job import FileJob, Job, Repetition, Result
from osmofuse.jobs.matte import MatteJob, MatteResult
from osmofuse.jobs.need import Need
from osmofuse.jobs.picture import PictureJob
from osmofuse.jobs.recipe import job_with_recipe
from osmofuse.jobs.repeat import JOBS, compare_with_record, job_of_record, repeat
from osmofuse.jobs.score import ScoreJob, ScoreResult
from osmofuse.jobs.series import SeriesResult, keep_ranking
from osmofuse.jobs.shadow import ShadowJob
from osmofuse.jobs.sweep import SweepJob

__all__ = [
    "JOBS",
    "AlignJob",
    "AlignResult",
    "BalanceJob",
    "CloneJob",
    "CompactJob",
    "CompareJob",
    "FileJob",
    "FuseJob",
    "FuseResult",
    "InputFile",
    "Job",
    "MatteJob",
    "MatteResult",
    "Need",
    "PictureJob",
    "Repetition",
    "Result",
    "ScoreJob",
    "ScoreResult",
    "SeriesResult",
    "ShadowJob",
    "SweepJob",
    "compare_with_record",
    "job_of_record",
    "job_with_recipe",
    "keep_ranking",
    "repeat",
]
