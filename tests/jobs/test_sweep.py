"""Sweeps of files: several maps and any setting, as on arrays."""

from __future__ import annotations

import math
import os
import shutil

import numpy as np
import pytest

import osmofuse
from osmofuse.errors import InputError, LimitError, MismatchError, SettingError
from osmofuse.jobs import CompareJob, FuseJob, SweepJob, job_of_record, repeat
from osmofuse.record import read_record, sha256_of_pixels

TWO = {"eta": [0.1, 0.4], "reach": 2.0}


@pytest.fixture
def maps(pair, tmp_path):
    """Return two maps, of one name in two folders, the second the other way round."""
    folder = tmp_path / "other"
    folder.mkdir()
    turned = 255 - osmofuse.read(pair["map"]).pixels
    return pair["map"], osmofuse.write(turned, folder / "map.png")


@pytest.fixture
def make(pair, tmp_path):
    """Return a function that makes a sweep of the pair."""

    def made(alpha, settings=TWO, **changes):
        parts = {"foreground": pair["visible"], "backgrounds": pair["infrared"]}
        parts["output"] = tmp_path / "swept"
        return SweepJob(**parts | changes, alpha=alpha, settings=settings)

    return made


def hashes(trials, depth=None):
    return [sha256_of_pixels(one.fusion.picture(depth)[0].pixels) for one in trials]


def test_several_maps_give_what_arrays_give(make, maps, pair):
    job = make((0.3, *maps, "auto"), soften=1.0)
    assert list(job.inputs) == ["foreground", "background", "alpha-2", "alpha-3"]
    result = job.run(need=job.check())
    pictures = [osmofuse.read(pair[name]) for name in ("visible", "infrared")]
    tried = {0.3: 0.3, "map.png": maps[0], "map.png (2)": maps[1], "auto": "auto"}
    tried |= {label: osmofuse.read(path) for label, path in tried.items() if path in maps}
    trials = osmofuse.sweep(*pictures, tried, soften=1.0, **TWO)
    assert list(result.record.output["pictures"].values()) == hashes(trials)
    assert len(set(hashes(trials))) == 8
    assert [one["settings"] for one in result.record.result["results"]] == [
        dict(one.settings) for one in trials
    ]
    assert len({one.name for one in result.comparisons}) == 8
    assert "α: map.png (2), η = 0.4" in [one.name for one in result.comparisons]
    assert all(path.is_file() for path in result.files.values())
    assert any("made from the two pictures" in note for note in result.notes)


def test_the_record_has_all_maps_and_gives_the_job_again(make, maps, tmp_path):
    job = make((0.3, *maps, "auto"), soften=1.0, report=tmp_path / "page")
    result = job.run()
    record = read_record(result.files["sweep.json"])
    assert record.alpha["value"] == [0.3, None, None, "auto"]
    assert [one.role for one in record.inputs][2:] == ["alpha-2", "alpha-3"]
    again = job_of_record(result.files["sweep.json"], tmp_path / "again")
    assert [getattr(again, name) for name in ("method", "soften", "labels", "tried")] == [
        getattr(job, name) for name in ("method", "soften", "labels", "tried")
    ]
    done = repeat(result.files["sweep.json"], tmp_path / "again")
    assert done.repetition.identical
    assert done.repetition.differences == ()
    assert done.record.output == record.output


def test_a_map_that_has_moved_and_one_that_is_another(make, maps, tmp_path):
    record = make(maps).run().files["sweep.json"]
    moved = tmp_path / "moved.png"
    shutil.move(maps[1], moved)
    found = repeat(record, tmp_path / "again", alpha=(maps[0], moved)).repetition
    assert (found.identical, found.differences) == (True, ())
    found = repeat(record, tmp_path / "other way", alpha=(moved, maps[0])).repetition
    assert not found.identical
    assert sum("is not the file of the record" in line for line in found.differences) == 2


def test_the_report_shows_each_map(make, maps, tmp_path):
    job = make((*maps, 0.3), settings={"reach": 2.0}, report=tmp_path / "look")
    page = job.run(need=job.check()).files["report"]
    for name, path in zip(("map.png", "map.png-2"), maps, strict=True):
        seen = osmofuse.read(page.parent / "pictures" / f"alpha-map-{name}.png").pixels
        np.testing.assert_array_equal(seen, osmofuse.read(path).pixels)
    text = page.read_text(encoding="utf-8")
    assert all(title in text for title in ("Alpha map map.png (2)", "α: map.png (2)", "α = 0.3"))
    assert "Where the background enters" not in text  # it enters elsewhere with each of them


def test_one_map_in_a_tuple_is_a_choice_of_one(make, tmp_path):
    result = make((0.4,), {"reach": 2.0}).run()
    assert [one.name for one in result.comparisons] == ["α = 0.4"]
    assert result.record.alpha["value"] == [0.4]
    assert repeat(result.files["sweep.json"], tmp_path / "again").repetition.identical


def test_each_number_is_tried_once_and_a_file_on_each_page(make, maps):
    job = make((0.5, maps[0], 0.5, "auto", maps[0], "auto"), page=(1, 1, 1, 1))
    assert job.labels == [0.5, "map.png", "auto", "map.png (2)"]
    assert make(("auto", "auto/auto", "x/auto")).labels == ["auto", "auto (2)", "auto (3)"]


def test_maps_that_were_inverted(make, maps, pair):
    result = make((maps[0], 0.25), {"reach": 2.0}, invert=True).run()
    pictures = [osmofuse.read(pair[name]) for name in ("visible", "infrared")]
    alphas = {"map.png": osmofuse.read(maps[0]), 0.25: 0.25}
    trials = osmofuse.sweep(*pictures, alphas, reach=2.0, invert=True)
    assert list(result.record.output["pictures"].values()) == hashes(trials)


def test_more_maps_need_more(make, maps):
    few, more = (make(alpha, {"reach": 2.0}).check() for alpha in ((maps[0],), maps))
    assert more.bytes > few.bytes
    assert more.seconds > few.seconds
    auto = make((maps[0], "auto"), {"reach": 2.0}).check()
    assert auto.seconds > make((maps[0], 0.5), {"reach": 2.0}).check().seconds


@pytest.mark.parametrize(
    ("alpha", "settings", "changes", "error", "match"),
    [
        ((), TWO, {}, SettingError, "alpha: empty"),
        ((0.5, 1.5), TWO, {}, SettingError, r"alpha: 1\.5"),
        ((0.5, 0.6), TWO, {"soften": 2.0}, SettingError, "soften: alpha is a number"),
        (("m.png", "auto"), TWO, {"invert": True}, SettingError, "invert: 'auto' makes a map"),
        (tuple(np.linspace(0, 1, 501)), TWO, {}, LimitError, "1002 combinations"),
        ((0.5,), {"zeal": [1]}, {}, SettingError, "zeal: no setting"),
    ],
)
def test_what_cannot_be_tried_is_refused_at_once(make, alpha, settings, changes, error, match):
    with pytest.raises(error, match=match):
        make(alpha, settings, **changes)


def test_each_map_is_checked_before_the_work(make, maps, tmp_path):
    small = osmofuse.write(np.zeros((40, 31), np.uint8), tmp_path / "small.png")
    with pytest.raises(MismatchError, match=r"small\.png: 31 × 40"):
        make((maps[0], small)).check()


def test_a_sheet_that_cannot_hold_all_is_refused_before_the_work(make):
    with pytest.raises(LimitError, match="vary alpha less"):
        make(tuple(np.linspace(0, 1, 500)), {"reach": 2.0}).check()


@pytest.mark.parametrize(
    ("method", "settings"),
    [
        ("poisson", {"guidance": ["import", "mixed"], "threshold": [0.2, 0.7]}),
        ("linear-osmosis", {"time": [10, 100.0], "boundary": [None, "dirichlet"]}),
        ("average", {"weights": [(1.0, 3.0), (2.0, 1.0)]}),
        ("variational", {"reach": ["5 %", "10 %", None, math.inf], "regulariser": ["huber", None]}),
        ("variational", {"solver": ["ipiano", "published"], "max_iter": [2, 3]}),
    ],
)
def test_any_setting_of_any_method_may_be_a_list(make, pair, tmp_path, method, settings):
    result = make(0.5, settings, method=method).run()
    pictures = [osmofuse.read(pair[name]) for name in ("visible", "infrared")]
    trials = osmofuse.sweep(*pictures, 0.5, method=method, **settings)
    assert list(result.record.output["pictures"].values()) == hashes(trials)
    assert len({one.name for one in result.comparisons}) == len(trials)
    done = repeat(result.files["sweep.json"], tmp_path / "again")
    assert (done.repetition.identical, done.repetition.differences) == (True, ())


def test_lengths_follow_the_size_of_the_picture(make, pair, tmp_path):
    side = math.sqrt(40 * 32)
    found = make(0.5, {"reach": ["2 %", 3.0]}).run().record.result["results"]
    assert [one["method"]["reach"] for one in found] == [0.02 * side, 3.0]
    assert [one["settings"]["reach"] for one in found] == ["2 %", 3.0]
    files = pair["visible"], pair["infrared"]
    compared = CompareJob(*files, tmp_path / "c", methods=["variational", "direct"],
                          settings={"variational": {"reach": "2 %"}}).run()  # fmt: skip
    assert compared.record.result["results"][0]["method"]["reach"] == 0.02 * side
    fused = FuseJob(*files, tmp_path / "f.tif", alpha=pair["map"], soften="1 %",
                    settings={"reach": "2 %"}).run().record  # fmt: skip
    assert fused.method["settings"]["reach"] == 0.02 * side
    assert fused.alpha["soften"] == 0.01 * side


@pytest.mark.parametrize("reach", ["far", ["2 %", "far"]])
def test_what_is_no_length_is_refused(make, reach):
    with pytest.raises(SettingError, match="reach: 'far'"):
        make(0.5, {"reach": reach})


@pytest.mark.parametrize("maps_before", [("map",), (0.2,)])
def test_the_map_that_cannot_be_used_is_named(make, pair, tmp_path, maps_before):
    size = osmofuse.read(pair["map"]).shape
    coloured = np.zeros((*size, 3), np.uint8)
    coloured[..., 0] = np.arange(size[1]) % 250
    wrong = osmofuse.write(coloured, tmp_path / "wrong.png")
    before = [pair["map"] if one == "map" else one for one in maps_before]
    with pytest.raises(InputError, match=r"wrong\.png: a coloured picture"):
        make((*before, wrong)).run()
    assert not (tmp_path / "swept").exists()


@pytest.mark.skipif(os.name != "posix", reason="names of files are text there")
def test_a_map_whose_name_is_no_text(make, pair, tmp_path):
    odd = tmp_path / os.fsdecode(b"odd\xff.png")
    try:
        shutil.copy(pair["map"], odd)
    except OSError:
        pytest.skip("the file system wants names in UTF-8")
    make((odd, 0.2), report=tmp_path / "report").run()
    assert r"odd\udcff.png" in (tmp_path / "swept" / "table.csv").read_text(encoding="utf-8")
    again = repeat(tmp_path / "swept" / "sweep.json", tmp_path / "again")
    assert again.repetition.identical


def test_lengths_are_checked_for_the_size_of_the_picture(tmp_path):
    page = osmofuse.write(np.full((2, 2, 3), 90, np.uint8), tmp_path / "page.png")
    pair = {"foreground": page, "backgrounds": page, "output": tmp_path / "made"}
    settings = {"reach": "0.02 %"}  # of the usual size it would do
    with pytest.raises(SettingError, match=r"reach: 0\.0004"):
        FuseJob(**pair | {"output": tmp_path / "made.png"}, settings=settings).check()
    compared = CompareJob(**pair, methods=["variational"], settings={"variational": settings})
    with pytest.raises(SettingError, match=r"reach: 0\.0004"):
        compared.check()
