"""CIEDE2000 against the published pairs and scikit-image, and of pictures."""

from __future__ import annotations

import numpy as np
import pytest
from skimage.color import deltaE_ciede2000, rgb2lab

from osmofuse.errors import InputError
from osmofuse.metrics import colour_difference_map
from osmofuse.metrics.colour_difference import ciede2000, lab

# Pairs from the supplementary test data of Sharma, Wu and Dalal (2005): hues on both sides of the
# grey axis, across 360 degrees, in blue, and near black and white.
PAIRS = [
    ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
    ((50.0, -1.0, 2.0), (50.0, 0.0, 0.0), 2.3669),
    ((50.0, 2.49, -0.001), (50.0, -2.49, 0.0009), 7.1792),
    ((50.0, 2.49, -0.001), (50.0, -2.49, 0.0011), 7.2195),
    ((50.0, 2.5, 0.0), (50.0, 0.0, -2.5), 4.3065),
    ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
    ((22.7233, 20.0904, -46.694), (23.0331, 14.973, -42.5619), 2.0373),
    ((90.8027, -2.0831, 1.441), (91.1528, -1.6435, 0.0447), 1.4441),
    ((2.0776, 0.0795, -1.135), (0.9033, -0.0636, -0.5514), 0.9082),
]


@pytest.mark.parametrize(("first", "second", "expected"), PAIRS)
def test_published_pairs_both_ways(first, second, expected):
    one, two = np.array(first), np.array(second)
    assert ciede2000(one, two) == pytest.approx(expected, abs=5e-5)
    assert ciede2000(two, one) == pytest.approx(expected, abs=5e-5)


def test_differences_are_those_of_scikit_image(rng):
    """Colours of all hues, lightnesses and chromas, greys and near neighbours among them."""
    low, high = np.array([0.0, -100.0, -100.0]), np.array([100.0, 100.0, 100.0])
    first, second = rng.uniform(low, high, (2, 5000, 3))
    second[1000:2000] = first[1000:2000] + rng.normal(0, 2, (1000, 3))
    first[2000:2500, 1:] = 0.0
    second[2250:2750, 1:] = 0.0
    second[2750:3000, 1:] *= 0.01
    expected = deltaE_ciede2000(first, second)
    np.testing.assert_allclose(ciede2000(first, second), expected, rtol=1e-9, atol=1e-9)


def test_lab_is_that_of_scikit_image(rng):
    """Its matrix and white have more digits than those of the standard, which are used here."""
    srgb = rng.random((40, 50, 3))
    srgb[:10] *= 0.05
    np.testing.assert_allclose(lab(srgb), rgb2lab(srgb), atol=0.03)


@pytest.mark.parametrize(
    ("srgb", "expected"),
    [((1, 1, 1), (100, 0, 0)), ((0, 0, 0), (0, 0, 0)), ((1, 0, 0), (53.24, 80.09, 67.20))],
)
def test_lab_of_known_colours(srgb, expected):
    np.testing.assert_allclose(lab(np.array(srgb, float)), expected, atol=0.03)


def test_the_same_picture_differs_nowhere(rng):
    picture = rng.random((5, 6, 3))
    assert not colour_difference_map(picture, picture).any()


def test_what_a_file_clips_is_clipped():
    white = np.ones((2, 2, 3))
    assert not colour_difference_map(3 * white, white).any()


def test_single_precision_is_enough(rng):
    one, two = rng.random((2, 20, 20, 3))
    exact = colour_difference_map(one, two)
    rough = colour_difference_map(one.astype(np.float32), two.astype(np.float32))
    np.testing.assert_allclose(rough, exact, atol=0.02)


@pytest.mark.parametrize("shape", [(4, 5), (4, 5, 1), (4, 5, 4)])
def test_grey_has_no_colour(shape):
    with pytest.raises(InputError, match="three channels"):
        colour_difference_map(np.zeros(shape), np.zeros(shape))
