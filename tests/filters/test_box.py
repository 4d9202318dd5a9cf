from __future__ import annotations

import numpy as np
import pytest

from osmofuse.filters import box_mean


def test_an_impulse_becomes_the_window():
    x = np.zeros((9, 9))
    x[4, 4] = 25.0
    expected = np.zeros((9, 9))
    expected[2:7, 2:7] = 1.0
    np.testing.assert_allclose(box_mean(x, 2), expected, atol=1e-14)
    np.testing.assert_allclose(box_mean(x, 2, border="replicate"), expected, atol=1e-14)


def test_at_a_corner_only_what_is_inside_counts():
    x = np.arange(12.0).reshape(3, 4)
    assert box_mean(x, 1)[0, 0] == pytest.approx((0 + 1 + 4 + 5) / 4)
    assert box_mean(x, 1)[2, 3] == pytest.approx((6 + 7 + 10 + 11) / 4)


def test_at_a_corner_the_border_is_replicated():
    x = np.arange(12.0).reshape(3, 4)
    expected = (4 * 0 + 2 * 1 + 2 * 4 + 5) / 9
    assert box_mean(x, 1, border="replicate")[0, 0] == pytest.approx(expected)


@pytest.mark.parametrize("radius", [6, 7, 10**9])
def test_a_window_larger_than_the_plane_gives_its_mean(rng, radius):
    x = rng.random((7, 5))
    np.testing.assert_allclose(box_mean(x, radius), x.mean(), rtol=1e-13)


def test_the_two_borders_agree_inside(rng):
    x = rng.random((30, 20))
    shrink, replicate = box_mean(x, 4), box_mean(x, 4, border="replicate")
    np.testing.assert_allclose(shrink[4:-4, 4:-4], replicate[4:-4, 4:-4], rtol=1e-12)
    assert np.abs(shrink - replicate).max() > 1e-3


def test_long_lines_do_not_gather_rounding():
    """The running sum passes large values; what it keeps of them is far below a grey level."""
    x = np.zeros((1, 200_000), np.float32)
    x[0, :100_000] = np.random.default_rng(0).random(100_000, np.float32)
    assert np.abs(box_mean(x, 45)[0, 100_050:]).max() < 1e-12
