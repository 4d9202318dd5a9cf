from __future__ import annotations

import numpy as np
import pytest

from osmofuse.maps.knn_matting import (
    COLOUR_WIDTH,
    NO_TIE,
    PASSES,
    PLACE,
    knn_matte,
    ties_between,
    ties_to_known,
)
from osmofuse.maps.trimap import Trimap
from osmofuse.progress import Guard, Status


def nearest_by_hand(features, count):
    away = ((features[:, None] - features[None]) ** 2).sum(axis=2)
    np.fill_diagonal(away, np.inf)
    return np.argsort(away, axis=1, kind="stable")[:, :count]


def test_ties_are_those_of_the_formulas(rng):
    image = rng.random((5, 6, 3))
    ties = ties_between(image)
    place = np.indices((5, 6)).reshape(2, -1).T / np.hypot(5, 6)
    expected = np.zeros((30, 30))
    for count, part in PASSES:
        near = nearest_by_hand(np.hstack([image.reshape(-1, 3), part * place]), count)
        for i, row in enumerate(near):
            for j in row:
                apart = np.abs(image.reshape(-1, 3)[i] - image.reshape(-1, 3)[j]).sum()
                expected[i, j] += max(0, 1 - apart / NO_TIE)
    weights = expected + expected.T
    matrix = ties.laplacian(30).toarray()
    np.testing.assert_allclose(matrix, np.diag(weights.sum(axis=1)) - weights)


def test_the_matrix_is_symmetric_with_rows_that_sum_to_zero(rng):
    matrix = ties_between(rng.random((9, 7, 1))).laplacian(63)
    assert abs(matrix - matrix.T).max() == 0
    np.testing.assert_allclose(matrix.sum(axis=1), 0, atol=1e-12)


def test_the_map_is_that_of_a_dense_solve(rng):
    image = rng.random((8, 9, 3))
    kept, entered = np.zeros((2, 8, 9), bool)
    kept[:, :2], entered[:, -2:] = True, True
    alpha, status = knn_matte(image, Trimap(kept, entered), Guard(None))
    assert status is Status.converged
    known = (kept | entered).ravel()
    matrix = ties_between(image).laplacian(72).toarray()
    right = -matrix[np.ix_(~known, known)] @ kept.ravel()[known]
    dense = np.linalg.solve(matrix[np.ix_(~known, ~known)], right)
    np.testing.assert_allclose(alpha.ravel()[~known], dense, atol=2e-5)
    assert (alpha[kept] == 1).all()
    assert (alpha[entered] == 0).all()


def test_what_is_tied_to_nothing_known_stays_open():
    image = np.zeros((6, 40, 3))
    image[:, 20:] = 1.0
    kept, entered = np.zeros((2, 6, 40), bool)
    kept[:, 0], entered[:, 1] = True, True
    alpha, _ = knn_matte(image, Trimap(kept, entered), Guard(None))
    assert (alpha[:, 20:] == 0.5).all()


@pytest.mark.parametrize("shape", [(1, 2), (2, 1), (1, 5)])
def test_tiny_pictures(shape):
    kept, entered = np.zeros((2, *shape), bool)
    kept.flat[0], entered.flat[-1] = True, True
    alpha, status = knn_matte(np.full((*shape, 1), 0.3), Trimap(kept, entered), Guard(None))
    assert status.is_success
    assert alpha.flat[0] == 1
    assert alpha.flat[-1] == 0


def test_each_open_pixel_is_tied_to_the_nearer_side_by_how_sure_it_is():
    # Known to be 1, known to be 0; then: as the first, as the second, between, like neither.
    image = np.array([0.2, 0.23, 0.2, 0.23, 0.215, 0.9])[None, :, None]
    kept, entered = np.eye(6, dtype=bool)[:2, None]
    ties = ties_to_known(image, Trimap(kept, entered))
    assert ties.i.tolist() == [2, 3, 4, 5]
    assert ties.j[:2].tolist() == [0, 1]
    step = PLACE / np.hypot(1, 6)
    same, other = (
        np.exp(-((np.hypot(c, n * step) / COLOUR_WIDTH) ** 2)) for c, n in ((0, 2), (0.03, 1))
    )
    np.testing.assert_allclose(ties.k[0], same - other)
    assert ties.k[2] < 0.5 * ties.k[0]
    assert ties.k[3] == 0


def test_where_one_side_is_not_known_at_all_there_are_no_ties():
    nothing = np.zeros((2, 3), bool)
    kept = nothing.copy()
    kept[0, 0] = True
    ties = ties_to_known(np.ones((2, 3, 1)), Trimap(kept, nothing))
    assert len(ties.i) == len(ties.j) == len(ties.k) == 0


def test_a_sample_stands_for_all_known_pixels(monkeypatch):
    image = np.linspace(0, 1, 201)[None, :, None] * np.ones((1, 1, 3))
    image[0, 100] = image[0, 199]
    kept = np.arange(201)[None] > 100
    entered = np.arange(201)[None] < 100
    monkeypatch.setattr("osmofuse.maps.knn_matting.SAMPLES", 60)
    ties = ties_to_known(image, Trimap(kept, entered))
    assert ties.i.tolist() == [100]
    assert ties.j[0] > 190
    assert ties.k[0] > 0.5
