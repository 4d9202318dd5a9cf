from __future__ import annotations

import numpy as np
import pytest

from osmofuse.preparation.colour_lines import DELTA, EPSILON, colour_line_laplacian


def by_least_squares(image, alpha):
    """Return the quadratic form as it is defined: the best fit in each window."""
    rows, cols, bands = image.shape
    total = 0.0
    for i in range(rows - 2):
        for j in range(cols - 2):
            colours = image[i : i + 3, j : j + 3].reshape(9, bands)
            slope = np.sqrt(EPSILON) * np.eye(bands, bands + 1)
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
    matrix = colour_line_laplacian(image, np.ones(shape[:2], bool))
    for _ in range(3):
        alpha = rng.random(shape[:2])
        expected = by_least_squares(image, alpha)
        np.testing.assert_allclose(alpha.ravel() @ matrix @ alpha.ravel(), expected, rtol=1e-6)


def test_the_matrix_is_symmetric_and_positive_with_rows_that_sum_to_zero(rng):
    matrix = colour_line_laplacian(rng.random((8, 7, 3)), np.ones((8, 7), bool)).toarray()
    np.testing.assert_allclose(matrix, matrix.T, atol=1e-12)
    np.testing.assert_allclose(matrix.sum(axis=1), 0, atol=1e-9)
    assert np.linalg.eigvalsh(matrix).min() > -1e-9


def test_a_combination_of_the_bands_costs_nothing(rng):
    image = rng.random((9, 8, 3))
    alpha = (image @ (0.5, -0.2, 0.3) + 0.1).ravel()
    matrix = colour_line_laplacian(image, np.ones((9, 8), bool))
    assert alpha @ matrix @ alpha < 1e-4 * (np.roll(alpha, 1) @ matrix @ np.roll(alpha, 1))


def test_windows_without_a_wanted_pixel_are_left_out(rng):
    image, wanted = rng.random((7, 12, 3)), np.zeros((7, 12), bool)
    wanted[3, 2] = True
    full = colour_line_laplacian(image, ~(wanted & False)).toarray()
    part = colour_line_laplacian(image, wanted).toarray()
    here = 3 * 12 + 2
    np.testing.assert_allclose(part[here], full[here], atol=1e-12)
    assert not part[:, 6::12].any()


@pytest.mark.parametrize("shape", [(1, 1), (2, 9), (9, 2)])
def test_without_room_for_a_window_there_is_nothing(shape):
    matrix = colour_line_laplacian(np.ones((*shape, 3)), np.ones(shape, bool))
    assert matrix.shape == (shape[0] * shape[1],) * 2
    assert matrix.nnz == 0
