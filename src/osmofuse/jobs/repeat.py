"""Do again what a record says, and tell whether the pixels are the same."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from osmofuse.errors import SettingError, UnreadableError
from osmofuse.jobs.job import Job
from osmofuse.optimise.plan import Plan
from osmofuse.record import Record, read_record

ROLES = ("foreground", "background", "alpha")


def job_of_record(
    path: str | os.PathLike[str], output: str | os.PathLike[str], **changes: Any
) -> Job:
    """Return the job that makes a record's picture again.

    Parameters
    ----------
    path : path
        The record. The paths in it are relative to its folder.
    output : path
        Where the picture is to go.
    **changes
        Of the job: other outputs and limits, or inputs that have moved.

    Raises
    ------
    UnreadableError
        The record is missing or damaged.
    SettingError
        The method or a setting is not known here.
    """
    path = Path(path)
    record = read_record(path)
    for part in ("transform", "tiling"):
        if getattr(record, part) is not None:
            raise SettingError(f"{path}: was made with a {part}, which cannot be repeated yet")
    parts = {
        **_inputs_of(record, path),
        "soften": record.alpha.get("soften", 0.0),
        "method": record.method["name"],
        "settings": record.method["settings"],
        "working_space": record.working_space,
        "plan": _plan_of(record, path),
    }
    try:
        return Job(**{**parts, "output": Path(output), **changes})
    except SettingError as error:
        raise SettingError(f"{path}: {error}") from error


def differences(old: Record, new: Record) -> tuple[str, ...]:
    """Return in words what differs between a record and that of its repetition.

    Nothing, if inputs and pixels are the same; versions count only if the pixels differ.
    """
    found = []
    for role in ROLES:
        before, now = old.input(role), new.input(role)
        if before and now and before.sha256 != now.sha256:
            found.append(
                f"{role}: {now.path} is not the file of the record "
                f"(SHA-256 {now.sha256[:12]}…, not {before.sha256[:12]}…)"
            )
    if not is_identical(old, new):
        found += [
            f"{name}: version {new.versions.get(name, 'none')}, not {was}"
            for name, was in old.versions.items()
            if new.versions.get(name) != was
        ]
        found.append("output: the pixels differ from those of the record")
    return tuple(found)


def is_identical(old: Record, new: Record) -> bool:
    """Tell whether two records are of the same pixels."""
    digests = [one.output.get("sha256_of_pixels") for one in (old, new)]
    return digests[0] is not None and digests[0] == digests[1]


def _inputs_of(record: Record, path: Path) -> dict[str, Any]:
    """Return the inputs where the record says they are, seen from here."""
    found: dict[str, Any] = {
        one.role: path.parent / one.path for one in record.inputs if one.role in ROLES
    }
    found.setdefault("alpha", record.alpha.get("value"))
    for role in ROLES:
        if found.get(role) is None:
            raise UnreadableError(f"{path}: a damaged record ({role!r} is missing)")
    background = record.input("background")
    if background is not None and background.levels is not None:
        found["levels"] = background.levels
    return found


def _plan_of(record: Record, path: Path) -> Plan | None:
    if record.plan is None:
        return None
    try:
        plan = Plan(**record.plan)
        steps, cycles = tuple(map(float, plan.steps)), tuple(map(int, plan.cycles))
        if not steps or len(steps) != len(cycles):
            raise ValueError("as many cycles as steps are needed")
        return Plan(steps, cycles, plan.part, plan.brightness, plan.lowest, plan.halo)
    except (TypeError, ValueError) as error:
        raise UnreadableError(f"{path}: a damaged record (plan: {error})") from error
