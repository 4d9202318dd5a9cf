from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from osmofuse.linalg.krylov import flexible_cg
from osmofuse.maps import block_spaces as module
from osmofuse.maps.block_spaces import block_space, with_block_colours
from osmofuse.maps.least_variation import by_diagonal
from plain_mattes import colour_line_matrix


def a_system(rng):
    image = np.cumsum(rng.random((24, 30, 3)), axis=1) / 30
    wanted = np.zeros((24, 30), bool)
    wanted[2:-2, 3:-3] = True
    inside = wanted.ravel()
    return image, wanted, csr_array(colour_line_matrix(image)[np.ix_(inside, inside)])


def test_it_is_symmetric_and_positive(rng, monkeypatch):
    monkeypatch.setattr(module, "COLUMNS", 60)
    image, wanted, matrix = a_system(rng)
    apply = with_block_colours(matrix, image, wanted)
    y, z = rng.standard_normal((2, 1, matrix.shape[0]))
    assert np.isclose((y * apply(z)).sum(), (z * apply(y)).sum())
    assert (y * apply(y)).sum() > 0


def test_it_needs_fewer_iterations_than_the_diagonal(rng, monkeypatch):
    monkeypatch.setattr(module, "COLUMNS", 60)
    image, wanted, matrix = a_system(rng)
    right = rng.standard_normal((1, matrix.shape[0]))
    counts = []
    for precondition in (by_diagonal(matrix), with_block_colours(matrix, image, wanted)):
        found = flexible_cg(
            lambda p: (matrix @ p[0])[None],
            right,
            np.zeros_like(right),
            precondition=precondition,
            max_iter=5000,
        )
        assert found.converged
        counts.append(len(found.residuals))
    assert counts[1] < 0.7 * counts[0]


def test_small_blocks_below_wide_ones_save_iterations(rng, monkeypatch):
    monkeypatch.setattr(module, "COLUMNS", 60)
    image, wanted, matrix = a_system(rng)
    right = rng.standard_normal((1, matrix.shape[0]))
    counts = []
    for side in (12, 2):
        monkeypatch.setattr(module, "SIDE", side)
        found = flexible_cg(
            lambda p: (matrix @ p[0])[None],
            right,
            np.zeros_like(right),
            precondition=with_block_colours(matrix, image, wanted),
            max_iter=5000,
        )
        assert found.converged
        counts.append(len(found.residuals))
    assert counts[1] < 0.7 * counts[0]


def test_columns_are_orthonormal_and_reach_the_bands_in_every_block(rng):
    functions = np.ones((40, 4), np.float32)
    functions[:, 1:] = rng.random((40, 3))
    functions[20:30, 2] = functions[20:30, 1]
    blocks = np.repeat([2, 0, 1, 3], 10)
    space = block_space(functions, blocks).toarray()
    norms = np.diag(space.T @ space)
    np.testing.assert_allclose(space.T @ space, np.diag(norms > 0.5), atol=1e-5)
    assert (norms > 0.5).reshape(4, 4).sum(axis=1).tolist() == [4, 3, 4, 4]
    for block in range(4):
        part = np.where((blocks == block)[:, None], functions, 0.0)
        np.testing.assert_allclose(space @ (space.T @ part), part, atol=1e-5)


def test_pixels_that_nothing_ties_are_no_obstacle():
    apply = with_block_colours(csr_array((6, 6)), np.ones((2, 3, 1)), np.ones((2, 3), bool))
    assert np.isfinite(apply(np.ones((1, 6)))).all()


def test_a_matrix_that_rounding_made_indefinite_is_no_obstacle():
    from scipy.sparse import diags_array

    matrix = diags_array([1.0, 1.0, 1.0, 1.0, 1.0, -1e-9]).tocsr()
    apply = with_block_colours(matrix, np.zeros((2, 3, 1)), np.ones((2, 3), bool))
    assert np.isfinite(apply(np.ones((1, 6)))).all()
