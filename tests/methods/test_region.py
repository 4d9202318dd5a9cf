"""Where the background enters, the box around it, and the pictures within."""

import numpy as np
import pytest

from osmofuse import Picture, Sources
from osmofuse.methods.region import box_around, cropped, region_of


def sources(alpha, **changes):
    rng = np.random.default_rng(1)
    f, b = rng.random((2, 6, 7, 3))
    return Sources(f, b, alpha, **changes)


def test_the_region_is_where_alpha_is_zero():
    alpha = np.array([[0.0, 1e-300, 0.5], [1.0, 0.0, 0.4]])
    pair = Sources(np.ones((2, 3)), np.ones((2, 3)), alpha)
    np.testing.assert_array_equal(region_of(pair, 0), alpha == 0)
    np.testing.assert_array_equal(region_of(pair, 0, 0.4), alpha <= 0.4)


def test_what_is_not_valid_is_outside():
    valid = np.ones((6, 7), bool)
    valid[2] = False
    np.testing.assert_array_equal(region_of(sources(0.0, valid=valid), 0), valid)


def test_each_channel_has_its_own():
    alpha = np.zeros((6, 7, 3))
    alpha[..., 1] = 1.0
    pair = sources(alpha)
    assert [region_of(pair, c).all() for c in range(3)] == [True, False, True]


@pytest.mark.parametrize(
    ("pixels", "box"),
    [
        ([(2, 3)], np.s_[1:4, 2:5]),
        ([(0, 0)], np.s_[0:2, 0:2]),
        ([(5, 6)], np.s_[4:7, 5:8]),
        ([(1, 5), (4, 2)], np.s_[0:6, 1:7]),
    ],
)
def test_the_box_has_a_margin_within_the_picture(pixels, box):
    mask = np.zeros((6, 7), bool)
    for pixel in pixels:
        mask[pixel] = True
    found = box_around([mask])
    np.testing.assert_array_equal(np.zeros((6, 7))[found].shape, np.zeros((6, 7))[box].shape)
    assert [s.start for s in found] == [s.start for s in box]


def test_the_box_holds_every_mask():
    first, second = np.zeros((2, 6, 7), bool)
    first[2, 2] = second[4, 5] = True
    assert box_around([first, second]) == (slice(1, 6), slice(1, 7))


def test_nothing_has_no_box():
    assert box_around([np.zeros((6, 7), bool)]) is None


@pytest.mark.parametrize("alpha", [0.25, "map", "channels"])
def test_a_part_of_the_sources_has_the_same_samples(alpha, rng):
    shape = {"map": (6, 7), "channels": (6, 7, 3)}.get(alpha)
    whole = sources(rng.random(shape) if shape else alpha, valid=rng.random((6, 7)) < 0.9)
    box = np.s_[1:5, 2:7]
    part = cropped(whole, box)
    assert part.shape == (4, 5)
    for c in range(3):
        for k in (0, 1):
            for name in ("image", "weight"):
                expected = getattr(whole, name)(k, c, np.float64)[box]
                np.testing.assert_array_equal(getattr(part, name)(k, c, np.float64), expected)
    np.testing.assert_array_equal(part.valid, whole.valid[box])


def test_several_backgrounds_are_cut_together(rng):
    f, b1, b2 = rng.random((3, 6, 7))
    first = rng.random((6, 7))
    whole = Sources(f, [b1, b2], [first, 0.5 * (1 - first), 0.5 * (1 - first)])
    part = cropped(whole, np.s_[2:4, 0:3])
    assert part.count == 3
    for k in range(3):
        expected = whole.weight(k, 0, np.float64)[2:4, 0:3]
        np.testing.assert_array_equal(part.weight(k, 0, np.float64), expected)


def test_a_part_is_not_doubted_where_the_whole_was_not():
    whole = Sources(Picture(np.ones((4, 5, 4), np.int16)), Picture(np.ones((4, 5), np.int16)))
    part = cropped(whole, (slice(1, 3), slice(2, 5)))
    assert part.foreground.shape == (2, 3, 4)
    assert np.shares_memory(part.foreground, whole.foreground)
