"""Metadata of outputs: sources, settings, and that the picture is a composite."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from osmofuse.io import composite_metadata
from osmofuse.picture import Picture
from osmofuse.record import Record

_HISTORY = ("inputs", "alpha", "method", "working_space", "recipe", "versions")


def marked(picture: Picture, sources: Iterable[Path], history: Mapping[str, Any]) -> Picture:
    """Return a picture with metadata that mark it as a composite, with sources and history."""
    metadata = composite_metadata(
        picture.metadata,
        derived_from=[path.name for path in sources],
        history=json.dumps(history, ensure_ascii=False),
    )
    return replace(picture, metadata=metadata)


def history_of(record: Record) -> dict[str, Any]:
    """Return the part of a record that the metadata of the picture hold."""
    parts = record.as_json()
    return {name: parts[name] for name in _HISTORY if name in parts}
