"""One recorded piece of work from files to files."""

from osmofuse.jobs.job import Job
from osmofuse.jobs.matte import MatteJob, MatteResult, check_matte, run_matte
from osmofuse.jobs.need import Need, check, need
from osmofuse.jobs.preparation_report import report_matte, report_registration
from osmofuse.jobs.recipe import job_with_recipe
from osmofuse.jobs.registration import Registered, Registration, check_registration, register
from osmofuse.jobs.repeat import Repetition, compare_with_record, job_of_record
from osmofuse.jobs.report import report
from osmofuse.jobs.result import Result
from osmofuse.jobs.run import run
from osmofuse.jobs.scoring import score_files
from osmofuse.jobs.series import Series, compare_files, sweep_files
from osmofuse.jobs.series_check import check_comparison, check_sweep
from osmofuse.jobs.series_report import keep_ranking, report_series

__all__ = [
    "Job",
    "MatteJob",
    "MatteResult",
    "Need",
    "Registered",
    "Registration",
    "Repetition",
    "Result",
    "Series",
    "check",
    "check_comparison",
    "check_matte",
    "check_registration",
    "check_sweep",
    "compare_files",
    "compare_with_record",
    "job_of_record",
    "job_with_recipe",
    "keep_ranking",
    "need",
    "register",
    "report",
    "report_matte",
    "report_registration",
    "report_series",
    "run",
    "run_matte",
    "score_files",
    "sweep_files",
]
