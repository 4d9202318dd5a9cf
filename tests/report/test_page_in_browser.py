"""The report's page in a real browser: every view by mouse, touch and keyboard, and nothing else.

Chromium is driven once, by a process of its own; each test looks at a part of what it found.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

import osmofuse
from conftest import ROOT
from osmofuse import gallery
from osmofuse.progress import Status, Step
from osmofuse.registration import Alignment, Quality, Transform
from osmofuse.report import (
    Provenance,
    read_ranking,
    write_alignment,
    write_matte,
    write_report,
    write_results,
)
from osmofuse.tasks import Comparison
from pairs import a_record

VIEWS = ("slider", "blink", "opacity", "beside")
# What lies on the stage of the other pages at first, after a turn of the page, and after a click
# on the last picture of the contact sheet.
OTHERS = {
    "results": (["Foreground", "direct"], "average", "average"),
    "alignment": (["Foreground", "Aligned"], "Checkerboard", "Checkerboard"),
    "matte": (["Picture", "Cut out"], "Trimap", "Cut out"),
}
AXE = ROOT / "tests" / "page" / "node_modules" / "axe-core" / "axe.min.js"
HISTORY = tuple(Step(None, k, None, 2.0 * k, 9.0 / k, {}, None, None, 0) for k in (1, 2, 3))
COMMAND = "osmofuse fuse --from fused.tif.json -o 'again & again.tif'"
MADE = Provenance(command=COMMAND)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None or find_spec("playwright") is None:
        pytest.skip("needs Chromium: make test installs Debian's as root; playwright drives it")
    scene = gallery.manuscript((120, 90))
    fusion = osmofuse.fuse(scene.foreground, scene.background, scene.alpha, method="direct")
    results = {"plain": fusion.image, "bright": fusion.image**0.8, "dark": fusion.image**1.2}
    page = write_report(
        tmp_path_factory.mktemp("report"),
        pictures={"foreground": scene.foreground, "alpha": scene.alpha, "fused": fusion.image},
        fusion=replace(fusion, history=HISTORY),
        scores=osmofuse.score(fusion.image, scene.foreground, scene.background, scene.alpha),
        provenance=Provenance(a_record(), COMMAND),
        results=results,
    )
    others = {
        "results": results_page(tmp_path_factory.mktemp("results"), scene),
        "alignment": alignment_page(tmp_path_factory.mktemp("alignment"), scene),
        "matte": matte_page(tmp_path_factory.mktemp("matte"), scene),
    }
    assert set(others) == set(OTHERS)
    arguments = [ROOT / "tests" / "page" / "drive.py", chromium, AXE if AXE.exists() else ""]
    done = subprocess.run(
        [sys.executable, *map(str, (*arguments, page, *others.values()))],
        check=False, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout) | {"page": page, "pages": others}
    return seen | {"others": dict(zip(others, seen["others"], strict=True))}


def results_page(folder, scene):
    """Write the report of two methods that were compared, and of one that could not be run."""
    pictures = {"foreground": scene.foreground, "background": scene.background}
    pictures["alpha"] = scene.alpha
    made = osmofuse.compare(*pictures.values(), methods=["direct", "average"], metrics=["fmi"])
    return write_results(
        folder,
        pictures=pictures,
        results={one.name: one.fusion.image for one in made},
        comparisons=[*made, Comparison("magic", None, {}, "it is <none>")],
        provenance=Provenance(a_record(), COMMAND),
    )


def alignment_page(folder, scene):
    """Write the report of an alignment as it is found, without finding it."""
    figures = {"agreement": 0.9, "tiles": 40, "uncertainty": 0.2, "overlap": 1.0}
    valid = np.ones(scene.background.shape, np.bool_)
    found = Alignment(
        scene.background, Transform("homography", np.eye(3)), valid, 0.8, Status.converged,
        quality=Quality("good", 0.1, figures), origin="features",
    )  # fmt: skip
    return write_alignment(folder, alignment=found, foreground=scene.foreground, provenance=MADE)


def matte_page(folder, scene):
    trimap = np.where(scene.alpha == 1, 1.0, 0.5)
    return write_matte(folder, image=scene.foreground, trimap=trimap, alpha=scene.alpha)


def test_no_request_leaves_the_file(found):
    assert found["requests"]
    own = found["page"].as_uri()
    assert {url for url in found["requests"] if not url.startswith("data:")} == {own}


def test_the_console_stays_silent(found):
    assert found["complaints"] == []


@pytest.mark.parametrize("way", ["mouse", "keyboard"])
def test_every_view_can_be_chosen(found, way):
    for key, view in zip("1234", VIEWS, strict=True):
        state = found[way][view if way == "mouse" else key]
        assert (state["view"], state["pressed"]) == (view, [view])


def test_each_view_shows_the_second_picture_in_its_own_way(found):
    seen = found["mouse"]
    assert seen["start"]["clip"] == "inset(0px 0px 0px 50%)"
    assert seen["opacity"]["opacity"] == "0.5"
    assert not seen["opacity"]["clip"]
    assert seen["beside"]["widths"][0] < seen["start"]["widths"][0] / 2
    assert all(state["a"] == state["b"] for state in seen.values()), "they move together"


def test_the_divider_follows_mouse_finger_and_keys(found):
    assert found["mouse"]["divided"]["amount"] == 250
    assert found["mouse"]["divided"]["a"] == found["mouse"]["start"]["a"]
    assert found["touch"]["divided"]["amount"] == 700
    assert found["keyboard"]["]"]["amount"] == 750
    assert found["keyboard"]["range"]["clip"] == "inset(0px 0px 0px 100%)"


def test_the_mouse_moves_and_magnifies(found):
    seen = found["mouse"]
    assert seen["unfocused wheel"]["zoom"] == seen["start"]["zoom"], "the wheel scrolls the page"
    assert seen["larger"]["zoom"] == pytest.approx(seen["start"]["zoom"] * 1.5**3, rel=0.01)
    assert seen["moved"]["a"] != seen["larger"]["a"]
    assert seen["moved"]["zoom"] == seen["larger"]["zoom"]
    assert seen["wheel"]["zoom"] > seen["moved"]["zoom"], "the stage was clicked"
    assert seen["beside, larger"]["zoom"] == seen["wheel"]["zoom"], "the view keeps the place"
    assert seen["whole"]["a"] == seen["beside"]["a"]
    assert seen["one"]["zoom"] == 100


def test_keys_move_and_magnify(found):
    seen = found["keyboard"]
    assert seen["+"]["zoom"] == pytest.approx(seen["1"]["zoom"] * 1.5, rel=0.01)
    assert seen["ArrowDown"]["a"] != seen["+"]["a"]
    assert seen["0"]["a"] == seen["1"]["a"]


def test_holding_b_shows_the_other_picture_alone(found):
    seen = found["keyboard"]
    assert seen["b held"]["clip"] == ""
    assert seen["b released"]["clip"] == seen["t"]["clip"] != ""


def test_fingers_pinch_move_and_tap(found):
    seen = found["touch"]
    assert seen["pinched"]["zoom"] == pytest.approx(3 * seen["start"]["zoom"], rel=0.05)
    assert seen["moved"]["a"] != seen["pinched"]["a"]
    assert seen["moved"]["zoom"] == seen["pinched"]["zoom"]
    assert seen["tapped"]["view"] == "beside"


def test_blinking_begins_by_itself_unless_motion_is_unwelcome(found):
    assert found["mouse"]["blink"]["playing"]
    assert not found["keyboard"]["2"]["playing"]


def test_pictures_can_be_chosen_exchanged_and_tinted(found):
    assert found["mouse"]["start"]["titles"] == ["Foreground", "Fused"]
    assert found["mouse"]["picked"]["titles"] == ["Fused", "Foreground"], "not one on both sides"
    assert found["keyboard"]["x"]["titles"] == ["Fused", "Foreground"]
    assert not found["keyboard"]["x"]["tinted"]
    assert found["keyboard"]["t"]["tinted"]


def test_a_map_on_the_stage_brings_its_colour_bar(found):
    assert found["mouse"]["start"]["legend"] == ""
    assert found["mouse"]["map"]["titles"] == ["Fused", "Colour difference ΔE"]
    assert "CIEDE2000" in found["mouse"]["map"]["legend"]


def test_names_are_told_when_all_is_judged_and_not_before(found):
    judge = found["judge"]
    for name in ("plain", "bright", "dark"):
        assert name not in judge["before"]
        assert name in judge["after"]
    assert judge["titles"] == [["Left", "Right"]] * 3
    assert "Comparison 1 of 3" in judge["before"]


def test_the_answers_can_be_read_back(found, tmp_path):
    judge = found["judge"]
    assert judge["name"] == "ranking.json"
    assert judge["kept"] == judge["shown"]
    path = tmp_path / judge["name"]
    path.write_text(judge["kept"], encoding="utf-8")
    ranking = read_ranking(path)
    assert ranking["by"] == "A. Judge"
    left, none, right = ranking["answers"]
    assert left["better"] == left["pair"][0]
    assert none["better"] is None
    assert right["better"] == right["pair"][1]
    assert sum(ranking["points"].values()) == 3


def test_the_command_is_copied_as_it_is(found):
    assert found["judge"]["copied"] == COMMAND


def test_paper_gets_pictures_instead_of_controls(found):
    hidden = {"#looking", ".blind"}
    assert found["print"] == {name: name not in hidden for name in found["print"]}


@pytest.mark.parametrize("state", ["light", "judged", "dark"])
def test_axe_finds_nothing(found, state):
    if "axe" not in found:
        pytest.skip("needs npm: make test then installs axe-core")
    assert found["axe"][state] == []


@pytest.fixture(params=list(OTHERS))
def other(request, found):
    seen = found["others"][request.param]
    first, turned, clicked = OTHERS[request.param]
    own = found["pages"][request.param].as_uri()
    return seen | {"first": first, "turned": turned, "clicked": clicked, "own": own}


def test_other_pages_ask_for_nothing_and_complain_of_nothing(other):
    assert {url for url in other["requests"] if not url.startswith("data:")} == {other["own"]}
    assert other["complaints"] == other["broken"] == []


def test_other_pages_have_all_views_by_mouse_keys_and_touch(other):
    for key, view in zip("1234", VIEWS, strict=True):
        assert other["mouse"][view]["pressed"] == [view]
        assert other["keyboard"][key]["pressed"] == [view]
    assert [state["view"] for state in other["touch"].values()] == ["beside", "slider"]


def test_other_pages_show_what_is_chosen(other):
    left, right = other["first"]
    assert other["start"]["titles"] == [left, right]
    assert other["keyboard"]["."]["titles"] == [left, other["turned"]]
    assert other["keyboard"][","]["titles"] == [left, right]
    assert other["keyboard"]["x"]["titles"] == [right, left]
    assert other["contact"]["titles"] == [left, other["clicked"]]


def test_axe_finds_nothing_on_other_pages(other):
    if not AXE.exists():
        pytest.skip("needs npm: make test then installs axe-core")
    assert other["axe"] == []


def test_results_are_told_and_ranked(found, tmp_path):
    words = found["others"]["results"]["words"]
    assert "magic: it is <none>" in words
    path = tmp_path / "ranking.json"
    path.write_text(found["others"]["results"]["answers"], encoding="utf-8")
    assert set(read_ranking(path)["points"]) == {"direct", "average"}


def test_an_alignment_tells_its_figures(found):
    words = found["others"]["alignment"]["words"]
    assert "90% of 40" in words
    assert "0.20 pixels at the corners" in words
