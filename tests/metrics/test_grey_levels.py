from __future__ import annotations

import numpy as np
import pytest

from osmofuse import InputError
from osmofuse.metrics.grey_levels import (
    counts,
    in_levels,
    joint_counts,
    mean_over_channels,
    stretched,
)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_was_8_bits_comes_back_whole(dtype):
    k = np.arange(256).reshape(16, 16)
    levels = in_levels((k / 255).astype(dtype), 0)
    assert levels.dtype == np.float64
    assert np.array_equal(levels, k)


def test_stretching_rounds_halves_upwards():
    assert stretched(np.array([[10.0, 11.0, 12.0]])).tolist() == [[0.0, 128.0, 255.0]]
    assert stretched(np.array([[-2.0, 0.0, 100.0]])).tolist() == [[0.0, 5.0, 255.0]]
    assert not stretched(np.full((2, 3), 7.0)).any()


def test_counts_are_of_what_lies_below_the_next_level():
    found = counts(np.array([[0.0, 0.9, 254.99, 255.0, 300.0, -4.0]]))
    assert found.sum() == 6
    assert (found[0], found[254], found[255]) == (3, 1, 2)


def test_joint_counts_are_of_pairs(rng):
    x, y = rng.integers(0, 256, (2, 9, 8)).astype(float)
    expected = np.zeros((256, 256))
    for a, b in zip(x.ravel().astype(int), y.ravel().astype(int), strict=True):
        expected[a, b] += 1
    assert np.array_equal(joint_counts(x, y), expected)


def test_planes_that_repeat_are_prepared_once(rng):
    u, b = rng.random((4, 5, 3)), np.repeat(rng.random((4, 5, 1)), 3, axis=2)
    made = []

    def prepare(x):
        made.append(x.copy())
        return x

    found = mean_over_channels(lambda x, y: float((x - y).sum()), u, b, prepare=prepare)
    assert len(made) == 4
    assert found == pytest.approx(255 * (u - b).sum() / 3)


def test_a_metric_may_need_more_pixels():
    u = np.zeros((5, 4, 3))
    with pytest.raises(InputError, match=r"^fused: shape \(5, 4\); .* needs 5 pixels"):
        mean_over_channels(lambda *_: 0.0, u, u, u, side=5)
