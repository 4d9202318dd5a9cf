"""Arrays of pixels: depths, white, and values for no data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from osmofuse.errors import InputError
from osmofuse.pixels import (
    bands_of,
    divided,
    nearest_valid,
    plane_of,
    quantise,
    scaled,
    white_of,
    widened,
    with_nodata,
)

SHAPES = hnp.array_shapes(min_dims=2, max_dims=3, max_side=6)


def test_quantise_rounds_to_the_nearest_level():
    values = np.array([[0.0, 0.4 / 255, 0.6 / 255, 254.6 / 255, 1.0]])
    result, clipped = quantise(values, np.uint8)
    np.testing.assert_array_equal(result, [[0, 0, 1, 255, 255]])
    assert clipped == 0


@pytest.mark.parametrize(("depth", "white"), [(np.uint8, 255), (np.uint16, 65535)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_only_what_lies_beyond_half_a_level_counts_as_clipped(depth, white, dtype):
    values = np.array([[-0.6, -0.4, white + 0.4, white + 0.6]], dtype) / dtype(white)
    result, clipped = quantise(values, depth)
    np.testing.assert_array_equal(result, [[0, 0, white, white]])
    assert clipped == 2


@given(
    hnp.arrays(np.float64, SHAPES, elements=st.floats(allow_nan=False)),
    st.sampled_from([np.uint8, np.uint16]),
)
def test_quantise_never_wraps(values, depth):
    before = values.copy()
    result, clipped = quantise(values, depth)
    white = np.iinfo(depth).max
    np.testing.assert_array_equal(result[values >= 1], white)
    np.testing.assert_array_equal(result[values <= 0], 0)
    assert clipped <= np.count_nonzero((values < 0) | (values > 1))
    np.testing.assert_array_equal(values, before)


@pytest.mark.parametrize("depth", [np.float32, np.float64])
def test_float_depths_clip_nothing(depth):
    values = np.array([[-1.5, 0.1, 7.0, np.nan]])
    result, clipped = quantise(values, depth)
    assert result.dtype == depth
    np.testing.assert_array_equal(result, values.astype(depth))
    assert clipped == 0
    assert not np.shares_memory(result, values)


def test_quantise_refuses_what_it_cannot_store():
    with pytest.raises(InputError, match="1 samples are NaN"):
        quantise(np.array([[np.nan, 0.5]]), np.uint8)
    with pytest.raises(InputError, match="depth int32"):
        quantise(np.zeros((1, 1)), np.int32)
    with pytest.raises(InputError, match="uint8 are not floats"):
        quantise(np.zeros((1, 1), np.uint8), np.uint8)


def test_planes_and_bands():
    pixels = np.arange(12).reshape(2, 2, 3)
    assert (bands_of(pixels), bands_of(pixels[..., 0])) == (3, 1)
    np.testing.assert_array_equal(plane_of(pixels, 1), pixels[..., 1])
    np.testing.assert_array_equal(plane_of(pixels[..., :1], 2), pixels[..., 0])
    assert plane_of(pixels[..., 0], 2).shape == (2, 2)


@pytest.mark.parametrize(
    ("dtype", "white"), [("u1", 255), (">u2", 65535), ("i2", 32767), ("f2", 1), ("f8", 1)]
)
def test_white(dtype, white):
    assert white_of(np.dtype(dtype), "picture") == white
    levels = np.array([[0, white]], dtype)
    np.testing.assert_array_equal(scaled(levels, np.float32), [[0, 1]])
    out = np.empty((1, 2))
    assert scaled(levels, np.float32, out) is out


@pytest.mark.parametrize("dtype", ["u4", "i1", "c8", "bool"])
def test_other_types_have_no_white(dtype):
    with pytest.raises(InputError, match=rf"^picture: type {np.dtype(dtype)}; convert to uint8"):
        white_of(np.dtype(dtype), "picture")


def test_widened_to_the_range_of_the_type():
    np.testing.assert_array_equal(
        widened(np.array([0, 1, 2048, 4095], np.uint16), 12), [0, 16, 32776, 65535]
    )
    full = np.array([0, 255], np.uint8)
    assert widened(full, 8) is full


@pytest.mark.parametrize(("dtype", "white"), [(np.uint8, 255), (np.float32, 1.0)])
def test_associated_alpha_is_divided_out(dtype, white):
    pixels = np.array([[[0.2, 0.4, 0.4], [0.2, 0.2, 0.0], [1, 0, 1]]]) * white
    found = divided(pixels.astype(dtype))
    np.testing.assert_allclose(
        found / white, [[[0.5, 1, 0.4], [0, 0, 0], [1, 0, 1]]], atol=0.51 / 255
    )
    assert found.dtype == dtype


def test_nearest_valid():
    pixels = np.array([[1, 9, 9, 4]])
    np.testing.assert_array_equal(
        nearest_valid(pixels, np.array([[True, False, False, True]])), [[1, 1, 4, 4]]
    )


@pytest.mark.parametrize(
    ("dtype", "nodata", "beside"),
    [(np.uint8, 0, 1), (np.uint8, 255, 254), (np.int16, -9, -8), (np.float32, 0, 1e-45)],
)
def test_valid_pixels_are_moved_off_the_nodata_value(dtype, nodata, beside):
    pixels = np.full((1, 2), nodata, dtype)
    found = with_nodata(pixels, nodata, np.array([[True, False]]))
    assert found is pixels
    np.testing.assert_array_equal(found, np.array([[beside, nodata]], dtype))
