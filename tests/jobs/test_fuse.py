"""Fusing files, and the report of a fusion."""

from __future__ import annotations

import errno
import json
import math
import os
import re
import shlex
from dataclasses import replace
from html import unescape
from importlib import import_module

import numpy as np
import pytest

import osmofuse
from osmofuse.errors import LimitError, MismatchError, OutputError
from osmofuse.io import for_screen
from osmofuse.jobs import fuse as fusing
from osmofuse.jobs import job_of_record
from osmofuse.jobs.fuse import names_shown
from osmofuse.metrics.catalogue import SETS
from osmofuse.picture import Metadata, Picture
from osmofuse.record import read_record, record_path, sha256_of_pixels
from osmofuse.report.layers import file_names
from pairs import contents
from picture_files import PROFILE

MODULE = import_module("osmofuse.jobs.fuse")


def test_the_output_is_what_fuse_gives_in_the_depth_of_the_foreground(make_job, pair):
    result = make_job(method="variational", settings={"eta": 0.2}).run()
    visible, infrared, alpha = (osmofuse.read(path) for path in pair.values())
    image = osmofuse.fuse(visible, infrared, alpha.pixels, eta=0.2).image
    expected, clipped = visible.with_samples(image)
    written = osmofuse.read(result.files["output"])
    assert written.depth == np.uint16
    assert np.array_equal(written.pixels, expected.pixels)
    assert result.record.result["clipped"] == clipped


def test_the_record_beside_it_says_how(make_job):
    job = make_job(method="variational", settings={"gamma": math.inf}, soften=1.0)
    result = job.run()
    record = read_record(record_path(job.output))
    assert record == read_record(result.files["record"])
    assert record.alpha == {"value": None, "soften": 1.0}
    assert record.method["name"] == "variational"
    assert record.method["settings"]["gamma"] == math.inf
    assert record.method["settings"]["mu"] == 100.0, "defaults are said as well"
    assert record.plan["steps"] == list(result.fusion.plan.steps)
    assert record.result["status"] == result.fusion.status
    assert record.result["energy"] == result.fusion.energy.tolist()
    assert record.result["reach"] == result.fusion.reach
    assert record.result["peak_bytes"] > 10**7
    pixels = osmofuse.read(job.output).pixels
    assert record.output["sha256_of_pixels"] == sha256_of_pixels(pixels)


def test_structure_and_map_are_written_when_asked_for(make_job, pair, tmp_path):
    parts = {"structure": tmp_path / "s.tif", "alpha_output": tmp_path / "a.png"}
    result = make_job(method="variational", **parts).run()
    assert set(result.files) == {"output", "record", "structure", "alpha"}
    visible = osmofuse.read(pair["visible"])
    structure = visible.with_samples(result.fusion.structure)[0]
    assert np.array_equal(osmofuse.read(tmp_path / "s.tif").pixels, structure.pixels)
    assert np.array_equal(
        osmofuse.read(tmp_path / "a.png").pixels, osmofuse.read(pair["map"]).pixels
    )


def test_a_number_is_written_as_a_map(make_job, tmp_path):
    make_job(alpha=0.25, alpha_output=tmp_path / "a.tif").run()
    alpha = osmofuse.read(tmp_path / "a.tif").pixels
    assert alpha.shape == (40, 32)
    assert np.all(alpha == round(0.25 * 65535))


def test_transparency_profile_and_metadata_are_the_foregrounds(make_job, pair, tmp_path):
    visible = osmofuse.read(pair["visible"])
    band = np.arange(40 * 32, dtype=np.uint16).reshape(40, 32, 1)
    picture = replace(
        Picture(np.concatenate([visible.pixels, band], axis=2), transparency=True),
        metadata=Metadata(resolution=(11.0, 11.0)),
    )
    path = osmofuse.write(picture, tmp_path / "layer.tif")
    make_job(foreground=path).run()
    written = osmofuse.read(tmp_path / "fused.tif")
    assert written.transparency
    assert np.array_equal(written.pixels[..., -1:], band)
    assert written.metadata.resolution == pytest.approx((11.0, 11.0))


def test_inputs_stay_as_they_are(make_job, pair, tmp_path):
    before = contents(tmp_path)
    make_job(output=tmp_path / "f.png", overwrite=True).run()
    assert {name: data for name, data in contents(tmp_path).items() if name in before} == before


def test_a_cancelled_job_writes_nothing(make_job, tmp_path):
    before = contents(tmp_path)
    result = make_job(method="variational").run(lambda _: True)
    assert result.fusion.status == "cancelled"
    assert result.record is None
    assert not result.files
    assert contents(tmp_path) == before


def test_not_converging_is_written_and_said(make_job):
    result = make_job(method="variational", settings={"solver": "ipiano", "max_iter": 1}).run()
    assert result.fusion.status == "max_iter"
    assert result.record.result["status"] == "max_iter"
    assert result.record.plan is None
    assert result.files["output"].exists()


def test_a_limit_is_looked_at_before_anything_is_read(make_job, tmp_path, monkeypatch):
    monkeypatch.setattr(MODULE, "open_files", pytest.fail)
    with pytest.raises(LimitError, match="over the limit"):
        make_job(max_memory=1000).run()


def test_want_of_memory_is_a_limit(make_job, tmp_path, monkeypatch):
    def starve(*_):
        raise MemoryError

    before = contents(tmp_path)
    monkeypatch.setattr(MODULE, "run_method", starve)
    with pytest.raises(LimitError, match="of memory, and there is not enough"):
        make_job().run()
    assert contents(tmp_path) == before


def test_an_output_that_cannot_be_is_refused_before_the_work(make_job, tmp_path, monkeypatch):
    monkeypatch.setattr(MODULE, "run_method", pytest.fail)
    for name, match in (("fused.jpg", "JPEG cannot hold"), ("fused.xyz", "no format to write")):
        with pytest.raises(OutputError, match=match):
            make_job(output=tmp_path / name).run()


def test_a_colour_background_does_not_fit_a_grey_foreground(make_job, pair):
    with pytest.raises(MismatchError, match="3 bands of colour, but the foreground"):
        make_job(foreground=pair["infrared"], backgrounds=pair["visible"]).run()


def test_notes_name_the_file(make_job, pair, tmp_path):
    lying = pair["infrared"].rename(tmp_path / "infrared.png")
    result = make_job(backgrounds=lying).run()
    assert result.notes == (f"{lying}: its name says png, its content is tiff",)
    assert result.record.input("background").notes == ("its name says png, its content is tiff",)


def test_it_is_said_when_nothing_entered(make_job):
    kept = make_job(alpha=1.0, method="direct").run()
    assert "the output is the foreground, unchanged" in kept.notes[-1]
    fused = make_job(alpha=0.5, method="direct", overwrite=True).run()
    assert not any("unchanged" in note for note in fused.notes)


def test_levels_stretch_a_faint_background(make_job, pair, tmp_path):
    infrared = osmofuse.read(pair["infrared"]).pixels
    faint = osmofuse.write((infrared // 16).astype(np.uint16), tmp_path / "faint.tif")
    images = {}
    for levels in ("as-is", "percentiles", "match"):
        job = make_job(backgrounds=faint, levels=levels, output=tmp_path / f"{levels}.tif")
        result = job.run()
        images[levels] = result.fusion.image
        stretched = any("became" in note for note in result.notes)
        assert stretched == (levels != "as-is")
        assert any("uses " in note for note in result.notes) == (levels == "as-is")
        assert result.record.input("background").levels == levels
    dark = osmofuse.read(pair["map"]).pixels == 0
    assert images["as-is"][dark].mean() < 0.5 * images["match"][dark].mean()
    assert not np.array_equal(images["percentiles"], images["match"])


def test_the_working_space_is_left_again(make_job, pair, tmp_path):
    visible = osmofuse.read(pair["visible"])
    kept = make_job(alpha=1.0, working_space="linear", output=tmp_path / "kept.tif").run()
    difference = osmofuse.read(kept.files["output"]).pixels.astype(int) - visible.pixels
    assert np.abs(difference).max() <= 1
    half = make_job(alpha=0.5, working_space="linear", output=tmp_path / "half.tif").run()
    plain = make_job(alpha=0.5, output=tmp_path / "plain.tif").run()
    assert half.record.working_space == "linear"
    assert half.record.output != plain.record.output


def test_the_output_says_that_it_is_a_composite(make_job):
    result = make_job().run()
    xmp = osmofuse.read(result.files["output"]).metadata.xmp.decode()
    assert "digitalsourcetype/composite" in xmp
    for name in ("visible.tif", "infrared.tif", result.record.input("background").sha256):
        assert name in xmp


def test_where_the_background_has_no_data_the_foreground_is_kept(make_job, pair, tmp_path):
    picture = osmofuse.read(pair["infrared"])
    pixels = picture.pixels.copy()
    pixels[5:9, 7:12] = 1
    holed = osmofuse.write(replace(picture, pixels=pixels, nodata=1.0), tmp_path / "holed.tif")
    result = make_job(backgrounds=holed, alpha=0.0).run()
    assert any("20 pixels hold no data" in note for note in result.notes)
    fused, visible = (
        osmofuse.read(path).pixels for path in (result.files["output"], pair["visible"])
    )
    assert np.array_equal(fused[5:9, 7:12], visible[5:9, 7:12])
    assert not np.array_equal(fused[12:], visible[12:])


def test_where_the_foreground_has_no_data_the_output_has_none(make_job, pair, tmp_path):
    picture = osmofuse.read(pair["visible"])
    pixels = picture.pixels.copy()
    pixels[5:9, 7:12] = 0
    holed = osmofuse.write(replace(picture, pixels=pixels, nodata=0.0), tmp_path / "holed.tif")
    for method in ("direct", "variational"):
        output = tmp_path / f"{method}.tif"
        make_job(foreground=holed, method=method, output=output).run()
        valid = osmofuse.read(output).valid
        assert not valid[5:9, 7:12].any()
        assert np.count_nonzero(~valid) == 20


def test_signed_files_are_fused_as_levels(make_job, pair, tmp_path):
    visible, infrared = (osmofuse.read(pair[name]).pixels for name in ("visible", "infrared"))
    paths = [
        osmofuse.write((pixels // 2).astype(np.int16), tmp_path / f"signed{k}.tif")
        for k, pixels in enumerate((visible, infrared))
    ]
    make_job(foreground=paths[0], backgrounds=paths[1], output=tmp_path / "f.tif").run()
    make_job(output=tmp_path / "unsigned.tif").run()
    signed, plain = (osmofuse.read(tmp_path / name) for name in ("f.tif", "unsigned.tif"))
    assert signed.depth == np.int16
    np.testing.assert_allclose(signed.pixels / 32767, plain.pixels / 65535, atol=1e-4)


def test_a_map_made_from_the_pictures_is_recorded_and_made_again(make_job, tmp_path):
    result = make_job(alpha="auto", alpha_output=tmp_path / "used.png").run()
    entry = result.record.alpha
    assert entry["value"] == "auto"
    assert entry["made"] in result.notes[-1]
    assert 0 <= entry["agreement"] <= 1
    assert osmofuse.read(tmp_path / "used.png").depth == np.uint16
    again = job_of_record(result.files["record"], tmp_path / "again.tif")
    assert again.alpha == "auto"
    same = again.run().record.output["sha256_of_pixels"]
    assert same == result.record.output["sha256_of_pixels"]


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
    write = fusing.write_report
    monkeypatch.setattr(
        fusing,
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
