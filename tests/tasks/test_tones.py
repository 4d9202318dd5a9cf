from __future__ import annotations

import numpy as np
import pytest

from osmofuse.tasks.tones import FOOT, KNEE, lit, within

X = np.linspace(0, 1, 1001)


@pytest.mark.parametrize("psi", [0.1, 0.5, 1.5])
def test_brighter_light_multiplies_what_stays_below_the_knee_and_burns_nothing(psi):
    y = lit(X, psi, 1.0)
    low = X * np.exp(psi) < 0.99 * KNEE
    assert np.allclose(y[low], X[low] * np.exp(psi))
    assert (np.diff(y[X < 0.99]) > 0).all()
    assert y[X < 0.99].max() < 254.5 / 255
    assert np.abs(np.diff(y[X < 0.99], 2)).max() < 0.02  # no bend at the knee


def test_no_light_changes_nothing_and_darker_light_is_a_factor():
    assert np.allclose(lit(X, 0.0, 1.0), X)
    assert np.allclose(lit(X, -0.5, 1.0), X * np.exp(-0.5))


def test_the_range_holds_everything_and_its_middle_is_untouched():
    x = np.linspace(-0.1, 9, 5000)
    y = within(x, 0.9, 1.0)
    assert y.min() > 0
    assert y.max() < 1
    assert (np.diff(y) > 0).all()
    middle = (x > FOOT) & (x < 0.9)
    assert np.array_equal(y[middle], x[middle])


def test_what_the_range_bends_is_neither_black_nor_white_in_8_bits():
    y = within(np.array([-0.1, 0.85, 0.95, 2.0, 50.0]), 0.8, 1.0)
    levels = np.rint(255 * y)
    assert levels.min() >= 1
    assert levels.max() <= 254


def test_each_sample_may_have_its_own_knee():
    x, knee = np.array([0.5, 0.9, 0.9]), np.array([0.4, 0.8, 0.95])
    y = within(x, knee, 1.0)
    assert y.tolist() == [within(x[k], float(knee[k]), 1.0) for k in range(3)]
    assert y[2] == x[2]
