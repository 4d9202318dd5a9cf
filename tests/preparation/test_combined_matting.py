from __future__ import annotations

import numpy as np
import pytest

from osmofuse.preparation.colour_lines import colour_line_laplacian
from osmofuse.preparation.combined_matting import MOST_KNOWN, TIES, combined_matte
from osmofuse.preparation.knn_matting import knn_matte, ties_between
from osmofuse.preparation.known_colours import ties_to_known
from osmofuse.preparation.trimap import Trimap
from osmofuse.progress import Guard, Status


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
    ties = TIES * ties_between(image).laplacian(72)
    near = MOST_KNOWN * ties_to_known(image, trimap).laplacian(72)
    matrix = (lines + ties + near).toarray()
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


@pytest.mark.parametrize("shape", [(1, 2), (2, 1), (1, 5), (3, 3)])
def test_tiny_pictures(shape):
    kept, entered = np.zeros((2, *shape), bool)
    kept.flat[0], entered.flat[-1] = True, True
    alpha, status = combined_matte(np.full((*shape, 1), 0.3), Trimap(kept, entered), Guard(None))
    assert status.is_success
    assert alpha.flat[0] == 1
    assert alpha.flat[-1] == 0
