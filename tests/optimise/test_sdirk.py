"""The stages of a step on one mode, where everything about it is known."""

import math

import numpy as np
import pytest

from osmofuse.linalg import Stencil, inside, padded
from osmofuse.linalg.stencil import zeros
from osmofuse.optimise.sdirk import ERROR_FACTOR, G, K, blend, dense_output, end_step, second_stage

RATES = np.geomspace(1e-3, 1e3, 60)  # lambda h


def stages(z):
    """The two stages for a mode that decays at z, from 1."""
    first = 1 / (1 + G * z)
    return first, (1 + K * (first - 1)) / (1 + G * z)


def estimate(z):
    """The root of the product of both differences, as `end_step` sums it."""
    first, end = stages(z)
    e2 = ((end - 1) - (1 + K) * (first - 1)) / K
    return ERROR_FACTOR * np.sqrt((1 - first - e2) * e2)


def test_the_method_is_of_order_two_and_ends_fast_modes():
    small = np.array([0.02, 0.01])
    error = np.abs(stages(small)[1] - np.exp(-small))
    assert math.log2(error[0] / error[1]) == pytest.approx(3, abs=0.1)
    assert abs(stages(1e9)[1]) < 1e-8


def test_the_estimate_bounds_the_error_of_modes_that_are_left():
    z = RATES[RATES <= 2.5]
    assert (estimate(z) >= np.abs(stages(z)[1] - np.exp(-z))).all()


def test_the_estimate_is_not_far_from_the_error_of_any_mode():
    z = RATES[RATES >= 1.0]
    assert (np.abs(stages(z)[1] - np.exp(-z)) <= 1.5 * estimate(z)).all()
    assert estimate(np.array([1e-3])) < 1e-5


def test_dense_output_ends_at_the_stages_and_ends_fast_modes():
    assert dense_output(1.0) == 1.0
    assert dense_output(G) == 0.0
    first, end = stages(1e9)
    for part in (0.5, 0.8, 1.05):
        assert abs(first + dense_output(part) * (end - first)) < 1e-8


@pytest.mark.parametrize("part", [0.6, 0.8, 0.95])
def test_dense_output_is_as_good_as_the_step_after_others(part):
    """After two steps of half the length, as in a plan, no mode is off by more."""
    before = stages(0.5 * RATES)[1] ** 2
    first, end = stages(RATES)
    inner = before * (first + dense_output(part) * (end - first))
    error = np.abs(inner - np.exp(-(1 + part) * RATES)).max()
    assert error <= 1.5 * np.abs(before * end - np.exp(-2 * RATES)).max()


SHAPES = [(1, 1), (1, 6), (7, 1), (4, 6), (5, 7)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_passes_do_what_they_say(shape, rng):
    u, v, b = (padded(1 + rng.random(shape), np.float64) for _ in range(3))
    delta = padded(rng.standard_normal(shape), np.float64)
    first, end, guess, side = (zeros(shape, np.float64) for _ in range(4))
    s = Stencil.empty(shape, np.float64)
    inside(s.mass, shape)[...] = 1 + rng.random(shape)
    inside(s.down, shape)[:-1] = rng.random((shape[0] - 1, shape[1]))
    inside(s.right, shape)[:, :-1] = rng.random((shape[0], shape[1] - 1))
    s.invert_diagonal()
    half = (-(-shape[0] // 2), -(-shape[1] // 2))
    side[...], coarse = b, zeros(half, np.float64)
    matrix = s.down, s.right, s.mass
    scratch = np.full((3, 2, b.shape[1]), np.nan)
    second_stage(guess, coarse, first, side, delta, v, *matrix, 1.9, scratch, *shape)
    np.testing.assert_allclose(first, v * delta)
    np.testing.assert_allclose(side - b, 1.9 * v * first, atol=1e-14)
    np.testing.assert_allclose(guess, 2 * delta)
    left = np.zeros((2 * half[0], 2 * half[1]))
    left[: shape[0], : shape[1]] = inside(side - s(guess), shape)
    blocks = left.reshape(half[0], 2, half[1], 2).sum(axis=(1, 3))
    np.testing.assert_allclose(inside(coarse, half), blocks, atol=1e-13)
    first = padded(rng.standard_normal(shape), np.float64)
    sums = end_step(end, delta, b, *matrix, s.inverse, first, u, v, K, *shape).sum(axis=1)
    change = v * delta
    np.testing.assert_allclose(inside(end, shape), inside(u + change, shape))
    e2 = (change - (1 + K) * first) / K
    assert sums[0] == pytest.approx(np.sum((-first - e2) * e2))
    left = inside(v * s.inverse * (b - s(delta)), shape)
    assert sums[1] == pytest.approx(np.sum(left**2))
    assert sums[2] == pytest.approx(np.sum((change - first) ** 2))


def test_a_blend_lies_between_the_stages(rng):
    shape = (4, 6)
    u, first, end = (padded(rng.random(shape), np.float64) for _ in range(3))
    expected = 0.7 * (u + first) + 0.3 * end
    blend(end, u, first, 0.3, *shape)
    np.testing.assert_allclose(inside(end, shape), inside(expected, shape))
