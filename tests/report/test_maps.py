"""Maps of what changed: their values, their words, and pictures of any size."""

from __future__ import annotations

import numpy as np
import pytest

from osmofuse.metrics import chromaticity_map, colour_difference_map, seam_map
from osmofuse.report import maps
from osmofuse.report.maps import change_maps, seam_maps
from picture_files import noise

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
    monkeypatch.setattr(maps, "_PIXELS_AT_ONCE", pixels)
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
