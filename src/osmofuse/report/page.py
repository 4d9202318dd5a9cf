"""The page of a job: one HTML file with everything in it, that asks the network for nothing."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files
from os import PathLike
from pathlib import Path
from string import Template

from osmofuse.errors import InputError
from osmofuse.io import Staging, check_target, encode
from osmofuse.io.staging import naming
from osmofuse.methods import Fusion
from osmofuse.metrics.score import Score
from osmofuse.picture import Picture
from osmofuse.record import Record
from osmofuse.report.curve import energy_curve
from osmofuse.report.facts import facts_of
from osmofuse.report.layers import Layer, layers_of, maps_as_layers, tint_uri
from osmofuse.report.manifest import check_address, iiif_manifest
from osmofuse.report.maps import Map, change_maps
from osmofuse.report.sections import (
    blind_section,
    figures,
    how_section,
    lede,
    maps_section,
    numbers_section,
)
from osmofuse.typing import ArrayLike

__all__ = ["check_report", "write_report"]

_PAGE = "index.html"
_SCRIPTS = ("views.js", "judge.js", "start.js")  # one after the other; the last one begins


def write_report(
    folder: str | PathLike[str],
    *,
    pictures: Mapping[str, ArrayLike | Picture],
    fusion: Fusion | None = None,
    scores: Mapping[str, Score] | None = None,
    record: Record | None = None,
    command: str = "",
    maps: Mapping[str, Map] | None = None,
    results: Mapping[str, ArrayLike | Picture] | None = None,
    title: str = "",
    iiif: str | None = None,
    inputs: Sequence[str | PathLike[str]] = (),
    overwrite: bool = False,
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
    record : Record, optional
        How the picture was made.
    command : str
        What repeats it.
    maps : mapping of str to (array, str, float), optional
        Maps beside those of `change_maps`: values, what they are in words, and the value of the
        last colour.
    results : mapping of str to array or Picture, optional
        At least two, to be ranked blindly: the page compares them in pairs and tells their names
        when all are done.
    title : str
        Of the page; by default the names of the two inputs.
    iiif : str, optional
        Also write a IIIF manifest, for the folder at this address.
    inputs : sequence of paths
        Files that are never replaced.
    overwrite : bool
        Replace a report that is there.

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
    folder = Path(folder)
    shown = dict(pictures)
    if "fused" not in shown:
        if fusion is None:
            raise InputError("pictures: give the fused one, or the fusion")
        shown["fused"] = fusion.image
    layers = layers_of(shown)
    if "foreground" in layers:
        made = change_maps(layers["fused"].levels, layers["foreground"].levels)
        maps = {**made, **(maps or {})}
    colours = maps_as_layers(maps or {})
    title = title or _title(record)
    curve = energy_curve(fusion.history) if fusion is not None else None
    texts = {} if curve is None else {"energy.svg": curve}
    paths = _picture_files([*layers.values(), *colours.values()])
    if iiif is not None:
        texts["manifest.json"] = _manifest(layers, title, record, iiif)
    content = {
        "title": escape(title),
        "lede": lede(layers["fused"].size, record, fusion),
        "figures": figures(layers, tint=tint_uri(shown["alpha"]) if "alpha" in shown else None),
        "maps": maps_section(colours),
        "numbers": numbers_section(scores or {}, curve),
        "blind": blind_section(results or {}, record),
        "how": how_section(record, command, paths),
    }
    texts[_PAGE] = _assembled(content)
    _write(folder, paths, texts, inputs=inputs, overwrite=overwrite)
    return folder / _PAGE


def check_report(
    folder: str | PathLike[str], *, iiif: str | None = None, overwrite: bool = False
) -> None:
    """Refuse a folder in which a report cannot or must not be written, before the work begins.

    Raises
    ------
    SettingError
        `iiif` is no address.
    OutputError
        It holds a report already, is a file, or its nearest folder is closed.
    """
    if iiif is not None:
        check_address(iiif)
    page = (Path(folder) / _PAGE).absolute()
    nearest = next(above for above in page.parents if above.exists())
    check_target(nearest / _PAGE, overwrite=overwrite or nearest != page.parent)


def _title(record: Record | None) -> str:
    names = [Path(one.path).name for one in record.inputs if one.role != "alpha"] if record else []
    return " and ".join(names) + ", fused" if names else "A fused picture"


def _picture_files(layers: Sequence[Layer]) -> dict[str, Layer]:
    return {f"pictures/{layer.name}.png": layer for layer in layers}


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


def _assembled(content: Mapping[str, str]) -> str:
    """Return the page: template, style and script in one, and a policy that allows just these."""
    style, script = _part("style.css"), "\n".join(map(_part, _SCRIPTS))
    policy = (
        "default-src 'none'; img-src data:; "
        f"style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    parts = {"policy": policy, "style": style, "script": script}
    return Template(_part("template.html")).substitute({**content, **parts})


def _part(name: str) -> str:
    return files("osmofuse.report").joinpath("page", name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _write(
    folder: Path,
    pictures: Mapping[str, Layer],
    texts: Mapping[str, str],
    *,
    inputs: Sequence[str | PathLike[str]],
    overwrite: bool,
) -> None:
    """Write all files, or none; the page comes last."""
    check_report(folder, overwrite=overwrite)
    with naming(folder):
        (folder / "pictures").mkdir(parents=True, exist_ok=True)
    for name in (*pictures, *texts):
        check_target(folder / name, overwrite=overwrite, inputs=inputs)
    with Staging([folder / name for name in (*pictures, *texts)]) as staging:
        for name, layer in pictures.items():
            encode(Picture(layer.levels), folder / name)
        for name, text in texts.items():
            with naming(folder / name):
                staging.partial(folder / name).write_text(text, encoding="utf-8", newline="\n")
        staging.commit()
