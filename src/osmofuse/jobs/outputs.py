"""The files that a job writes: they appear together, or not at all, the fused picture last.

So where it exists its record and the others do, and its report if it has one.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from osmofuse.errors import naming
from osmofuse.io import Staging, check_distinct, check_target, encode, format_of
from osmofuse.picture import Picture
from osmofuse.record import Record, record_path, stage_record
from osmofuse.report.document import check_report, report_folder


class Work(Protocol):
    """Work that reads files and writes others."""

    @property
    def inputs(self) -> dict[str, Path]:
        """The files to be read, by role."""
        ...

    @property
    def outputs(self) -> dict[str, Path]:
        """The pictures to be written, by role."""
        ...

    @property
    def output(self) -> Path:
        """Path of the main output, also among the outputs; the record is written next to it."""
        ...

    @property
    def overwrite(self) -> bool:
        """True if outputs that exist are replaced."""
        ...


def check_outputs(job: Work) -> None:
    """Refuse outputs that would replace an input, each other, or what is not to be replaced.

    Raises
    ------
    OutputError
        One would, or its folder or its format is none that can be written to.
    """
    check_distinct(job.outputs.items())  # which refuses what is no name, and can have no record
    paths = output_paths(job)
    check_distinct(paths.items())
    for role, path in sorted(paths.items(), key=lambda item: item[0] != "output"):
        if role != "record":
            format_of(path)
        check_target(path, overwrite=job.overwrite, inputs=job.inputs.values())


def check_page(
    job: Work, folder: Path | None, pictures: Iterable[str], *, iiif: str | None = None
) -> None:
    """Refuse the report of a job if it cannot be written together with the outputs.

    Parameters
    ----------
    job : Work
        Checked by `check_outputs`.
    folder : Path or None
        Of the report; None if there is none.
    pictures, iiif
        As for `osmofuse.report.check_report`.

    Raises
    ------
    SettingError, OutputError
        It cannot.
    """
    if folder is not None:
        check_report(
            folder,
            iiif=iiif,
            overwrite=job.overwrite,
            pictures=pictures,
            inputs=job.inputs.values(),
            outputs=output_paths(job).values(),
        )


def output_paths(job: Work) -> dict[str, Path]:
    """Return the files to be written by role, in the order in which they get their names."""
    others = {role: path for role, path in job.outputs.items() if role != "output"}
    return others | {"record": record_path(job.output), "output": job.output}


class Outputs(ExitStack):
    """The files of a job while they are being written; what is not committed is removed.

    Parameters
    ----------
    job : Work
        Checked by `check_outputs`.
    report : Path, optional
        Folder of a report that is written along, checked by `osmofuse.report.check_report`.
    """

    def __init__(self, job: Work, report: Path | None = None) -> None:
        super().__init__()
        self.paths = output_paths(job)
        self.staging = Staging(self.paths.values(), overwrite=job.overwrite, ending=2)
        with ExitStack() as opened:
            if report is not None:
                opened.enter_context(report_folder(report))
            opened.enter_context(self.staging)
            self.push(opened.pop_all())

    @property
    def files(self) -> dict[str, Path]:
        """The files by role, the main output first."""
        return dict(reversed(self.paths.items()))

    def stage(self, role: str) -> Path:
        """Return the partial name of a file."""
        return self.staging.partial(self.paths[role])

    def probe(self, role: str, picture: Picture) -> None:
        """Find out before the work begins whether a picture like this one can be written."""
        if role in self.paths:
            self.write(role, replace(picture, pixels=picture.pixels[:1, :1]))
            with naming(self.paths[role]):  # there are folders in which nothing can be removed
                self.stage(role).unlink()

    def write(self, role: str, picture: Picture) -> None:
        """Write a picture under its partial name."""
        encode(picture, self.paths[role])

    def commit(self, record: Record) -> None:
        """Write the record, and give all files their names, the output last."""
        stage_record(record, self.paths["record"])
        self.staging.commit()
