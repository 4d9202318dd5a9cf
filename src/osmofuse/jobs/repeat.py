"""Repeat the work of a record, and compare the results."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from osmofuse.errors import OsmofuseError, SettingError, UnreadableError
from osmofuse.jobs.align import AlignJob
from osmofuse.jobs.balance import BalanceJob
from osmofuse.jobs.clone import CloneJob
from osmofuse.jobs.compact import CompactJob
from osmofuse.jobs.compare import CompareJob
from osmofuse.jobs.files import look_at_pictures, read_pictures
from osmofuse.jobs.fuse import FuseJob
from osmofuse.jobs.job import FileJob, Repetition, Result, may_be_none, required_fields
from osmofuse.jobs.matte import MatteJob
from osmofuse.jobs.score import ScoreJob
from osmofuse.jobs.shadow import ShadowJob
from osmofuse.jobs.sources import SourcesJob
from osmofuse.jobs.sweep import SweepJob
from osmofuse.pixels import white_of
from osmofuse.progress import Watch
from osmofuse.record import (
    Input,
    Record,
    output_path,
    plain,
    read_record,
    sha256_of_file,
    sha256_of_pixels,
)
from osmofuse.typing import Array

_KINDS: tuple[type[FileJob[Any]], ...] = (
    FuseJob, AlignJob, MatteJob, CompareJob, SweepJob, ScoreJob,
    ShadowJob, BalanceJob, CloneJob, CompactJob,
)  # fmt: skip
# Kinds of jobs by name.
JOBS: dict[str, type[FileJob[Any]]] = {one.kind: one for one in _KINDS}
_SEVERAL = {"backgrounds": "background", "images": "image"}  # fields of several files; their role
_ROWS_AT_ONCE = 256  # rows per block of a difference; any of 16..4096 works


def repeat(
    record: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    watch: Watch | None = None,
    **changes: Any,
) -> Result:
    """Repeat the job of a record, and compare the results.

    Parameters
    ----------
    record : path
        Record of any job. Its paths are relative to its folder; a missing input is searched for
        next to the record and in the current folder.
    output : path
        Output: a file, or a folder for `CompareJob` and `SweepJob`.
    watch : callable, optional
        As for a job's `run`.
    **changes
        Fields of the job: other outputs and limits, or new paths of inputs.

    Returns
    -------
    Result
        Result; its `repetition` compares it with the record.

    Raises
    ------
    UnreadableError
        The record is missing or damaged, or an input is not found.
    SettingError
        The job, the method or a setting is not known here.
    OsmofuseError
        As the job's `run`.
    """
    path = Path(record)
    old = read_record(path)
    result: Result = _job_of(old, path, output, changes).run(watch)
    if result.record is None:
        return result
    return replace(result, repetition=compare_with_record(old, result, output_path(path)))


def job_of_record(
    path: str | os.PathLike[str], output: str | os.PathLike[str] | None, **changes: Any
) -> FileJob[Any]:
    """Return the job that repeats a record.

    Parameters
    ----------
    path : path
        Path of the record, see `repeat`.
    output : path or None
        Output; None only for a job that needs none.
    **changes
        As for `repeat`.
    """
    return _job_of(read_record(path), Path(path), output, changes)


def _job_of(
    record: Record, path: Path, output: str | os.PathLike[str] | None, changes: Mapping[str, Any]
) -> FileJob[Any]:
    """Return the job that repeats a record, given with its path."""
    kind = JOBS.get(record.job)
    if kind is None:
        raise SettingError(
            f"{path}: the record of a job {record.job!r}, which this version of osmofuse does not "
            f"know; it knows {', '.join(JOBS)}"
        )
    transform = record.transform
    by_align = kind.finds_transform or transform is None or "settings" in transform
    for part, known in (("transform", by_align), ("tiling", record.tiling is None)):
        if not known:
            raise SettingError(f"{path}: was made with a {part}, which cannot be repeated yet")
    _check_objects(record, path)
    try:
        parts = kind.parts_of(record)
    except SettingError as error:
        raise UnreadableError(f"{path}: a damaged record ({error})") from error
    parts |= _files_of(record, path, kind, moved=changes)
    try:
        return kind(**{**parts, "output": output, **changes})
    except (SettingError, TypeError) as error:
        raise SettingError(f"{path}: {error}") from error


def _check_objects(record: Record, path: Path) -> None:
    """Refuse a record that was made with an object, which only the original program has."""
    for name, value in record.method["settings"].items():
        if isinstance(value, dict) and set(value) == {"object"}:
            raise SettingError(
                f"{path}: was made with an object of the class {value['object']!r} as {name}, "
                "which a record cannot repeat; run the program that made it"
            )


def compare_with_record(old: Record, result: Result, earlier: Path | None = None) -> Repetition:
    """Compare what a repetition made with the record it followed.

    Parameters
    ----------
    old : Record
        Record before the repetition, which may have replaced its file.
    result : Result
        Result of the repetition.
    earlier : Path, optional
        Output of the record, if it may still exist.

    Returns
    -------
    Repetition
        Comparison; versions, settings and the machine are compared only if the result differs.
    """
    new = result.record
    if new is None:
        raise ValueError("a cancelled job has no result to compare")
    differ = list(_other_inputs(old, new))
    if _compared(old) == _compared(new):
        return Repetition(True, tuple(differ))
    differ += [*_other_settings(old, new), *_other_versions(old, new)]
    if _outcome(old)[0] is None or "pictures" in new.output:
        return Repetition(False, (*differ, *_other_parts(old, new)))
    digest = old.output.get("sha256_of_pixels")
    words, largest, rms = _distance(earlier, result.files["output"], digest)
    return Repetition(False, (*differ, f"output: {words}"), largest, rms)


def _outcome(record: Record) -> tuple[str | None, Any, dict[str, Any]]:
    """Return the results to compare: hash of pixels, hashes of several pictures, scores."""
    scores = record.result.get("scores", {})
    values = {name: repr(plain(one.get("value"))) for name, one in scores.items()}
    return record.output.get("sha256_of_pixels"), record.output.get("pictures"), values


def _compared(record: Record) -> tuple[str | None, list[str], dict[str, Any]]:
    """Return the results without names of pictures, since a moved map may have a new name."""
    whole, pictures, scores = _outcome(record)
    return whole, list((pictures or {}).values()), scores


def _other_parts(old: Record, new: Record) -> Iterator[str]:
    """Yield the pictures of a series, or the scores, that differ from the record."""
    for k, what in ((1, "pixels"), (2, "score")):
        was, now = (_outcome(one)[k] or {} for one in (old, new))
        for name in dict.fromkeys((*was, *now)):
            if name not in now or name not in was:
                yield f"{name}: only in the {'record' if name in was else 'repetition'}"
            elif was[name] != now[name]:
                values = "" if k == 1 else f" ({now[name]}, not {was[name]})"
                yield f"{name}: the {what} differ{'s' * (k == 2)} from the record's{values}"


def _other_inputs(old: Record, new: Record) -> Iterator[str]:
    for now in new.inputs:
        role, before = now.role, old.input(now.role)
        if before and before.sha256 != now.sha256:
            yield (
                f"{role}: {now.path} is not the file of the record "
                f"(SHA-256 {now.sha256[:12]}…, not {before.sha256[:12]}…)"
            )


def _other_settings(old: Record, new: Record) -> Iterator[str]:
    """Yield the settings that differ; a setting missing in the record has its default."""
    settings = [
        {"working_space": one.working_space, **one.method["settings"]} for one in (old, new)
    ]
    for name in sorted(set(settings[0]) | set(settings[1])):
        was, now = (repr(_plain(one[name])) if name in one else "none" for one in settings)
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
    """Return the difference of an output from an earlier one, as text and numbers."""
    differ = "the pixels differ from those of the record"
    if earlier is None or not earlier.is_file() or earlier.samefile(output):
        words = f"{differ}; the earlier output is missing, so the difference is not known"
        return words, None, None
    try:
        files = look_at_pictures({"earlier": earlier, "output": output})
        was, now = (one.pixels for one in read_pictures(files).values())
        kind = files["earlier"].picture.format
    except OsmofuseError as error:
        return f"{differ}; the earlier output cannot be read ({error})", None, None
    if was.shape != now.shape or was.dtype != now.dtype:
        return f"{differ} in size or depth", None, None
    # JPEG is lossy: its pixels never had this hash.
    if kind != "jpeg" and sha256_of_pixels(was) != digest:
        words = f"{differ}; the difference is not known, since {earlier} has been changed"
        return words, None, None
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


def _files_of(
    record: Record, path: Path, kind: type[FileJob[Any]], moved: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the inputs as fields of the job, at their recorded or new paths."""
    roles: dict[str, list[Input]] = {}
    for one in record.inputs:
        roles.setdefault(kind.field_of(one.role), []).append(one)
    known = {one.name for one in fields(kind)}
    found: dict[str, Any] = {"page": _pages_of(record)}
    for name, inputs in roles.items():
        if name not in known:
            raise UnreadableError(f"{path}: a damaged record (inputs: {inputs[0].role!r})")
        if name in moved or name == "alpha":
            continue
        places = tuple(_place_of(one, path, kind) for one in inputs)
        found[name] = places if name in _SEVERAL else places[0]
    if "alpha" in known and "alpha" not in moved:
        found["alpha"] = _alpha_of(record, path, kind)
    for name in required_fields(kind):
        if name not in {"output", *found, *moved}:
            role = name.removesuffix("s")
            raise UnreadableError(f"{path}: a damaged record ({role!r} is missing)")
    _check_count(record, path, moved)
    return found


def _check_count(record: Record, path: Path, moved: Mapping[str, Any]) -> None:
    """Refuse new backgrounds or maps whose number differs from the record."""
    maps = (record.alpha or {}).get("value")
    counts = {
        name: sum(one.role.partition("-")[0] == role for one in record.inputs)
        for name, role in _SEVERAL.items()
    } | {"alpha": len(maps) if isinstance(maps, list) else 1}
    for name, count in counts.items():
        given = moved.get(name, ())
        new = len(given) if isinstance(given, list | tuple) else 1
        if new not in (0, count):
            words = "maps" if name == "alpha" else name
            raise SettingError(f"{path}: has {count} {words}, but {new} given now")


def _alpha_of(record: Record, path: Path, kind: type[FileJob[Any]]) -> Any:
    """Return the map, or one for each picture; a None in the record stands for a file."""
    if record.alpha is None:
        return None
    value = record.alpha.get("value")
    files = [one for one in record.inputs if one.role.partition("-")[0] == "alpha"]
    values = value if isinstance(value, list) else [value]
    missing = values.count(None)
    fuses = issubclass(kind, SourcesJob)  # without a map, its record has none
    if missing != len(files) and (files or fuses or not may_be_none(kind, "alpha")):
        raise UnreadableError(f"{path}: a damaged record (alpha: maps are missing)")
    places = iter([_place_of(one, path, kind) for one in files])
    found = tuple(next(places, None) if one is None else one for one in values)
    return found if isinstance(value, list) else found[0]


def _pages_of(record: Record) -> tuple[int, ...]:
    """Return the pages of the pictures; empty if all are 1."""
    pages = tuple(one.page for one in record.inputs if one.page is not None)
    return () if set(pages) <= {1} else pages


def _place_of(one: Input, record: Path, kind: type[FileJob[Any]]) -> Path:
    """Return the path of an input: the file with the recorded hash, else any of that name."""
    name = Path(one.path).name
    places = (record.parent / one.path, record.parent / name, Path(one.path), Path(name))
    there = [place for place in places if _is_file(place)]
    if not there:
        raise UnreadableError(
            f"{places[0]}: no such file, the {one.role} of {record}; if it has moved, give its "
            f"new path: osmofuse {kind.kind} {_argument(one.role, kind)} --from {record} ..."
        )
    return next((place for place in there if sha256_of_file(place) == one.sha256), there[0])


def _argument(role: str, kind: type[FileJob[Any]]) -> str:
    """Return the arguments that give a command the new path of a file."""
    arguments = [name for name in required_fields(kind) if name != "output"]
    if kind.field_of(role) not in arguments:
        return f"--{role.partition('-')[0]} FILE"
    return " ".join(name.removesuffix("s").upper() for name in arguments)


def _is_file(place: Path) -> bool:
    """Return True for a file; False also for an invalid name."""
    try:
        return place.is_file()
    except (OSError, ValueError):
        return False
