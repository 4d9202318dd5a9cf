"""The report on the disk: what is in the page and beside it, and what is refused."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

import osmofuse
from osmofuse.errors import InputError, MismatchError, OutputError, SettingError
from osmofuse.metrics import Score
from osmofuse.progress import Step
from osmofuse.report import Provenance, check_report, pages, write_report, write_results
from osmofuse.tasks import Comparison
from pairs import a_record, contents

SHAPE = (12, 16)
RNG = np.random.default_rng(0)
FOREGROUND, INFRARED = RNG.random((*SHAPE, 3)), RNG.random(SHAPE)
ALPHA = np.linspace(0, 1, 16)[None].repeat(12, axis=0)
COMMAND = "osmofuse fuse --from 'a & b.json' -o again.tif"
HISTORY = tuple(
    Step(None, k, None, 2.0 * k, 9.0 / k, {}, None, None, 0) for k in (1, 2, 3)
)  # of a fusion that took three steps


@pytest.fixture(scope="module")
def fusion():
    made = osmofuse.fuse(FOREGROUND, INFRARED, ALPHA, method="direct")
    return replace(made, history=HISTORY)


@pytest.fixture
def write(tmp_path, fusion):
    """Return a function that writes a report of everything."""

    def write(**changes):
        parts = {
            "pictures": {"foreground": FOREGROUND, "background": INFRARED, "alpha": ALPHA},
            "fusion": fusion,
            "scores": {
                "fmi": Score(0.5, "high", (0, 1)),
                "odd": Score(None, "low", (0, 1), "<no>"),
            },
        }
        told = {name: changes.pop(name) for name in ("title", "inputs") if name in changes}
        parts["provenance"] = Provenance(a_record(), COMMAND, **told)
        return write_report(changes.pop("folder", tmp_path / "report"), **(parts | changes))

    return write


class Seen(HTMLParser):
    """What a page has: tags with their attributes, and scripts."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.texts = [], [], {}
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


def test_the_page_and_the_files_beside_it(write):
    page = write()
    assert page.name == "index.html"
    names = {str(path.relative_to(page.parent)) for path in page.parent.rglob("*.*")}
    pictures = "fused foreground background alpha".split()
    maps = "colour-difference-e chromaticity-error difference".split()
    assert names == {
        "index.html", "energy.svg", *(f"pictures/{name}.png" for name in pictures),
        *(f"pictures/map_{name}.png" for name in maps),
    }  # fmt: skip
    shown = osmofuse.read(page.parent / "pictures" / "foreground.png").pixels
    np.testing.assert_array_equal(shown, np.rint(FOREGROUND * 255))


def test_pictures_are_inside_and_nothing_is_asked_for(write):
    seen = Seen(write(results={"a": FOREGROUND, "b": FOREGROUND}).read_text(encoding="utf-8"))
    sources = [image["src"] for image in seen.all("img")]
    assert len(sources) == 7 + 1 + 2, "pictures and maps, the tint, the results"
    assert all(source.startswith("data:image/png;base64,") for source in sources)
    assert all("alt" in image for image in seen.all("img"))
    for tag, attributes in seen.tags:
        assert not {"href", "srcset", "style"} & set(attributes), tag
        assert not [name for name in attributes if name.startswith("on")], "no inline handlers"
    assert "http://" not in "".join(sources)


def test_the_policy_allows_just_this_style_and_this_script(write):
    text = write().read_text(encoding="utf-8")
    policy = html.unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1])
    parts = dict(part.split(" ", 1) for part in policy.split("; "))
    assert parts["default-src"] == "'none'"
    assert parts["img-src"] == "data:"
    for name, tag in (("style-src", "style"), ("script-src", "script")):
        inside = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert parts[name] == f"'sha256-{digest}'"


def test_what_was_given_is_said_and_escaped(write):
    text = write(title="<b>Folio</b> & 12").read_text(encoding="utf-8")
    assert "<b>Folio" not in text
    assert "&lt;b&gt;Folio&lt;/b&gt; &amp; 12" in text
    assert "--from &#x27;a &amp; b.json&#x27; -o again.tif" in text
    assert "Not available: &lt;no&gt;" in text
    assert "in/visible.tif; named .png, but a TIFF" in text
    assert "energy_rate" in text, "the whole record"
    assert "Method: variational · computed directly after " in text
    assert "16 × 12 pixels" in text
    assert "shown here at most" not in text


def test_a_large_picture_is_reduced_in_the_page_and_it_says_so(write):
    wide = np.zeros((2, 5000), np.uint8)
    page = write(pictures={"fused": wide}, fusion=None)
    text = page.read_text(encoding="utf-8")
    assert "shown here at most 4096 pixels wide" in text
    assert re.search(r'width="4096" height="2"', text)
    assert osmofuse.read(page.parent / "pictures" / "fused.png").pixels.shape == (2, 5000)


def test_the_least_there_can_be(tmp_path, fusion):
    page = write_report(
        tmp_path / "deep" / "report", pictures={}, fusion=replace(fusion, history=())
    )
    seen = Seen(page.read_text(encoding="utf-8"))
    assert len(seen.all("img")) == 1
    assert not (page.parent / "energy.svg").exists()


def test_a_map_of_one_s_own_and_alpha_as_a_number(write):
    seam = np.linspace(0, 3, 12 * 16).reshape(SHAPE)
    pictures = {"foreground": FOREGROUND, "alpha": 0.5}
    text = write(maps={"Seam": (seam, "Step at the seam", 2.0)}, pictures=pictures).read_text(
        encoding="utf-8"
    )
    assert "Step at the seam" in text
    assert "2 and more" in text
    assert 'id="tint"' not in text


def test_names_of_results_cannot_be_read_in_passing(write):
    text = write(results={"mine": FOREGROUND, "yours": 1 - FOREGROUND}).read_text(encoding="utf-8")
    assert "yours" not in text.replace("Look as long as you", "")
    data = json.loads(re.search(r'id="ranking">(.*?)</script>', text)[1])
    assert [base64.b64decode(name).decode() for name in data["names"]] == ["mine", "yours"]
    assert data["sha256_of_pixels"] == "c" * 64


def test_the_same_data_give_the_same_page(write, tmp_path):
    first = write().read_bytes()
    assert write(folder=tmp_path / "again").read_bytes() == first


def test_a_manifest_on_request(write):
    page = write(iiif="https://museum.example/r/1")
    manifest = json.loads((page.parent / "manifest.json").read_text(encoding="utf-8"))
    paths = re.findall(r"r/1/(pictures/[^\"]*)", json.dumps(manifest))
    assert paths == [
        f"pictures/{name}.png" for name in ("fused", "foreground", "background", "alpha")
    ]
    assert all((page.parent / path).is_file() for path in paths)


def test_a_report_is_not_replaced_unasked(write):
    page = write()
    before = contents(page.parent)
    with pytest.raises(OutputError, match="exists already"):
        write(title="other")
    assert contents(page.parent) == before
    write(title="other", overwrite=True)
    assert contents(page.parent) != before


def test_an_input_is_never_replaced(write, tmp_path):
    taken = tmp_path / "report" / "pictures" / "fused.png"
    taken.parent.mkdir(parents=True)
    osmofuse.write(np.zeros((3, 3), np.uint8), taken)
    before = taken.read_bytes()
    with pytest.raises(OutputError, match="input"):
        write(inputs=[taken], overwrite=True)
    assert taken.read_bytes() == before
    assert not (tmp_path / "report" / "index.html").exists()


def test_what_cannot_be_shown_is_refused(write):
    with pytest.raises(InputError, match="give the fused one"):
        write(pictures={}, fusion=None)
    with pytest.raises(MismatchError, match="background: 3 x 3 pixels, but fused"):
        write(pictures={"background": np.zeros((3, 3))})
    with pytest.raises(InputError, match="at least two"):
        write(results={"one": FOREGROUND})
    with pytest.raises(SettingError, match="iiif"):
        write(iiif="here")


def test_a_folder_is_checked_before_the_work(tmp_path, write):
    check_report(tmp_path / "not" / "yet" / "there")
    write()
    with pytest.raises(OutputError, match="exists already"):
        check_report(tmp_path / "report")
    check_report(tmp_path / "report", overwrite=True)
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError):
        check_report(tmp_path / "file")
    with pytest.raises(SettingError, match="iiif"):
        check_report(tmp_path / "new", iiif="museum")


PICTURES = {"foreground": RNG.random((12, 16, 3)), "alpha": np.full((12, 16), 0.5)}
RESULTS = {name: RNG.random((12, 16, 3)) for name in ("one <1>", "two", "three")}
MADE = Provenance(a_record())
FUSION = osmofuse.fuse(PICTURES["foreground"], PICTURES["foreground"], method="direct")


def compared(name, value, better="high"):
    return Comparison(name, FUSION, {"fmi": Score(value, better, (0, 1))})


def written(folder, **changes):
    parts = {"pictures": PICTURES, "results": RESULTS, "provenance": MADE} | changes
    return write_results(folder, **parts).read_text(encoding="utf-8")


def test_every_result_is_a_layer_once_and_has_its_map(tmp_path):
    text = written(tmp_path / "report")
    names = [path.name for path in (tmp_path / "report" / "pictures").iterdir()]
    assert {"one-1.png", "two.png", "map_two-colour-difference-e.png"} <= set(names)
    assert text.count('class="layer"') == 2 + 3 + 3
    assert text.count("data-rank=") == 3
    beside = re.findall(r'data-show="map_[^"]*" data-beside="([^"]*)"', text)
    assert beside == ["one-1", "two", "three"]
    assert "<1>" not in text.replace("<h1>", "")
    highest = set(re.findall(r"<span>([\d.e+]+) and more</span>", text))
    assert len(highest) == 1, "one scale of colours for all"


def test_the_ranking_is_of_the_layers_in_their_order(tmp_path):
    text = written(tmp_path / "report")
    data = json.loads(re.search(r'id="ranking">(.*?)</script>', text)[1])
    assert len(data["names"]) == 3
    ranked = re.findall(r'data-name="([^"]*)"><img src="[^"]*" [^>]*data-rank="(\d)"', text)
    assert ranked == [("one-1", "0"), ("two", "1"), ("three", "2")]


def test_the_best_of_a_column_is_marked_and_what_is_missing_is_said(tmp_path):
    rows = [compared("one <1>", 0.25), compared("two", 0.75), compared("three", None)]
    rows.append(Comparison("four", None, {}, "cannot"))
    text = written(tmp_path / "report", comparisons=rows)
    assert "<strong>0.750</strong>" in text
    assert "<strong>0.250</strong>" not in text
    assert "made no picture" in text
    assert "four: cannot" in text
    low = [compared("one <1>", 0.25, "low"), compared("two", 0.75, "low")]
    assert "<strong>0.250</strong>" in written(tmp_path / "low", comparisons=low)


@pytest.mark.parametrize("count", [1, 9])
def test_too_few_or_too_many_are_not_ranked(tmp_path, count):
    results = {f"r{k}": PICTURES["foreground"] for k in range(count)}
    text = written(tmp_path / "report", results=results)
    assert "data-rank=" not in text
    assert ("Up to 8 results can be ranked" in text) == (count == 9)


def test_many_pixels_are_reduced_to_what_a_browser_can_carry(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "_BUDGET", 5 * 12 * 16 / 4)
    text = written(tmp_path / "report")
    assert "shown here at most 8 pixels wide or high; the files have them all" in text
    assert osmofuse.read(tmp_path / "report" / "pictures" / "two.png").shape == (12, 16)


def test_without_a_foreground_results_are_beside_each_other(tmp_path):
    text = written(tmp_path / "report", pictures={})
    assert 'data-left="one-1" data-right="three"' in text
    assert "What changed" not in text


def test_results_that_cannot_be_shown_are_refused(tmp_path):
    with pytest.raises(InputError, match="results: none"):
        written(tmp_path / "report", results={})
    with pytest.raises(InputError, match="'alpha' is the name of a picture"):
        written(tmp_path / "report", results={"alpha": PICTURES["foreground"]})
    written(tmp_path / "report")
    with pytest.raises(OutputError, match="exists already"):
        written(tmp_path / "report")
