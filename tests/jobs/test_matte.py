"""From a picture and a trimap in files to a map in a file."""

from __future__ import annotations

import numpy as np
import pytest

import osmofuse
from osmofuse import InputError, LimitError, MismatchError, OutputError, SettingError
from osmofuse.jobs import MatteJob
from osmofuse.maps import trimap_of_mask
from osmofuse.maps.matting import MATTING_METHODS
from osmofuse.record import read_record, sha256_of_pixels
from osmofuse.report.layers import file_names
from picture_files import PROFILE

INSIDE = np.hypot(*(np.indices((40, 50)) - np.array([20, 25])[:, None, None])) < 12


@pytest.fixture
def files(tmp_path):
    image = np.where(INSIDE[..., None], (200, 60, 30), (30, 80, 150)).astype(np.uint8)
    return {
        "image": osmofuse.write(image, tmp_path / "image.png"),
        "trimap": osmofuse.write(
            np.round(trimap_of_mask(INSIDE, 4) * 255).astype(np.uint8), tmp_path / "trimap.png"
        ),
        "mask": osmofuse.write(INSIDE.astype(np.uint8) * 255, tmp_path / "mask.png"),
    }


def job(files, folder, **changes):
    return MatteJob(
        **{"image": files["image"], "trimap": files["trimap"], "output": folder / "alpha.tif"}
        | changes
    )


@pytest.mark.parametrize(("name", "white"), [("a.tif", 65535), ("a.png", 65535), ("a.jpg", 255)])
def test_the_map_is_grey_and_as_deep_as_its_format(files, tmp_path, name, white):
    result = job(files, tmp_path, output=tmp_path / name).run()
    pixels = osmofuse.read(tmp_path / name).pixels
    np.testing.assert_allclose(pixels / white, INSIDE, atol=0.1 if white == 255 else 0)
    assert np.array_equal(result.matte.alpha, INSIDE)
    assert 0.1 < result.unknown < 0.6
    assert result.notes == ()


def test_a_mask_is_given_a_band(files, tmp_path):
    with pytest.raises(InputError, match="a mask, in which nothing"):
        job(files, tmp_path, trimap=files["mask"]).run()
    assert not (tmp_path / "alpha.tif").exists()
    result = job(files, tmp_path, trimap=files["mask"], edge=3).run()
    assert np.array_equal(result.matte.alpha, INSIDE)


def test_colours_and_preview_go_along(files, tmp_path):
    changes = {"foreground_output": tmp_path / "cut.png", "preview": tmp_path / "look.png"}
    result = job(files, tmp_path, **changes).run()
    assert list(result.files) == ["output", "record", "preview", "foreground"]
    cut = osmofuse.read(tmp_path / "cut.png")
    assert cut.transparency
    assert np.array_equal(cut.pixels[..., 3] == 255, INSIDE)
    assert (cut.pixels[INSIDE][:, :3] == (200, 60, 30)).all()
    assert osmofuse.read(tmp_path / "look.png").pixels.shape == (40, 50, 3)


def test_a_cut_out_has_the_profile_of_the_picture(files, tmp_path):
    picture = osmofuse.Picture(osmofuse.read(files["image"]).pixels, PROFILE)
    image, cut = osmofuse.write(picture, tmp_path / "p3.png"), tmp_path / "cut.png"
    job(files, tmp_path, image=image, foreground_output=cut).run()
    assert osmofuse.read(cut).profile == PROFILE


def test_what_was_done_to_the_trimap_is_noted_and_recorded(files, tmp_path):
    stored = np.minimum(osmofuse.read(files["trimap"]).pixels, 254)
    trimap = osmofuse.write(stored, tmp_path / "nearly.png")
    result = job(files, tmp_path, trimap=trimap).run()
    (note,) = read_record(result.files["record"]).inputs[1].notes
    assert "nearly black or white" in note
    assert result.notes == (f"{trimap}: {note}",)


def test_outputs_are_checked_before_the_work(files, tmp_path, monkeypatch):
    monkeypatch.setattr("osmofuse.jobs.matte.matte", None)  # it must not be called
    for changes, words in (
        ({"output": files["image"], "overwrite": True}, "image.png"),
        ({"output": files["mask"]}, "exists"),
        ({"preview": tmp_path / "alpha.tif"}, "would be both .* choose two names"),
        ({"output": tmp_path / "alpha.xyz"}, "suffix"),
        ({"output": tmp_path / "alpha.webp"}, "alpha.webp"),
        ({"foreground_output": tmp_path / "cut.jpg"}, "cut.jpg"),
        ({"output": tmp_path / "none" / "alpha.tif"}, "none"),
    ):
        with pytest.raises(OutputError, match=words):
            job(files, tmp_path, **changes).run()
    monkeypatch.undo()
    job(files, tmp_path, output=files["mask"], overwrite=True).run()


def test_the_record_says_how_the_map_was_made(files, tmp_path):
    result = job(files, tmp_path, trimap=files["mask"], edge=3).run()
    record = read_record(tmp_path / "alpha.tif.json")
    assert record.as_json() == result.record.as_json()
    assert [(one.role, one.path) for one in record.inputs] == [
        ("image", "image.png"), ("trimap", "mask.png"),
    ]  # fmt: skip
    assert record.method == {
        "name": "matte", "settings": {"method": "combined", "edge": 3, "max_pixels": 1_500_000},
    }  # fmt: skip
    pixels = osmofuse.read(tmp_path / "alpha.tif").pixels
    assert record.output == {"sha256_of_pixels": sha256_of_pixels(pixels)}
    assert record.result["status"] == "converged"
    assert result.status.is_success


def test_not_converging_is_a_status(files, tmp_path, monkeypatch):
    monkeypatch.setattr("osmofuse.maps.least_variation.MAX_ITER", 1)
    result = job(files, tmp_path).run()
    assert result.record.result["status"] == "max_iter"
    assert not result.status.is_success


def test_a_band_that_leaves_nothing_known_is_named(files, tmp_path):
    with pytest.raises(InputError, match=r"an edge of 500 pixels covers all of its black"):
        job(files, tmp_path, trimap=files["mask"], edge=500).run()


@pytest.mark.parametrize(("known", "edge"), [("trimap", None), ("mask", None), ("mask", 3)])
def test_swapped_files_are_told_as_such(files, tmp_path, known, edge):
    colours = np.random.default_rng(0).integers(60, 200, (40, 50, 3), np.uint8)
    photo = osmofuse.write(colours, tmp_path / "photo.png")
    swapped = {"image": files[known], "trimap": photo, "edge": edge}
    with pytest.raises(InputError, match=r"are the two swapped\? .*photo\.png .*\.png \.\.\."):
        job(files, tmp_path, **swapped).run()
    assert list(tmp_path.glob("alpha*")) == []


def test_swapped_files_are_told_where_the_picture_looks_like_scribbles(files, tmp_path):
    colours = np.where(INSIDE[..., None], (0, 255, 0), (255, 0, 0)).astype(np.uint8)
    colours[:3] = 90
    photo = osmofuse.write(colours, tmp_path / "photo.png")
    job(files, tmp_path, trimap=photo, output=tmp_path / "scribbled.tif").run()
    with pytest.raises(InputError, match="swapped"):
        job(files, tmp_path, image=files["trimap"], trimap=photo).run()


def test_a_mask_of_a_drawing_in_black_and_white_is_not_called_swapped(files, tmp_path):
    with pytest.raises(InputError, match="a mask, in which nothing"):
        job(files, tmp_path, image=files["mask"], trimap=files["mask"]).run()


def test_a_picture_that_is_no_trimap_either_is_not_called_swapped(files, tmp_path):
    grey = np.tile(np.arange(50, dtype=np.uint8) * 5, (40, 1))
    wrong = osmofuse.write(grey, tmp_path / "grey.png")
    with pytest.raises(InputError, match="did you mean a trimap"):
        job(files, tmp_path, trimap=wrong).run()


def test_two_sizes_do_not_fit(files, tmp_path):
    small = osmofuse.write(osmofuse.read(files["trimap"]).pixels[:, :40], tmp_path / "small.png")
    with pytest.raises(MismatchError, match=r"small\.png: 40 × 40 pixels, but .* 50 × 40"):
        job(files, tmp_path, trimap=small).check()


@pytest.mark.parametrize(
    ("setting", "value"), [("max_pixels", -5), ("edge", -3.0), ("edge", np.nan), ("method", "kn")]
)
def test_settings_are_checked_before_the_work(files, tmp_path, setting, value):
    with pytest.raises(SettingError, match=f"{setting}: "):
        job(files, tmp_path, **{setting: value}).check()


def test_a_limit_counts_what_the_trimap_leaves_open(files, tmp_path):
    needed = job(files, tmp_path).check().bytes
    job(files, tmp_path, max_memory=needed + 2 * 10**5).run()
    wide = np.full((40, 50), 128, np.uint8)
    wide[20, 25], wide[0, 0] = 255, 0
    trimap = osmofuse.write(wide, tmp_path / "wide.png")
    again = {"output": tmp_path / "other.tif", "trimap": trimap, "max_memory": needed + 2 * 10**5}
    job(files, tmp_path, **again).check()
    with pytest.raises(LimitError, match="finding its map needs about"):
        job(files, tmp_path, **again).run()


def test_a_cut_out_is_counted(files, tmp_path):
    plain, cut = (
        job(files, tmp_path, foreground_output=path).check()
        for path in (None, tmp_path / "cut.png")
    )
    assert cut.bytes >= plain.bytes + 40 * 50 * 3 * 8


@pytest.mark.parametrize("method", MATTING_METHODS)
def test_what_each_method_needs_is_known(files, tmp_path, method):
    assert job(files, tmp_path, method=method).check().bytes > 10**8


def test_what_was_noticed_is_told(files, tmp_path):
    assert job(files, tmp_path, max_pixels=500).run().notes[0].startswith("found on a copy")


def test_a_matte_is_shown_with_what_was_known(files, tmp_path):
    result = job(files, tmp_path, report=tmp_path / "report").run()
    page = result.files["report"]
    trimap = osmofuse.read(page.parent / "pictures" / "trimap.png").pixels
    assert set(np.unique(trimap)) == {0, 128, 255}
    text = page.read_text(encoding="utf-8")
    assert "The map of image.png" in text
    assert f"<dd>{result.unknown:.1%} of the picture</dd>" in text
    assert f"osmofuse matte --from {tmp_path / 'alpha.tif.json'} -o" in text
    names = {path.stem for path in (page.parent / "pictures").iterdir()}
    assert names == set(file_names(["Picture", "Trimap", "Alpha map", "Overlay", "Cut out"]))


def test_a_matte_and_its_report_are_written_together(files, tmp_path):
    (tmp_path / "page" / "pictures").mkdir(parents=True)
    (tmp_path / "page" / "pictures" / "trimap.png").write_text("mine")
    reported = job(files, tmp_path, report=tmp_path / "page")
    with pytest.raises(OutputError, match=r"trimap\.png: exists already"):
        reported.run()
    assert not reported.output.exists()


def test_what_was_read_and_written_stays(files, tmp_path):
    folder = tmp_path / "report" / "pictures"
    folder.mkdir(parents=True)
    image = osmofuse.write(osmofuse.read(files["image"]), folder / "overlay.png")
    with pytest.raises(OutputError, match="would replace the input"):
        job(files, tmp_path, image=image, report=tmp_path / "report", overwrite=True).run()
    assert not (tmp_path / "report" / "index.html").exists()


def test_a_picture_that_cannot_be_used_is_named(files, tmp_path):
    wrong = osmofuse.read(files["image"]).samples()
    wrong[0, 0] = np.nan
    image = osmofuse.write(wrong, tmp_path / "wrong.tif")
    with pytest.raises(InputError, match=r"wrong\.tif: 3 samples are NaN"):
        job(files, tmp_path, image=image).run()
