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

import pytest

import osmofuse
from conftest import ROOT
from osmofuse import gallery
from osmofuse.optimise import Step
from osmofuse.report import read_ranking, write_report
from pairs import a_record

VIEWS = ("slider", "blink", "opacity", "beside")
AXE = ROOT / "tests" / "page" / "node_modules" / "axe-core" / "axe.min.js"
HISTORY = tuple(Step(None, k, None, 2.0 * k, 9.0 / k, {}, None, None, 0) for k in (1, 2, 3))
COMMAND = "osmofuse fuse --from fused.tif.json -o 'again & again.tif'"


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None or find_spec("playwright") is None:
        pytest.skip("no chromium and playwright to open the page with")
    scene = gallery.manuscript((120, 90))
    fusion = osmofuse.fuse(scene.foreground, scene.background, scene.alpha, method="direct")
    results = {"plain": fusion.image, "bright": fusion.image**0.8, "dark": fusion.image**1.2}
    page = write_report(
        tmp_path_factory.mktemp("report"),
        pictures={"foreground": scene.foreground, "alpha": scene.alpha, "fused": fusion.image},
        fusion=replace(fusion, history=HISTORY),
        scores=osmofuse.score(fusion.image, scene.foreground, scene.background, scene.alpha),
        record=a_record(),
        command=COMMAND,
        results=results,
    )
    arguments = [ROOT / "tests" / "page" / "drive.py", page, chromium]
    arguments += [AXE] if AXE.exists() else []
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        check=False, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout) | {"page": page}


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
        pytest.skip("axe-core is not installed: npm ci --prefix tests/page")
    assert found["axe"][state] == []
