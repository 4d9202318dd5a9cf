"""Pictures and maps of jobs that fuse, and their preparation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tifffile

import osmofuse
from osmofuse.errors import SettingError
from osmofuse.jobs import CompareJob, FuseJob, SweepJob
from osmofuse.jobs.sources import open_files
from osmofuse.methods import DirectMatting, VariationalOsmosis
from osmofuse.optimise.plan import Plan
from osmofuse.record import sha256_of_file


def test_paths_may_be_text_and_numbers_stay_numbers():
    job = FuseJob("v.tif", "i.tif", "o.tif", alpha="m.png", structure="s.tif")
    assert job.inputs == {
        "foreground": Path("v.tif"),
        "background": Path("i.tif"),
        "alpha": Path("m.png"),
    }
    assert job.outputs == {"structure": Path("s.tif"), "output": Path("o.tif")}
    assert "alpha" not in FuseJob("v.tif", "i.tif", "o.tif", alpha=0.25).inputs


def test_the_method_has_its_settings():
    job = FuseJob("v.tif", "i.tif", "o.tif", alpha=0.5, settings={"eta": 0.2})
    assert job.fuser == VariationalOsmosis(eta=0.2)
    assert FuseJob("v.tif", "i.tif", "o.tif", method="direct").fuser == DirectMatting()


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"alpha": 1.5}, r"alpha: 1.5; must be a number from 0 to 1"),
        ({"alpha": -0.1}, "alpha: -0.1"),
        ({"alpha": float("nan")}, "alpha: nan"),
        ({"soften": 3.0}, "soften: alpha is a number"),
        ({"alpha": "m.png", "soften": -1.0}, "soften: -1.0"),
        ({"levels": "auto"}, "levels: 'auto'; must be one of"),
        ({"working_space": "log"}, "working_space: 'log'; must be one of"),
        ({"max_memory": 0}, "max_memory: 0"),
        ({"structure": "s.tif", "method": "direct"}, "structure: 'direct' has none"),
        ({"structure": "s.tif", "method": "magic"}, "method: 'magic' is unknown"),
        ({"settings": None}, "settings: None; must be an object"),
        ({"settings": [1]}, r"settings: \[1\]; must be an object"),
        ({"align": 5}, "align: 5; must be an object"),
        ({"alpha": "m.png", "soften": 1e6}, "soften: 1000000.0; must be a number from 0 to 1000"),
        ({"max_memory": 10**30}, "max_memory: 1000"),
        ({"method": "direct", "plan": Plan((1.0,), (2,))}, "plan: 'direct' supports none"),
        ({"settings": {"solver": "ipiano"}, "plan": Plan((1.0,), (2,))}, "plan: 'variational'"),
    ],
)
def test_what_cannot_be_is_refused_at_once(changes, match):
    with pytest.raises(SettingError, match=match):
        FuseJob("v.tif", "i.tif", "o.tif", **changes)


def opened(job):
    return open_files(job, job.check().files, job.output.parent)


def test_sources_are_the_files(make_job, pair):
    prepared = opened(make_job())
    assert np.array_equal(prepared.ready.sources.foreground, osmofuse.read(pair["visible"]).pixels)
    assert np.array_equal(
        prepared.ready.sources.backgrounds[0], osmofuse.read(pair["infrared"]).pixels
    )
    np.testing.assert_allclose(
        prepared.ready.sources.alpha * 255, osmofuse.read(pair["map"]).pixels
    )
    assert prepared.alpha_depth == np.uint8


def test_inputs_are_told_apart_by_role_path_and_hash(make_job, pair, tmp_path):
    (tmp_path / "out").mkdir()
    inputs = opened(make_job(output=tmp_path / "out" / "f.tif")).inputs
    assert [one.role for one in inputs] == ["foreground", "background", "alpha"]
    assert [one.path for one in inputs] == ["../visible.tif", "../infrared.tif", "../map.png"]
    assert [one.sha256 for one in inputs] == [sha256_of_file(path) for path in pair.values()]
    assert [one.levels for one in inputs] == [None, "as-is", None]


def test_a_name_that_lies_is_noted(make_job, pair, tmp_path):
    lying = pair["infrared"].rename(tmp_path / "infrared.png")
    background = opened(make_job(backgrounds=lying)).inputs[1]
    assert background.notes == ("its name says png, its content is tiff",)


def test_a_faint_background_is_noted(make_job, tmp_path):
    faint = np.linspace(0, 4095, 40 * 32).astype(np.uint16).reshape(40, 32)
    path = osmofuse.write(faint, tmp_path / "faint.tif")
    (note,) = opened(make_job(backgrounds=path)).inputs[1].notes
    assert "uses 6% of the range of uint16" in note
    assert "--levels match" in note


def test_a_number_is_a_map_of_16_bits(make_job):
    prepared = opened(make_job(alpha=0.25))
    assert prepared.ready.sources.alpha == 0.25
    assert prepared.alpha_depth == np.uint16


def test_a_softened_map_is_that_of_soften(make_job, pair):
    prepared = opened(make_job(soften=2.0))
    expected = osmofuse.soften(osmofuse.read(pair["map"]).pixels, 2.0)
    assert np.array_equal(prepared.ready.sources.alpha, expected)
    assert prepared.alpha_depth == np.uint16


def test_a_map_that_rises_around_gaps_is_of_16_bits(make_job, pair, tmp_path):
    pixels = osmofuse.read(pair["infrared"]).pixels.copy()
    pixels[:5] = 7
    path = osmofuse.write(osmofuse.Picture(pixels, nodata=7.0), tmp_path / "holed.tif")
    prepared = opened(make_job(backgrounds=path))
    assert (prepared.ready.sources.alpha[:5] == 1).all()
    assert prepared.alpha_depth == np.uint16


def test_what_was_left_out_of_a_map_is_noted(make_job, pair, tmp_path):
    grey = osmofuse.read(pair["map"]).pixels
    path = osmofuse.write(np.dstack([grey] * 3), tmp_path / "painted.png")
    prepared = opened(make_job(alpha=path))
    np.testing.assert_array_equal(prepared.ready.sources.alpha, grey / 255)
    assert prepared.inputs[2].notes == ("its 3 bands are the same in every pixel; taken for one",)


def test_nothing_is_parsed_or_decoded_in_this_process(make_job, monkeypatch):
    job = make_job()
    for place in ("osmofuse.io.reading._decode", "osmofuse.io.header.open_header"):
        monkeypatch.setattr(place, None)  # it must not be called here
    monkeypatch.setattr("osmofuse.io.description.open_header", None)
    opened(job)


def test_a_page_of_each_file(make_job, pair, tmp_path):
    pictures = [osmofuse.read(pair[name]).pixels for name in ("visible", "infrared")]
    with tifffile.TiffWriter(tmp_path / "both.tif") as file:
        for pixels in pictures:
            file.write(pixels, metadata=None)
    both = tmp_path / "both.tif"
    prepared = opened(make_job(foreground=both, backgrounds=both, page=(1, 2, 1)))
    np.testing.assert_array_equal(prepared.ready.sources.foreground, pictures[0])
    np.testing.assert_array_equal(prepared.ready.sources.backgrounds[0], pictures[1])
    assert [one.page for one in prepared.inputs] == [1, 2, 1]
    assert all(not one.notes for one in prepared.inputs)


def test_hard_edges_are_noted_where_a_method_shows_them(make_job, pair, tmp_path):
    hard = (osmofuse.read(pair["map"]).pixels > 128).astype(np.uint8)
    path = osmofuse.write(255 * hard, tmp_path / "hard.png")

    def told(job):
        return [note for note in job.run().notes if "the edges of the map are hard" in note]

    parts = {"foreground": pair["visible"], "backgrounds": pair["infrared"], "alpha": path}
    (note,) = told(make_job(alpha=path))
    assert note.startswith(f"{path}: the edges")
    assert "under direct" in note
    assert told(make_job(alpha=path, soften=3, output=tmp_path / "soft.tif")) == []
    assert told(make_job(alpha=path, method="poisson", output=tmp_path / "p.tif")) == []
    methods = ["poisson", "direct", "variational"]
    (note,) = told(CompareJob(**parts, output=tmp_path / "compared", methods=methods))
    assert "under direct, variational" in note
    parts |= {"alpha": (0.5, path), "settings": {"reach": 1.0}}
    assert len(told(SweepJob(**parts, output=tmp_path / "swept"))) == 1
