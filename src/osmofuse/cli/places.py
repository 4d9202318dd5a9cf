"""Places of the pictures of a mosaic: text, or a file with a line for each picture."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from osmofuse.cli.types import Ctx, Param
from osmofuse.documents import read_document, text_of
from osmofuse.errors import InputError, UnreadableError

_MOST_BYTES = 1_000_000  # of a file of places, which has some 20 bytes for each picture
_NUMBERS = re.compile(
    r"(?:(?P<name>[^,;\t]*?)[\s,;]\s*)?(?P<x>[+-]?\d+)\s*[\s,;]\s*(?P<y>[+-]?\d+)"
)


class PlacesType(click.ParamType):  # type: ignore[type-arg]
    """Place X,Y of each picture's upper left pixel: pairs in one text, or lines of a file.

    A line of a file is X,Y, for the pictures in their order, or NAME,X,Y.
    """

    name = "x,y x,y…|file"

    def convert(self, value: Any, param: Param, ctx: Ctx) -> list[tuple[str | None, int, int]]:
        """Return name (None if there is none), column and row of each place."""
        text = str(value)
        if os.path.isfile(text):
            return self._of_file(Path(text), param, ctx)
        parts = [part for part in re.split(r"[\s;]+", text.strip()) if part]
        found = [re.fullmatch(r"([+-]?\d+),([+-]?\d+)", part) for part in parts]
        wrong = next((p for p, match in zip(parts, found, strict=True) if match is None), None)
        if wrong is not None or not parts:
            self.fail(
                f"{wrong if parts else text!r} is neither a file nor X,Y: column and row of the "
                "upper left pixel, whole numbers; give a pair for each picture: '0,0 480,0'.",
                param,
                ctx,
            )
        return [(None, int(match[1]), int(match[2])) for match in found if match is not None]

    def _of_file(self, path: Path, param: Param, ctx: Ctx) -> list[tuple[str | None, int, int]]:
        try:
            lines = text_of(read_document(path, most=_MOST_BYTES)).splitlines()
        except ValueError as error:
            raise UnreadableError(f"{path}: not text in UTF-8 ({error})") from error
        found: list[tuple[str | None, int, int]] = []
        for number, line in enumerate(lines, 1):
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            match = _NUMBERS.fullmatch(line.strip())
            if match is not None:
                found.append((match["name"] or None, int(match["x"]), int(match["y"])))
            elif found or any(letter.isdigit() for letter in line):
                raise UnreadableError(
                    f"{path}: line {number}: {line.strip()[:60]!r} is not X,Y or NAME,X,Y, whole "
                    "numbers of pixels"
                )  # a first line of words alone is a header
        if not found:
            self.fail(f"{path} has no places; write a line X,Y for each picture.", param, ctx)
        return found


def places_of(
    given: Sequence[tuple[str | None, int, int]], images: Sequence[Path]
) -> list[tuple[int, int]]:
    """Return the places (top, left) of pictures, by name if all have one, else in their order.

    Raises
    ------
    InputError
        A name occurs twice in the lines, or lines have names and two pictures have the same one.
    """
    if named := [name for name, _, _ in given if name is not None]:
        _check_distinct("lines", named)
        _check_distinct("pictures", [one.name for one in images])
    by_name = {name: (y, x) for name, x, y in given if name is not None}
    if len(by_name) < len(given) or not images:
        return [(y, x) for _, x, y in given]
    missing = next((one for one in images if one.name not in by_name), None)
    if missing is not None:
        raise click.UsageError(f"--places has no line for {missing.name}.")
    return [by_name[one.name] for one in images]


def _check_distinct(kind: str, names: Sequence[str]) -> None:
    """Check that no name occurs twice among the lines or the pictures."""
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise InputError(
            f"--places: there are several {kind} for {twice!r}; leave out the names, and write "
            "the places in the order of the pictures"
        )
