"""One HTML file with everything in it, that asks the network for nothing, and files beside it."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from html import escape
from importlib.resources import files
from os import PathLike
from pathlib import Path
from string import Template

from osmofuse.io import Staging, check_target, encode
from osmofuse.io.staging import made_folder, naming
from osmofuse.picture import Picture
from osmofuse.record import Record
from osmofuse.report.layers import LONGEST, Layer
from osmofuse.report.manifest import check_address
from osmofuse.report.sections import figures, how_section

__all__ = ["Document", "check_report", "write_document"]

_PAGE = "index.html"
_SCRIPTS = ("views.js", "judge.js", "start.js")  # one after the other; the last one begins


@dataclass(frozen=True, eq=False)
class Document:
    """What a page shows.

    Parameters
    ----------
    title : str
        Of the page.
    lede : sequence of str
        What is told at once, beside it.
    layers : mapping of str to Layer
        Pictures of one size, by role; any two can lie on the stage.
    first : tuple of str
        Roles of the two that lie there at first.
    sections : sequence of str
        HTML that follows below the stage.
    maps : mapping of str to Layer
        Those that are shown in the sections; the stage has them, too.
    tint : tuple of str and str, optional
        The address of a tint, and where it lies in words.
    longest : int
        Pixels of the longer side of a picture in the page.
    size : tuple of int, optional
        Rows and columns, where the layers are reduced copies.
    ranks : sequence of str
        Roles of the layers that a judge compares, in the order of the ranking.
    record : Record, optional
        How it was made.
    command, promise : str
        What does it again, and what that will give, in words.
    texts : mapping of str to str
        Further files, by name.
    """

    title: str
    lede: Sequence[str]
    layers: Mapping[str, Layer]
    first: tuple[str, str]
    sections: Sequence[str] = ()
    maps: Mapping[str, Layer] = field(default_factory=dict)
    tint: tuple[str, str] | None = None
    longest: int = LONGEST
    size: tuple[int, int] | None = None
    ranks: Sequence[str] = ()
    record: Record | None = None
    command: str = ""
    promise: str = "This command does the same once more."
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def pictures(self) -> dict[str, Layer]:
        """The picture files, by name."""
        return {
            f"pictures/{layer.name}.png": layer
            for layer in (*self.layers.values(), *self.maps.values())
        }


def write_document(
    folder: str | PathLike[str],
    document: Document,
    *,
    inputs: Sequence[str | PathLike[str]] = (),
    overwrite: bool = False,
) -> Path:
    """Write a page and its files, all or none; the page comes last.

    Parameters
    ----------
    folder : path
        Made if it is not there.
    document : Document
        What it shows.
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
    OutputError
        The report is there already, or cannot be written. Then nothing is.
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
        "how": how_section(document.record, document.command, document.promise, pictures),
    }
    texts = {**document.texts, _PAGE: _assembled(content)}
    _write(folder, pictures, texts, inputs=inputs, overwrite=overwrite)
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
    check_target(Path(folder) / _PAGE, overwrite=overwrite, folders=True)


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


def _write(
    folder: Path,
    pictures: Mapping[str, Layer],
    texts: Mapping[str, str],
    *,
    inputs: Sequence[str | PathLike[str]],
    overwrite: bool,
) -> None:
    for name in (*texts, *pictures):
        check_target(folder / name, overwrite=overwrite, inputs=inputs, folders=True)
    names = [folder / name for name in (*pictures, *texts)]
    with made_folder(folder / "pictures"), Staging(names) as staging:
        for name, layer in pictures.items():
            encode(Picture(layer.levels), folder / name)
        for name, text in texts.items():
            with naming(folder / name):
                staging.partial(folder / name).write_text(text, encoding="utf-8", newline="\n")
        staging.commit()
