"""Untrusted text files: records, recipes, control points, rankings.

They are read from regular files only, up to a size, and parsed up to a depth; callers check the
content.
"""

from __future__ import annotations

import json
import math
import os
import stat
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from osmofuse.errors import UnreadableError, reading

# Bounds, far above what records and recipes need; anything from a tenth of them works.
MOST_DOCUMENT_BYTES = 16_000_000
DEEPEST = 64  # levels of lists and objects; the parser's recursion ends near 1000
MOST_VALUES = 1_000_000  # in a document
MOST_DOTS = 1000  # in a line of TOML: the parser's time grows with their square
MOST_BITS = 1000  # of an integer: below 1024, so that a float can hold it

# Names of kinds of files that are refused, for messages.
_FILE_KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def read_document(path: str | os.PathLike[str], *, most: int = MOST_DOCUMENT_BYTES) -> bytes:
    """Return the bytes of a regular file of at most `most` bytes.

    Pipes, sockets and devices are refused without waiting for them.
    """
    path = Path(path)
    with reading(path):
        _check_regular(path, os.stat(path).st_mode)
        # It may have been replaced meanwhile: opening a pipe must not wait for a writer.
        with open(path, "rb", opener=_open_at_once) as file:
            _check_regular(path, os.fstat(file.fileno()).st_mode)
            content = file.read(most + 1)
    if len(content) > most:
        raise UnreadableError(f"{path}: larger than {most:,} bytes, too large for such a file")
    return content


def text_of(content: bytes) -> str:
    """Decode a document as UTF-8, with or without a byte order mark; else raise a ValueError."""
    return content.decode("utf-8-sig")


def json_of(text: str) -> Any:
    """Parse a JSON document.

    A ValueError is raised if it is invalid, nested too deep, has too many values or a name twice,
    or has a number or text that cannot be written again.
    """
    if text.count(",") > MOST_VALUES:
        raise ValueError(f"more than {MOST_VALUES:,} values")
    try:
        found = json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_float,
            parse_constant=_constant,
        )
    except RecursionError as error:
        raise ValueError(f"nested deeper than {DEEPEST} levels") from error
    _check_values(found)
    return found


def toml_of(text: str) -> dict[str, Any]:
    """Parse a TOML document; raise a ValueError as `json_of` does."""
    if any(line.count(".") > MOST_DOTS for line in text.splitlines()):
        raise ValueError(f"a line of more than {MOST_DOTS} parts")
    try:
        found = tomllib.loads(text, parse_float=_float)
    except RecursionError as error:
        raise ValueError(f"nested deeper than {DEEPEST} levels") from error
    _check_values(found)
    return found


def is_format(value: object, known: int) -> bool:
    """Return True if a value is the known format number, as an int: neither True nor 1.0 is 1.

    Examples
    --------
    >>> is_format(1, 1), is_format(True, 1), is_format(1.0, 1)
    (True, False, False)
    """
    return type(value) is int and value == known


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))


def _check_regular(path: Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        kind = _FILE_KINDS.get(stat.S_IFMT(mode), "something else")
        raise UnreadableError(f"{path}: {kind}, not a file")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"{name[:100]!r} appears twice")
        found[name] = value
    return found


def _integer(digits: str) -> int:
    if len(digits) * math.log2(10) > MOST_BITS + 4:
        raise ValueError(f"an integer of {len(digits)} digits")
    return int(digits)


def _float(digits: str) -> float:
    value = float(digits)
    if math.isinf(value) and "inf" not in digits:
        raise ValueError(f"{digits[:100]} is beyond the largest number")
    return value


def _constant(word: str) -> float:
    raise ValueError(f"{word} is not a JSON number")


def _check_values(found: Any) -> None:
    """Check that values are not nested too deep, and can be written again."""
    level: list[Any] = [found]
    for _ in range(DEEPEST + 1):
        for value in level:
            _check_value(value)
        nested = [value for value in level if isinstance(value, dict | list)]
        level = [part for value in nested for part in _parts(value)]
    if nested:
        raise ValueError(f"nested deeper than {DEEPEST} levels")


def _parts(value: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return [*value.keys(), *value.values()] if isinstance(value, dict) else value


def _check_value(value: Any) -> None:
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise ValueError(f"an integer of {value.bit_length()} bits")
    if isinstance(value, str) and not value.isascii():
        # Escapes of undecodable bytes in file names are allowed; any other lone surrogate raises
        # a ValueError.
        value.encode("utf-8", "surrogateescape")
