from __future__ import annotations

import numpy as np
import pytest

from osmofuse.maps.colour_lines import DELTA, SLOPE_PENALTY, colour_lines
from plain_mattes import colour_line_matrix, numbered


def by_least_squares(image, alpha):
    """Return the quadratic form as it is defined: the best fit in each window."""
    rows, cols, bands = image.shape
    total = 0.0
    for i in range(rows - 2):
        for j in range(cols - 2):
            colours = image[i : i + 3, j : j + 3].reshape(9, bands)
            slope = np.sqrt(SLOPE_PENALTY) * np.eye(bands, bands + 1)
            system = np.vstack([np.hstack([colours, np.ones((9, 1))]), slope])
            right = np.concatenate([alpha[i : i + 3, j : j + 3].ravel(), np.zeros(bands)])
            fit = np.linalg.lstsq(system, right)[0]
            covariance = np.cov(colours.T, bias=True).reshape(bands, bands)
            spread = np.trace(covariance)
            across = spread - np.trace(covariance @ covariance) / spread
            total += DELTA / (DELTA + across) * ((system @ fit - right) ** 2).sum()
    return total


@pytest.mark.parametrize("shape", [(3, 3, 1), (5, 3, 3), (4, 6, 3), (5, 4, 7)])
def test_the_form_is_the_best_fit_in_every_window(shape, rng):
    image = 0.5 + 0.02 * rng.random(shape)
    matrix = colour_line_matrix(image)
    for _ in range(3):
        alpha = rng.random(shape[:2])
        expected = by_least_squares(image, alpha)
        np.testing.assert_allclose(alpha.ravel() @ matrix @ alpha.ravel(), expected, rtol=1e-6)


def test_the_matrix_is_positive(rng):
    matrix = colour_line_matrix(rng.random((8, 7, 3)))
    assert np.linalg.eigvalsh(matrix).min() > -1e-9


def test_a_combination_of_the_bands_costs_nothing(rng):
    image = rng.random((9, 8, 3))
    alpha = (image @ (0.5, -0.2, 0.3) + 0.1).ravel()
    matrix = colour_line_matrix(image)
    assert alpha @ matrix @ alpha < 1e-4 * (np.roll(alpha, 1) @ matrix @ np.roll(alpha, 1))


def test_links_to_known_pixels_are_summed(rng):
    image, wanted = 0.5 + 0.02 * rng.random((7, 12, 3)), rng.random((7, 12)) < 0.6
    kept = ~wanted & (rng.random((7, 12)) < 0.5)
    found = colour_lines(image, numbered(wanted), kept)
    inside, matrix = wanted.ravel(), -colour_line_matrix(image)
    rows = matrix[inside]
    np.testing.assert_allclose(found.ends, rows[:, ~inside].sum(axis=1), atol=1e-6)
    np.testing.assert_allclose(found.kept_ends, rows[:, kept.ravel()].sum(axis=1), atol=1e-6)
    links = np.triu(rows[:, inside], 1).sum(axis=1)
    np.testing.assert_allclose(found.weights.sum(axis=1), links, atol=1e-6)


@pytest.mark.parametrize("shape", [(1, 1), (2, 9), (9, 2)])
def test_without_room_for_a_window_there_is_nothing(shape):
    assert not colour_line_matrix(np.ones((*shape, 3))).any()
