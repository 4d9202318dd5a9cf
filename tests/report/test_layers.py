"""The pictures of a page: their order, names and bytes."""

from __future__ import annotations

import base64
import io
from importlib.resources import files

import numpy as np
import pytest
from PIL import Image

from osmofuse.errors import InputError, MismatchError
from osmofuse.metrics import chromaticity_map, colour_difference_map, seam_map
from osmofuse.picture import Picture
from osmofuse.report import layers as module
from osmofuse.report.layers import (
    change_maps,
    data_uri,
    layers_of,
    maps_as_layers,
    seam_maps,
    tint_uri,
)
from picture_files import noise


def decoded(address):
    return Image.open(io.BytesIO(base64.b64decode(address.partition("base64,")[2])))


def test_usual_pictures_come_first_and_all_have_names_of_their_own():
    grey = np.zeros((3, 4))
    found = layers_of({"X-ray (1)": grey, "x ray 1": grey, "foreground": grey, "fused": grey})
    assert [layer.title for layer in found.values()] == [
        "Fused",
        "Foreground",
        "X-ray (1)",
        "x ray 1",
    ]
    names = [layer.name for layer in found.values()]
    assert names[:3] == ["fused", "foreground", "x-ray-1"]
    assert len(set(names)) == 4


def test_further_pictures_of_a_kind_stand_with_it():
    grey = np.zeros((3, 4))
    names = ["structure-aware", "alpha", "alpha-2", "background-2", "background", "alpha-3"]
    found = layers_of(dict.fromkeys(names, grey) | {"alpha-3": 0.5})
    titles = [layer.title for layer in found.values()]
    assert titles == ["Background 2", "Background", "Alpha map", "Alpha map 2", "structure-aware"]


def test_settings_can_be_read_in_the_names_of_files():
    found = layers_of({"μ = 10, η = 0.1": np.zeros((3, 4)), "…": np.zeros((3, 4))})
    assert [layer.name for layer in found.values()] == ["mu-10-eta-0.1", "picture"]


@pytest.mark.parametrize("alpha", [0.5, np.float32(1), 0])
def test_alpha_as_a_number_is_no_picture(alpha):
    found = layers_of({"fused": np.zeros((3, 4)), "alpha": alpha})
    assert list(found) == ["fused"]
    assert tint_uri(alpha) is None


def test_a_mask_is_shown_black_and_white():
    mask = np.array([[True, False]])
    assert layers_of({"alpha": mask})["alpha"].levels.tolist() == [[255, 0]]
    bits = np.array([[1, 0]], np.uint8)
    assert layers_of({"alpha": bits})["alpha"].levels.tolist() == [[255, 0]]


def test_the_tint_lies_where_the_background_enters():
    image = decoded(tint_uri(np.array([[1.0, 0.5, 0.0]])))
    assert image.mode == "RGBA"
    assert np.asarray(image)[0, :, 3].tolist() == [0, 128, 255]
    per_channel = np.array([[[1.0, 0.0, 0.5]]])
    assert np.asarray(decoded(tint_uri(per_channel)))[0, 0, 3] == 128
    assert tint_uri(Picture(np.array([[255, 0]], np.uint8))) is not None


def test_the_tint_has_the_colour_that_the_page_shows_beside_its_switch():
    red, green, blue, _ = np.asarray(decoded(tint_uri(np.zeros((1, 1)))))[0, 0]
    style = files("osmofuse.report").joinpath("page", "style.css").read_text("utf-8")
    (swatch,) = [line for line in style.splitlines() if line.startswith(".swatch")]
    assert f"rgb({red} {green} {blue})" in swatch


def test_small_pictures_are_exact_and_large_ones_jpeg(monkeypatch):
    (layer,) = layers_of({"fused": noise((20, 30, 3), "uint8")}).values()
    address, size = data_uri(layer)
    assert size == (20, 30)
    np.testing.assert_array_equal(np.asarray(decoded(address)), layer.levels)
    monkeypatch.setattr(module, "_EXACT", 100)
    assert decoded(data_uri(layer)[0]).format == "JPEG"
    assert data_uri(layer, 15)[1] == (10, 15)


def test_maps_bring_their_bars():
    (layer,) = maps_as_layers({"Seam": (np.ones((3, 4)), "Step", 0.5)}).values()
    assert (layer.title, layer.bar.label, layer.bar.highest) == ("Seam", "Step", 0.5)
    assert layer.levels.shape == (3, 4, 3)


def test_maps_are_reduced_further_than_pictures(monkeypatch):
    monkeypatch.setattr(module, "LONGEST_MAP", 4)
    (layer,) = maps_as_layers({"Seam": (np.ones((4, 8)), "Step", 0.5)}).values()
    (picture,) = layers_of({"fused": np.ones((4, 8))}).values()
    assert (data_uri(layer)[1], data_uri(picture)[1]) == ((2, 4), (4, 8))


def test_sizes_must_be_one_and_pictures_there():
    with pytest.raises(MismatchError, match="truth: 2 x 2 pixels, but fused has 3 x 4"):
        layers_of({"fused": np.zeros((3, 4)), "truth": np.zeros((2, 2))})
    with pytest.raises(InputError, match="none"):
        layers_of({})
    with pytest.raises(InputError, match="foreground"):
        layers_of({"foreground": np.full((2, 2), np.nan)})


FUSED, FOREGROUND = noise((12, 10, 3), "uint8"), noise((12, 10, 3), "uint8")[::-1].copy()


def test_values_are_those_of_the_metrics():
    found = change_maps(FUSED, FOREGROUND)
    u, f = FUSED / 255, FOREGROUND / 255
    expected = [
        colour_difference_map(u, f),
        chromaticity_map(u, f).mean(axis=-1),
        255 * np.abs(u - f).mean(axis=-1),
    ]
    assert list(found) == ["Colour difference ΔE", "Chromaticity error", "Difference"]
    for (values, label, highest), right in zip(found.values(), expected, strict=True):
        np.testing.assert_allclose(values, right, rtol=2e-3, atol=2e-3)
        assert label
        assert np.median(right) < highest <= right.max() * 1.06


def test_it_is_said_which_difference_of_colours():
    assert "CIEDE2000" in change_maps(FUSED, FOREGROUND)["Colour difference ΔE"][1]


@pytest.mark.parametrize("pixels", [1, 35, 10_000])
def test_parts_give_the_whole(monkeypatch, pixels):
    whole = change_maps(FUSED, FOREGROUND)
    monkeypatch.setattr(module, "_PIXELS_AT_ONCE", pixels)
    for name, (values, *_) in change_maps(FUSED, FOREGROUND).items():
        np.testing.assert_array_equal(values, whole[name][0])


def test_grey_pictures_have_levels_only():
    found = change_maps(FUSED[..., 0], FOREGROUND[..., 0])
    assert list(found) == ["Difference"]
    expected = np.abs(FUSED[..., 0].astype(int) - FOREGROUND[..., 0])
    np.testing.assert_array_equal(found["Difference"][0], expected)


def test_the_seam_is_a_map_where_alpha_has_a_boundary():
    u, f, b = np.random.default_rng(1).random((3, 40, 36, 3))
    alpha = np.ones((40, 36))
    assert seam_maps(u, f, b, alpha) == {}
    alpha[10:30, 8:28] = 0.0
    ((values, _, highest),) = seam_maps(u, f, b, alpha).values()
    np.testing.assert_array_equal(values, seam_map(u, f, b, alpha))
    assert highest == 1.0
