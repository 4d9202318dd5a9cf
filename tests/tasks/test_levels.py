"""Levels: exact percentiles, one stretch for all bands, nothing unasked."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from osmofuse.errors import InputError, SettingError
from osmofuse.picture import Picture
from osmofuse.tasks.levels import apply_levels, range_used


def twelve_bits(shape=(60, 80)):
    return np.random.default_rng(0).integers(100, 4096, shape).astype(np.uint16)


def test_twelve_bits_in_a_16_bit_file_are_noticed():
    assert range_used(twelve_bits()) < 0.0625
    assert range_used(twelve_bits() * 16) > 0.9


@pytest.mark.parametrize(
    ("pixels", "used"),
    [
        (np.full((4, 5), 77, np.uint8), 0.0),
        (np.array([[0, 255]], np.uint8), 1.0),
        (np.array([[0.25, 0.75]]), 0.5),
        (Picture(np.array([[0, 32767]], np.int16)), 1.0),
    ],
)
def test_range_used(pixels, used):
    assert range_used(pixels) == pytest.approx(used, abs=1e-9)


def test_a_few_dead_pixels_do_not_hide_it():
    pixels = twelve_bits()
    pixels[0, :2] = 65535
    assert range_used(pixels) < 0.07


def test_what_is_not_valid_does_not_count():
    pixels = Picture(np.where(np.eye(40) > 0, -9999, 3000).astype(np.int16), nodata=-9999)
    assert range_used(pixels, valid=pixels.valid) == 0.0


@given(st.integers(1, 400), st.integers(0, 3))
def test_percentiles_of_integers_are_those_of_numpy(count, seed):
    values = np.random.default_rng(seed).integers(0, 300, (1, count)).astype(np.uint16)
    low = np.percentile(values, 0.1, method="lower")
    high = np.percentile(values, 99.9, method="higher")
    assert range_used(values) == pytest.approx((high - low) / 65535, abs=1e-12)


def test_as_is_is_the_picture_itself():
    pixels = twelve_bits()
    result, words = apply_levels(pixels, "as-is")
    assert np.shares_memory(result, pixels)
    assert words is None


@pytest.mark.parametrize("dtype", ["uint16", "float32", "float64"])
def test_percentiles_fill_the_range(dtype):
    pixels = twelve_bits() if dtype == "uint16" else (twelve_bits() / 65535).astype(dtype)
    pixels.flags.writeable = False
    result, words = apply_levels(pixels, "percentiles")
    assert result.dtype == ("float64" if dtype == "float64" else "float32")
    assert (result.min(), result.max()) == (0, 1)
    assert range_used(result) > 0.99
    order = np.argsort(pixels, axis=None, kind="stable")
    assert (np.diff(result.ravel()[order]) >= 0).all()
    clipped = int(words.split("; ")[1].split()[0])
    assert words.startswith("levels 0.0016 to 0.0625 became 0.0000 to 1.0000")
    assert 0 < clipped <= 0.002 * pixels.size


def test_bands_are_stretched_alike():
    pixels = twelve_bits((30, 40, 3)).astype(np.float64) / 65535
    pixels[..., 1] /= 2
    result, _ = apply_levels(pixels, "percentiles")
    inside = (result > 0) & (result < 1)
    slope = np.polyfit(pixels[inside], result[inside], 1)
    np.testing.assert_allclose(np.polyval(slope, pixels[inside]), result[inside], atol=1e-9)


def test_match_takes_the_ends_of_the_reference():
    reference = np.random.default_rng(1).uniform(0.2, 0.8, (30, 40, 3))
    result, words = apply_levels(twelve_bits(), "match", reference)
    ends = np.percentile(result, (0.1, 99.9))
    np.testing.assert_allclose(ends, np.percentile(reference, (0.1, 99.9)), atol=1e-3)
    assert "became 0.20" in words


@pytest.mark.parametrize(
    ("how", "error", "message"),
    [
        ("stretch", SettingError, "must be as-is, percentiles or match"),
        ("match", SettingError, "match needs a reference"),
    ],
)
def test_refusals(how, error, message):
    with pytest.raises(error, match=message):
        apply_levels(twelve_bits(), how)


def test_a_flat_picture_cannot_be_stretched():
    with pytest.raises(InputError, match=r"flat at 0\.5"):
        apply_levels(np.full((4, 5), 0.5), "percentiles")


def test_nothing_valid():
    with pytest.raises(InputError, match="no pixel is valid"):
        range_used(np.ones((4, 5)), valid=np.zeros((4, 5), bool))
