"""The judge: its settings, measures and page, on a small sample of its cases."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from benchmarks.judge import __main__ as judge
from benchmarks.judge import cases, measures, page, settings, vifb

import osmofuse
from conftest import ROOT
from osmofuse.metrics import psnr


def test_settings_are_names_or_words():
    assert settings.parsed("bare") == {}
    assert settings.parsed("text") == {"recipe": "text"}
    assert settings.parsed("alpha=map reach=20 eta=0.3") == {
        "alpha": "map", "reach": 20.0, "eta": 0.3
    }  # fmt: skip
    with pytest.raises(SystemExit, match="NAME=VALUE"):
        settings.parsed("reach 20")


def test_all_cases_have_every_scene_nuisance_and_size():
    found = list(cases.all_cases())
    assert len({case.key for case in found}) == len(found)
    assert {case.scene for case in found} == set(cases.SCENES)
    for nuisance in ("none", "dark", "hard", "all", "verso"):
        sizes = {case.shape for case in found if case.nuisance == nuisance}
        assert sizes == set(cases.SHAPES)
    assert min(case.seed for case in found) >= 100
    assert max(case.seed for case in cases.grid_cases()) < 100


def test_a_case_is_measured_as_by_hand():
    case = cases.Case("manuscript", "dark", (60, 45), 3)
    found = measures.judge_case({"bare": {}}, case, pictures=True)
    scene = case.drawn()
    fused = osmofuse.fuse(scene.foreground, scene.background).image
    stored = np.rint(255 * fused.clip(0, 1)) / 255
    assert found["measures"]["bare"]["dB"] == psnr(stored, scene.truth)
    assert set(found["measures"]["bare"]) == set(measures.UNITS)
    assert found["pictures"]["bare"].dtype == np.uint8


def test_what_cannot_be_fused_has_a_reason():
    case = cases.Case("modalities", "none", (60, 45), 3)
    found = measures.judge_case({"auto": {"alpha": "auto"}}, case)["measures"]["auto"]
    assert "dB" not in found
    assert "alpha" in found["reason"]


def test_regret_is_measured_against_the_best_of_the_grid(monkeypatch):
    monkeypatch.setattr(settings, "REACHES", (1.5, 10))
    monkeypatch.setattr(settings, "ETAS", (0.03,))
    case = cases.Case("manuscript", "none", (60, 45), 3)
    found = measures.judge_regret({"map": {"alpha": "map"}}, case)["map"]
    assert found["best"] >= found["dB"]
    assert found["reach"] in ("", "1.5", "10")


def test_a_judgement_has_a_page_and_can_be_compared(tmp_path, monkeypatch, capsys):
    sample = [cases.Case("manuscript", n, (60, 45), 100) for n in ("none", "hard")]
    monkeypatch.setattr(cases, "SHAPES", ((60, 45),))
    monkeypatch.setattr(cases, "all_cases", lambda: iter(sample))
    monkeypatch.setattr(cases, "grid_cases", lambda: iter(()))
    monkeypatch.setattr(cases, "real_pairs", list)
    monkeypatch.setattr(judge.preparing, "registrations", dict)
    monkeypatch.setattr(judge.preparing, "mattes", dict)
    monkeypatch.setattr(judge.vifb, "vifb_ranks", lambda asked: {"scene": {"mean rank": 6.5}})
    first, second = tmp_path / "first", tmp_path / "second"
    judge.main(["bare", "--output", str(first)])
    judge.main(["bare", "--output", str(second), "--before", str(first)])
    told = capsys.readouterr().out
    assert "manuscript, hard" in told
    assert "mean rank 6.50" in told
    kept = [json.loads((one / "judgement.json").read_text()) for one in (first, second)]
    assert kept[0]["cases"] == kept[1]["cases"]
    html = (second / "index.html").read_text(encoding="utf-8")
    assert "dB from the truth" in html
    assert "+0</small>" in html
    sheets = [one.name for one in sorted(second.glob("*.png"))]
    assert sheets == ["manuscript-hard-60x45-100.png", "manuscript-none-60x45-100.png"]


def test_the_command_writes_a_page(tmp_path):
    words = ["bare", "--drawn", "--every", "2000", "--output", str(tmp_path)]
    command = [sys.executable, "-m", "benchmarks.judge", *words]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    assert "manuscript, none" in done.stdout
    assert (tmp_path / "index.html").exists()
    assert len(json.loads((tmp_path / "judgement.json").read_text())["regret"]) == 1


def test_a_change_for_the_worse_is_marked():
    assert 'class="worse"' in page.cell({"bare": 30.0}, {"bare": 31.0}, "bare", "dB")
    assert 'class="better"' in page.cell({"bare": 0.001}, {"bare": 0.01}, "bare", "colour")


def test_the_baseline_has_every_kind_of_case_and_can_be_summarised():
    kept = json.loads((judge.BASELINE / "judgement.json").read_text())
    wanted = {(case.scene, case.nuisance) for case in cases.all_cases()}
    assert set(page.summary(kept["cases"], "dB")) == wanted
    assert set(kept["settings"]) == set(settings.DEFAULT)


@pytest.mark.parametrize("words", [["--every", "0"], ["--before", "nowhere"], ["reach 20"]])
def test_what_cannot_be_judged_ends_with_a_message(words, tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        judge.main([*words, "--output", str(tmp_path)])
    words = f"{ended.value} {capsys.readouterr().err}"
    assert any(part in words for part in ("--every must", "has no judgement", "NAME=VALUE"))


def test_vifb_ranks_without_the_data(monkeypatch, tmp_path):
    monkeypatch.setattr(vifb, "FOLDER", tmp_path)
    assert vifb.vifb_ranks({"bare": {}}) == {}


def test_the_visible_picture_has_its_ranks_among_published_methods(data, monkeypatch):
    monkeypatch.setattr(vifb, "FOLDER", data / "vifb")
    table = vifb.published()
    assert {len(methods) for pair in table.values() for methods in pair.values()} == {25}
    assert set(vifb.OWN) == set(next(iter(table.values())))
    found = vifb.vifb_ranks({"map": {"alpha": "map"}})
    assert list(found) == ["visible"]
    assert found["visible"]["Ssim"] == 14


def test_the_recipe_scene_is_before_every_published_method(data, monkeypatch):
    monkeypatch.setattr(vifb, "FOLDER", data / "vifb")
    assert vifb.vifb_ranks({"scene": settings.parsed("scene")})["scene"]["mean rank"] < 6.69
