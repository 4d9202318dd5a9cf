"""The report of a fusion: sources, result, maps and scores on a page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from osmofuse.io import Staging
from osmofuse.jobs.again import again
from osmofuse.jobs.opening import Opened
from osmofuse.methods import Fusion
from osmofuse.metrics import score
from osmofuse.picture import Picture
from osmofuse.record import Record
from osmofuse.report import Provenance, write_report
from osmofuse.report.document import MANIFEST
from osmofuse.report.layers import seam_maps
from osmofuse.tasks.fuse import scored_background
from osmofuse.typing import FloatArray

if TYPE_CHECKING:
    from osmofuse.jobs.fuse import FuseJob


def names_shown(job: FuseJob) -> list[str]:
    """Return the names of the pictures that the report may show."""
    sources = ("foreground", *job.background_roles, *job.alpha_roles)
    return ["fused", *sources, "structure", *([] if job.truth is None else ["truth"])]


def write_page(
    job: FuseJob,
    opened: Opened,
    fusion: Fusion,
    record: Record,
    files: Mapping[str, Path],
    staging: Staging,
) -> Path:
    """Write the report of a fusion, see `osmofuse.report.write_report`.

    Parameters
    ----------
    job, opened, fusion, record
        The job, its files, the result, and the record of it.
    files : mapping of str to Path
        Other files that the job writes.
    staging : Staging
        Files together with which these get their names.
    """
    assert job.report is not None, "a report was asked for"
    ready = opened.ready
    alpha = ready.sources.alpha
    pictures: dict[str, Picture | FloatArray] = {
        "fused": fusion.picture(job.depth)[0],
        "foreground": ready.foreground,
    }
    pictures |= zip(job.background_roles, ready.backgrounds, strict=True)
    pictures |= zip(job.alpha_roles, ready.sources.alphas, strict=True)
    if fusion.structure is not None:
        pictures["structure"] = fusion.picture(job.depth, structure=True)[0]
    if opened.truth is not None:
        pictures["truth"] = opened.truth
    seen = [_seen(pictures[role]) for role in ("fused", "foreground")]
    fused, foreground, background = *seen, scored_background(ready)
    return write_report(
        job.report,
        pictures=pictures,
        maps=seam_maps(fused, foreground, background, alpha),
        fusion=fusion,
        scores=score(fused, foreground, background, alpha, truth=opened.truth),
        provenance=Provenance(
            record=record,
            command=again(job.kind, files["record"], job.output),
            inputs=(*job.inputs.values(), *files.values()),
        ),
        iiif=job.iiif,
        overwrite=job.overwrite,
        staging=staging,
    )


def report_files(page: Path, *, manifest: bool) -> dict[str, Path]:
    """Return the files of a report that a result names, by role."""
    return {"report": page} | ({"manifest": page.with_name(MANIFEST)} if manifest else {})


def _seen(picture: Picture | FloatArray) -> Picture | FloatArray:
    """Return a picture without empty pixels, which have nothing to score."""
    return picture.filled() if isinstance(picture, Picture) else picture
