"""Sections of a report's page as HTML."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from osmofuse.errors import InputError
from osmofuse.metrics.score import Score
from osmofuse.picture import Picture
from osmofuse.record import Record
from osmofuse.report.canvas import Bar, colours
from osmofuse.report.facts import Provenance, definitions, facts_of, scores_table
from osmofuse.report.layers import PAGE_SIDE, Layer, data_uri, layers_of
from osmofuse.report.ranking import FORMAT, KIND, blind_pairs
from osmofuse.typing import ArrayLike

_STOPS = 16  # of a colour bar's gradient
_MANY = 4  # maps; more are shown smaller
_THUMB = 480  # pixels of the longer side of a picture on a contact sheet


def figures(
    layers: Mapping[str, Layer], tint: str | None, longest: int, ranks: Sequence[str]
) -> str:
    """Return the pictures, which the script shows in the viewer."""
    found = []
    for role, layer in layers.items():
        rank = f' data-rank="{ranks.index(role)}"' if role in ranks else ""
        found.append(_figure(layer, longest=longest, mark=rank))
    if tint is not None:
        found.append(f'<img id="tint" src="{tint}" alt="" hidden>')
    return "\n".join(found)


def _figure(layer: Layer, below: str = "", *, longest: int = PAGE_SIDE, mark: str = "") -> str:
    kind, image = "map" if layer.bar else "picture", _image(layer, longest, layer.title, mark)
    return (
        f'<figure class="layer" data-kind="{kind}" data-name="{layer.name}">{image}'
        f'<figcaption><span class="name">{escape(layer.title)}</span>{below}</figcaption></figure>'
    )


def _image(layer: Layer, longest: int, words: str = "", mark: str = "") -> str:
    source, (rows, cols) = data_uri(layer, longest)
    size = f'width="{cols}" height="{rows}"'
    return f'<img src="{source}" {size} alt="{escape(words)}" decoding="async"{mark}>'


def maps_section(maps: Mapping[str, Layer], words: str) -> str:
    """Return the maps with their colour bars, below a sentence on what they compare."""
    if not maps:
        return ""
    shown = "\n".join(
        _figure(layer, f"{_show_button(layer, layer.beside)}{_scale(layer.bar)}")
        for layer in maps.values()
        if layer.bar is not None
    )
    many = " many" if len(maps) > _MANY else ""
    return (
        '<section aria-labelledby="maps"><h2 id="maps">What changed</h2>'
        f'<p>{escape(words)}</p>{_gradient()}<div class="grid{many}">{shown}</div></section>'
    )


def contact_section(
    title: str, layers: Mapping[str, Layer], beside: str, captions: Mapping[str, str] | None = None
) -> str:
    """Return thumbnails of layers; a click shows one in the viewer, to the right of another."""
    thumbs = []
    for role, layer in layers.items():
        caption = (captions or {}).get(role, "")
        thumbs.append(
            f'<li><button type="button" data-show="{layer.name}" data-beside="{beside}">'
            f'{_image(layer, _THUMB)}<span class="name">{escape(layer.title)}</span>'
            f'<span class="caption">{escape(caption)}</span></button></li>'
        )
    return (
        f'<section aria-labelledby="contact" class="contact"><h2 id="contact">{escape(title)}</h2>'
        f"<p>Click a picture to show it in the viewer.</p><ul>{''.join(thumbs)}</ul></section>"
    )


def _show_button(layer: Layer, beside: str) -> str:
    """Return a button that shows a layer in the viewer, to the right of another one."""
    return (
        f'<button type="button" class="small" data-show="{layer.name}" data-beside="{beside}">'
        f'Show in the viewer<span class="unseen">: {escape(layer.title)}</span></button>'
    )


def _gradient() -> str:
    """Return the colours of the bars, which refer to it."""
    table = colours()
    stops = "".join(
        '<stop offset="{:.4f}" stop-color="#{:02x}{:02x}{:02x}"/>'.format(
            k / _STOPS, *(round(255 * float(v)) for v in table[round(k / _STOPS * 255)])
        )
        for k in range(_STOPS + 1)
    )
    return (
        '<svg class="unseen" aria-hidden="true" width="0" height="0"><defs>'
        f'<linearGradient id="colours">{stops}</linearGradient></defs></svg>'
    )


def _scale(bar: Bar) -> str:
    return (
        f'<span class="scale"><span class="what">{escape(bar.label)}</span><span class="ends">'
        '<span>0</span><svg aria-hidden="true" viewBox="0 0 100 4" preserveAspectRatio="none">'
        '<rect width="100" height="4" fill="url(#colours)"/></svg>'
        f"<span>{bar.highest:g} and more</span></span></span>"
    )


def numbers_section(scores: Mapping[str, Score], curve: str | None) -> str:
    """Return scores and energy curve, side by side if there is room."""
    parts = []
    if scores:
        parts.append(
            f'<div><h2 id="scores">Scores</h2><div class="wide">{scores_table(scores)}</div></div>'
        )
    if curve is not None:
        parts.append(f"<div><h2>Energy</h2><p>How the model’s energy fell.</p>{curve}</div>")
    return f'<section class="two">{"".join(parts)}</section>' if parts else ""


def how_section(provenance: Provenance, promise: str, files: Iterable[str]) -> str:
    """Return provenance, and the command that repeats the work."""
    record, command = provenance.record, provenance.command
    parts = ['<section aria-labelledby="how"><h2 id="how">How it was made</h2>']
    if record is not None:
        parts.append(definitions(facts_of(record)))
    if command:
        parts.append(
            f"<h3>Make it again</h3><p>{escape(promise)}</p>"
            f'<div class="copy"><pre id="command" tabindex="0">{escape(command)}</pre>'
            '<button type="button" data-copy="command">Copy</button></div>'
        )
    if record is not None:
        text = json.dumps(record.as_json(), indent=2, ensure_ascii=False)
        parts.append(
            '<details><summary>The whole record</summary><div class="copy">'
            f'<pre id="record" tabindex="0">{escape(text)}</pre>'
            '<button type="button" data-copy="record">Copy</button></div></details>'
        )
    names = ", ".join(f"<code>{escape(name)}</code>" for name in files)
    parts.append(f"<p class='files'>Files next to this page: {names}.</p></section>")
    return "".join(parts)


def blind_section(
    results: Mapping[str, ArrayLike | Picture], record: Record | None, *, shown: bool = False
) -> str:
    """Return the blind comparison of at least two results, which hides their names.

    The answers belong to `record`. If `shown`, the page already has the results as layers, each
    with its rank.
    """
    if not results:
        return ""
    if len(results) < 2:
        raise InputError("results: one only; a ranking needs at least two")
    names = list(results)
    pairs = blind_pairs(names, record)
    data = {
        "format": FORMAT,
        "kind": KIND,
        "sha256_of_pixels": record.output.get("sha256_of_pixels") if record else None,
        "names": [b64encode(name.encode()).decode() for name in names],
        "pairs": pairs,
    }
    return (
        '<section aria-labelledby="blind" class="blind"><h2 id="blind">Which is better?</h2>'
        f"<p>{len(names)} results, {len(pairs)} comparisons, without names. Look as long as you "
        "like, in any view; the names are shown at the end.</p>"
        f"{'' if shown else _hidden(results)}"
        f'<script type="application/json" id="ranking">{json.dumps(data)}</script>'
        '<div id="judge"></div></section>'
    )


def _hidden(results: Mapping[str, ArrayLike | Picture]) -> str:
    """Return pictures that only the judge's viewer shows."""
    unnamed = {f"result {k}": picture for k, picture in enumerate(results.values())}
    layers = enumerate(layers_of(unnamed).values())
    words = "A result, its name hidden"
    return "".join(_image(one, PAGE_SIDE, words, f' data-rank="{k}" hidden') for k, one in layers)
