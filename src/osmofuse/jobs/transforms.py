"""Transforms between pictures, as records have them."""

from __future__ import annotations

from typing import Any

from osmofuse.registration import Transform
from osmofuse.tasks.aligned import Laid


def laid_entry(laid: Laid) -> dict[str, Any]:
    """Return how a background was laid over the foreground."""
    return transform_entry(laid.transform) | {"settings": laid.settings, "score": laid.score}


def transform_entry(transform: Transform) -> dict[str, Any]:
    """Return a transform as a record has it; points are (x, y), from background to foreground."""
    bent = transform.deformation
    field = bent and {"shape": bent.shape, "shifts": bent.shifts}
    return {"kind": transform.kind, "matrix": transform.matrix, "deformation": field}
