"""Output of a dry run: the memory and time that the work would need."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from osmofuse.cli.voice import say
from osmofuse.jobs import FileJob, Need
from osmofuse.jobs.machine import memory_of_machine
from osmofuse.jobs.need import in_bytes


def tell_need(job: FileJob[Any], output: Path | None, needed: Need, *, as_json: bool) -> None:
    """Print what a job would need, which is known to fit."""
    there = memory_of_machine()
    if as_json:
        files = {role: str(file.path) for role, file in needed.files.items()}
        need = {"bytes": needed.bytes, "seconds": needed.seconds, "files": files}
        click.echo(json.dumps({"need": need, "machine": {"bytes": there}}))
        return
    fits = "" if there is None else f" of the {in_bytes(there)} that this machine has"
    work = job.work if output is None else f"{output}:"
    say(
        f"{work} would need about {in_bytes(needed.bytes)} of memory{fits}, and "
        f"{needed.seconds:.0f} s; nothing was written."
    )
