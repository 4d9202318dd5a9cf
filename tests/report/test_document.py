"""A page as such: what is on its stage, how large it says it is, and that it is whole."""

from __future__ import annotations

import json
from urllib.parse import urlsplit

import numpy as np
import pytest

from osmofuse.errors import OutputError, SettingError
from osmofuse.report.document import Document, iiif_manifest, write_document
from osmofuse.report.layers import layers_of

GREY = np.zeros((20, 30), np.uint8)


def a_document(**changes):
    parts = {
        "title": "T", "lede": ["one", "two"], "first": ("b", "a"),
        "layers": layers_of({"a": GREY, "b": GREY}),
    }  # fmt: skip
    return Document(**(parts | changes))


def written(folder, **changes):
    return write_document(folder, a_document(**changes)).read_text(encoding="utf-8")


def test_what_lies_on_the_stage_first(tmp_path):
    assert 'data-left="b" data-right="a"' in written(tmp_path / "report")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "one · two · 30 × 20 pixels</p>"),
        ({"longest": 16}, "30 × 20 pixels · shown here at most 16 pixels wide or high"),
        ({"size": (60, 90)}, "90 × 60 pixels · shown here reduced to 30 × 20"),
    ],
)
def test_how_large_it_is(tmp_path, changes, words):
    assert words in written(tmp_path / "report", **changes)


def test_ranked_layers_are_marked_in_their_order(tmp_path):
    text = written(tmp_path / "report", ranks=["b", "a"])
    places = [text.index(mark) for mark in ('data-rank="1"', 'data-rank="0"')]
    assert places == sorted(places)


def test_nothing_is_left_of_a_page_that_cannot_be_written(tmp_path, monkeypatch):
    def full(picture, path):
        raise OutputError(f"{path}: no room")

    monkeypatch.setattr("osmofuse.report.document.encode", full)
    with pytest.raises(OutputError, match="no room"):
        written(tmp_path / "deep" / "report")
    assert list(tmp_path.iterdir()) == []


LAYERS = [("Fused", "pictures/fused.png"), ("Infrared", "pictures/background.png")]
BASE = "https://museum.example/reports/42"


def made(**changes):
    parts = {
        "base": BASE,
        "size": (60, 45),
        "title": "Folio 12",
        "facts": {"Method": "variational"},
    }
    return iiif_manifest(LAYERS, **(parts | changes))


def is_language_map(value):
    """Tell whether a value is what the specification calls one: languages to lists of texts."""
    return (
        isinstance(value, dict)
        and bool(value)
        and all(isinstance(texts, list) and texts for texts in value.values())
        and all(isinstance(text, str) for texts in value.values() for text in texts)
    )


def faults(manifest):
    """Yield what breaks a rule of the specification (its sections 2, 3 and 5, and 4.6)."""
    if manifest.get("@context") != "http://iiif.io/api/presentation/3/context.json":
        yield "@context"
    if next(iter(manifest)) != "@context":
        yield "the context must come first"
    yield from resource(manifest, "Manifest", label=True)
    if not manifest.get("items"):
        yield "a manifest must have a canvas"
    for entry in manifest.get("metadata", []):
        if set(entry) != {"label", "value"} or not all(map(is_language_map, entry.values())):
            yield "metadata"
    for canvas in manifest["items"]:
        yield from canvas_faults(canvas)
    ids = list(all_ids(manifest))
    if len(ids) != len(set(ids)):
        yield "ids must be unique"


def resource(part, kind, *, label=False):
    if part.get("type") != kind:
        yield f"type of {kind}"
    parts = urlsplit(str(part.get("id")))
    if parts.scheme not in ("http", "https") or not parts.netloc:
        yield f"id of {kind}"
    if parts.fragment:
        yield f"fragment in the id of {kind}"
    if label and not is_language_map(part.get("label")):
        yield f"label of {kind}"


def canvas_faults(canvas):
    yield from resource(canvas, "Canvas", label=True)
    for side in ("height", "width"):
        if not isinstance(canvas.get(side), int) or canvas[side] <= 0:
            yield f"{side} of the canvas"
    for page in canvas["items"]:
        yield from resource(page, "AnnotationPage")
        for annotation in page["items"]:
            yield from resource(annotation, "Annotation")
            if annotation.get("motivation") != "painting":
                yield "what paints the canvas must say so"
            if annotation.get("target") != canvas["id"]:
                yield "what paints the canvas must have it for its target"
            yield from body_faults(annotation["body"])


def body_faults(body):
    if body.get("type") != "Choice" or len(body.get("items", [])) < 2:
        yield "a choice needs things to choose from"
    for image in body["items"]:
        yield from resource(image, "Image", label=True)
        if image.get("format") != "image/png":
            yield "format of an image"
        if not all(isinstance(image.get(side), int) for side in ("height", "width")):
            yield "size of an image"


def all_ids(part):
    if isinstance(part, dict):
        if "id" in part:
            yield part["id"]
        for value in part.values():
            yield from all_ids(value)
    elif isinstance(part, list):
        for value in part:
            yield from all_ids(value)


def test_it_keeps_the_rules():
    assert list(faults(made())) == []
    assert list(faults(made(facts=None))) == []
    assert "metadata" not in made(facts=None), "empty lists are not allowed"


@pytest.mark.parametrize(
    "damage",
    [
        lambda m: m.pop("label"),
        lambda m: m.update(id="manifest.json"),
        lambda m: m["items"][0].update(width=0),
        lambda m: m["items"][0]["items"][0]["items"][0].update(target="elsewhere"),
        lambda m: m["items"][0].update(id=m["id"]),
        lambda m: m["metadata"][0].update(value="variational"),
    ],
)
def test_the_rules_can_be_broken(damage):
    manifest = made()
    damage(manifest)
    assert list(faults(manifest))


def test_the_first_layer_is_the_first_choice_and_sizes_are_width_and_height():
    (canvas,) = made()["items"]
    choice = canvas["items"][0]["items"][0]["body"]["items"]
    assert [image["label"]["en"] for image in choice] == [["Fused"], ["Infrared"]]
    assert choice[0]["id"] == f"{BASE}/pictures/fused.png"
    assert (canvas["width"], canvas["height"]) == (45, 60)
    assert (choice[1]["width"], choice[1]["height"]) == (45, 60)


def test_a_slash_at_the_end_makes_no_difference_and_json_takes_it():
    assert made(base=f"{BASE}/") == made()
    assert json.loads(json.dumps(made())) == made()


@pytest.mark.parametrize(
    "base", ["", "museum.example", "ftp://a/b", "https://", "http://a/b?c", "http://a#b"]
)
def test_what_is_no_address_is_refused(base):
    with pytest.raises(SettingError, match="iiif"):
        made(base=base)
