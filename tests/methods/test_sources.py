"""Sources take what fits together and refuse the rest."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from osmofuse import InputError, MismatchError, Picture, Sources

F = np.full((4, 5, 3), 0.5)
B = np.full((4, 5, 3), 0.25)


def refused(kind, name, *args):
    with pytest.raises(kind) as caught:
        Sources(*args)
    assert str(caught.value).startswith(f"{name}:")
    return str(caught.value)


def with_sample(value):
    picture = F.copy()
    picture[1, 2, 0] = value
    return picture


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_samples_that_are_no_numbers(value):
    assert "1 sample is NaN or infinite" in refused(InputError, "foreground", with_sample(value), B)
    refused(InputError, "background", F, with_sample(value))


def test_negative_samples():
    assert "clip or shift" in refused(InputError, "foreground", with_sample(-0.1), B)
    refused(InputError, "background", F, with_sample(-1e-9))


def test_floats_that_look_like_integers():
    assert "divide by 255" in refused(InputError, "foreground", 255.0 * F, B)
    assert "divide by 65535" in refused(InputError, "background", F, 65535.0 * B)
    assert Sources(with_sample(16.0), B).foreground.max() == 16.0


@pytest.mark.parametrize("shape", [(0, 5), (4, 0, 3), (4, 5, 0)])
def test_empty_pictures(shape):
    assert "empty" in refused(InputError, "foreground", np.empty(shape), B)
    assert "empty" in refused(InputError, "background", F, np.empty(shape))


@pytest.mark.parametrize("shape", [(), (5,), (4, 5, 3, 1)])
def test_wrong_dimensions(shape):
    assert "must be (rows, cols)" in refused(InputError, "foreground", np.ones(shape), B)
    refused(InputError, "background", F, np.ones(shape))


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32, bool, complex, object, "U1"])
def test_types_that_are_no_pixels(dtype):
    assert "uint8, uint16 or float" in refused(InputError, "foreground", F.astype(dtype), B)


def test_ragged_lists():
    refused(InputError, "foreground", [[1.0, 0.5], [0.5]], B)


@pytest.mark.parametrize("shape", [(5, 4, 3), (4, 6), (3, 5), (1, 1)])
def test_sizes_that_differ(shape):
    message = refused(MismatchError, "background", F, np.ones(shape))
    assert f"shape {shape[:2]}, but foreground has (4, 5)" in message
    assert "align or crop" in message


def test_bands_that_differ():
    assert "one band" in refused(MismatchError, "background", F, np.ones((4, 5, 5)))
    refused(MismatchError, "background", F[..., 0], B)
    refused(MismatchError, "background", F[..., :1], B)


@pytest.mark.parametrize(
    ("alpha", "words"),
    [
        (1.01, "leave"),
        (-0.01, "leave"),
        (np.nan, "NaN"),
        (np.full((4, 5), 255.0), "divide by 255"),
        (np.empty((0, 5)), "empty"),
        (np.full((4, 5), 255), "convert it to uint8"),
        (np.full(5, 0.5), "must be a number"),
        (np.full((1, 4, 5, 3), 0.5), "must be a number"),
        ("half", "read it first"),
        (1j, "type"),
    ],
)
def test_alphas_that_cannot_be_used(alpha, words):
    assert words in refused(InputError, "alpha", F, B, alpha)


@pytest.mark.parametrize("shape", [(5, 4), (4, 5, 2), (4, 5, 4), (1, 1), (4, 1), (1, 4, 5)])
def test_alphas_that_do_not_fit(shape):
    assert "resize or crop" in refused(MismatchError, "alpha", F, B, np.full(shape, 0.5))


@pytest.mark.parametrize("alpha", [0.25, np.full((4, 5), 0.25), np.full((4, 5, 1), 0.25)])
def test_one_alpha_serves_every_channel(alpha):
    sources = Sources(F, B, alpha)
    for c in range(3):
        assert np.array_equal(sources.weight(0, c, np.float64), np.full((4, 5), 0.25))
        assert np.array_equal(sources.weight(1, c, np.float64), np.full((4, 5), 0.75))


def test_an_alpha_for_each_channel():
    sources = Sources(F, B, np.broadcast_to([0.0, 0.5, 1.0], F.shape))
    assert [sources.weight(0, c, np.float64).mean() for c in range(3)] == [0.0, 0.5, 1.0]


def test_several_backgrounds_are_refused_by_their_place():
    alphas = [0.5, 0.25, 0.25]
    assert "empty list" in refused(InputError, "background", F, [], [1.0])
    refused(MismatchError, "background[1]", F, [B, B[:3]], alphas)
    refused(InputError, "background[0]", F, [-B, B], alphas)
    refused(InputError, "alpha[2]", F, [B, B], [0.5, 0.25, 1.25])
    refused(MismatchError, "alpha[1]", F, [B, B], [0.5, np.full((5, 4), 0.25), 0.25])


@pytest.mark.parametrize("alpha", [0.5, [0.5, 0.5], [0.25] * 4, np.full((4, 5), 0.5)])
def test_several_backgrounds_need_one_alpha_more(alpha):
    assert "a list of 3 maps" in refused(InputError, "alpha", F, [B, B], alpha)


@pytest.mark.parametrize("alphas", [[0.5, 0.5, 0.5], [0.1, 0.2, 0.3], [0, 0, 0]])
def test_alphas_that_do_not_sum_to_one(alphas):
    assert "sum to 1" in refused(InputError, "alpha", F, [B, B], alphas)


def test_one_channel_that_does_not_sum_to_one_is_enough():
    wrong = np.broadcast_to([0.5, 0.5, 0.8], F.shape)
    refused(InputError, "alpha", F, [B], [0.5, wrong])


def test_weights_sum_to_one_in_spite_of_8_bits(rng):
    first, second = rng.integers(0, 127, (2, 4, 5), np.uint8)
    third = 254 - first - second
    sources = Sources(F, [B, B], [first, second, third.astype(np.uint8)])
    total = sum(sources.weight(k, 0, np.float64) for k in range(3))
    np.testing.assert_allclose(total, 1.0, rtol=1e-15)


def test_valid_must_fit():
    assert "bool" in refused(InputError, "valid", F, B, 0.5, np.ones((4, 5)))
    refused(MismatchError, "valid", F, B, 0.5, np.ones((5, 4), bool))
    refused(MismatchError, "valid", F, B, 0.5, np.ones((4, 5, 3), bool))


def test_only_the_background_may_be_invalid():
    valid = np.ones((4, 5), bool)
    valid[1, 2] = False
    refused(InputError, "foreground", with_sample(np.nan), B, 0.5, valid)
    sources = Sources(F, with_sample(np.nan), 0.5, valid)
    assert sources.weight(0, 0, np.float64)[1, 2] == 1.0
    assert sources.weight(1, 0, np.float64)[1, 2] == 0.0
    assert sources.weight(0, 0, np.float64)[0, 0] == 0.5
    assert np.isfinite(sources.image(1, 0, np.float64)).all()


def test_holes_keep_the_foreground_under_several_maps_and_another_map():
    valid = np.ones((4, 5), bool)
    valid[1, 2] = False
    several = Sources(F, [B, B], [0.2, 0.3, 0.5], valid)
    another = Sources(F, B, 0.5, valid).with_alpha(0.25)
    for sources, weights in ((several, [0.2, 0.3, 0.5]), (another, [0.25, 0.75])):
        found = [sources.weight(k, 0, np.float64) for k in range(sources.count)]
        assert [plane[1, 2] for plane in found] == [1.0, 0.0, 0.0][: sources.count]
        np.testing.assert_allclose([plane[0, 0] for plane in found], weights)


def test_valid_does_not_excuse_bad_samples_elsewhere():
    valid = np.ones((4, 5), bool)
    valid[0, 0] = False
    refused(InputError, "background", F, with_sample(np.nan), 0.5, valid)


@pytest.mark.parametrize(("dtype", "white"), [(np.uint8, 255), (np.uint16, 65535), (np.float32, 1)])
def test_white_becomes_one(dtype, white):
    sources = Sources(np.full((2, 2), white, dtype), np.zeros((2, 2), dtype))
    assert np.array_equal(sources.image(0, 0, np.float64), np.ones((2, 2)))
    assert np.array_equal(sources.image(1, 0, np.float64), np.zeros((2, 2)))


@pytest.mark.parametrize(
    ("foreground", "background", "expected"),
    [
        (np.float64, np.float64, np.float64),
        (np.float64, np.uint8, np.float64),
        (np.uint8, np.float64, np.float64),
        (np.float32, np.uint16, np.float32),
        (np.float16, np.float16, np.float32),
        (np.uint8, np.uint8, np.float32),
    ],
)
def test_results_are_double_where_a_picture_is(foreground, background, expected):
    ones = np.ones((2, 2))
    assert Sources(ones.astype(foreground), ones.astype(background)).dtype is expected


def test_pictures_bring_their_colours_without_transparency():
    sources = Sources(Picture(np.ones((4, 5, 4), np.uint8), transparency=True), B)
    assert sources.channels == 3


def test_a_fourth_band_of_an_array_is_plain():
    assert Sources(np.ones((4, 5, 4)), np.ones((4, 5, 4))).channels == 4


def test_what_is_checked_is_not_doubted_again():
    """Also where a Picture said that four bands are plain, or that int16 are levels."""
    sources = Sources(Picture(np.ones((4, 5, 4), np.int16)), Picture(np.ones((4, 5), np.int16)))
    again = sources.with_alpha(np.zeros((4, 5)))
    assert np.shares_memory(again.foreground, sources.foreground)
    assert again.weight(0, 3, np.float64).max() == 0.0
    several = Sources(F, [B, B], [0.5, 0.25, 0.25]).with_alpha([1.0, 0.0, 0.0])
    assert len(several.backgrounds) == 2


def test_planes_are_new_and_contiguous():
    sources = Sources(F, B[::-1], np.full((4, 5), 0.5))
    for plane in (sources.image(0, 1, np.float64), sources.image(1, 1, np.float64)):
        assert plane.flags.c_contiguous
        assert plane.flags.writeable
        plane[:] = 9.0
    sources.weight(0, 0, np.float64)[:] = 9.0
    assert F.max() == 0.5
    assert B.max() == 0.25
    assert np.max(sources.alpha) == 0.5


def test_one_band_is_told_from_several():
    sources = Sources(F, [B, B[..., 0], B[..., :1]], [0.25] * 4)
    assert [sources.is_one_band(k) for k in (1, 2, 3)] == [False, True, True]
    assert not Sources(F[..., 0], B[..., 0]).is_one_band(1)


def test_sources_are_frozen():
    sources = Sources(F, B)
    with pytest.raises(FrozenInstanceError):
        sources.alpha = 1.0


def test_masks_of_backgrounds_go_to_the_foreground(rng):
    f, b = rng.random((4, 5, 3)), rng.random((4, 5))
    mask, none = np.zeros((2, 4, 5), bool)
    mask[1, 2] = True
    one = Sources(f, b, 0.25).keeping([mask])
    assert one.weight(0, 0, np.float64)[1, 2] == 1.0
    assert (one.weight(1, 0, np.float64)[~mask] == 0.75).all()
    parts = [np.full((4, 5), part) for part in (0.25, 0.25, 0.5)]
    two = Sources(f, [b, b], parts).keeping([mask, none])
    weights = [float(two.weight(k, 2, np.float64)[1, 2]) for k in range(3)]
    assert weights == [0.5, 0.0, 0.5]
    assert [a.min() for a in parts] == [0.25, 0.25, 0.5], "inputs stay as they are"


def test_a_stored_map_is_converted_when_it_is_asked_for():
    f, alpha = np.zeros((4, 5, 3), np.uint8), np.arange(20, dtype=np.uint8).reshape(4, 5) * 13
    sources = Sources(f, f, alpha)
    assert sources.maps[0].samples is alpha
    assert sources.maps[0].white == 255
    assert sources.alpha.dtype == np.float64
    assert np.array_equal(sources.alpha, alpha / 255)
    assert sources.alpha is sources.alphas[0], "it is converted once"
    for dtype in (np.float32, np.float64):
        assert np.array_equal(sources.weight(0, 1, dtype), (alpha / 255).astype(dtype))


def test_other_maps_replace_those_that_were_converted():
    f, mask = np.zeros((4, 5, 3), np.uint8), np.zeros((4, 5), bool)
    mask[0] = True
    sources = Sources(f, f, np.full((4, 5), 51, np.uint8))
    assert sources.alpha[0, 0] == 0.2
    assert np.array_equal(sources.keeping([mask]).alpha, np.where(mask, 1.0, 0.2))
    assert not sources.read_only().maps[0].samples.flags.writeable
    assert sources.with_alpha(0.5).alpha == 0.5
