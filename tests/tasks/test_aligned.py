"""A background that is laid over the foreground on its way into a job."""

import cv2
import numpy as np
import pytest

import osmofuse
from osmofuse import gallery
from osmofuse.errors import MismatchError, SettingError
from osmofuse.jobs import FuseJob, compare_with_record, job_of_record
from osmofuse.metrics import psnr
from osmofuse.pixels import quantise
from osmofuse.record import read_record

SCENE = gallery.manuscript((240, 180), seed=3)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    turn = cv2.getRotationMatrix2D((90, 120), 3, 0.95)
    turn[:, 2] += 8, 3
    infrared = cv2.warpAffine(SCENE.background, turn, (200, 250), borderMode=cv2.BORDER_REFLECT)
    pictures = {
        "visible.png": SCENE.foreground, "infrared.tif": infrared, "map.png": SCENE.alpha,
        "registered.tif": SCENE.background,
    }  # fmt: skip
    for name, picture in pictures.items():
        depth = np.uint16 if name.endswith("tif") else np.uint8
        osmofuse.write(quantise(picture, depth)[0], folder / name)
    return folder


def job(files, output, background="infrared.tif", **parts):
    return FuseJob(
        foreground=files / "visible.png",
        backgrounds=files / background,
        alpha=files / "map.png",
        output=output,
        settings={"target": "product"},
        **parts,
    )


def from_truth(path):
    return psnr(osmofuse.read(path).samples(), SCENE.truth)


def test_a_background_that_lies_elsewhere_is_fused_as_if_it_lay_right(files, tmp_path):
    result = job(files, tmp_path / "fused.png", align={"transform": "affine"}).run()
    job(files, tmp_path / "right.png", background="registered.tif").run()
    assert from_truth(tmp_path / "fused.png") > from_truth(tmp_path / "right.png") - 1.0
    transform = read_record(tmp_path / "fused.png.json").transform
    assert transform["kind"] == "affine"
    assert transform["settings"]["method"] == "auto"
    again = job_of_record(tmp_path / "fused.png.json", tmp_path / "again.png")
    assert compare_with_record(result.record, again.run()).identical


def test_without_it_another_size_is_refused_and_says_so(files, tmp_path):
    with pytest.raises(MismatchError, match=r"infrared\.tif: 200 × 250 .*--align homography"):
        job(files, tmp_path / "fused.png").run()
    assert not list(tmp_path.iterdir())


def test_what_shows_something_else_is_refused(files, tmp_path):
    other = quantise(gallery.cloud((200, 180), seed=1).foreground, np.uint8)[0]
    osmofuse.write(other, tmp_path / "land.png")
    with pytest.raises(MismatchError, match=r"land\.png: refused to align it to .*visible\.png"):
        job(files, tmp_path / "fused.png", background=tmp_path / "land.png", align={}).run()
    assert not (tmp_path / "fused.png").exists()


@pytest.mark.parametrize(
    ("align", "words"),
    [
        ({"tranform": "affine"}, "tranform is unknown .did you mean 'transform'"),
        ({"transform": "thin-plate"}, "align: transform: 'thin-plate'; must be one of"),
        ({"method": "points"}, "align: method: 'points'; must be one of"),
        ({"deformation": 2}, "align: deformation: 2; must be one of"),
    ],
)
def test_wrong_settings_are_named(files, tmp_path, align, words):
    with pytest.raises(SettingError, match=words):
        job(files, tmp_path / "fused.png", align=align)


def test_the_output_has_the_depth_that_is_asked_for(files, tmp_path):
    result = job(files, tmp_path / "a.png", background="registered.tif", depth="uint16").run()
    assert osmofuse.read(tmp_path / "a.png").depth == np.uint16
    again = job_of_record(tmp_path / "a.png.json", tmp_path / "b.png")
    assert again.depth == "uint16"
    assert compare_with_record(result.record, again.run()).identical
    with pytest.raises(osmofuse.OutputError, match="JPEG cannot hold uint16"):
        job(files, tmp_path / "a.jpg", background="registered.tif", depth="uint16").run()


def test_the_mask_of_an_aligned_background_is_in_the_frame_of_the_foreground(files):
    page, infrared = (
        osmofuse.read(files / name).pixels for name in ("visible.png", "infrared.tif")
    )
    valid = np.ones(page.shape[:2], bool)
    valid[:30] = False
    ready = osmofuse.prepare(page, infrared, align={"transform": "affine"}, valid=valid)
    assert infrared.shape != valid.shape
    assert not ready.sources.valid[:30].any()
    assert ready.sources.valid[60:150, 60:120].all()
