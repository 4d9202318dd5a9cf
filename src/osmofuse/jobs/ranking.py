"""Answers of judges, kept in the record of the comparison that they judged."""

from __future__ import annotations

from pathlib import Path

from osmofuse.errors import UnreadableError
from osmofuse.jobs.compare import CompareJob
from osmofuse.jobs.sweep import SweepJob
from osmofuse.record import Record, read_record, write_record
from osmofuse.report import read_ranking, with_ranking

_RECORDS = (CompareJob.record_name, SweepJob.record_name)


def keep_ranking(folder: Path, ranking: Path) -> tuple[Path, Record]:
    """Put a judge's answers into the record of a series.

    Parameters
    ----------
    folder : Path
        Of the series.
    ranking : Path
        What the page of its report gave the judge.

    Returns
    -------
    tuple of Path and Record
        Where the record is, and what it says now.

    Raises
    ------
    UnreadableError
        There is no record, or no ranking, or one is damaged.
    MismatchError
        The ranking is of other pictures.
    OutputError
        The record cannot be written.
    """
    paths = [folder / name for name in _RECORDS if (folder / name).is_file()]
    if not paths:
        names = " or ".join(_RECORDS)
        raise UnreadableError(
            f"{folder}: holds no {names}; name the folder that compare or sweep wrote"
        )
    records = [(path, read_record(path)) for path in paths]
    digest = read_ranking(ranking)["sha256_of_pixels"]
    own = [item for item in records if item[1].output.get("sha256_of_pixels") == digest]
    path, record = (own or records)[0]
    record = with_ranking(record, ranking)
    return write_record(record, path), record
