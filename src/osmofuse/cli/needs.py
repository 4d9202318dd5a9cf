"""What a dry run says: how much memory and time the work would need."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from osmofuse.cli.voice import say
from osmofuse.jobs import Need
from osmofuse.jobs.need import in_bytes


def tell_need(output: Path, needed: Need, *, as_json: bool) -> None:
    """Print what writing an output would need."""
    if as_json:
        click.echo(json.dumps({"need": asdict(needed)}))
        return
    say(
        f"{output}: would need about {in_bytes(needed.bytes)} of memory and "
        f"{needed.seconds:.0f} s; nothing was written."
    )
