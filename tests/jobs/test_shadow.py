from __future__ import annotations

import numpy as np
import pytest

import osmofuse
from osmofuse import gallery


@pytest.fixture
def files(tmp_path):
    scene = gallery.shadow((120, 156), 1)
    eight = (scene.foreground * 255).round().astype(np.uint8)
    image = osmofuse.write(eight, tmp_path / "image.png")
    boundary = osmofuse.write((scene.alpha * 255).astype(np.uint8), tmp_path / "edge.png")
    return scene, image, boundary


def test_a_job_makes_the_pixels_of_the_task(files, tmp_path):
    _, image, boundary = files
    result = osmofuse.ShadowJob(image, boundary, output=tmp_path / "plain.png").run()
    task = osmofuse.remove_shadow(osmofuse.read(image), osmofuse.read(boundary))
    written = osmofuse.read(result.files["output"]).pixels
    assert np.array_equal(written, task.picture()[0].pixels)
    again = osmofuse.repeat(tmp_path / "plain.png.json", tmp_path / "again.png")
    assert again.repetition.identical


def test_a_boundary_of_another_size_is_refused_before_reading(files, tmp_path):
    _, image, _ = files
    small = osmofuse.write(np.zeros((5, 6), np.uint8), tmp_path / "small.png")
    with pytest.raises(osmofuse.MismatchError, match="crop both alike"):
        osmofuse.ShadowJob(image, small, output=tmp_path / "plain.png").check()


def test_nothing_is_written_when_no_shadow_is_found(files, tmp_path):
    plain = osmofuse.write(np.full((60, 80, 3), 128, np.uint8), tmp_path / "grey.png")
    with pytest.raises(osmofuse.InputError, match="no shadow found"):
        osmofuse.ShadowJob(plain, output=tmp_path / "plain.png").run()
    assert not list(tmp_path.glob("plain*"))


def test_settings_are_checked():
    with pytest.raises(osmofuse.SettingError, match=r"^model: "):
        osmofuse.ShadowJob("image.tif", model="best", output="out.tif")
