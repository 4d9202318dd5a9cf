"""Documents with one field made wrong: by each of some nasty values, or by its absence."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Iterator
from typing import Any

# What stands in JSON in the place of a field; texts that are no JSON values are raw.
NASTY = [
    "null", "true", "false", "0", "-1", "1", "2", "1.0", "1e300", "-1e300", "1e999", "NaN",
    "Infinity", "1000000000", '""', '"1"', '"inf"', '"nan"', '"auto"', '"a\\u0000b"',
    '"\\ud800"', '"../../../../etc/passwd"', '"/dev/zero"', "[]", "[[]]", "[1, [2]]", "{}",
    '{"a": {"a": {}}}', "7" * 5000, "-" + "7" * 400, "[" * 5000 + "]" * 5000,
    '"' + "x" * 20_000 + '"', "[" + ",".join(["1"] * 1000) + "]",
]  # fmt: skip
_HERE = "what-is-here-is-replaced"


def places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the paths to all fields below a tree; of long lists, to the first and last entry."""
    if isinstance(tree, dict):
        keys = list(tree)
    elif isinstance(tree, list):
        keys = sorted({0, len(tree) - 1}) if tree else []
    else:
        return
    for key in keys:
        yield (*path, key)
        yield from places(tree[key], (*path, key))


def without(tree: Any, path: tuple[Any, ...]) -> Any:
    """Return a copy of a tree that lacks a field."""
    return _changed(tree, path, lambda inner, key: inner.pop(key))


def damaged_json(tree: Any) -> Iterator[tuple[str, str]]:
    """Yield what was done and the text, for each field and nasty value, and each absence."""
    for path in places(tree):
        name = ".".join(map(str, path))
        yield f"{name} absent", json.dumps(without(tree, path))
        marked = json.dumps(_changed(tree, path, lambda inner, key: _set(inner, key, _HERE)))
        for value in NASTY:
            yield f"{name} = {value[:30]}", marked.replace(f'"{_HERE}"', value)


def _changed(tree: Any, path: tuple[Any, ...], change: Any) -> Any:
    changed = copy.deepcopy(tree)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    change(inner, path[-1])
    return changed


def _set(inner: Any, key: Any, value: Any) -> None:
    inner[key] = value


def numbers() -> list[object]:
    """Return numbers that no setting takes."""
    return [math.nan, -math.inf, 1e300, -1e300, 10**400, -(10**400)]
