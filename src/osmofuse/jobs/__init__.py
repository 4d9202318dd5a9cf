"""One recorded piece of work from files to files."""

from osmofuse.jobs.job import Job
from osmofuse.jobs.need import Need, check_need, need
from osmofuse.jobs.outputs import check_outputs
from osmofuse.jobs.registration import Registered, Registration, register
from osmofuse.jobs.repeat import differences, is_identical, job_of_record
from osmofuse.jobs.run import Result, run

__all__ = [
    "Job",
    "Need",
    "Registered",
    "Registration",
    "Result",
    "check_need",
    "check_outputs",
    "differences",
    "is_identical",
    "job_of_record",
    "need",
    "register",
    "run",
]
