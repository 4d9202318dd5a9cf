"""Previews of how two pictures lie over one another."""

from __future__ import annotations

import numpy as np
import pytest

from osmofuse.errors import MismatchError, SettingError
from osmofuse.report import checkerboard, flicker, overlay


@pytest.fixture
def pair(rng):
    return rng.integers(0, 4000, (80, 60, 3)).astype(np.uint16), rng.random((80, 60))


def test_squares_come_from_one_picture_and_the_other(pair):
    there, here = flicker(*pair)
    board = checkerboard(*pair, squares=8)
    assert board.dtype == np.uint8
    np.testing.assert_array_equal(board[:10, :10], there[:10, :10])
    np.testing.assert_array_equal(board[:10, 10:20], here[:10, 10:20])
    np.testing.assert_array_equal(board[10:20, 10:20], there[10:20, 10:20])


def test_faint_pictures_are_stretched_to_be_seen(pair):
    there, here = flicker(*pair)
    assert (here.shape, there.shape) == ((80, 60, 3), (80, 60, 3))
    assert there.max() == 255
    assert there.min() == 0


def test_where_nothing_is_shown_the_foreground_stands(pair):
    valid = np.ones((80, 60), np.bool_)
    valid[:20] = False
    there, here = flicker(*pair, valid=valid)
    np.testing.assert_array_equal(here[:20], there[:20])
    assert (here[20:] != there[20:]).any()


def test_large_pictures_are_reduced_by_their_means():
    big = np.zeros((20, 3300))
    big[:, ::3] = 0.5
    big[0, 0] = 1
    here, _ = flicker(big, big)
    assert here.shape == (7, 1100, 3)
    assert np.ptp(here[1:]) == 0


def test_flat_and_many_banded_pictures_are_shown(rng):
    there, here = flicker(rng.random((9, 8, 5)), np.zeros((9, 8)))
    assert not here.any()
    assert there.shape == (9, 8, 3)


def test_refusals(pair):
    with pytest.raises(MismatchError, match="show the aligned picture"):
        checkerboard(pair[0], pair[1][:-1])
    with pytest.raises(SettingError, match="squares"):
        checkerboard(*pair, squares=1)


def test_larger_pictures_are_reduced_to_what_is_asked_for(pair):
    assert checkerboard(*pair, longest=40).shape == (40, 30, 3)
    assert flicker(*pair, longest=79)[0].shape == (40, 30, 3)
    assert flicker(*pair, longest=80)[0].shape == (80, 60, 3)


@pytest.mark.parametrize("shape", [(1328, 1763), (1763, 1328), (1601, 3), (3201, 1)])
def test_odd_sides_are_reduced_with_what_is_valid(shape):
    valid = np.ones(shape, np.bool_)
    valid[-1:] = False
    background = np.full(shape, 200, np.uint8)
    foreground = np.tile(np.arange(shape[1]) % 200, (shape[0], 1)).astype(np.uint8)
    there, here = flicker(foreground, background, valid=valid)
    step = -(-max(shape) // 1600)
    assert here.shape[:2] == tuple(-(-side // step) for side in shape)
    np.testing.assert_array_equal(here[-1], there[-1])
    assert np.ptp(here[:-1]) == 0
    assert checkerboard(foreground, background, valid=valid).shape == here.shape


@pytest.mark.parametrize("longest", [1600, 7])
def test_what_is_not_valid_may_hold_anything(rng, longest):
    foreground, background = rng.random((2, 21, 33))
    valid = np.ones((21, 33), np.bool_)
    valid[:5, :9] = False
    expected = flicker(foreground, np.where(valid, background, 0.5), valid=valid, longest=longest)
    background[~valid] = np.nan
    found = flicker(foreground, background, valid=valid, longest=longest)
    np.testing.assert_array_equal(found, expected)


def test_if_nothing_is_valid_the_foreground_is_shown(pair):
    there, here = flicker(*pair, valid=np.zeros((80, 60), np.bool_))
    np.testing.assert_array_equal(here, there)


def test_it_is_tinted_where_the_background_enters_and_grey_where_not():
    alpha = np.zeros((10, 20))
    alpha[:, 8:] = 1.0
    shown = overlay(np.full((10, 20, 3), 0.5), alpha)
    assert shown.dtype == np.uint8
    assert np.ptp(shown[:, :7].astype(int), axis=2).min() > 60
    assert np.ptp(shown[:, 10:].astype(int), axis=2).max() == 0
    assert (shown[:, 8] == 255).all()  # the line at one half


@pytest.mark.parametrize("shape", [(1, 1), (4, 5, 3)])
def test_of_any_map_without_an_edge_there_is_no_line(shape):
    shown = overlay(np.full(shape[:2], 0.25), np.ones(shape))
    assert (shown == 64).all()


def test_a_map_of_several_channels_is_shown_by_its_mean(rng):
    image, alpha = rng.random((6, 7, 3)), rng.random((6, 7, 3))
    np.testing.assert_array_equal(overlay(image, alpha), overlay(image, alpha.mean(axis=2)))


def test_two_sizes_do_not_fit():
    with pytest.raises(MismatchError, match="alpha: shape"):
        overlay(np.ones((3, 4)), np.ones((4, 3)))


def test_the_line_of_an_overlay_includes_exactly_one_half():
    alpha = np.repeat([[0.0, 0.0, 0.5, 1.0, 1.0]], 3, axis=0)
    shown = overlay(np.full(alpha.shape, 0.25), alpha)
    assert (shown[:, 2] == 255).all()
    assert (shown[:, [1, 3]] < 255).any(axis=2).all()


@pytest.mark.parametrize("hole", [(4, 6), (0, 0), (2, 3)])
def test_a_reduced_pixel_is_valid_only_if_all_its_pixels_are(hole):
    shape, step = (5, 7), 2  # squares at the far borders are smaller
    valid = np.ones(shape, np.bool_)
    valid[hole] = False
    foreground = np.zeros(shape)
    foreground[:2, 2:4] = 1.0
    there, here = flicker(foreground, np.full(shape, 20.0), valid=valid, longest=4)
    partly = np.zeros((3, 4), np.bool_)
    partly[hole[0] // step, hole[1] // step] = True
    assert (here[~partly] == 255).all()
    assert (here[partly] == 0).all()
    assert (there[partly] == 0).all()
