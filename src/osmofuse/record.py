"""Provenance record: how a picture was made, in a JSON file next to it.

``fused.tif`` has its record in ``fused.tif.json``. Paths in it are relative to the record's folder,
so that both can be moved together; infinity is the string "inf". Readers must expect further keys
inside the parts; the parts themselves are those of `Record`. The fields are checked when a record
is read, except settings and plans, which their methods and `osmofuse.optimise.plan.Plan` check.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import platform
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from osmofuse.checks import choice, mapping, number, sequence, shown, text, whole
from osmofuse.documents import is_format, json_of, read_document, text_of
from osmofuse.errors import SettingError, UnreadableError, naming, reading
from osmofuse.io.formats import sniff
from osmofuse.io.staging import Staging
from osmofuse.typing import Array

FORMAT = 1  # of the JSON file; a later one is refused
# Roles of input files.
ROLES = (
    "foreground", "background", "alpha", "truth", "points", "image", "trimap", "fused", "ink",
    "boundary", "flat", "into", "object", "mask",
)  # fmt: skip
NUMBERED = ("background", "alpha", "image")  # further ones are "background-2" and so on
SHA256, PATH = "[0-9a-f]{64}", r"[^\0]+"  # patterns of fields
MOST_FIGURE = 1e300  # bound of numbers that are only reported; anything a float can hold works
Check: TypeAlias = Callable[[str, Any], object]

# Numbers that JSON does not have, by the text that stands for them.
_NONFINITE = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
# Packages whose versions may change results.
_PACKAGES = ("osmofuse", "numpy", "scipy", "numba", "pyvips", "pyvips-binary", "tifffile")


def versions() -> dict[str, str]:
    """Return the versions of osmofuse, Python and numerical packages, and the machine.

    Kernels are compiled for a machine's processor, so another one may round differently; see
    `osmofuse.kernels.code_in_use`.
    """
    from osmofuse.kernels import code_in_use

    packages = {name: version(name) for name in _PACKAGES}
    system = {"machine": _machine(), "kernels": code_in_use()}
    return {"python": platform.python_version(), **packages, **system}


def _machine() -> str:
    """Return the system and the processor as text."""
    name = platform.processor()
    with suppress(OSError, StopIteration):  # on Linux, a more precise name
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        name = next(line for line in lines if line.startswith("model name")).partition(":")[2]
    return " ".join(f"{platform.system()} {platform.machine()} {name}".split())


@dataclass(frozen=True)
class Input:
    """Input file of a job."""

    role: str  # one of `ROLES`, e.g. "foreground", or a numbered one, e.g. "background-2"
    path: str  # relative to the record's folder, with "/" between folders
    sha256: str  # of the file's bytes
    levels: str | None = None  # adjustment of the range, if possible: "as-is", "percentiles", ...
    notes: tuple[str, ...] = ()  # remarks on how it was read
    page: int | None = None  # that was read, from 1; None for files that are not pictures


@dataclass(frozen=True)
class Record:
    """Record of how a picture was made.

    Parameters
    ----------
    job : str
        Kind of job, the name of its command: "fuse", "align", "compare" and so on.
    inputs : tuple of Input
        The files.
    alpha : mapping or None
        None if none was given, and the method found where backgrounds enter. Else ``value``: a
        number, "auto" if the map was computed from the pictures (``made`` describes how), or None
        if an input is the map; ``soften``: the blur in pixels.
    transform : mapping or None
        Registration of the background to the foreground; None if there was none.
    method : mapping
        ``name`` and all ``settings``; for jobs that do not fuse, the kind of job.
    working_space : str
        "encoded" or "linear".
    tiling : mapping or None
        Division of the picture into tiles; None if there was none.
    plan : mapping or None
        Steps that reproduce the result, for methods that have a plan.
    result : mapping
        ``status``, ``energy`` (one number per channel, or None), ``reach``, ``seconds``,
        ``clipped`` samples and ``peak_bytes`` of the process; for several fusions, ``results``
        has those of each.
    output : mapping
        ``sha256_of_pixels``, see `sha256_of_pixels`; for several pictures, ``pictures`` has that of
        each by name, and ``sha256_of_pixels`` is the hash of them all.
    versions : mapping
        Versions of osmofuse and numerical packages; ``machine`` is the computer, ``kernels`` the
        processor that kernels were compiled for.
    ranking : tuple of mapping
        Answers of each judge in a blind comparison; not written if empty.
    recipe : mapping or None
        ``name`` and ``sha256`` of the recipe that supplied defaults, which are all in the other
        parts; None, and not written, if there was none.
    """

    job: str
    inputs: tuple[Input, ...]
    alpha: Mapping[str, Any] | None
    method: Mapping[str, Any]
    result: Mapping[str, Any]
    output: Mapping[str, Any]
    transform: Mapping[str, Any] | None = None
    working_space: str = "encoded"
    tiling: Mapping[str, Any] | None = None
    plan: Mapping[str, Any] | None = None
    versions: Mapping[str, str] = field(default_factory=versions)
    ranking: tuple[Mapping[str, Any], ...] = ()
    recipe: Mapping[str, str] | None = None

    def input(self, role: str) -> Input | None:
        """Return the input of a role, if there is one."""
        return next((one for one in self.inputs if one.role == role), None)

    def as_json(self) -> dict[str, Any]:
        """Return the record as JSON values: no infinities, no tuples."""
        inputs = [_without_empty(vars(one)) for one in self.inputs]
        parts = {name: getattr(self, name) for name in _ORDER} | {"inputs": inputs}
        parts |= {name: getattr(self, name) for name in _ONLY_IF_ANY if getattr(self, name)}
        found: dict[str, Any] = plain({"format": FORMAT, **parts})
        return found


# Parts in the order in which they are written, and those that may be missing.
_ORDER = (
    "job", "inputs", "alpha", "transform", "method", "working_space", "tiling", "plan",
    "result", "output", "versions",
)  # fmt: skip
_ONLY_IF_ANY = ("ranking", "recipe")


def record_path(output: str | os.PathLike[str]) -> Path:
    """Return the path of the record of an output, next to it."""
    output = Path(output)
    return output.with_name(output.name + ".json")


def output_path(record: str | os.PathLike[str]) -> Path:
    """Return the path of the output of a record, next to it; see `record_path`."""
    return Path(record).with_suffix("")


def write_record(record: Record, path: str | os.PathLike[str]) -> Path:
    """Write a record atomically; an old one is replaced."""
    path = Path(path)
    with Staging([path]) as staging:
        stage_record(record, path)
        staging.commit()
    return path


def stage_record(record: Record, path: Path) -> None:
    """Write a record under the partial name of an output, see `Staging.partial`."""
    text = json.dumps(record.as_json(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    with naming(path):
        # Bytes of file names that are not UTF-8 become escapes, which JSON reads back.
        Staging.partial(path).write_bytes(text.encode("utf-8", "backslashreplace"))


def read_record(path: str | os.PathLike[str]) -> Record:
    """Read a record; an UnreadableError names the invalid field."""
    path = Path(path)
    content = read_document(path)
    try:
        parts = json_of(text_of(content))
    except ValueError as error:
        raise UnreadableError(_no_record(path, error)) from error
    if not isinstance(parts, dict) or "format" not in parts:
        raise UnreadableError(f"{path}: not a record of osmofuse; it states no format")
    if not is_format(parts["format"], FORMAT):
        raise UnreadableError(
            f"{path}: a record of format {shown(parts['format'])}, but this version of osmofuse "
            f"reads format {FORMAT}; use the version that wrote it"
        )
    try:
        check_parts(parts)
    except SettingError as error:
        raise UnreadableError(f"{path}: a damaged record ({error})") from error
    return _record_of(parts)


def _no_record(path: Path, error: Exception) -> str:
    """Return the message for a file that is not a record; for a picture it names its record."""
    try:
        kind = sniff(path).name.upper()
    except UnreadableError:
        return f"{path}: a damaged record, or none ({error})"
    beside = record_path(path)
    if beside.exists():
        return f"{path}: a {kind} picture, not a record; its record is {beside}"
    return f"{path}: a {kind} picture, not a record, and no record {beside.name} lies beside it"


def sha256_of_file(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file's bytes."""
    with reading(path), Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256_of_pixels(pixels: Array) -> str:
    """Return the SHA-256 of pixels: row by row, bands interleaved, samples little-endian.

    For an output, of the pixels before encoding, since JPEG changes them.
    """
    plain = np.ascontiguousarray(pixels, dtype=pixels.dtype.newbyteorder("<"))
    return hashlib.sha256(plain.data if plain.size else b"").hexdigest()


def _record_of(parts: dict[str, Any]) -> Record:
    """Return the record of checked parts."""
    # Only in these can "inf" be a number; elsewhere it may be a path.
    found = {name: _numbers(parts[name]) for name in ("alpha", "method", "plan", "result")}
    found |= {name: parts[name] for name in _ORDER if name not in (*found, "inputs")}
    return Record(
        **found,
        inputs=tuple(_input_of(one) for one in parts["inputs"]),
        ranking=tuple(parts.get("ranking", ())),
        recipe=parts.get("recipe"),
    )


def _input_of(one: dict[str, Any]) -> Input:
    role, path, digest = (one[name] for name in ("role", "path", "sha256"))
    notes = tuple(one.get("notes", ()))
    return Input(role, path, digest, one.get("levels"), notes, one.get("page"))


def _without_empty(parts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: part for name, part in parts.items() if part not in ((), None)}


def plain(value: Any) -> Any:
    """Return a value in types of JSON; infinities and NaN become strings."""
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(part) for part in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return next(word for word, number in _NONFINITE.items() if repr(number) == repr(value))
    return value


def _numbers(value: Any) -> Any:
    """Return a JSON value with the strings "inf", "-inf" and "nan" as numbers."""
    if isinstance(value, dict):
        return {name: _numbers(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_numbers(part) for part in value]
    return _NONFINITE.get(value, value) if isinstance(value, str) else value


def check_parts(parts: Mapping[str, Any]) -> None:
    """Check all parts of a record of format 1, as JSON values; unknown names are allowed.

    A SettingError begins with the name of the missing or invalid field.
    """
    for name, check in _PARTS.items():
        if name not in parts:
            raise SettingError(f"{name}: missing")
        check(name, parts[name])
    for name, check in _FURTHER_PARTS.items():
        if name in parts:
            check(name, parts[name])


def _fields(known: Mapping[str, Check], *, needed: tuple[str, ...] = ()) -> Check:
    """Return the check of an object with known fields, some of them required."""

    def check(name: str, value: Any) -> None:
        found = mapping(name, value)
        for key in needed:
            if key not in found:
                raise SettingError(f"{name}.{key}: missing")
        for key, part in found.items():
            if key in known:
                known[key](f"{name}.{key}", part)

    return check


def _every(check: Check) -> Check:
    """Return the check of an object whose fields all pass one check."""

    def check_all(name: str, value: Any) -> None:
        for key, part in mapping(name, value).items():
            check(f"{name}.{key}", part)

    return check_all


def _list(check: Check, *, least: int = 0, most: int = 100_000) -> Check:
    def check_all(name: str, value: Any) -> None:
        for k, part in enumerate(sequence(name, value, least=least, most=most)):
            check(f"{name}[{k}]", part)

    return check_all


def _or_none(check: Check) -> Check:
    return lambda name, value: None if value is None else check(name, value)


_count = partial(whole, least=0, most=2**63)
_page = partial(whole, least=1, most=10**6)
_points = partial(number, most=1e6)
_digest = partial(text, pattern=SHA256)
_path = partial(text, most=4096, pattern=PATH)


def _figure(name: str, value: Any) -> None:
    """Check a number that is only reported; infinities and NaN are strings."""
    if value not in ("inf", "-inf", "nan"):
        number(name, value, least=-MOST_FIGURE, most=MOST_FIGURE)


def _role(name: str, value: Any) -> None:
    numbered = rf"({'|'.join(NUMBERED)})-[1-9][0-9]{{0,3}}"
    if not re.fullmatch(numbered, text(name, value)):
        choice(name, value, ROLES)


def _alpha_value(name: str, value: Any) -> None:
    if isinstance(value, list):
        _list(_or_none(_alpha_value), least=1, most=1000)(name, value)
    elif value != "auto":
        number(name, value, most=math.inf)


def _inputs(name: str, value: Any) -> None:
    _list(_INPUT, most=1000)(name, value)
    roles = [one["role"] for one in value]
    if twice := next((role for role in roles if roles.count(role) > 1), None):
        raise SettingError(f"{name}: {twice!r} appears twice")


# Checks of the parts of a record.
_INPUT = _fields(
    {
        "role": _role,
        "path": _path,
        "page": _or_none(_page),
        "sha256": _digest,
        "levels": _or_none(text),
        "notes": _list(text),
    },
    needed=("role", "path", "sha256"),
)
_ANSWER = _fields(
    {"pair": _list(text, least=2, most=2), "better": _or_none(text)}, needed=("pair",)
)
_RANKING = _fields(
    {
        "by": text,
        "sha256_of_pixels": _or_none(_digest),
        "answers": _list(_ANSWER),
        "points": _every(_points),
    },
    needed=("by", "answers", "points"),
)
_DEFORMATION = _fields(
    {
        "shape": _list(_count, least=2, most=2),
        "shifts": _list(_list(_list(_figure, least=2, most=2))),
    },
    needed=("shape", "shifts"),
)
_TRANSFORM = _fields(
    {
        "kind": text,
        "matrix": _list(_list(_figure, least=3, most=3), least=3, most=3),
        "deformation": _or_none(_DEFORMATION),
        "settings": mapping,
        "score": _figure,
    }
)
_RESULT = _fields(
    {
        "status": text,
        "energy": _or_none(_list(_figure)),
        "reach": _or_none(_figure),
        "seconds": _figure,
        "clipped": _count,
        "peak_bytes": _or_none(_count),
        "results": _list(mapping),
        "scores": _every(mapping),
    }
)
_PARTS: dict[str, Check] = {
    "job": text,
    "inputs": _inputs,
    "alpha": _or_none(_fields({"value": _or_none(_alpha_value)})),
    "transform": _or_none(_TRANSFORM),
    "method": _fields({"name": text, "settings": mapping}, needed=("name", "settings")),
    "working_space": text,
    "tiling": _or_none(mapping),
    "plan": _or_none(mapping),
    "result": _RESULT,
    "output": _fields(
        {"sha256_of_pixels": _digest, "depth": _or_none(text), "pictures": _every(_digest)}
    ),
    "versions": _every(text),
}
_FURTHER_PARTS: dict[str, Check] = {
    "ranking": _list(_RANKING, most=10_000),
    "recipe": _or_none(_fields({"name": text, "sha256": _digest}, needed=("name", "sha256"))),
}
