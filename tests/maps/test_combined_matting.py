from __future__ import annotations

import numpy as np
import pytest

from osmofuse.maps.colour_mixtures import mixture_rows
from osmofuse.maps.combined_matting import (
    DELTA,
    MIXTURES,
    MOST_KNOWN,
    SLOPE_PENALTY,
    TIES,
    colour_line_laplacian,
    combined_matte,
)
from osmofuse.maps.knn_matting import knn_matte, neighbours, ties_along, ties_to_known
from osmofuse.maps.trimap import Trimap
from osmofuse.progress import Guard, Status


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


def open_between(shape, width):
    kept, entered = np.zeros((2, *shape), bool)
    kept[:, :width], entered[:, -width:] = True, True
    return Trimap(kept, entered)


def test_the_map_is_that_of_a_dense_solve(rng):
    image, trimap = 0.5 + 0.1 * rng.random((8, 9, 3)), open_between((8, 9), 2)
    alpha, status = combined_matte(image, trimap, Guard(None))
    assert status is Status.converged
    known = trimap.known.ravel()
    lines = colour_line_laplacian(image, ~trimap.known)
    pixels = np.flatnonzero(~known)
    near = neighbours(image, pixels)
    ties = TIES * ties_along(image, pixels, near).laplacian(72)
    sides = MOST_KNOWN * ties_to_known(image, trimap).laplacian(72)
    rows = mixture_rows(image, pixels, near[0]).toarray()
    matrix = (lines + ties + sides).toarray() + MIXTURES * rows.T @ rows
    right = -matrix[np.ix_(~known, known)] @ trimap.kept.ravel()[known]
    dense = np.linalg.solve(matrix[np.ix_(~known, ~known)], right)
    np.testing.assert_allclose(alpha.ravel()[~known], np.clip(dense, 0, 1), atol=2e-3)
    assert (alpha[trimap.kept] == 1).all()
    assert (alpha[trimap.entered] == 0).all()


def test_a_soft_edge_between_plain_colours_is_found_where_ties_alone_miss_it():
    shape = (40, 60)
    truth = np.clip((45.0 - np.indices(shape)[1]) / 30, 0, 1)
    image = truth[..., None] * (0.8, 0.3, 0.1) + (1 - truth[..., None]) * (0.1, 0.4, 0.7)
    trimap = open_between(shape, 10)
    error = np.abs(combined_matte(image, trimap, Guard(None))[0] - truth).mean()
    assert error < 1e-3
    assert error < 0.1 * np.abs(knn_matte(image, trimap, Guard(None))[0] - truth).mean()


def test_an_island_that_no_line_reaches_is_joined_by_its_colour():
    image = np.full((40, 60, 3), 0.2)
    image[:, :15] = image[15:25, 35:45] = 0.8
    alpha, _ = combined_matte(image, open_between((40, 60), 8), Guard(None))
    assert np.array_equal(alpha, (image[..., 0] > 0.5).astype(float))


def test_hair_thinner_than_a_pixel_is_found_better_than_by_lines_and_ties_alone(monkeypatch, rng):
    fine = np.zeros((480, 640))
    for start, lean in zip(rng.uniform(0, 640, 120), rng.uniform(-0.3, 0.3, 120), strict=True):
        cols = (start + lean * np.arange(360)).astype(int) % 640
        fine[np.arange(360), cols] = fine[np.arange(360), (cols + 1) % 640] = 1.0
    fine[360:] = 1.0
    truth = fine.reshape(120, 4, 160, 4).mean(axis=(1, 3))
    leaf = rng.random((120, 160, 1)) * (0.1, 0.25, 0.1) + (0.1, 0.3, 0.1)
    hair = rng.random((120, 160, 1)) * (0.3, 0.2, 0.1) + (0.6, 0.5, 0.2)
    image = truth[..., None] * hair + (1 - truth[..., None]) * leaf
    trimap = np.full(truth.shape, 0.5)
    trimap[truth == 1], trimap[:8] = 1.0, 0.0
    errors = []
    for weight in (MIXTURES, 0.0):
        monkeypatch.setattr("osmofuse.maps.combined_matting.MIXTURES", weight)
        alpha, _ = combined_matte(image, Trimap.of(trimap), Guard(None))
        errors.append(np.abs(alpha - truth)[trimap == 0.5].mean())
    assert errors[0] < 0.9 * errors[1]


@pytest.mark.parametrize("shape", [(1, 2), (2, 1), (1, 5), (3, 3)])
def test_tiny_pictures(shape):
    kept, entered = np.zeros((2, *shape), bool)
    kept.flat[0], entered.flat[-1] = True, True
    alpha, status = combined_matte(np.full((*shape, 1), 0.3), Trimap(kept, entered), Guard(None))
    assert status.is_success
    assert alpha.flat[0] == 1
    assert alpha.flat[-1] == 0


def test_ties_to_known_pixels_weigh_less_in_larger_pictures(monkeypatch, rng):
    image, levels = rng.integers(0, 2, (6, 8, 3)).astype(float), np.full((6, 8), 0.5)
    levels[:2], levels[-2:] = 1.0, 0.0
    trimap, found = Trimap.of(levels), []
    place = "osmofuse.maps.combined_matting"
    monkeypatch.setattr(f"{place}.least_variation", lambda matrix, *_: found.append(matrix))
    for weight in (1.0, 48e-4):
        monkeypatch.setattr(f"{place}.KNOWN", weight)
        combined_matte(image, trimap, Guard(None))
    known = ties_to_known(image, trimap).laplacian(48)
    assert known.nnz
    apart = (found[0] - found[1] - (MOST_KNOWN - 1e-4) * known).toarray()
    np.testing.assert_allclose(apart, 0, atol=1e-12)
