"""Grey levels, channels, histograms and entropies."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from osmofuse import InputError, SettingError
from osmofuse.metrics.grey_levels import (
    Entropies,
    counts,
    entropies,
    in_levels,
    joint_counts,
    mean_over_channels,
    quality_planes,
    rounding_in,
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


def test_a_plane_is_reused_only_if_it_repeats_the_one_before(rng):
    """Bands A, B, A: the third is like the first, but not like the one before."""
    u = rng.random((4, 5, 3))
    a, b = rng.random((2, 4, 5))
    source = np.stack([a, b, a], axis=2)
    found = mean_over_channels(lambda x, y: float((x * y).sum()), u, source, prepare=np.copy)
    assert found == pytest.approx(255**2 * (u * source).sum() / 3)


def test_a_metric_may_need_more_pixels():
    u = np.zeros((5, 4, 3))
    with pytest.raises(InputError, match=r"^fused: shape \(5, 4\); .* needs 5 pixels"):
        mean_over_channels(lambda *_: 0.0, u, u, u, side=5)


def nats(items):
    counts = Counter(items)
    total = sum(counts.values())
    return -math.fsum(n / total * math.log(n / total) for n in counts.values())


def test_entropies_against_counting(rng):
    x, y = rng.integers(0, 9, (2, 7, 8)) * 31.0
    found = entropies(joint_counts(x, y))
    lists = x.ravel().tolist(), y.ravel().tolist()
    expected = [
        nats(lists[0]),
        nats(lists[1]),
        nats(zip(*lists, strict=True)),
    ]
    assert list(found) == pytest.approx(expected, abs=1e-12)
    assert found.mutual == pytest.approx(expected[0] + expected[1] - expected[2], abs=1e-12)


def test_entropies_by_hand():
    x, y = np.array([[0.0, 0.0, 255.0, 255.0]]), np.array([[0.0, 9.0, 0.0, 9.0]])
    bit = math.log(2.0)
    apart = entropies(joint_counts(x, y))
    assert apart == pytest.approx((bit, bit, 2 * bit))
    assert apart.mutual == pytest.approx(0.0, abs=16 * np.finfo(float).eps)
    assert entropies(joint_counts(x, x)).mutual == pytest.approx(bit)


def test_quality_planes_channels_one_by_one(rng):
    x = rng.random((3, 4, 3))
    planes = list(quality_planes(x, "mean"))
    np.testing.assert_array_equal(np.stack(planes, axis=-1), 255 * x)


def test_quality_planes_grey_is_weighed_and_rounded():
    x = np.array([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]]])
    (grey,) = quality_planes(x, "grey")
    np.testing.assert_array_equal(grey, [[76, 150, 29, 255]])


@pytest.mark.parametrize("shape", [(3, 4), (3, 4, 1)])
def test_quality_planes_one_channel_is_grey_already(rng, shape):
    x = rng.random(shape)
    (grey,) = quality_planes(x, "grey")
    np.testing.assert_array_equal(grey, 255 * x.reshape(3, 4))


def test_quality_planes_what_has_no_grey(rng):
    with pytest.raises(InputError, match=r"^fused: 4 channels have no grey"):
        list(quality_planes(rng.random((3, 4, 4)), "grey"))
    with pytest.raises(SettingError, match=r"^colour: 'lab'; must be"):
        list(quality_planes(rng.random((3, 4, 3)), "lab"))


def test_rounding_is_four_spacings_of_single_precision():
    x = np.array([[0.5, -3.0], [1.0, 2.0]])
    assert rounding_in(x) == 4 * 3 * 2.0**-23
    assert rounding_in(x, 2 * x) == 2 * rounding_in(x)
    assert rounding_in(x[:0]) == 0.0


def test_mutual_information_is_not_negative():
    assert Entropies(1.0, 2.0, np.nextafter(3.0, 4.0)).mutual == 0.0
    assert Entropies(1.0, 2.0, 2.5).mutual == 0.5
