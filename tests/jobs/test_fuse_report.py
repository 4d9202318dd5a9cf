"""The report of a job: the pictures as they were fused, in their colours, and the way back."""

from __future__ import annotations

import errno
import json
import os
import re
import shlex
from dataclasses import replace
from html import unescape

import numpy as np
import pytest

import osmofuse
from osmofuse.errors import OutputError
from osmofuse.io import for_screen
from osmofuse.jobs import fuse_report
from osmofuse.jobs.fuse_report import names_shown
from osmofuse.metrics.catalogue import SETS
from osmofuse.report.layers import file_names
from picture_files import PROFILE


def shown(page, name):
    return osmofuse.read(page.parent / "pictures" / f"{name}.png").pixels


def test_pictures_are_those_of_the_files(make_job, pair, tmp_path):
    page = make_job(report=tmp_path / "report").run().files["report"]
    files = {"fused": tmp_path / "fused.tif", "foreground": pair["visible"], "alpha": pair["map"],
             "background": pair["infrared"]}  # fmt: skip
    for name, path in files.items():
        expected = for_screen(osmofuse.read(path), name)
        np.testing.assert_array_equal(shown(page, name), expected)
    text = page.read_text(encoding="utf-8")
    assert "visible.tif and infrared.tif, fused" in text
    assert all(f">{name.replace('_', ' ')}<" in text for name in SETS["paper"])


def test_the_command_repeats_the_picture(make_job, tmp_path):
    result = make_job(output=tmp_path / "my page.tif", report=tmp_path / "report").run()
    page = result.files["report"]
    command = re.search(r'id="command"[^>]*>(.*?)</pre>', page.read_text(encoding="utf-8"))[1]
    assert shlex.split(unescape(command)) == [
        "osmofuse", "fuse", "--from", str(tmp_path / "my page.tif.json"),
        "-o", str(tmp_path / "my page-again.tif"),
    ]  # fmt: skip


@pytest.mark.parametrize("space", ["encoded", "linear"])
def test_a_profile_and_the_working_space_are_undone(make_job, pair, tmp_path, space):
    visible = osmofuse.read(pair["visible"])
    wide = replace(visible, profile=PROFILE)
    osmofuse.write(wide, pair["visible"], overwrite=True)
    page = make_job(working_space=space, report=tmp_path / "report").run().files["report"]
    np.testing.assert_array_equal(shown(page, "foreground"), for_screen(wide, "visible"))
    assert np.abs(shown(page, "foreground").astype(int) - for_screen(visible, "x")).max() > 2
    infrared = for_screen(osmofuse.read(pair["infrared"]), "infrared")
    np.testing.assert_allclose(shown(page, "background").astype(int), infrared, atol=1)


def test_structure_truth_and_manifest(make_job, pair, tmp_path):
    result = make_job(
        method="variational", settings={"reach": 2.0}, truth=pair["visible"],
        report=tmp_path / "report", iiif="https://museum.example/r",
    ).run()  # fmt: skip
    page = result.files["report"]
    text = page.read_text(encoding="utf-8")
    assert "psnr" in text
    assert (page.parent / "energy.svg").is_file()
    manifest = json.loads((page.parent / "manifest.json").read_text(encoding="utf-8"))
    choice = manifest["items"][0]["items"][0]["items"][0]["body"]["items"]
    labels = [image["label"]["en"][0] for image in choice]
    assert labels == ["Fused", "Foreground", "Background", "Alpha map", "Structure", "Truth"]


def test_a_map_made_from_the_pictures_is_shown_and_told(make_job, tmp_path):
    page = make_job(alpha="auto", report=tmp_path / "report").run().files["report"]
    assert "<dd>made from the two pictures, " in page.read_text(encoding="utf-8")
    assert shown(page, "alpha").shape == shown(page, "fused").shape[:2]


def test_what_the_job_read_and_wrote_stays(make_job, tmp_path):
    folder = tmp_path / "report" / "pictures"
    folder.mkdir(parents=True)
    picture = osmofuse.write(osmofuse.read(make_job().foreground), folder / "fused.png")
    before = picture.read_bytes()
    with pytest.raises(OutputError, match="would replace the input"):
        make_job(foreground=picture, report=tmp_path / "report", overwrite=True).run()
    assert (folder / "fused.png").read_bytes() == before


def files_in(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_report_and_the_picture_are_written_together_or_not_at_all(
    make_job, tmp_path, monkeypatch
):
    job = make_job(report=tmp_path / "new" / "report")
    before, rename = files_in(tmp_path), os.replace

    def fail(source, target):
        if target.name == "index.html":
            raise OSError(errno.EIO, "Input/output error")
        rename(source, target)

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OutputError, match=r"index\.html: cannot be written"):
        job.run()
    assert files_in(tmp_path) == before
    assert not (tmp_path / "new").exists()


def test_the_order_in_which_files_get_their_names(make_job, tmp_path, monkeypatch):
    order, rename = [], os.replace
    monkeypatch.setattr(os, "replace", lambda a, b: (order.append(b.name), rename(a, b)))
    job = make_job(
        method="variational", settings={"reach": 1.0},
        structure=tmp_path / "s.tif", alpha_output=tmp_path / "a.png",
        report=tmp_path / "report", iiif="https://museum.example/r",
    )  # fmt: skip
    result = job.run()
    named = [name for name in order if not name.endswith(".done")]
    assert named[:2] == ["s.tif", "a.png"]
    assert named[-4:] == ["manifest.json", "index.html", "fused.tif.json", "fused.tif"]
    assert result.files["report"] == tmp_path / "report" / "index.html"
    assert result.files["manifest"].is_file()


def test_a_report_is_refused_before_the_work(make_job, tmp_path, monkeypatch):
    (tmp_path / "report" / "pictures").mkdir(parents=True)
    (tmp_path / "report" / "pictures" / "fused.png").write_text("mine")
    monkeypatch.setattr("osmofuse.jobs.fuse.open_files", None)  # the beginning of the work
    with pytest.raises(OutputError, match=r"fused\.png: exists already"):
        make_job(report=tmp_path / "report").run()


def test_pictures_that_are_checked_before_are_those_of_the_report(make_job, tmp_path):
    job = make_job(method="variational", settings={"reach": 1.0}, report=tmp_path / "report")
    job.run()
    names = {path.stem for path in (tmp_path / "report" / "pictures").iterdir()}
    assert set(file_names(names_shown(job))) <= names


def test_all_backgrounds_and_their_maps_are_shown(make_job, pair, tmp_path):
    turned = osmofuse.read(pair["infrared"]).pixels[::-1].copy()
    second = osmofuse.write(turned, tmp_path / "second.tif")
    alpha = osmofuse.read(pair["map"]).pixels
    maps = [osmofuse.write(part, tmp_path / f"{k}.png") for k, part in enumerate((alpha, ~alpha))]
    job = make_job(
        backgrounds=(pair["infrared"], second), alpha=(*maps, 0.0), report=tmp_path / "report"
    )
    page = job.run().files["report"]
    expected = {"background": pair["infrared"], "background-2": second, "alpha": maps[0],
                "alpha-2": maps[1]}  # fmt: skip
    for name, path in expected.items():
        np.testing.assert_array_equal(shown(page, name), for_screen(osmofuse.read(path), name))
    assert not (page.parent / "pictures" / "alpha-3.png").exists()
    text = page.read_text(encoding="utf-8")
    assert "Background 2" in text
    assert "visible.tif and infrared.tif and second.tif, fused" in text


def test_scores_are_those_of_compare_also_where_there_is_no_data(
    make_job, pair, tmp_path, monkeypatch
):
    infrared = osmofuse.read(pair["infrared"])
    pixels = infrared.pixels.copy()
    pixels[:15] = 0
    osmofuse.write(replace(infrared, pixels=pixels, nodata=0.0), pair["infrared"], overwrite=True)
    told = {}
    write = fuse_report.write_report
    monkeypatch.setattr(
        fuse_report,
        "write_report",
        lambda *args, **parts: told.update(parts) or write(*args, **parts),
    )
    make_job(depth="float32", report=tmp_path / "report").run()
    pictures = [osmofuse.read(pair[name]) for name in ("visible", "infrared", "map")]
    (found,) = osmofuse.compare(*pictures, methods="direct")
    assert told["scores"] == found.scores


def test_a_cancelled_job_leaves_no_folder(make_job, tmp_path):
    result = make_job(method="poisson", report=tmp_path / "report").run(lambda _: True)
    assert result.status == "cancelled"
    assert not (tmp_path / "report").exists()
