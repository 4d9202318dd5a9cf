from __future__ import annotations

import numpy as np

from osmofuse.maps import colour_mixtures as module
from osmofuse.maps.colour_mixtures import LEAST_RIDGE, MIXTURE_RIDGE, mixture_rows


def test_weights_are_the_least_squares_fit_that_sums_to_one(rng):
    image = rng.random((2, 6, 3))
    near = np.array([[1, 2, 4, 7, 11]])
    row = mixture_rows(image, np.array([3]), near).toarray()[0]
    colours = image.reshape(12, 3)
    away = colours[near[0]] - colours[3]
    ridge = MIXTURE_RIDGE * (away**2).sum() / 5 + LEAST_RIDGE
    # Lagrange's conditions of the minimum.
    system = np.ones((6, 6))
    system[:5, :5], system[5, 5] = away @ away.T + ridge * np.eye(5), 0.0
    expected = np.linalg.solve(system, [0, 0, 0, 0, 0, 1])[:5]
    np.testing.assert_allclose(-row[near[0]], expected, rtol=1e-7)
    assert row[3] == 1
    np.testing.assert_allclose(row.sum(), 0, atol=1e-12)
    assert np.count_nonzero(row) == 6


def test_a_mixture_of_two_colours_has_their_shares():
    image = np.array([[0.2, 0.8, 0.35]])[..., None]
    row = mixture_rows(image, np.array([2]), np.array([[0, 1]])).toarray()[0]
    np.testing.assert_allclose(row, [-0.75, -0.25, 1], atol=1e-3)


def test_neighbours_of_one_colour_have_equal_weights():
    row = mixture_rows(np.full((1, 5, 3), 0.4), np.array([0]), np.array([[1, 2, 3, 4]])).toarray()
    np.testing.assert_allclose(row, [[1, -0.25, -0.25, -0.25, -0.25]])


def test_batches_change_nothing(monkeypatch, rng):
    image, pixels = rng.random((6, 7, 3)), np.arange(0, 42, 2)
    near = (pixels[:, None] + [1, 3, 8]) % 42
    whole = mixture_rows(image, pixels, near).toarray()
    monkeypatch.setattr(module, "PIXELS_AT_ONCE", 4)
    assert np.array_equal(mixture_rows(image, pixels, near).toarray(), whole)


def test_a_pixel_without_neighbours_has_a_row_of_zeros():
    row = mixture_rows(np.ones((1, 1, 3)), np.array([0]), np.empty((1, 0), np.int32))
    assert row.toarray().tolist() == [[0]]
