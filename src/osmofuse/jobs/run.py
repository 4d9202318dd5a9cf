"""Do a job: from files to files, with a record beside the output."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from osmofuse.errors import LimitError
from osmofuse.io import composite_metadata
from osmofuse.jobs.job import Job
from osmofuse.jobs.need import check, in_bytes, peak_bytes
from osmofuse.jobs.opening import Opened, open_files
from osmofuse.jobs.outputs import Outputs, check_page
from osmofuse.jobs.report import PICTURES, report_files
from osmofuse.jobs.report import report as write_report
from osmofuse.jobs.result import Result
from osmofuse.methods import Fusion, Sources, VariationalOsmosis
from osmofuse.methods.contract import WatchFunction
from osmofuse.optimise import Status
from osmofuse.picture import Picture, quantise
from osmofuse.record import Record, sha256_of_pixels
from osmofuse.tasks.fuse import finished

_UNCHANGED = (
    "the output is the foreground, unchanged: nothing of the background entered. Give a map that "
    "is black where it is to enter, or see the method's settings, e.g. --threshold of poisson"
)


def run(
    job: Job,
    *,
    watch: WatchFunction | None = None,
    report: Path | None = None,
    iiif: str | None = None,
    truth: Picture | None = None,
) -> Result:
    """Do a job.

    Parameters
    ----------
    job : Job
        What to do.
    watch : callable, optional
        Called with a `Progress` now and then; if it returns True the job ends, and nothing is
        written.
    report : path, optional
        Folder of a report, which is written together with the outputs.
    iiif, truth
        Of the report, see `osmofuse.jobs.report`.

    Returns
    -------
    Result
        Also where the method did not converge: its status says so.

    Raises
    ------
    UnreadableError, InputError, MismatchError
        A file cannot be read or used, or the files do not fit together.
    LimitError
        It would need more memory than it may have, or than there is.
    OutputError
        An output exists, or cannot be written, or the report. Then none of them is.
    """
    needed = check(job, report=report is not None)
    check_page(job, report, PICTURES, iiif=iiif)
    try:
        return _run(job, watch, report, {"iiif": iiif, "truth": truth})
    except MemoryError as error:
        raise LimitError(
            f"{job.foreground}: there is not enough memory; fusing it needs about "
            f"{in_bytes(needed.bytes)}"
        ) from error


def _run(
    job: Job, watch: WatchFunction | None, folder: Path | None, asked: Mapping[str, Any]
) -> Result:
    opened = open_files(job)
    foreground, notes = opened.ready.foreground, opened.notes(job)
    with Outputs(job, folder) as outputs:
        for role in ("output", "structure"):
            outputs.probe(role, _like_output(job, foreground))
        if job.alpha_output is not None:
            outputs.probe("alpha", _map_picture(opened))
        fusion = finished(_fuse(job, opened.ready.sources, watch), opened.ready)
        if fusion.status is Status.cancelled:
            return Result(job, fusion, notes=notes)
        output, clipped = fusion.picture(job.depth)
        record = _record(job, opened, fusion, output, clipped)
        told = _told(record)
        outputs.write("output", marked(output, job, told))
        if job.structure is not None and fusion.structure is not None:
            structure = fusion.picture(job.depth, structure=True)[0]
            outputs.write("structure", marked(structure, job, told))
        if job.alpha_output is not None:
            outputs.write("alpha", _map_picture(opened))
        if np.array_equal(output.pixels, foreground.pixels):
            notes = (*notes, _UNCHANGED)
        result = Result(job, fusion, record, outputs.files, notes, opened)
        if folder is not None:
            page = write_report(
                result, folder, **asked, overwrite=job.overwrite, staging=outputs.staging
            )
            result.files.update(report_files(page, manifest=asked["iiif"] is not None))
        outputs.commit(record)
    return result


def _fuse(job: Job, sources: Sources, watch: WatchFunction | None) -> Fusion:
    """Fuse, along the plan if there is one."""
    method = job.fuser
    if job.plan is not None and isinstance(method, VariationalOsmosis):
        return method.run(sources, job.plan, watch=watch)
    return method(sources, watch=watch)


def _like_output(job: Job, foreground: Picture) -> Picture:
    """Return something like the output, of a pixel if it has another depth."""
    if job.depth is None:
        return foreground
    return replace(foreground, pixels=foreground.pixels[:1, :1].astype(job.depth))


def marked(picture: Picture, job: Job, told: Mapping[str, Any]) -> Picture:
    """Return a picture whose metadata say that it is a composite, of what, and how it was made."""
    metadata = composite_metadata(
        picture.metadata,
        derived_from=[path.name for path in (job.foreground, *job.backgrounds)],
        history=json.dumps(told, ensure_ascii=False),
    )
    return replace(picture, metadata=metadata)


def _told(record: Record) -> dict[str, Any]:
    """Return what the metadata of the picture tell of its record."""
    parts = record.as_json()
    names = ("inputs", "alpha", "method", "working_space", "recipe", "versions")
    return {name: parts[name] for name in names if name in parts}


def _map_picture(opened: Opened) -> Picture:
    """Return the foreground's map as it was used, as a picture of the foreground's size."""
    sources = opened.ready.sources
    shape = sources.shape + sources.alpha.shape[2:]
    return Picture(quantise(np.broadcast_to(sources.alpha, shape), opened.alpha_depth)[0])


def _record(job: Job, opened: Opened, fusion: Fusion, output: Picture, clipped: int) -> Record:
    return Record(
        inputs=opened.inputs,
        alpha=alpha_entry(job, opened),
        transform=opened.transform,
        method={"name": job.method, "settings": asdict(cast(Any, fusion.method))},
        working_space=job.working_space,
        plan=asdict(fusion.plan) if fusion.plan else None,
        result={
            "status": str(fusion.status),
            "energy": None if fusion.energy is None else fusion.energy.tolist(),
            "reach": fusion.reach,
            "seconds": fusion.seconds,
            "clipped": clipped,
            "peak_bytes": peak_bytes(),
        },
        output=_output_entry(job, output),
        recipe=job.recipe,
    )


def _output_entry(job: Job, output: Picture) -> dict[str, Any]:
    depth = {} if job.depth is None else {"depth": job.depth}
    return {"sha256_of_pixels": sha256_of_pixels(output.pixels), **depth}


def alpha_entry(job: Job, opened: Opened) -> dict[str, Any]:
    """Return what the record says of the map, or of the maps."""
    made, blur = opened.ready.made, float(job.soften)
    if made is not None:
        told = {"kinship": made.kinship, "reduced": made.factor, "made": made.words}
        return {"value": "auto", "soften": blur, **told}
    maps = job.alpha if isinstance(job.alpha, tuple) else (job.alpha,)
    values = [None if isinstance(one, Path) else float(one) for one in maps]
    return {"value": values if len(values) > 1 else values[0], "soften": blur}
