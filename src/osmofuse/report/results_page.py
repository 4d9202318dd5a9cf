"""The page of several results of one pair: methods that were compared, or settings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from osmofuse.errors import InputError
from osmofuse.io import Staging, reduced
from osmofuse.picture import Picture
from osmofuse.record import Record
from osmofuse.report.colours import brightest
from osmofuse.report.document import Document, write_document
from osmofuse.report.facts import results_table
from osmofuse.report.layers import (
    ENTERS,
    LONGEST,
    LONGEST_MAP,
    Layer,
    layers_of,
    maps_as_layers,
    tint_uri,
)
from osmofuse.report.maps import Map, change_maps
from osmofuse.report.provenance import UNKNOWN, Provenance
from osmofuse.report.ranking import MOST
from osmofuse.report.sections import blind_section, contact_section, maps_section
from osmofuse.typing import ArrayLike

if TYPE_CHECKING:
    from osmofuse.tasks import Comparison

__all__ = ["write_results"]

_BUDGET = 100e6  # pixels that a page holds, so that browsers stay fluid
_COMPARED = (
    "Each map compares a result with the foreground, in 8 bits of sRGB; all have one scale of "
    "colours."
)


def write_results(
    folder: str | PathLike[str],
    *,
    pictures: Mapping[str, ArrayLike | Picture],
    results: Mapping[str, ArrayLike | Picture],
    comparisons: Sequence[Comparison] = (),
    provenance: Provenance = UNKNOWN,
    overwrite: bool = False,
    staging: Staging | None = None,
) -> Path:
    """Write the report of several results of one pair: a page, and its pictures as files.

    Any two pictures lie on the stage of the page; a contact sheet offers the results; maps
    show what each changed, all in one scale of colours; a table has their scores; and up to
    eight results can be ranked blindly.

    Parameters
    ----------
    folder : path
        As for `write_report`.
    pictures : mapping of str to array or Picture
        The pair and what belongs to it, by role, as for `write_report`.
    results : mapping of str to array or Picture
        What was made of it, by name; of the same size.
    comparisons : sequence of Comparison, optional
        Scores, times and endings, by the same names; also of those that made no picture.
    provenance, overwrite, staging
        As for `write_report`.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    InputError, MismatchError, UnreadableError
        A picture cannot be shown, or they have different sizes.
    OutputError
        The report is there already, or cannot be written. Then nothing is.
    """
    if not results:
        raise InputError("results: none; there is nothing to report")
    if taken := [name for name in results if name in pictures]:
        raise InputError(f"results: {taken[0]!r} is the name of a picture, too")
    layers = layers_of({**pictures, **results})
    made = {name: layers[name] for name in results}
    ranked = list(results) if 2 <= len(results) <= MOST else []
    first, maps = _first(layers, made), _maps(layers, made)
    tint = tint_uri(pictures["alpha"]) if "alpha" in pictures else None
    document = Document(
        title=provenance.title or "Results compared",
        lede=[f"{len(results)} result{'s' * (len(results) != 1)}"],
        layers=layers,
        first=first,
        sections=[
            contact_section("All results", made, layers[first[0]].name, _seconds(comparisons)),
            _scores_section(comparisons),
            maps_section(maps, _COMPARED),
            _ranking_section(results, provenance.record, ranked),
        ],
        maps=maps,
        tint=None if tint is None else (tint, ENTERS),
        longest=_longest(layers),
        ranks=ranked,
        provenance=provenance,
    )
    return write_document(folder, document, overwrite=overwrite, staging=staging)


def _first(layers: Mapping[str, Layer], made: Mapping[str, Layer]) -> tuple[str, str]:
    """Return what lies on the stage at first: the first result beside the foreground."""
    names = list(made)
    return ("foreground", names[0]) if "foreground" in layers else (names[0], names[-1])


def _longest(layers: Mapping[str, Layer]) -> int:
    """Return the size at which all pictures together are not too much for a browser."""
    rows, cols = next(iter(layers.values())).size
    scale = math.sqrt(_BUDGET / (len(layers) * rows * cols))
    return min(LONGEST, math.ceil(scale * max(rows, cols)))


def _maps(layers: Mapping[str, Layer], made: Mapping[str, Layer]) -> dict[str, Layer]:
    """Return the first map of each result, made on copies of the size that the page shows."""
    if "foreground" not in layers:
        return {}
    foreground = reduced(layers["foreground"].levels, LONGEST_MAP)
    found: dict[str, Map] = {}
    for name, layer in made.items():
        kind, part = next(iter(change_maps(reduced(layer.levels, LONGEST_MAP), foreground).items()))
        found[f"{name}: {kind[:1].lower() + kind[1:]}"] = part
    highest = brightest([values for values, _, _ in found.values()])
    alike = {name: (values, label, highest) for name, (values, label, _) in found.items()}
    beside = dict(zip(alike, (layer.name for layer in made.values()), strict=True))
    return maps_as_layers(alike, beside)


def _seconds(comparisons: Sequence[Comparison]) -> dict[str, str]:
    found = [(c.name, c.fusion) for c in comparisons]
    return {name: f"{fusion.seconds:.2f} s" for name, fusion in found if fusion is not None}


def _scores_section(comparisons: Sequence[Comparison]) -> str:
    if not comparisons:
        return ""
    return (
        '<section aria-labelledby="scores"><h2 id="scores">Scores</h2>'
        f"{results_table(comparisons)}</section>"
    )


def _ranking_section(
    results: Mapping[str, ArrayLike | Picture], record: Record | None, ranked: Sequence[str]
) -> str:
    if ranked:
        return blind_section(results, record, shown=True)
    if len(results) < 2:
        return ""
    return (
        '<section aria-labelledby="blind" class="blind"><h2 id="blind">Which is better?</h2>'
        f"<p>Up to {MOST} results can be ranked here, in pairs and without their names; these are "
        f"{len(results)}. Make a report of the best ones.</p></section>"
    )
