"""One recorded piece of work from files to files."""

from osmofuse.jobs.job import Job
from osmofuse.jobs.need import Need, check, need
from osmofuse.jobs.registration import Registered, Registration, register
from osmofuse.jobs.repeat import Repetition, compare_with_record, job_of_record
from osmofuse.jobs.report import report
from osmofuse.jobs.run import Result, run

__all__ = [
    "Job",
    "Need",
    "Registered",
    "Registration",
    "Repetition",
    "Result",
    "check",
    "compare_with_record",
    "job_of_record",
    "need",
    "register",
    "report",
    "run",
]
