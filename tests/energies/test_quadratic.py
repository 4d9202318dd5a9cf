"""The quadratic term: values, and pixels that are held."""

import math

import numpy as np
import pytest

from osmofuse.energies import Quadratic
from osmofuse.testing import check_gradient, check_prox


@pytest.fixture(params=["number", "array"])
def term(request, rng):
    weight = 2.5 if request.param == "number" else rng.uniform(0, 3, (2, 3))
    return Quadratic(weight, rng.standard_normal((2, 3)))


@pytest.fixture
def held(rng):
    """A term that holds three pixels, and which."""
    weight = rng.uniform(0, 3, (4, 5))
    where = np.zeros((4, 5), bool)
    where[0, 0] = where[2, 3] = where[3, 4] = True
    weight[where] = math.inf
    return Quadratic(weight, rng.standard_normal((4, 5)) / 3), where


def test_value(term, rng):
    x = rng.standard_normal((2, 3))
    weight = np.broadcast_to(term.weight, (2, 3))
    expected = sum(
        0.5 * weight[i, j] * (x[i, j] - term.target[i, j]) ** 2 for i in range(2) for j in range(3)
    )
    assert term.value(x) == pytest.approx(expected, rel=1e-13)


def test_gradient(term, rng):
    x = rng.standard_normal((2, 3))
    check_gradient(term.value, term.gradient, x)
    np.testing.assert_allclose(term.gradient(x), term.weight * (x - term.target), rtol=1e-14)


@pytest.mark.parametrize("tau", [0.1, 5.0])
def test_prox(term, tau, rng):
    check_prox(term.value, term.prox, rng.standard_normal((2, 3)), tau)


@pytest.mark.parametrize("tau", [1e-3, 1.0, 1e6])
def test_prox_solves_its_equation(term, tau, rng):
    x = rng.standard_normal((2, 3))
    p = term.prox(x, tau)
    np.testing.assert_allclose((p - x) / tau + term.gradient(p), 0, atol=1e-12 / min(tau, 1))


def test_prox_of_no_weight_is_the_point(rng):
    x = rng.standard_normal((2, 3))
    np.testing.assert_array_equal(Quadratic(0.0, np.ones((2, 3))).prox(x, 2.0), x)


def test_held_pixels_land_on_the_target_bit_for_bit(held, rng):
    term, where = held
    p = term.prox(rng.standard_normal((4, 5)), 0.1)
    assert (p[where] == term.target[where]).all()
    assert (p[~where] != term.target[~where]).all()


def test_held_pixels_add_nothing(held, rng):
    term, where = held
    x = rng.standard_normal((4, 5))
    rest = Quadratic(np.where(where, 0.0, term.weight), term.target)
    assert term.value(x) == rest.value(x)
    np.testing.assert_array_equal(term.gradient(x), rest.gradient(x))
    np.testing.assert_array_equal(term.prox(x, 0.3)[~where], rest.prox(x, 0.3)[~where])


def test_all_held_by_one_infinite_number(rng):
    target = rng.standard_normal((2, 3))
    term = Quadratic(math.inf, target)
    x = rng.standard_normal((2, 3))
    np.testing.assert_array_equal(term.prox(x, 0.1), target)
    assert term.value(x) == 0
    assert not term.gradient(x).any()
