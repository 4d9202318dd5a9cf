"""The reports of what is done before fusing: an alignment, a matte."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from osmofuse.io import Staging
from osmofuse.jobs.again import again
from osmofuse.report import write_alignment, write_matte

if TYPE_CHECKING:
    from osmofuse.jobs.matte import MatteJob, MatteResult
    from osmofuse.jobs.registration import Registered, Registration

# Pictures of the reports.
ALIGNED = ("Fixed", "Aligned", "Checkerboard")
MATTED = ("Picture", "Trimap", "Alpha map", "Overlay", "Cut out")


def report_registration(
    job: Registration,
    result: Registered,
    folder: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    staging: Staging | None = None,
) -> Path:
    """Write the report of an alignment that was not refused.

    Parameters
    ----------
    job : Registration
        What was asked for.
    result : Registered
        What came of it.
    folder : path
        Where the page goes, see `osmofuse.report.write_alignment`.
    overwrite : bool
        Replace a report that is there. Never an input or output of the job.
    staging : Staging, optional
        Files together with which these get their names, once it is committed.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    OutputError
        A report is there already, or cannot be written.
    """
    if result.fixed is None:
        raise ValueError("a refused alignment has nothing to report")
    return write_alignment(
        folder,
        alignment=result.alignment,
        fixed=result.fixed,
        record=result.record,
        command=again(
            "align",
            [job.moving, job.fixed],
            job.output,
            page=job.page,
            method=job.method,
            transform=job.transform,
            deformation=job.deformation,
            points=job.points,
        ),
        title=f"{job.moving.name}, laid over {job.fixed.name}",
        inputs=[*job.inputs.values(), *result.files.values()],
        overwrite=overwrite,
        staging=staging,
    )


def report_matte(
    result: MatteResult,
    folder: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    staging: Staging | None = None,
) -> Path:
    """Write the report of a matte, see `osmofuse.report.write_matte`.

    Parameters
    ----------
    result : MatteResult
        Of `run_matte`.
    folder : path
        Where the page goes.
    overwrite : bool
        Replace a report that is there. Never an input or output of the job.
    staging : Staging, optional
        Files together with which these get their names, once it is committed.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    OutputError
        A report is there already, or cannot be written.
    """
    job, alpha = result.job, result.alpha
    soft = float(np.mean((alpha > 0.0) & (alpha < 1.0)))
    facts = {
        "To be found": f"{result.unknown:.1%} of the picture",
        "Kept": f"{float(np.mean(alpha == 1.0)):.1%} wholly, {soft:.1%} in part",
        "Mean": f"{float(alpha.mean()):.4f}",
    }
    if result.notes:
        facts["Noticed"] = "; ".join(result.notes)
    return write_matte(
        folder,
        image=result.picture,
        trimap=result.trimap,
        alpha=alpha,
        facts=facts,
        record=result.record,
        command=_again(job),
        title=f"The map of {job.image.name}",
        inputs=[*job.inputs.values(), *result.files.values()],
        overwrite=overwrite,
        staging=staging,
    )


def _again(job: MatteJob) -> str:
    settings = {"method": job.method, "band": job.band, "max_pixels": job.max_pixels}
    return again("matte", [job.image, job.trimap], job.output, page=job.page, **settings)
