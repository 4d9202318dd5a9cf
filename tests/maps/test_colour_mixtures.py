from __future__ import annotations

import numpy as np

from osmofuse.maps.colour_mixtures import LEAST_RIDGE, MIXTURE_RIDGE, mixture_weights


def test_weights_are_the_least_squares_fit_that_sums_to_one(rng):
    colours = rng.random((12, 3))
    near = np.array([[1, 2, 4, 7, 11]])
    weights = mixture_weights(colours, np.array([3]), near)[0]
    away = colours[near[0]] - colours[3]
    ridge = MIXTURE_RIDGE * (away**2).sum() / 5 + LEAST_RIDGE
    # Lagrange's conditions of the minimum.
    system = np.ones((6, 6))
    system[:5, :5], system[5, 5] = away @ away.T + ridge * np.eye(5), 0.0
    expected = np.linalg.solve(system, [0, 0, 0, 0, 0, 1])[:5]
    np.testing.assert_allclose(weights, expected, rtol=1e-7)
    np.testing.assert_allclose(weights.sum(), 1, atol=1e-12)


def test_a_mixture_of_two_colours_has_their_shares():
    colours = np.array([[0.2], [0.8], [0.35]])
    weights = mixture_weights(colours, np.array([2]), np.array([[0, 1]]))
    np.testing.assert_allclose(weights, [[0.75, 0.25]], atol=1e-3)


def test_neighbours_of_one_colour_have_equal_weights():
    weights = mixture_weights(np.full((5, 1), 0.4), np.array([0]), np.array([[1, 2, 3, 4]]))
    np.testing.assert_allclose(weights, [[0.25] * 4])


def test_a_pixel_without_neighbours_has_no_weights():
    near = np.empty((1, 0), np.int32)
    assert mixture_weights(np.ones((1, 1)), np.array([0]), near).shape == (1, 0)
