"""Output of a dry run: the memory and time that the work would need."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from osmofuse.cli.voice import say
from osmofuse.jobs import Need
from osmofuse.jobs.machine import memory_of_machine
from osmofuse.jobs.need import in_bytes


def tell_need(output: Path, needed: Need, *, as_json: bool) -> None:
    """Print what writing an output would need, which is known to fit."""
    there = memory_of_machine()
    if as_json:
        click.echo(json.dumps({"need": asdict(needed), "machine": {"bytes": there}}))
        return
    fits = "" if there is None else f" of the {in_bytes(there)} that this machine has"
    say(
        f"{output}: would need about {in_bytes(needed.bytes)} of memory{fits}, and "
        f"{needed.seconds:.0f} s; nothing was written."
    )
