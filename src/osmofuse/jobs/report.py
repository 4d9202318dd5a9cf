"""The report of a job: what was fused and what came of it, as a page."""

from __future__ import annotations

import os
from pathlib import Path

from osmofuse.errors import InputError
from osmofuse.io import Staging
from osmofuse.jobs.again import again
from osmofuse.jobs.result import Result
from osmofuse.metrics import score, seam_map
from osmofuse.picture import Picture, samples
from osmofuse.report import write_report
from osmofuse.report.document import MANIFEST
from osmofuse.report.maps import Map
from osmofuse.typing import FloatArray

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
    job, fusion = result.job, result.fusion
    if result.opened is None:
        raise ValueError("a cancelled job has nothing to report")
    ready = result.opened.ready
    alpha = ready.sources.alpha
    pictures: dict[str, Picture | FloatArray] = {
        "fused": fusion.picture(job.depth)[0],
        "foreground": ready.foreground,
        "background": ready.backgrounds[0],
        "alpha": alpha,
    }
    if fusion.structure is not None:
        pictures["structure"] = fusion.picture(job.depth, structure=True)[0]
    if truth is not None:
        pictures["truth"] = truth
    scores = score(
        _seen(pictures["fused"]), _seen(ready.foreground), pictures["background"], alpha,
        truth=truth,
    )  # fmt: skip
    return write_report(
        folder,
        pictures=pictures,
        maps=_seam(
            _seen(pictures["fused"]), _seen(ready.foreground), pictures["background"], alpha
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


def _seen(picture: Picture | FloatArray) -> Picture | FloatArray:
    """Return a picture without empty pixels, which have nothing to score."""
    return picture.filled() if isinstance(picture, Picture) else picture
