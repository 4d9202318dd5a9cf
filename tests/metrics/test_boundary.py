"""Common parts of the boundary metrics: scale, box, explained jumps, windows."""

from __future__ import annotations

import numpy as np
import pytest

from osmofuse import MismatchError
from osmofuse.metrics.boundary import (
    MARGIN,
    block_means,
    blocks,
    box_around,
    checked_sources,
    gradient,
    lightness_and_chroma,
    one_map,
    relative_log,
    unexplained,
    windowed,
)

WHOLE = slice(None), slice(None)


def test_the_measure_does_not_see_a_gain(rng):
    x = rng.random((8, 9, 3))
    np.testing.assert_allclose(relative_log(7.0 * x, WHOLE), relative_log(x, WHOLE), atol=1e-5)


def test_near_the_mean_is_the_relative_difference():
    x = np.full((20, 20), 0.3)
    x[3, 4] *= 1.01
    difference = np.ptp(relative_log(x, WHOLE))
    assert difference == pytest.approx(0.01, rel=0.02)


@pytest.mark.parametrize("level", [0.0, 0.4, -0.1])
def test_flat_pictures_are_finite(level):
    assert np.isfinite(relative_log(np.full((4, 5), level), WHOLE)).all()


def test_the_mean_is_that_of_the_whole_picture(rng):
    x = rng.random((9, 9, 1))
    box = slice(2, 5), slice(3, 9)
    np.testing.assert_array_equal(relative_log(x, box), relative_log(x, WHOLE)[box])


def test_the_box_holds_all_places_and_the_windows():
    places = np.zeros((300, 300), bool)
    places[100, 120] = places[150, 130] = True
    rows, cols = box_around(places)
    assert (rows.start, rows.stop) == (100 - MARGIN, 151 + MARGIN)
    assert (cols.start, cols.stop) == (120 - MARGIN, 131 + MARGIN)


def test_sources_explain_their_jumps_and_a_quarter_more():
    found = np.array([0.5, 0.5, -0.5, 0.1])
    sources = [np.array([0.4, 0.0, 0.5, 0.0]), np.array([0.0, 0.2, 0.0, -1.0])]
    np.testing.assert_allclose(unexplained(found, sources), [0.0, 0.25, -0.5, 0.1])
    np.testing.assert_array_equal(unexplained(found, []), found)
    exactly = unexplained(found, sources, tolerance=1.0)
    np.testing.assert_allclose(exactly, [0.1, 0.3, -0.5, 0.1], atol=1e-12)


def test_negative_jumps_are_explained_like_positive_ones(rng):
    found = np.array([-0.5, -0.5, -0.3])
    sources = [np.array([-0.4, 0.0, -0.1]), np.array([0.3, -0.2, -0.2])]
    np.testing.assert_allclose(unexplained(found, sources), [0.0, -0.25, -0.05])
    found, *sources = rng.standard_normal((3, 50))
    mirrored = unexplained(-found, [-source for source in sources])
    np.testing.assert_array_equal(mirrored, -unexplained(found, sources))


@pytest.mark.parametrize("shape", [(4, 7), (7,), (1, 7), (4, 7, 3)])
def test_a_map_of_another_size_is_refused(shape):
    with pytest.raises(MismatchError, match=r"^alpha: shape"):
        one_map(np.ones(shape), (5, 7, 3))


def test_one_band_is_repeated_and_another_size_is_refused(rng):
    fused = rng.random((5, 6, 3))
    (band,) = checked_sources([None, rng.random((5, 6))], fused)
    assert band.shape == fused.shape
    with pytest.raises(MismatchError, match=r"^foreground: shape \(5, 7, 3\)"):
        checked_sources([rng.random((5, 7, 3))], fused)


def test_colours_are_lightness_and_what_is_left():
    parts = lightness_and_chroma(np.array([[1.0, 2.0, 6.0]]))
    np.testing.assert_allclose(parts, [[3.0, -2.0, -1.0, 3.0]])


def test_maps_of_channels_become_one(rng):
    alpha = rng.random((4, 5, 3))
    np.testing.assert_allclose(one_map(alpha, (4, 5, 3)), alpha.mean(axis=2), rtol=1e-6)
    assert one_map(np.float64(0.5), (4, 5, 3)).shape == (4, 5)


def test_blocks_are_sums():
    x = np.arange(35.0).reshape(5, 7)
    coarse = blocks(x, 2)
    assert coarse.shape == (3, 4)
    assert coarse.sum() == x.sum()
    assert coarse[1, 1] == x[2:4, 2:4].sum()
    assert coarse[2, 3] == x[4, 6]


def test_windows_see_nothing_beyond_the_border():
    """A mean of weighted samples divided by that of the weights is exact up to the border."""
    weight = np.ones((9, 9), np.float32)
    assert windowed(weight)[0, 0] < windowed(weight)[4, 4]
    np.testing.assert_allclose(windowed(3 * weight) / windowed(weight), 3.0, rtol=1e-6)


def test_negative_samples_count_as_black(rng):
    x = rng.random((8, 9, 3)) - 0.3
    clipped = np.maximum(x, 0.0)
    np.testing.assert_array_equal(relative_log(x, WHOLE), relative_log(clipped, WHOLE))


def test_the_box_ends_at_the_borders():
    places = np.zeros((60, 70), bool)
    places[3, 68] = True
    rows, cols = box_around(places)
    assert places[rows, cols].shape == (4 + MARGIN, 2 + MARGIN)


@pytest.mark.parametrize("side", [1, 3, 8])
def test_block_means_are_of_what_there_is(rng, side):
    x = rng.random((7, 10)).astype(np.float32)
    found = block_means(x, side)
    for (row, col), value in np.ndenumerate(found):
        part = x[row * side : (row + 1) * side, col * side : (col + 1) * side]
        assert value == pytest.approx(part.mean(), rel=1e-6)


def test_gradients_are_forward_differences(rng):
    x = rng.random((4, 5))
    down, right = gradient(x)
    np.testing.assert_array_equal(down, np.diff(x, axis=0, append=x[-1:]))
    np.testing.assert_array_equal(right, np.diff(x, axis=1, append=x[:, -1:]))
