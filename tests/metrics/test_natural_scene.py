from __future__ import annotations

import math

import numpy as np
import pytest

from osmofuse.metrics.natural_scene import (
    coefficients,
    fit_asymmetric,
    fit_symmetric,
    neighbour_products,
)


def by_loops(x, border):
    t = np.arange(-3, 4)
    window = np.exp(-(t[:, None] ** 2 + t**2) / (2 * (7 / 6) ** 2))
    window /= window.sum()
    framed = np.pad(x, 3, mode="edge") if border == "replicate" else np.pad(x, 3)
    m = np.zeros_like(x)
    for i, j in np.ndindex(x.shape):
        part = framed[i : i + 7, j : j + 7]
        mean = (window * part).sum()
        m[i, j] = (x[i, j] - mean) / (math.sqrt((window * (part - mean) ** 2).sum()) + 1)
    return m


@pytest.mark.parametrize("border", ["zero", "replicate"])
@pytest.mark.parametrize("shape", [(9, 8), (2, 3)])
def test_coefficients_against_loops(rng, border, shape):
    x = rng.integers(0, 256, shape).astype(float)
    np.testing.assert_allclose(coefficients(x, border), by_loops(x, border), atol=1e-9)


def test_flat_neighbourhoods_are_exactly_zero():
    x = np.full((20, 30), 0.1 * 255)
    assert not coefficients(x, "replicate").any()
    assert not coefficients(x, "zero")[3:-3, 3:-3].any()


def test_the_last_bits_of_single_precision_have_no_sign(nearly_flat):
    assert not coefficients(255 * nearly_flat((20, 30)), "replicate").any()


def test_products_go_round_in_a_ring():
    m = np.arange(6.0).reshape(2, 3)
    right, down, back = neighbour_products(m, [(0, 1), (1, 0), (1, -1)])
    np.testing.assert_array_equal(right[0], [0 * 2, 1 * 0, 2 * 1])
    np.testing.assert_array_equal(down[0], [0 * 3, 1 * 4, 2 * 5])
    np.testing.assert_array_equal(back[0], [0 * 4, 1 * 5, 2 * 3])


def generalised(rng, shape, size):
    """Draw from exp(-|x|^g): a gamma variate to the power 1/g, with a random sign."""
    return rng.gamma(1 / shape, size=size) ** (1 / shape) * rng.choice([-1.0, 1.0], size)


@pytest.mark.parametrize("shape", [0.5, 1.0, 2.0, 4.0])
def test_a_known_shape_is_found(rng, shape):
    x = generalised(rng, shape, 200_000)
    found, variance = fit_symmetric(x)
    assert found == pytest.approx(shape, rel=0.03)
    assert variance == pytest.approx(math.gamma(3 / shape) / math.gamma(1 / shape), rel=0.03)
    assert fit_asymmetric(x).shape == pytest.approx(shape, rel=0.03)


def test_two_sides_are_told_apart(rng):
    """The density is one function on both sides: more of it lies on the wider one."""
    x = np.abs(rng.standard_normal(200_000))
    x[: len(x) // 3] *= -1.0
    x[len(x) // 3 :] *= 2.0
    fit = fit_asymmetric(x)
    assert fit.left == pytest.approx(1.0, rel=0.02)
    assert fit.right == pytest.approx(2.0, rel=0.02)
    assert fit.shape == pytest.approx(2.0, rel=0.05)


def test_the_table_is_searched_as_the_authors_do(rng):
    x = rng.standard_normal(500) * np.where(rng.random(500) < 0.4, 1.0, 1.7)
    left, right = (np.sqrt(np.mean(x[s] ** 2)) for s in (x < 0, x > 0))
    q = left / right
    target = np.mean(np.abs(x)) ** 2 / np.mean(x**2) * (q**3 + 1) * (q + 1) / (q**2 + 1) ** 2
    entries = [k / 1000 for k in range(200, 10_001)]

    def ratio(g):
        return math.gamma(2 / g) ** 2 / (math.gamma(1 / g) * math.gamma(3 / g))

    nearest = min(entries, key=lambda g: (ratio(g) - target) ** 2)
    assert fit_asymmetric(x) == pytest.approx((nearest, left, right), rel=1e-12)
    inverse = np.mean(x**2) / np.mean(np.abs(x)) ** 2
    nearest = min(entries, key=lambda g: abs(1 / ratio(g) - inverse))
    assert fit_symmetric(x) == pytest.approx((nearest, np.mean(x**2)), rel=1e-12)


@pytest.mark.parametrize("values", [[0.0, 0.0], [1.0, 2.0, 0.0], [-1.0, 0.0]])
def test_a_side_without_values_has_no_fit(values):
    assert fit_asymmetric(np.array(values)) is None
