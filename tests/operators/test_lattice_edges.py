"""The anisotropic osmosis matrix against one assembled pixel by pixel; its laws."""

import numba
import numpy as np
import pytest

from osmofuse.operators import LatticeOsmosis, OsmosisEdges, lattice_basis
from registry import SHAPES, dense, tensors


def identity(shape):
    W = np.zeros((3, *shape))
    W[0] = W[2] = 1.0
    return W


def assembled(W, v, still=None):
    """Reference: every pixel gives the edges along its offsets, with half of their weights."""
    shape = v.shape
    e, w = (x.reshape(*x.shape[:-1], *shape) for x in lattice_basis(W.reshape(3, -1)))
    A = np.zeros((v.size, v.size))
    for p in np.ndindex(shape):
        for k, sign in np.ndindex(3, 2):
            q = tuple(int(x) for x in np.array(p) + (1 - 2 * sign) * e[(k, slice(None), *p)])
            if not (0 <= q[0] < shape[0] and 0 <= q[1] < shape[1]):
                continue
            i, j = np.ravel_multi_index(p, shape), np.ravel_multi_index(q, shape)
            d = 2 * (v[q] - v[p]) / (v[q] + v[p])
            if still is not None and (still[p] or still[q]):
                d = 0.0
            enters, leaves = (w[(k, *p)] / 2 * x for x in (1 - d / 2, 1 + d / 2))
            A[i, j] += enters
            A[i, i] -= leaves
            A[j, j] -= enters
            A[j, i] += leaves
    return A


@pytest.mark.parametrize("shape", [*SHAPES, (9, 8)], ids=str)
def test_matrix(shape, rng):
    v, W = rng.uniform(0.5, 2, shape), tensors(shape, rng)
    A = LatticeOsmosis.canonical(v, W)
    assert A.shape == shape
    np.testing.assert_allclose(dense(A, shape), assembled(W, v), rtol=0, atol=1e-13)
    np.testing.assert_allclose(dense(A.adjoint, shape), assembled(W, v).T, rtol=0, atol=1e-13)


def test_without_drift_on_all_edges_that_touch_a_mask(rng):
    shape = (7, 8)
    v, W, still = rng.uniform(0.5, 2, shape), tensors(shape, rng), rng.random(shape) < 0.2
    A = LatticeOsmosis.canonical(v, W).without(still)
    np.testing.assert_allclose(dense(A, shape), assembled(W, v, still), rtol=0, atol=1e-13)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_identity_gives_the_bits_of_the_plain_grid(shape, rng):
    v, u = rng.uniform(0.01, 5, (2, *shape))
    A, plain = LatticeOsmosis.canonical(v, identity(shape)), OsmosisEdges.canonical(v)
    assert not A.links.pixel.size
    np.testing.assert_array_equal(A(u), plain(u))
    np.testing.assert_array_equal(A.adjoint(u), plain.adjoint(u))
    assert A.norm_bound <= plain.norm_bound


def test_outside_a_band_too(rng):
    v, u, W = rng.uniform(1, 2, (20, 30)), rng.random((20, 30)), identity((20, 30))
    W[:, :, 12:15] = tensors((20, 3), rng)
    A = LatticeOsmosis.canonical(v, W)
    far = np.ones((20, 30), bool)
    far.ravel()[A.links.pixel] = False
    far[:, 11:16] = False
    assert far[:, 26:].any()
    np.testing.assert_array_equal(A(u)[far], OsmosisEdges.canonical(v)(u)[far])


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_columns_sum_to_zero_and_nothing_is_taken_from_neighbours(shape, rng):
    matrix = dense(
        LatticeOsmosis.canonical(rng.uniform(0.01, 2, shape), tensors(shape, rng)), shape
    )
    np.testing.assert_allclose(matrix.sum(axis=0), 0, atol=1e-14)
    assert (matrix - np.diag(np.diag(matrix))).min() >= 0


@pytest.mark.parametrize("c", [1.0, 0.37, 250.0])
def test_multiples_of_the_structure_are_steady(c, rng):
    v = rng.uniform(0.01, 2, (12, 11))
    assert abs(LatticeOsmosis.canonical(v, tensors((12, 11), rng))(c * v)).max() <= 1e-14 * c


def test_a_tensor_of_one_direction_moves_nothing_across_it(rng):
    """Stripes along the strong direction stay; across it they diffuse."""
    i, j = np.mgrid[:24, :24]
    W = np.stack([np.full((24, 24), x) for x in (0.501, -0.499, 0.501)])  # along i = -j
    A = LatticeOsmosis.diffusion(W)
    along, across = ((np.sin(x) + 1.0) for x in (0.7 * (i + j), 0.7 * (i - j)))
    inner = np.s_[4:-4, 4:-4]
    assert abs(A(along)[inner]).max() < 0.01 * abs(A(across)[inner]).max()


def test_links_are_listed_at_both_ends_with_one_weight_and_opposite_drift(rng):
    links = LatticeOsmosis.canonical(rng.uniform(1, 2, (9, 8)), tensors((9, 8), rng)).links
    ends = dict(
        zip(zip(links.here, links.there, strict=True), range(links.there.size), strict=True)
    )
    assert len(ends) == links.there.size
    for (p, q), n in ends.items():
        assert links.weight[n] == links.weight[ends[q, p]]
        assert links.drift[n] == -links.drift[ends[q, p]]


def test_the_stand_in_of_a_barrier_conducts_as_little(rng):
    W = np.stack([np.full((6, 6), x) for x in (0.501, 0.499, 0.501)])
    A = LatticeOsmosis.diffusion(W)
    narrow, wide = (A.stand_in(narrow=x) for x in (True, False))
    assert narrow[0, 0, 0] == pytest.approx(0.002 / 0.501)
    assert wide[0, 0, 0] == pytest.approx(0.501)


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="needs two threads")
def test_same_bits_with_any_number_of_threads(rng):
    v, u = rng.uniform(1, 2, (2, 300, 200))
    A, before = LatticeOsmosis.canonical(v, tensors((300, 200), rng)), numba.get_num_threads()
    found = []
    try:
        for threads in (1, 2):
            numba.set_num_threads(threads)
            found.append((A(u), A.adjoint(u)))
    finally:
        numba.set_num_threads(before)
    for one, two in zip(*found, strict=True):
        np.testing.assert_array_equal(one, two)
