from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from osmofuse.linalg.krylov import flexible_cg
from osmofuse.maps import least_variation as module
from osmofuse.maps.combined_matting import colour_line_laplacian
from osmofuse.maps.least_variation import by_diagonal, least_variation, with_block_colours
from osmofuse.maps.trimap import Trimap
from osmofuse.progress import Guard, Status


def test_along_a_chain_the_map_falls_evenly():
    steps = np.diff(np.eye(5), axis=0)
    kept, entered = np.eye(5, dtype=bool)[[0]], np.eye(5, dtype=bool)[[4]]
    alpha, status = least_variation(csr_array(steps.T @ steps), Trimap(kept, entered), Guard(None))
    assert status is Status.converged
    np.testing.assert_allclose(alpha, [[1, 0.75, 0.5, 0.25, 0]], atol=1e-6)


def test_what_is_all_known_needs_no_matrix():
    kept = np.array([[True, False]])
    alpha, status = least_variation(None, Trimap(kept, ~kept), Guard(None))
    assert status is Status.direct
    assert np.array_equal(alpha, [[1, 0]])


def test_squares_count_like_the_matrix_that_they_make(rng):
    rows = csr_array(rng.standard_normal((4, 8)))
    kept, entered = np.eye(8, dtype=bool)[[0]], np.eye(8, dtype=bool)[[7]]
    chain = np.diff(np.eye(8), axis=0)
    matrix, trimap = csr_array(chain.T @ chain), Trimap(kept, entered)
    found, status = least_variation(matrix, trimap, Guard(None), squares=rows)
    expected, _ = least_variation(csr_array(matrix + rows.T @ rows), trimap, Guard(None))
    assert status is Status.converged
    np.testing.assert_allclose(found, expected, atol=1e-4)
    both = module.WithSquares(matrix, rows)
    np.testing.assert_allclose(both.diagonal(), (matrix + rows.T @ rows).diagonal())


def a_system(rng):
    image = np.cumsum(rng.random((24, 30, 3)), axis=1) / 30
    wanted = np.zeros((24, 30), bool)
    wanted[2:-2, 3:-3] = True
    inside = wanted.ravel()
    matrix = colour_line_laplacian(image, wanted)[inside][:, inside]
    return image, wanted, matrix


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


def test_pixels_that_nothing_ties_are_no_obstacle():
    from scipy.sparse import csr_array

    apply = with_block_colours(csr_array((6, 6)), np.ones((2, 3, 1)), np.ones((2, 3), bool))
    assert np.isfinite(apply(np.ones((1, 6)))).all()


def test_a_matrix_that_rounding_made_indefinite_is_no_obstacle():
    from scipy.sparse import diags_array

    matrix = diags_array([1.0, 1.0, 1.0, 1.0, 1.0, -1e-9]).tocsr()
    apply = with_block_colours(matrix, np.zeros((2, 3, 1)), np.ones((2, 3), bool))
    assert np.isfinite(apply(np.ones((1, 6)))).all()


def test_values_within_half_a_grey_level_of_the_ends_are_rounded():
    found = module._snapped(np.array([-0.1, 0.0019, 0.003, 0.5, 0.997, 0.9981, 1.2]))
    assert found.tolist() == [0, 0, 0.003, 0.5, 0.997, 1, 1]
