"""Self-contained HTML page without network requests, its files, and the IIIF manifest."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from hashlib import sha256
from html import escape
from importlib.resources import files
from os import PathLike
from pathlib import Path
from string import Template
from typing import Any

from osmofuse.errors import SettingError, naming
from osmofuse.io import Staging, check_distinct, check_target, encode
from osmofuse.io.staging import made_folder
from osmofuse.picture import Picture
from osmofuse.report.facts import UNKNOWN, Provenance
from osmofuse.report.layers import PAGE_SIDE, Layer, file_names
from osmofuse.report.sections import figures, how_section

MANIFEST = "manifest.json"
_INDEX, _PICTURES = "index.html", "pictures"  # in the folder of a report
_SCRIPTS = ("views.js", "judge.js", "start.js")  # one after the other; the last one begins


@dataclass(frozen=True, eq=False)
class Document:
    """Contents of a page."""

    title: str
    lede: Sequence[str]  # short facts next to the title
    layers: Mapping[str, Layer]  # pictures of one size, by role; the viewer shows any two
    first: tuple[str, str]  # roles of the two shown first
    sections: Sequence[str] = ()  # HTML below the viewer
    maps: Mapping[str, Layer] = field(default_factory=dict)  # shown in sections and viewer
    tint: tuple[str, str] | None = None  # URI of a tint, and the meaning of the tinted area
    longest: int = PAGE_SIDE  # pixels of the longer side of a picture in the page
    size: tuple[int, int] | None = None  # rows and columns, where layers are reduced copies
    ranks: Sequence[str] = ()  # roles of the layers that a judge compares, in their order
    provenance: Provenance = UNKNOWN
    promise: str = "This command does the same once more."  # result of the command
    texts: Mapping[str, str] = field(default_factory=dict)  # further files, by name

    @property
    def pictures(self) -> dict[str, Layer]:
        """Picture files, by name."""
        return {
            _picture(layer.name): layer for layer in (*self.layers.values(), *self.maps.values())
        }


def write_document(
    folder: str | PathLike[str],
    document: Document,
    *,
    overwrite: bool = False,
    staging: Staging | None = None,
) -> Path:
    """Write a page and its files, all or none, the page last; return the path of the page.

    `staging` has other files that are renamed together with these, in a folder made by
    `made_folder`.
    """
    folder, pictures = Path(folder), document.pictures
    first, second = (document.layers[role].name for role in document.first)
    tint, tint_words = document.tint or (None, "")
    content = {
        "title": escape(document.title),
        "lede": escape(" · ".join(_lede(document))),
        "left": first,
        "right": second,
        "tinted": escape(tint_words),
        "figures": figures(document.layers, tint, document.longest, document.ranks),
        "sections": "\n".join(document.sections),
        "how": how_section(document.provenance, document.promise, pictures),
    }
    texts = {**document.texts, _INDEX: _assembled(content)}
    for name in (*texts, *pictures):
        check_target(
            folder / name, overwrite=overwrite, inputs=document.provenance.inputs, folders=True
        )
    if staging is not None:
        _stage(folder, pictures, texts, staging)
    else:
        with report_folder(folder), Staging([], overwrite=overwrite) as own:
            _stage(folder, pictures, texts, own)
            own.commit()
    return folder / _INDEX


def report_folder(folder: Path) -> AbstractContextManager[None]:
    """Make the folder of a report; see `osmofuse.io.staging.made_folder`."""
    return made_folder(folder / _PICTURES)


def check_report(
    folder: str | PathLike[str],
    *,
    iiif: str | None = None,
    overwrite: bool = False,
    pictures: Iterable[str] = (),
    inputs: Iterable[Path] = (),
    outputs: Iterable[Path] = (),
) -> None:
    """Check that a report can be written in a folder, before the work begins.

    Parameters
    ----------
    folder, iiif, overwrite
        As for `write_report`.
    pictures : iterable of str
        Names of the pictures that it will show, if they are known.
    inputs, outputs : iterable of Path
        Files that are never replaced, and those that are written together with the report.

    Raises
    ------
    OutputError
        The folder has a report already, is a file, or cannot be written; or a file of the report
        would replace another.
    """
    names = [_INDEX, *(_picture(name) for name in file_names(pictures))]
    if iiif is not None:
        check_address(iiif)
        names.append(MANIFEST)
    paths, others = [Path(folder) / name for name in names], [*inputs]
    for path in paths:
        check_target(path, overwrite=overwrite, inputs=others, folders=True)
    parts = [("part of the report", path) for path in paths]
    check_distinct([*(("an output", path) for path in outputs), *parts])


def _lede(document: Document) -> list[str]:
    stored = next(iter(document.layers.values())).size
    rows, cols = document.size or stored
    parts = [*document.lede, f"{cols} × {rows} pixels"]
    if (rows, cols) != stored:
        parts.append(f"shown here reduced to {stored[1]} × {stored[0]}")
    elif max(stored) > document.longest:
        parts.append(
            f"shown here at most {document.longest} pixels wide or high; the files have them all"
        )
    return parts


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


def _picture(name: str) -> str:
    return f"{_PICTURES}/{name}.png"


def _stage(
    folder: Path, pictures: Mapping[str, Layer], texts: Mapping[str, str], staging: Staging
) -> None:
    staging.add(folder / name for name in (*pictures, *texts))
    for name, layer in pictures.items():
        encode(Picture(layer.levels), folder / name)
    for name, text in texts.items():
        with naming(folder / name):
            staging.partial(folder / name).write_bytes(_legible(text))


def _legible(text: str) -> bytes:
    """Return a text in UTF-8, with replacement characters for undecodable bytes of file names."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace").encode()


_CONTEXT = "http://iiif.io/api/presentation/3/context.json"  # JSON-LD, required


def iiif_manifest(
    layers: Sequence[tuple[str, str]],
    *,
    base: str,
    size: tuple[int, int],
    title: str,
    facts: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return a IIIF manifest (Presentation API 3.0) of pictures of one size.

    It has one canvas, painted with a choice of pictures: viewers show the first and offer the
    others. `layers` are titles and paths of PNG files relative to `base`, the http or https
    address of the report's folder; `size` is rows and columns; `facts` are metadata for
    viewers.
    """
    check_address(base)
    base = base.rstrip("/")
    canvas, (height, width) = f"{base}/canvas/1", size
    pictures = [
        {
            "id": f"{base}/{path}",
            "type": "Image",
            "format": "image/png",
            "label": _text(label),
            "height": height,
            "width": width,
        }
        for label, path in layers
    ]
    painting = {
        "id": f"{canvas}/painting/1",
        "type": "Annotation",
        "motivation": "painting",
        "body": {"type": "Choice", "items": pictures},
        "target": canvas,
    }
    page = {"id": f"{canvas}/page/1", "type": "AnnotationPage", "items": [painting]}
    metadata = [{"label": _text(k), "value": _text(v)} for k, v in (facts or {}).items()]
    return {
        "@context": _CONTEXT,
        "id": f"{base}/manifest.json",
        "type": "Manifest",
        "label": _text(title),
        **({"metadata": metadata} if metadata else {}),
        "items": [
            {
                "id": canvas,
                "type": "Canvas",
                "label": _text(title),
                "height": height,
                "width": width,
                "items": [page],
            }
        ],
    }


def check_address(base: str) -> None:
    """Check for the http or https address of a folder, without query and fragment."""
    if not re.fullmatch(r"https?://[^\s?#/]+(/[^\s?#]*)?", base):
        raise SettingError(
            f"iiif: {base!r}; give the address at which the report's folder will be found, "
            "like https://museum.example/reports/42"
        )


def _text(words: str) -> dict[str, list[str]]:
    return {"en": [words]}
