"""Ranges, depths and messages of picture.py, of pictures and of alpha maps."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from osmofuse.errors import InputError, MismatchError
from osmofuse.picture import Metadata, Picture, as_alpha, checked, rounding_of, samples
from osmofuse.pixels import quantise

SHAPES = hnp.array_shapes(min_dims=2, max_dims=3, max_side=6)


def stored(dtype):
    return hnp.arrays(dtype, SHAPES)


@pytest.mark.parametrize(("dtype", "white"), [(np.uint8, 255), (np.uint16, 65535)])
def test_integers_are_divided_by_their_white(dtype, white):
    levels = np.arange(white + 1, dtype=dtype).reshape(-1, 256)
    result = samples(levels, "foreground")
    assert result.dtype == np.float32
    np.testing.assert_array_equal(
        result, (np.arange(white + 1) / white).reshape(-1, 256).astype("f4")
    )
    assert samples(levels, "foreground", dtype=np.float64).dtype == np.float64


@pytest.mark.parametrize(
    ("given_type", "expected"),
    [("f2", np.float32), ("f4", np.float32), ("f8", np.float64), (">f4", np.float32)],
)
def test_floats_are_taken_as_they_are(given_type, expected):
    values = np.array([[0, 0.25], [1, 2.5]], dtype=given_type)
    result = samples(values, "foreground")
    assert result.dtype == expected
    assert result.dtype.isnative
    np.testing.assert_array_equal(result, [[0, 0.25], [1, 2.5]])


def test_big_endian_integers_mean_the_same():
    values = np.array([[0, 1000], [2000, 65535]], dtype=">u2")
    np.testing.assert_array_equal(samples(values, "f"), samples(values.astype("=u2"), "f"))


@given(st.one_of(stored(np.uint8), stored(np.uint16)))
def test_stored_values_survive_the_way_there_and_back(pixels):
    back, clipped = quantise(samples(pixels, "foreground"), pixels.dtype)
    np.testing.assert_array_equal(back, pixels)
    assert back.dtype == pixels.dtype
    assert clipped == 0


@given(hnp.arrays(np.float64, SHAPES, elements=st.floats(0, 16)))
def test_result_is_a_new_contiguous_array(pixels):
    before = pixels.copy()
    turned = np.swapaxes(pixels, 0, 1)
    turned.flags.writeable = False
    result = samples(turned, "foreground")
    assert result.flags.c_contiguous
    assert result.flags.writeable
    assert not np.shares_memory(result, pixels)
    result[:] = -1
    np.testing.assert_array_equal(pixels, before)


@pytest.mark.parametrize(
    ("pixels", "message"),
    [
        (np.zeros((2, 2), bool), "bool; convert to uint8, uint16 or float"),
        (np.zeros((2, 2), np.int16), "int16; convert"),
        (np.zeros((2, 2), np.uint32), "uint32; convert"),
        (np.zeros((2, 2), complex), "complex128; convert"),
        (np.zeros((2, 2), object), "object; convert"),
        (np.array([[0, np.nan], [np.inf, -np.inf]]), "3 samples are NaN or infinite; mask them"),
        (np.array([[0, np.nan]]), "1 sample is NaN or infinite"),
        (np.array([[0.5, -0.2]]), r"negative values \(minimum -0.2\)"),
        (np.array([[0.5, 254.0]]), r"looks like 0\.\.255: divide by 255"),
        (np.array([[0.5, 60000.0]]), r"looks like 0\.\.65535: divide by 65535"),
        (np.zeros((0, 3)), "empty"),
        (np.zeros((2, 3, 0)), "empty"),
        (np.zeros(3), r"must be \(rows, cols\) or \(rows, cols, channels\)"),
        (np.zeros((1, 2, 3, 4)), r"must be \(rows, cols\)"),
        ([[0.5], [0.5, 1.0]], "not an array"),
    ],
)
def test_refusals_name_the_argument_and_the_fix(pixels, message):
    with pytest.raises(InputError, match=f"^foreground: .*{message}"):
        samples(pixels, "foreground")


def test_sixteen_is_still_bright_and_above_is_not():
    assert samples([[16.0]], "foreground").max() == 16
    with pytest.raises(InputError, match="looks like"):
        samples([[np.nextafter(16.0, 17)]], "foreground")


@pytest.mark.parametrize("nodata", [np.nan, np.inf, -9999.0, 1e300])
def test_invalid_samples_are_not_checked(nodata):
    pixels = np.full((2, 2, 3), 0.5)
    pixels[0, 1] = nodata
    valid = np.array([[True, False], [True, True]])
    assert checked(pixels, "background", valid=valid) is pixels
    with pytest.raises(InputError):
        checked(pixels, "background", valid=~valid)


@pytest.mark.parametrize("depth", [np.uint8, np.float64])
def test_valid_must_fit(depth):
    with pytest.raises(MismatchError, match=r"valid: shape \(3, 2\)"):
        checked(np.zeros((2, 3), depth), "background", valid=np.ones((3, 2), bool))
    with pytest.raises(InputError, match="must be bool"):
        checked(np.zeros((2, 3), depth), "background", valid=np.ones((2, 3)))


def test_results_of_a_fusion_need_not_be_bounded():
    result = samples([[-0.1, 20.0]], "fused", bounded=False)
    np.testing.assert_array_equal(result, [[-0.1, 20.0]])
    with pytest.raises(InputError, match="NaN"):
        samples([[np.nan]], "fused", bounded=False)


def test_of_a_picture_the_colours_are_taken():
    pixels = np.array([[[255, 0, 51, 128]]], np.uint8)
    result = samples(Picture(pixels, transparency=True), "foreground")
    np.testing.assert_array_equal(result, np.array([[[1, 0, 0.2]]], np.float32))


def test_samples_of_a_picture_are_floats_and_go_back():
    pixels = np.array([[[0, 65535, 32768, 9], [1, 2, 3, 9]]], np.uint16)
    picture = Picture(pixels, transparency=True)
    floats = picture.samples()
    assert (floats.dtype, floats.shape) == (np.float32, (1, 2, 3))
    np.testing.assert_array_equal(floats, samples(pixels[..., :3], "pixels"))
    assert picture.samples(dtype=np.float64).dtype == np.float64
    np.testing.assert_array_equal(picture.with_samples(floats)[0].pixels, pixels)


def test_a_picture_knows_its_parts():
    pixels = np.zeros((2, 3, 4), np.uint16)
    picture = Picture(pixels, transparency=True)
    assert picture.shape == (2, 3)
    assert picture.depth == np.uint16
    assert picture.colour.shape == (2, 3, 3)
    assert np.shares_memory(picture.colour, pixels)
    assert Picture(pixels).colour.shape == (2, 3, 4)
    assert Picture(pixels[..., :2], transparency=True).colour.shape == (2, 3)
    with pytest.raises(FrozenInstanceError):
        picture.transparency = False


@pytest.mark.parametrize("shape", [(3,), (0, 3), (1, 2, 3, 4)])
def test_a_picture_has_rows_and_cols(shape):
    with pytest.raises(InputError, match="picture"):
        Picture(np.zeros(shape, np.uint8))


@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 1)])
def test_transparency_is_never_alone(shape):
    with pytest.raises(InputError, match="in addition to the colours"):
        Picture(np.zeros(shape, np.uint8), transparency=True)


def test_new_samples_keep_all_that_belongs_to_the_picture():
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 65536, (4, 5, 4), dtype=np.uint16)
    picture = Picture(pixels, b"profile", Metadata(xmp=b"<x/>"), transparency=True)
    fused = np.full((4, 5, 3), 0.5, np.float32)
    fused[0, 0] = (-0.1, 0.5, 1.1)
    result, clipped = picture.with_samples(fused)
    assert clipped == 2
    assert (result.profile, result.metadata) == (b"profile", Metadata(xmp=b"<x/>"))
    assert result.depth == np.uint16
    assert result.transparency
    np.testing.assert_array_equal(result.pixels[..., 3], pixels[..., 3])
    np.testing.assert_array_equal(result.pixels[0, 0, :3], [0, 32768, 65535])


def test_another_depth_takes_transparency_along():
    pixels = np.array([[[10, 255], [20, 0]]], np.uint8)
    picture = Picture(pixels, transparency=True)
    result, _ = picture.with_samples(np.array([[0.25, 3.0]]), depth=np.float32)
    np.testing.assert_array_equal(result.pixels, np.array([[[0.25, 1], [3, 0]]], np.float32))
    result, _ = picture.with_samples(np.array([[0.25, 1.0]]), depth=np.uint16)
    np.testing.assert_array_equal(result.pixels[..., 1], [[65535, 0]])


def test_new_samples_must_fit():
    with pytest.raises(MismatchError, match=r"\(3, 2\)"):
        Picture(np.zeros((2, 3), np.uint8)).with_samples(np.zeros((3, 2)))


# Alpha maps


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_bools_become_zero_and_one(dtype):
    alpha = as_alpha(np.array([[True, False]]), dtype=dtype)
    assert alpha.dtype == dtype
    assert alpha.tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int8, np.int16, np.uint32, np.int64])
def test_integers_are_divided_by_the_maximum_of_their_type(dtype):
    top = np.iinfo(dtype).max
    alpha = as_alpha(np.array([[0, top // 4, top]], dtype))
    np.testing.assert_allclose(alpha, [[0.0, (top // 4) / top, 1.0]], rtol=1e-15)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int8, np.int32, np.int64, np.uint64])
def test_an_integer_map_up_to_one_is_a_mask(dtype):
    assert as_alpha(np.array([[0, 1, 1]], dtype)).tolist() == [[0.0, 1.0, 1.0]]
    assert as_alpha(np.zeros((1, 2), dtype)).tolist() == [[0.0, 0.0]]


def test_a_map_of_8_bits_is_not_stretched():
    assert as_alpha(np.array([[0, 2]], np.uint8)).tolist() == [[0.0, 2 / 255]]
    assert as_alpha(np.array([[0.25, 0.5]])).tolist() == [[0.25, 0.5]]


@pytest.mark.parametrize("value", [0, 1, 0.0, 0.25, 1.0, True, np.float32(0.5)])
def test_a_number_is_a_map(value):
    assert as_alpha(value).shape == ()
    assert as_alpha(value) == float(value)


def test_lists_are_maps():
    assert as_alpha([[0, 1], [0.5, 0.25]]).tolist() == [[0.0, 1.0], [0.5, 0.25]]


def test_the_result_is_new(rng):
    given_ = rng.random((3, 4))
    before = given_.copy()
    as_alpha(given_)[:] = 7.0
    assert np.array_equal(given_, before)


@pytest.mark.parametrize(
    ("alpha", "words"),
    [
        ([[0.5, 1.5]], "from 0.5 to 1.5 leave"),
        ([[-0.5, 0.5]], "leave"),
        ([[0.0, 255.0]], "divide by 255"),
        ([[math.nan, 0.5]], "NaN or infinite"),
        ([[0.5, math.inf]], "NaN or infinite"),
        ([[]], "empty"),
        (np.array([[0, -1]]), "negative"),
        (np.array([[0, -1]], np.int8), "negative"),
        (np.array([[0, 255]]), "convert it to uint8 or uint16"),
        (np.array([[0, 255]], np.int32), "convert it to uint8 or uint16"),
        (np.array([[0, 65535]], np.int64), "convert it to uint8 or uint16"),
        (2, "must lie in [0, 1]"),
        ([["a"]], "type"),
        ([[1j]], "type"),
        (None, "type"),
    ],
)
def test_all_else_is_refused_by_name(alpha, words):
    with pytest.raises(InputError) as caught:
        as_alpha(alpha, name="alpha[1]")
    assert str(caught.value).startswith("alpha[1]: ")
    assert words in str(caught.value)


def test_a_map_hidden_in_transparency_is_not_guessed():
    mask = Picture(np.full((3, 4, 4), 255, np.uint8), transparency=True)
    with pytest.raises(InputError, match=r"pixels\[\.\.\., -1\]"):
        as_alpha(mask)
    grey = Picture(np.full((3, 4), 255, np.uint8))
    np.testing.assert_array_equal(as_alpha(grey), 1.0)


def test_ragged_lists_are_refused():
    with pytest.raises(InputError, match=r"^alpha: "):
        as_alpha([[0.5], [0.5, 0.5]])


# No data


def satellite(dtype="int16", nodata=-9999):
    pixels = np.arange(60, dtype=np.float64).reshape(4, 5, 3) * 300
    pixels = pixels.astype(dtype) if np.dtype(dtype).kind != "f" else (pixels / 2e4).astype(dtype)
    pixels[1, 2] = nodata
    return Picture(pixels, nodata=nodata)


def test_valid_is_none_without_empty_pixels():
    assert Picture(np.zeros((4, 5))).valid is None
    assert Picture(np.zeros((4, 5)), nodata=1.0).valid is None


@pytest.mark.parametrize(
    ("dtype", "nodata"), [("int16", -9999), ("uint16", 65535), ("float32", np.nan)]
)
def test_valid_and_filled(dtype, nodata):
    picture = satellite(dtype, nodata)
    expected = np.ones((4, 5), bool)
    expected[1, 2] = False
    np.testing.assert_array_equal(picture.valid, expected)
    filled = picture.filled()
    assert filled.valid is None
    np.testing.assert_array_equal(filled.pixels[expected], picture.pixels[expected])
    near = [picture.pixels[place] for place in ((0, 2), (2, 2), (1, 1), (1, 3))]
    assert any((filled.pixels[1, 2] == pixel).all() for pixel in near)


def test_one_band_of_no_data_is_not_an_empty_pixel():
    picture = satellite()
    pixels = picture.pixels.copy()
    pixels[1, 2, 0] = 5
    assert replace(picture, pixels=pixels).valid is None
    pixels = pixels.astype(float)
    pixels[1, 2, 0] = np.nan
    assert not Picture(pixels, nodata=np.nan).valid[1, 2]


def test_what_is_fully_transparent_holds_no_data():
    pixels = np.full((4, 5, 4), 9, np.uint8)
    pixels[1, 2] = 0, 0, 0, 0
    picture = Picture(pixels, transparency=True)
    assert (np.argwhere(~picture.valid) == [[1, 2]]).all()
    np.testing.assert_array_equal(picture.filled().colour, np.full((4, 5, 3), 9))
    fused, _ = picture.with_samples(np.full((4, 5, 3), 1.0))
    np.testing.assert_array_equal(fused.pixels[..., -1], pixels[..., -1])
    pixels[..., -1] = 0
    assert Picture(pixels, transparency=True).valid is None, "it says nothing"
    both = Picture(np.dstack([np.eye(2), np.array([[1, 1], [0, 1]])]), transparency=True, nodata=0)
    np.testing.assert_array_equal(both.valid, [[True, False], [False, True]])


def test_a_picture_of_nothing_cannot_be_filled():
    with pytest.raises(InputError, match="every pixel holds the no-data value 0"):
        Picture(np.zeros((4, 5)), nodata=0.0).filled()


@pytest.mark.parametrize(("dtype", "nodata"), [("int16", -9999), ("uint16", 0), ("float32", -9999)])
def test_empty_pixels_stay_empty_and_no_other_becomes_so(dtype, nodata):
    picture = satellite(dtype, nodata)
    values = np.full((4, 5, 3), 0.25)
    values[0, 0] = 0.0 if nodata == 0 else 0.75
    values[1, 2] = np.nan  # whatever was computed there
    result, clipped = picture.with_samples(values)
    assert (result.pixels[1, 2] == picture.pixels[1, 2]).all()
    np.testing.assert_array_equal(result.valid, picture.valid)
    assert (result.depth, result.nodata, clipped) == (picture.depth, nodata, 0)
    if nodata == 0:
        assert (result.pixels[0, 0] == 1).all()


def test_white_as_no_data_is_left_downwards():
    picture = Picture(np.array([[255, 3]], np.uint8), nodata=255)
    result, _ = picture.with_samples(np.array([[0.5, 1.0]]))
    np.testing.assert_array_equal(result.pixels, [[255, 254]])


def test_a_depth_that_cannot_hold_no_data():
    with pytest.raises(InputError, match="depth uint8: cannot hold the no-data value -9999"):
        satellite().with_samples(np.zeros((4, 5, 3)), depth="uint8")
    result, _ = satellite().with_samples(np.zeros((4, 5, 3)), depth="float32")
    assert (result.pixels[1, 2] == -9999).all()


def test_int16_of_a_picture_has_white_at_its_maximum():
    picture = Picture(np.array([[0, 32767]], np.int16))
    np.testing.assert_array_equal(samples(picture, "x"), [[0, 1]])
    result, clipped = picture.with_samples(np.array([[-0.5, 0.5]]))
    np.testing.assert_array_equal(result.pixels, [[0, 16384]])
    assert clipped == 1
    with pytest.raises(InputError, match="negative values"):
        samples(Picture(np.array([[-1]], np.int16)), "x")


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int16])
@pytest.mark.parametrize("share", [0.1, 0.5])
def test_a_plane_that_differs_by_one_level_is_within_the_rounding_said(dtype, share):
    white = np.iinfo(dtype).max
    levels = (7 + (np.random.default_rng(0).random((200, 300)) < share)).astype(dtype)
    said = rounding_of(Picture(levels), levels / white)
    assert np.std(levels / white) <= said == 0.5 / white


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("gain", [1e-3, 1.0, 16.0])
def test_rounding_of_floats_goes_with_their_size(dtype, gain):
    x = (gain * np.random.default_rng(0).random((200, 300))).astype(dtype)
    lost = np.std((x / dtype(3) * dtype(3) - x).astype(np.float64))  # a quotient and a product
    assert 0 < lost < rounding_of(x, x) < 8 * gain * np.finfo(dtype).eps


def test_nothing_that_is_valid_has_no_rounding():
    assert rounding_of(np.ones((2, 2)), np.ones(0)) == 0.0


class TestManners:
    """A picture among arrays and in notebooks."""

    def test_as_an_array_it_is_its_samples(self):
        picture = Picture(np.array([[0, 51, 255]], np.uint8))
        np.testing.assert_array_equal(np.asarray(picture), picture.samples())
        assert np.asarray(picture).dtype == np.float32
        assert np.asarray(picture, np.float64).dtype == np.float64
        assert np.array(picture, copy=True).tolist() == [[0.0, np.float32(0.2), 1.0]]

    def test_as_an_array_it_has_no_transparency(self):
        assert np.asarray(Picture(np.zeros((3, 4, 4), np.uint16), transparency=True)).shape == (
            3,
            4,
            3,
        )

    def test_samples_cannot_be_had_without_a_copy(self):
        with pytest.raises(ValueError, match="without a copy"):
            np.array(Picture(np.zeros((2, 2))), copy=False)

    def test_a_change_of_the_array_is_none_of_the_picture(self):
        picture = Picture(np.zeros((2, 2)))
        np.asarray(picture)[:] = 1
        assert not picture.pixels.any()

    @pytest.mark.parametrize(
        ("picture", "words"),
        [
            (Picture(np.zeros((8, 12, 3), np.uint16), b"icc"), "12 × 8, 3 bands, uint16, profile"),
            (Picture(np.zeros((2, 3))), "3 × 2, 1 band, float64"),
            (
                Picture(np.zeros((2, 3, 2), np.uint8), transparency=True, nodata=0.0),
                "3 × 2, 1 band, uint8, transparency, nodata 0",
            ),
        ],
    )  # fmt: skip
    def test_its_line_says_size_and_depth(self, picture, words):
        assert repr(picture) == f"Picture({words})"

    def test_without_the_room_of_files_it_shows_only_its_line(self):
        program = (
            "import numpy, osmofuse.picture as p\n"
            "assert p.Picture(numpy.zeros((2, 2)))._repr_png_() is None\n"
        )
        subprocess.run([sys.executable, "-c", program], check=True)

    def test_the_public_one_shows_itself(self):
        program = (
            "import numpy, osmofuse\n"
            "assert osmofuse.Picture(numpy.zeros((2, 2)))._repr_png_()[1:4] == b'PNG'\n"
        )
        subprocess.run([sys.executable, "-c", program], check=True)

    @pytest.mark.parametrize(
        "pixels", [np.full((2, 2), np.nan), np.zeros((2, 2), np.int32), np.zeros((2, 2), complex)]
    )
    def test_what_cannot_be_shown_is_no_error(self, pixels):
        assert Picture(pixels)._repr_png_() is None

    def test_a_mask_is_not_dropped_in_silence(self):
        masked = np.ma.MaskedArray(np.zeros((2, 3)), np.eye(2, 3, dtype=bool))
        for use in (Picture, lambda a: samples(a, "picture")):
            with pytest.raises(InputError, match=r"^picture: 2 samples are masked; fill them"):
                use(masked)
        assert type(Picture(np.ma.MaskedArray(np.zeros((2, 3)), False)).pixels) is np.ndarray
