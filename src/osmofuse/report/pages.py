"""Pages of a fusion and of several results of one pair."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from osmofuse.errors import InputError
from osmofuse.io import Staging, reduced
from osmofuse.methods import Fusion
from osmofuse.metrics.score import Score
from osmofuse.picture import Picture
from osmofuse.record import Record
from osmofuse.report.canvas import brightest
from osmofuse.report.curve import energy_curve
from osmofuse.report.document import MANIFEST, Document, iiif_manifest, write_document
from osmofuse.report.facts import UNKNOWN, Provenance, ended_words, facts_of, results_table
from osmofuse.report.layers import (
    ENTERS,
    LONGEST_MAP,
    PAGE_SIDE,
    Layer,
    Map,
    change_maps,
    layers_of,
    maps_as_layers,
    tint_uri,
)
from osmofuse.report.ranking import MOST_RANKED
from osmofuse.report.sections import blind_section, contact_section, maps_section, numbers_section
from osmofuse.typing import ArrayLike

if TYPE_CHECKING:
    from osmofuse.tasks import Comparison

_COMPARED = "Each map compares the fused picture with the foreground, in 8 bits of sRGB."


def write_report(
    folder: str | PathLike[str],
    *,
    pictures: Mapping[str, ArrayLike | Picture],
    fusion: Fusion | None = None,
    scores: Mapping[str, Score] | None = None,
    maps: Mapping[str, Map] | None = None,
    results: Mapping[str, ArrayLike | Picture] | None = None,
    iiif: str | None = None,
    provenance: Provenance = UNKNOWN,
    overwrite: bool = False,
    staging: Staging | None = None,
) -> Path:
    """Write the report of a fusion: a page, its pictures and its curve as files.

    The page is one file that opens from the disk and makes no network requests. It shows
    pictures in 8 bits of sRGB, at most 4096 pixels on the longer side, and notes where it has
    reduced them; the files next to it have the full size.

    Parameters
    ----------
    folder : path
        Created if missing: ``index.html``, ``pictures/*.png``, optionally ``energy.svg`` and
        ``manifest.json``.
    pictures : mapping of str to array or Picture
        Of one size, by role: "fused" (if not given, the fusion's), "foreground", "background",
        "alpha", "structure", "truth"; others under names of their own.
    fusion : Fusion, optional
        Its history becomes the energy curve.
    scores : mapping of str to Score, optional
        As `osmofuse.score` returns them.
    maps : mapping of str to (array, str, float), optional
        Maps in addition to those of `change_maps`: values, a description, and the value of the last
        colour.
    results : mapping of str to array or Picture, optional
        At least two, to be ranked blindly: the page compares them in pairs and shows their names
        when all are done.
    iiif : str, optional
        Also write a IIIF manifest, for the folder at this address.
    provenance : Provenance
        Origin of the picture. The title is by default the names of the two inputs.
    overwrite : bool
        Replace an existing report.
    staging : Staging, optional
        Files together with which these get their names, once it is committed.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    LimitError
        There are too many results to rank.
    OutputError
        The report exists already or cannot be written; then no file is.
    """
    shown = dict(pictures)
    if "fused" not in shown:
        if fusion is None:
            raise InputError("pictures: give the fused one, or the fusion")
        shown["fused"] = fusion.image
    layers = layers_of(shown)
    if "foreground" in layers:
        made = change_maps(layers["fused"].levels, layers["foreground"].levels)
        maps = {**made, **(maps or {})}
    coloured = maps_as_layers(maps or {})
    record = provenance.record
    title = provenance.title or _title(record)
    curve = energy_curve(fusion.history) if fusion is not None else None
    texts = {} if curve is None else {"energy.svg": curve}
    if iiif is not None:
        texts[MANIFEST] = _manifest(layers, title, record, iiif)
    tint = tint_uri(shown["alpha"]) if "alpha" in shown else None
    document = Document(
        title=title,
        lede=_lede(record, fusion),
        layers=layers,
        first=("foreground" if "foreground" in layers else "fused", "fused"),
        sections=[
            maps_section(coloured, _COMPARED),
            numbers_section(scores or {}, curve),
            blind_section(results or {}, record),
        ],
        maps=coloured,
        tint=None if tint is None else (tint, ENTERS),
        provenance=provenance,
        promise="This command makes the same pixels and checks them.",
        texts=texts,
    )
    return write_document(folder, document, overwrite=overwrite, staging=staging)


def _title(record: Record | None) -> str:
    inputs = () if record is None else record.inputs
    fused = [one for one in inputs if one.role.startswith(("foreground", "background"))]
    names = [Path(one.path).name for one in fused]
    return " and ".join(names) + ", fused" if names else "A fused picture"


def _lede(record: Record | None, fusion: Fusion | None) -> list[str]:
    parts = [] if record is None else [f"Method: {record.method['name']}"]
    if fusion is not None:
        parts.append(f"{ended_words(fusion.status)} after {fusion.seconds:.2f} s")
    return parts


def _manifest(layers: Mapping[str, Layer], title: str, record: Record | None, base: str) -> str:
    named = [(layer.title, f"pictures/{layer.name}.png") for layer in layers.values()]
    manifest = iiif_manifest(
        named,
        base=base,
        size=next(iter(layers.values())).size,
        title=title,
        facts=facts_of(record) if record else None,
    )
    return json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"


_BUDGET = 100e6  # pixels that a page holds, so that browsers stay fluid
_RESULTS_COMPARED = (
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

    The viewer of the page shows any two pictures; a contact sheet offers the results; maps
    show what each changed, all in one scale of colours; a table has their scores; and up to
    eight results can be ranked blindly.

    Parameters
    ----------
    pictures : mapping of str to array or Picture
        The pair and what belongs to it, by role, as for `write_report`.
    results : mapping of str to array or Picture
        Results by name, of the same size.
    comparisons : sequence of Comparison, optional
        Scores, times and endings, by the same names; also of those that made no picture.
    folder, provenance, overwrite, staging
        As for `write_report`.

    Returns
    -------
    Path
        The page.
    """
    if not results:
        raise InputError("results: none; there is nothing to report")
    if taken := [name for name in results if name in pictures]:
        raise InputError(f"results: {taken[0]!r} is the name of a picture, too")
    layers = layers_of({**pictures, **results})
    made = {name: layers[name] for name in results}
    ranked = list(results) if 2 <= len(results) <= MOST_RANKED else []
    first, maps = _first(layers, made), _maps(layers, made)
    tint = tint_uri(pictures["alpha"]) if "alpha" in pictures else None
    document = Document(
        title=provenance.title or "Results compared",
        lede=[f"{len(results)} result{'s' * (len(results) != 1)}"],
        layers=layers,
        first=first,
        sections=[
            contact_section("All results", made, layers[first[0]].name, _times(comparisons)),
            _scores_section(comparisons),
            maps_section(maps, _RESULTS_COMPARED),
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
    """Return the two layers shown at first: foreground and first result."""
    names = list(made)
    return ("foreground", names[0]) if "foreground" in layers else (names[0], names[-1])


def _longest(layers: Mapping[str, Layer]) -> int:
    """Return the longer side at which all pictures fit the budget of a browser."""
    rows, cols = next(iter(layers.values())).size
    scale = math.sqrt(_BUDGET / (len(layers) * rows * cols))
    return min(PAGE_SIDE, math.ceil(scale * max(rows, cols)))


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


def _times(comparisons: Sequence[Comparison]) -> dict[str, str]:
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
        f"<p>Up to {MOST_RANKED} results can be ranked here, in pairs and without their names; "
        f"this report has {len(results)}. Make a report of the best ones.</p></section>"
    )


# Bytes a sample and bytes a pixel while pictures are scored and drawn, twice that in double
# precision; bytes a sample more for linear light; seconds a million samples.
_SAMPLE_BYTES, _PIXEL_BYTES, _LINEAR_BYTES, _PAGE_SECONDS = 50, 70, 24, 1.0


def page_cost(
    pixels: int, samples: int, *, wide: bool = False, linear: bool = False
) -> tuple[float, float]:
    """Return bytes (in addition to the pictures) and seconds to write a page.

    `wide` is for a picture in double precision, `linear` for one fused in linear light.
    """
    drawing = (2 if wide else 1) * (_SAMPLE_BYTES * samples + _PIXEL_BYTES * pixels)
    return drawing + linear * _LINEAR_BYTES * samples, _PAGE_SECONDS * samples / 1e6
