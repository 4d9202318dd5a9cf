"""The page of a fusion."""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike
from pathlib import Path

from osmofuse.errors import InputError
from osmofuse.io import Staging
from osmofuse.methods import Fusion
from osmofuse.metrics.score import Score
from osmofuse.picture import Picture
from osmofuse.record import Record
from osmofuse.report.curve import energy_curve
from osmofuse.report.document import MANIFEST, Document, write_document
from osmofuse.report.facts import ended_words, facts_of
from osmofuse.report.layers import ENTERS, Layer, layers_of, maps_as_layers, tint_uri
from osmofuse.report.manifest import iiif_manifest
from osmofuse.report.maps import Map, change_maps
from osmofuse.report.provenance import UNKNOWN, Provenance
from osmofuse.report.sections import blind_section, maps_section, numbers_section
from osmofuse.typing import ArrayLike

__all__ = ["write_report"]

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

    The page is one file that opens from the disk and asks the network for nothing. It shows
    pictures in 8 bits of sRGB, at most 4096 pixels on the longer side, and says where it has
    reduced them; the files beside it have the full size.

    Parameters
    ----------
    folder : path
        Made if it is not there: ``index.html``, ``pictures/*.png``, perhaps ``energy.svg`` and
        ``manifest.json``.
    pictures : mapping of str to array or Picture
        Of one size, by role: "fused" (if not given, the fusion's), "foreground", "background",
        "alpha", "structure", "truth"; others under names of their own.
    fusion : Fusion, optional
        Its history becomes the energy curve.
    scores : mapping of str to Score, optional
        As `osmofuse.score` returns them.
    maps : mapping of str to (array, str, float), optional
        Maps beside those of `change_maps`: values, what they are in words, and the value of the
        last colour.
    results : mapping of str to array or Picture, optional
        At least two, to be ranked blindly: the page compares them in pairs and tells their names
        when all are done.
    iiif : str, optional
        Also write a IIIF manifest, for the folder at this address.
    provenance : Provenance
        How the picture was made. The title is by default the names of the two inputs.
    overwrite : bool
        Replace a report that is there.
    staging : Staging, optional
        Files together with which these get their names, once it is committed.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    InputError, MismatchError, UnreadableError
        A picture cannot be shown, or they have different sizes.
    SettingError
        `iiif` is no address.
    LimitError
        There are too many results to rank.
    OutputError
        The report is there already, or cannot be written. Then nothing is.
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
        promise="This command makes the same pixels, and says whether it did.",
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
