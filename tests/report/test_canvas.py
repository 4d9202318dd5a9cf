"""The colours of maps: dark to light, evenly, and no two alike."""

from __future__ import annotations

import numpy as np
import pytest

from osmofuse.metrics.colour_difference import lab
from osmofuse.report.canvas import brightest, coloured, colours


def test_brightness_rises_evenly():
    brightness = colours() @ [0.30, 0.59, 0.11]
    steps = np.diff(brightness)
    assert steps.min() > 0
    assert steps.max() < 1.1 * steps.min()
    assert (np.diff(lab(colours())[:, 0]) > 0).all(), "also as it is seen"


def test_the_table_is_within_the_range_and_cannot_be_changed():
    assert colours().shape == (256, 3)
    assert colours().min() > 0
    assert colours().max() < 1
    with pytest.raises(ValueError, match="read-only"):
        colours()[0] = 0


def test_values_take_the_colours_from_0_to_the_highest():
    shown = coloured(np.array([[-1.0, 0.0, 2.5, 5.0, 80.0]]), 5.0)
    np.testing.assert_array_equal(shown[0, [0, 1]], colours()[[0, 0]])
    np.testing.assert_array_equal(shown[0, [3, 4]], colours()[[255, 255]])
    np.testing.assert_allclose(shown[0, 2], colours()[127:129].mean(axis=0), atol=0.01)


def test_the_brightest_is_a_round_number_that_few_exceed():
    values = np.arange(1000.0)
    assert brightest(values) == 990.0
    assert brightest(np.zeros(9)) == 1.0
