"""The record of many fusions of one pair: what was asked for, and what came of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

from osmofuse.jobs.job import Job
from osmofuse.jobs.need import peak_bytes
from osmofuse.jobs.opening import Opened, file_input
from osmofuse.jobs.run import alpha_entry
from osmofuse.record import Record, plain
from osmofuse.tasks import Comparison


def series_record(
    command: str,
    job: Job,
    opened: Opened,
    truth: Path | None,
    options: Mapping[str, Any],
    results: Sequence[Mapping[str, Any]],
) -> Record:
    """Return the record of a series, still without its pictures.

    Parameters
    ----------
    command : str
        What was done.
    job, opened
        Which files, and how they were made ready.
    truth : Path, optional
        The right answer.
    options : mapping
        What else was asked for.
    results : sequence of mapping
        Of each fusion, what `told` returns.
    """
    inputs = opened.inputs
    if truth is not None:
        inputs = (*inputs, file_input("truth", truth, job.output.parent))
    statuses = {one["status"] for one in results if "status" in one}
    return Record(
        inputs=inputs,
        alpha=alpha_entry(job, opened),
        method={
            "name": command,
            "settings": {name: value for name, value in options.items() if name != "truth"},
        },
        transform=opened.transform,
        working_space=job.working_space,
        result={
            "status": ", ".join(sorted(statuses)),
            "seconds": sum(one.get("seconds", 0.0) for one in results),
            "peak_bytes": peak_bytes(),
            "results": list(results),
        },
        output={},
    )


def told(one: Comparison) -> dict[str, Any]:
    """Return what is told of a fusion, as JSON knows things."""
    fusion = one.fusion
    if fusion is None:
        return {"name": one.name, "reason": one.reason}
    return {
        "name": one.name,
        "method": plain(asdict(cast(Any, fusion.method))),
        "status": str(fusion.status),
        "reach": plain(fusion.reach),
        "energy": None if fusion.energy is None else fusion.energy.tolist(),
        "seconds": fusion.seconds,
        "scores": {metric: plain(score.value) for metric, score in one.scores.items()},
    }


def with_pictures(record: Record, hashes: Mapping[str, str]) -> Record:
    """Return a record that has the hashes of its pictures' pixels, and one of them all."""
    whole = sha256("\n".join(hashes.values()).encode()).hexdigest()
    return replace(record, output={"sha256_of_pixels": whole, "pictures": dict(hashes)})
