"""Do again what a record says, and tell whether the pixels are the same."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from osmofuse.errors import OsmofuseError, SettingError, UnreadableError
from osmofuse.jobs.job import Job
from osmofuse.jobs.reading import describe_files, read_files
from osmofuse.jobs.result import Result
from osmofuse.optimise.plan import Plan
from osmofuse.picture import white_of
from osmofuse.record import Input, Record, read_record, sha256_of_file, sha256_of_pixels
from osmofuse.typing import Array

_OTHERS = ("align", "matte", "compare", "sweep")  # commands whose records tell of no fusion
_ROWS_AT_ONCE = 256


@dataclass(frozen=True)
class Repetition:
    """How a repetition compares with its record.

    Attributes
    ----------
    identical : bool
        The pixels are those of the record, bit for bit.
    differences : tuple of str
        What differs, in words: inputs that are other files; and, if the pixels differ, settings,
        versions and the machine, and by how much they do.
    largest, rms : float or None
        The difference from the earlier output in levels of its depth (of floats, in parts of
        white), at most and as root mean square; None if that output is not there as it was.
    """

    identical: bool
    differences: tuple[str, ...]
    largest: float | None = None
    rms: float | None = None


def job_of_record(
    path: str | os.PathLike[str], output: str | os.PathLike[str], **changes: Any
) -> Job:
    """Return the job that makes a record's picture again.

    Parameters
    ----------
    path : path
        The record. The paths in it are relative to its folder; an input that is not there is
        looked for beside the record and in the current folder.
    output : path
        Where the picture is to go.
    **changes
        Of the job: other outputs and limits, or inputs that have moved.

    Raises
    ------
    UnreadableError
        The record is missing or damaged, or an input is not found.
    SettingError
        The method or a setting is not known here.
    """
    path = Path(path)
    record = read_record(path)
    if record.method["name"] in _OTHERS:
        raise SettingError(
            f"{path}: the record of 'osmofuse {record.method['name']}', not of a fusion; run that "
            "command again"
        )
    by_align = record.transform is None or "settings" in record.transform
    for part, known in (("transform", by_align), ("tiling", record.tiling is None)):
        if not known:
            raise SettingError(f"{path}: was made with a {part}, which cannot be repeated yet")
    parts = {
        **_inputs_of(record, path, moved=changes),
        "soften": record.alpha.get("soften", 0.0),
        "method": record.method["name"],
        "settings": record.method["settings"],
        "working_space": record.working_space,
        "align": record.transform and record.transform.get("settings"),
        "depth": record.output.get("depth"),
        "plan": _plan_of(record, path),
        "recipe": record.recipe,
    }
    try:
        return Job(**{**parts, "output": Path(output), **changes})
    except SettingError as error:
        raise SettingError(f"{path}: {error}") from error


def compare_with_record(old: Record, result: Result, earlier: Path | None = None) -> Repetition:
    """Compare what a repetition made with the record it followed.

    Parameters
    ----------
    old : Record
        As it was before; the repetition may have replaced its file.
    result : Result
        Of the repetition.
    earlier : Path, optional
        Where the output of the record may still be.

    Returns
    -------
    Repetition
        Versions, settings and the machine count only if the pixels differ.
    """
    new = result.record
    if new is None:
        raise ValueError("a cancelled job has no pixels to compare")
    digest = old.output.get("sha256_of_pixels")
    differ = list(_other_inputs(old, new))
    if digest is not None and digest == new.output.get("sha256_of_pixels"):
        return Repetition(True, tuple(differ))
    differ += [*_other_settings(old, new), *_other_versions(old, new)]
    words, largest, rms = _distance(earlier, result.files["output"], digest)
    return Repetition(False, (*differ, f"output: {words}"), largest, rms)


def _other_inputs(old: Record, new: Record) -> Iterator[str]:
    for now in new.inputs:
        role, before = now.role, old.input(now.role)
        if before and before.sha256 != now.sha256:
            yield (
                f"{role}: {now.path} is not the file of the record "
                f"(SHA-256 {now.sha256[:12]}…, not {before.sha256[:12]}…)"
            )


def _other_settings(old: Record, new: Record) -> Iterator[str]:
    """Say what was set otherwise; a setting that came later has its default now."""
    told = [{"working_space": one.working_space, **one.method["settings"]} for one in (old, new)]
    for name in sorted(set(told[0]) | set(told[1])):
        was, now = (repr(_plain(one[name])) if name in one else "none" for one in told)
        if was != now:
            yield f"setting {name}: {now}, not {was}"


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _other_versions(old: Record, new: Record) -> Iterator[str]:
    for name, was in old.versions.items():
        now = new.versions.get(name, "none")
        if now != was:
            yield f"{name}: {'' if name in ('machine', 'kernels') else 'version '}{now}, not {was}"


def _distance(
    earlier: Path | None, output: Path, digest: str | None
) -> tuple[str, float | None, float | None]:
    """Say how far an output is from an earlier one, in words and numbers."""
    differ = "the pixels differ from those of the record"
    if earlier is None or not earlier.is_file() or earlier.samefile(output):
        return f"{differ}; the earlier output is not there to compare with", None, None
    try:
        files = describe_files({"earlier": earlier, "output": output})
        was, now = (one.pixels for one in read_files(files).values())
        kind = files["earlier"].format
    except OsmofuseError as error:
        return f"{differ}; the earlier output cannot be read ({error})", None, None
    if was.shape != now.shape or was.dtype != now.dtype:
        return f"{differ} in size or depth", None, None
    if kind != "jpeg" and sha256_of_pixels(was) != digest:  # a JPEG has never had those pixels
        return f"{differ}; by how much is not known, {earlier} has been changed", None, None
    largest, rms = _largest_and_rms(was, now)
    white = white_of(was.dtype, str(earlier))
    unit = "of white" if white == 1 else f"levels of {white}"
    return f"{differ} by at most {largest:.4g} {unit}, {rms:.4g} root mean square", largest, rms


def _largest_and_rms(a: Array, b: Array) -> tuple[float, float]:
    largest = total = 0.0
    for start in range(0, len(a), _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        apart = a[rows].astype(np.float64) - b[rows]
        largest = max(largest, float(np.abs(apart).max()))
        total += float(np.square(apart).sum())
    return largest, math.sqrt(total / a.size)


def _inputs_of(record: Record, path: Path, moved: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs where the record says they are, seen from here, or where they lie now."""
    found: dict[str, Any] = {}
    if "foreground" not in moved:
        found["foreground"] = _places(record, path, "foreground")[0]
    backgrounds = [one for one in record.inputs if one.role.startswith("background")]
    if "backgrounds" not in moved:
        found["backgrounds"] = tuple(_places(record, path, "background"))
    if "alpha" not in moved:
        found["alpha"] = _alpha_of(record, path)
    if backgrounds and backgrounds[0].levels is not None:
        found["levels"] = backgrounds[0].levels
    found["page"] = _pages_of(record)
    return found


def _places(record: Record, path: Path, role: str) -> list[Path]:
    """Return where the inputs of a role lie, e.g. of background, background-2 and so on."""
    found = [_place_of(one, path) for one in record.inputs if one.role.partition("-")[0] == role]
    if not found:
        raise UnreadableError(f"{path}: a damaged record ({role!r} is missing)")
    return found


def _alpha_of(record: Record, path: Path) -> Any:
    """Return the map, or one for each picture; files stand where there is no value."""
    value = record.alpha.get("value")
    files = [one for one in record.inputs if one.role.partition("-")[0] == "alpha"]
    if not isinstance(value, list):
        return value if value is not None else _places(record, path, "alpha")[0]
    places = iter(_place_of(one, path) for one in files)
    if value.count(None) != len(files):
        raise UnreadableError(f"{path}: a damaged record (alpha: maps are missing)")
    return tuple(next(places) if one is None else one for one in value)


def _pages_of(record: Record) -> tuple[int, ...]:
    """Return the pages of the inputs; none, if all are the first as they usually are."""
    roles = ("foreground", "background", "alpha")
    pages = tuple(one.page or 1 for one in record.inputs if one.role.partition("-")[0] in roles)
    return () if set(pages) <= {1} else pages


def _place_of(one: Input, record: Path) -> Path:
    """Return where an input lies: best the very file, else one of its name."""
    name = Path(one.path).name
    places = (record.parent / one.path, record.parent / name, Path(one.path), Path(name))
    there = [place for place in places if _is_file(place)]
    if not there:
        how = "--alpha FILE" if one.role == "alpha" else "FOREGROUND BACKGROUND"
        raise UnreadableError(
            f"{places[0]}: no such file, the {one.role} of {record}; if it has moved, say where "
            f"it is now: osmofuse fuse {how} --from {record} ..."
        )
    return next((place for place in there if sha256_of_file(place) == one.sha256), there[0])


def _is_file(place: Path) -> bool:
    """Return True for a file; False also for a name that no file can have."""
    try:
        return place.is_file()
    except (OSError, ValueError):
        return False


def _plan_of(record: Record, path: Path) -> Plan | None:
    if record.plan is None:
        return None
    known = [one.name for one in fields(Plan)]
    try:
        for name in ("steps", "cycles"):
            if name not in record.plan:
                raise SettingError(f"plan.{name}: missing")
        if unknown := [name for name in record.plan if name not in known]:
            raise SettingError(f"plan.{unknown[0]}: unknown; there are {', '.join(known)}")
        return Plan(**record.plan)
    except SettingError as error:
        raise UnreadableError(f"{path}: a damaged record ({error})") from error
