"""The provenance record: how a picture was made, in a JSON file beside it.

``fused.tif`` has its record in ``fused.tif.json``. Paths in it are relative to the record's folder,
so that a folder can move with all that is in it; infinity is the string "inf". Readers must
expect further keys inside the parts; the parts themselves are those of `Record`.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import platform
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from osmofuse.checks import shown
from osmofuse.documents import is_format, json_of, read_document, text_of
from osmofuse.errors import SettingError, UnreadableError
from osmofuse.io.formats import sniff
from osmofuse.io.refusal import naming
from osmofuse.io.staging import Staging
from osmofuse.record_format import check_parts
from osmofuse.typing import Array
from osmofuse.unreadable import reading

FORMAT = 1

_ENDLESS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
_PACKAGES = ("osmofuse", "numpy", "scipy", "numba", "pyvips", "pyvips-binary", "tifffile")


def versions() -> dict[str, str]:
    """Return the versions of osmofuse, Python and packages that made the pixels, and the machine.

    Kernels are compiled for a machine's processor, so another one may round otherwise; see
    `osmofuse.kernels.code_in_use`.
    """
    from osmofuse.kernels import code_in_use

    packages = {name: version(name) for name in _PACKAGES}
    system = {"machine": _machine(), "kernels": code_in_use()}
    return {"python": platform.python_version(), **packages, **system}


def _machine() -> str:
    """Return the system and the processor in words."""
    name = platform.processor()
    with suppress(OSError, StopIteration):  # only Linux has this file, and it says more
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        name = next(line for line in lines if line.startswith("model name")).partition(":")[2]
    return " ".join(f"{platform.system()} {platform.machine()} {name}".split())


@dataclass(frozen=True)
class Input:
    """A file that went into a picture.

    Parameters
    ----------
    role : str
        "foreground", "background" or "alpha".
    path : str
        Where it was, relative to the record's folder, with "/" between folders.
    sha256 : str
        Of the bytes of the file.
    page : int or None
        Page that was read, from 1; None for what is no picture.
    levels : str or None
        How its range was adjusted, where it can be: "as-is", "percentiles" or "match".
    notes : tuple of str
        What was noticed or done when it was read, in words.
    """

    role: str
    path: str
    sha256: str
    levels: str | None = None
    notes: tuple[str, ...] = ()
    page: int | None = None


@dataclass(frozen=True)
class Record:
    """Record of how a picture was made.

    Parameters
    ----------
    job : str
        The kind of job, which is the name of its command: "fuse", "align", "compare" and so on.
    inputs : tuple of Input
        The files.
    alpha : mapping
        ``value``: a number, "auto" where the map was made from the pictures (``made`` says how
        in words), or None where an input is the map; ``soften``: the blur in pixels.
    transform : mapping or None
        How the background was registered to the foreground; None: they fitted as they were.
    method : mapping
        ``name`` and ``settings``, all of them; of what is no fusion, the kind of job.
    working_space : str
        "encoded" or "linear".
    tiling : mapping or None
        How the picture was cut; None: it was not.
    plan : mapping or None
        The steps that lead there again, for methods that have a plan.
    result : mapping
        ``status``, ``energy`` (one number a channel, or None), ``reach``, ``seconds``,
        ``clipped`` samples and ``peak_bytes`` of the process; of several fusions, ``results``
        tells of each.
    output : mapping
        ``sha256_of_pixels``, see `sha256_of_pixels`; of several pictures, ``pictures`` has that of
        each by name, and ``sha256_of_pixels`` is the hash of them all.
    versions : mapping
        Of osmofuse and what it computes with; ``machine`` is that on which it did, ``kernels``
        the processor that kernels were compiled for.
    ranking : tuple of mapping
        What each judge answered who compared results blindly; empty, and not written: nobody did.
    recipe : mapping or None
        ``name`` and ``sha256`` of the recipe that gave what was not asked for otherwise; all that
        it gave is in the other parts. None, and not written: there was none.
    """

    job: str
    inputs: tuple[Input, ...]
    alpha: Mapping[str, Any]
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
        """Return the record as JSON knows things: no infinities, no tuples."""
        inputs = [_without_empty(vars(one)) for one in self.inputs]
        parts = {name: getattr(self, name) for name in _ORDER} | {"inputs": inputs}
        parts |= {name: getattr(self, name) for name in _ONLY_IF_ANY if getattr(self, name)}
        told: dict[str, Any] = plain({"format": FORMAT, **parts})
        return told


_ORDER = (
    "job", "inputs", "alpha", "transform", "method", "working_space", "tiling", "plan",
    "result", "output", "versions",
)  # fmt: skip
_ONLY_IF_ANY = ("ranking", "recipe")


def record_path(output: str | os.PathLike[str]) -> Path:
    """Return where the record of an output lies: beside it."""
    output = Path(output)
    return output.with_name(output.name + ".json")


def output_path(record: str | os.PathLike[str]) -> Path:
    """Return where the output of a record lies: beside it, see `record_path`."""
    return Path(record).with_suffix("")


def write_record(record: Record, path: str | os.PathLike[str]) -> Path:
    """Write a record so that the file is either whole or absent; an old one is replaced.

    Raises
    ------
    OutputError
        It cannot be written.
    """
    path = Path(path)
    with Staging([path]) as staging:
        stage_record(record, path)
        staging.commit()
    return path


def stage_record(record: Record, path: Path) -> None:
    """Write a record under the partial name of the file that it is to become."""
    text = json.dumps(record.as_json(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    with naming(path):
        # A byte of a file's name that is no UTF-8 stands as an escape, which JSON reads back.
        Staging.partial(path).write_bytes(text.encode("utf-8", "backslashreplace"))


def read_record(path: str | os.PathLike[str]) -> Record:
    """Read a record.

    Raises
    ------
    UnreadableError
        The file is missing, damaged, no record, or of a format that came later; the message
        names the field.
    """
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
    """Return the message for a file that is no record; of a picture, where its record is."""
    try:
        kind = sniff(path).name.upper()
    except UnreadableError:
        return f"{path}: a damaged record, or none ({error})"
    beside = record_path(path)
    if beside.exists():
        return f"{path}: a {kind} picture, not a record; its record is {beside}"
    return f"{path}: a {kind} picture, not a record, and no record {beside.name} lies beside it"


def sha256_of_file(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file's bytes.

    Raises
    ------
    UnreadableError
        It cannot be read.
    """
    with reading(path), Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256_of_pixels(pixels: Array) -> str:
    """Return the SHA-256 of pixels: row by row, bands together, samples little-endian.

    Of an output, before its format encodes it: JPEG changes pixels.
    """
    plain = np.ascontiguousarray(pixels, dtype=pixels.dtype.newbyteorder("<"))
    return hashlib.sha256(plain.data if plain.size else b"").hexdigest()


def _record_of(parts: dict[str, Any]) -> Record:
    """Return the record of parts that have been checked."""
    # Only numbers are written as words; a path may well be called "inf".
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
    """Return a value as JSON has it."""
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(part) for part in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return next(word for word, number in _ENDLESS.items() if repr(number) == repr(value))
    return value


def _numbers(value: Any) -> Any:
    """Return a value of JSON with the numbers that it has as words."""
    if isinstance(value, dict):
        return {name: _numbers(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_numbers(part) for part in value]
    return _ENDLESS.get(value, value) if isinstance(value, str) else value
