"""The report of a job: what was fused and what came of it, as a page."""

from __future__ import annotations

import os
from pathlib import Path
from typing import cast

from osmofuse.errors import InputError
from osmofuse.io import Staging
from osmofuse.jobs.again import again
from osmofuse.jobs.job import Job
from osmofuse.jobs.prepare import Prepared
from osmofuse.jobs.result import Result, picture_of
from osmofuse.metrics import score, seam_map
from osmofuse.picture import Picture, bands_of, samples
from osmofuse.preparation.working_space import from_working
from osmofuse.report import write_report
from osmofuse.report.document import MANIFEST
from osmofuse.report.maps import Map
from osmofuse.typing import Array, FloatArray

PICTURES = ("fused", "foreground", "background", "alpha", "structure")  # those of the report


def report(
    result: Result,
    folder: str | os.PathLike[str],
    *,
    truth: Picture | None = None,
    iiif: str | None = None,
    overwrite: bool = False,
    staging: Staging | None = None,
) -> Path:
    """Write the report of a job that was done.

    Parameters
    ----------
    result : Result
        Of `run`, not cancelled.
    folder : path
        Where the page goes, see `osmofuse.report.write_report`.
    truth : Picture, optional
        The right answer, where there is one.
    iiif : str, optional
        Also write a IIIF manifest, for the folder at this address.
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
    SettingError
        `iiif` is no address.
    OutputError
        A report is there already, or cannot be written.
    """
    job, prepared, fusion = result.job, result.prepared, result.fusion
    if prepared is None:
        raise ValueError("a cancelled job has nothing to report")
    alpha = cast(FloatArray, prepared.sources.alpha)
    pictures: dict[str, Picture | FloatArray] = {
        "fused": picture_of(job, prepared, fusion.image)[0],
        "foreground": prepared.foreground,
        "background": shown_background(job, prepared),
        "alpha": alpha,
    }
    if fusion.structure is not None:
        pictures["structure"] = picture_of(job, prepared, fusion.structure)[0]
    if truth is not None:
        pictures["truth"] = truth
    scores = score(
        _seen(pictures["fused"]), _seen(prepared.foreground), pictures["background"], alpha,
        truth=truth,
    )  # fmt: skip
    return write_report(
        folder,
        pictures=pictures,
        maps=_seam(
            _seen(pictures["fused"]), _seen(prepared.foreground), pictures["background"], alpha
        ),
        fusion=fusion,
        scores=scores,
        record=result.record,
        command=again("fuse", [], job.output, **{"from": result.files["record"]}),
        iiif=iiif,
        inputs=[*job.inputs.values(), *result.files.values()],
        overwrite=overwrite,
        staging=staging,
    )


def report_files(page: Path, *, manifest: bool) -> dict[str, Path]:
    """Return the files of a report that a result names, by role."""
    return {"report": page} | ({"manifest": page.with_name(MANIFEST)} if manifest else {})


def _seam(
    fused: Picture | FloatArray,
    foreground: Picture | FloatArray,
    background: Picture | FloatArray,
    alpha: FloatArray,
) -> dict[str, Map]:
    """Return the map of the seam, where alpha has a boundary."""
    pictures = [samples(x, "picture", bounded=False) for x in (fused, foreground, background)]
    try:
        seen = seam_map(pictures[0], pictures[1], pictures[2], alpha)
    except InputError:
        return {}
    return {"Seam": (seen, "Visibility of the seam", 1.0)}


def shown_background(job: Job, prepared: Prepared) -> Picture:
    """Return the background as it was fused, as a file would store it."""
    array = cast(Array, prepared.sources.background)
    profile = prepared.foreground.profile if bands_of(array) == 3 else None
    if job.working_space == "encoded":
        return Picture(array, profile)
    return Picture(from_working(array, job.working_space, profile), profile)


def _seen(picture: Picture | FloatArray) -> Picture | FloatArray:
    """Return a picture without empty pixels, which have nothing to score."""
    return picture.filled() if isinstance(picture, Picture) else picture
