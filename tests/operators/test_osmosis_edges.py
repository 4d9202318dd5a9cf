"""The osmosis matrix: its entries, its steady states, mass and positivity."""

import numpy as np
import pytest

from osmofuse.operators import OsmosisEdges
from osmofuse.operators.osmosis_edges import at_edges
from osmofuse.testing import check_adjoint
from registry import SHAPES, dense, edges, osmosis_matrix

GRIDS = [(1, 6), (5, 1), (3, 4), (4, 3)]


def index(pixel, shape):
    return np.ravel_multi_index(pixel, shape)


def assembled(d):
    """Reference: the matrix edge by edge, F = (1 - d/2) u_j - (1 + d/2) u_i."""
    shape = d.shape[1:]
    A = np.zeros((d[0].size, d[0].size))
    for k, a, b in edges(shape):
        i, j = index(a, shape), index(b, shape)
        enters, leaves = 1.0 - d[k][a] / 2, 1.0 + d[k][a] / 2
        A[i, j] += enters
        A[i, i] -= leaves
        A[j, j] -= enters
        A[j, i] += leaves
    return A


def drift_of(v):
    """Reference: the canonical drift."""
    d = np.zeros((2, *v.shape))
    for k, a, b in edges(v.shape):
        d[k][a] = 2 * (v[b] - v[a]) / (v[b] + v[a])
    return d


def neighbours(shape):
    found = np.zeros((np.prod(shape), np.prod(shape)), bool)
    for _, a, b in edges(shape):
        i, j = index(a, shape), index(b, shape)
        found[i, j] = found[j, i] = True
    return found


@pytest.fixture(params=["canonical", "free"])
def drift(request, rng):
    """A drift on 3x4 that has a structure, and one that has none."""
    if request.param == "canonical":
        return drift_of(rng.uniform(1, 2, (3, 4)))
    return rng.uniform(-1.99, 1.99, (2, 3, 4))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_canonical_drift(shape, rng):
    v = rng.uniform(0.01, 5, shape)
    found = OsmosisEdges.canonical(v)
    assert found.shape == shape
    np.testing.assert_allclose(found.drift, drift_of(v), rtol=0, atol=1e-15)


def test_drift_does_not_see_the_brightness(rng):
    v = rng.uniform(1, 2, (4, 5))
    d = OsmosisEdges.canonical(v).drift
    np.testing.assert_array_equal(OsmosisEdges.canonical(4.0 * v).drift, d)
    np.testing.assert_allclose(OsmosisEdges.canonical(0.3 * v).drift, d, rtol=0, atol=1e-15)


def test_matrix(drift):
    found = dense(OsmosisEdges(drift), (3, 4))
    np.testing.assert_allclose(found, assembled(drift), rtol=0, atol=1e-14)


def test_weights_multiply_the_flux_of_an_edge(drift, rng):
    weight = rng.uniform(0, 2, drift.shape)
    A = OsmosisEdges(drift, weight)
    expected = osmosis_matrix(drift, weight=weight).toarray()
    np.testing.assert_allclose(dense(A, (3, 4)), expected, rtol=0, atol=1e-14)
    np.testing.assert_allclose(dense(A.adjoint, (3, 4)), expected.T, rtol=0, atol=1e-14)
    assert np.linalg.norm(expected, 2) <= A.norm_bound


def test_adjoint_matrix(drift):
    found = dense(OsmosisEdges(drift).adjoint, (3, 4))
    np.testing.assert_allclose(found, assembled(drift).T, rtol=0, atol=1e-14)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_adjoint_with_a_free_drift(shape, rng):
    check_adjoint(OsmosisEdges(rng.uniform(-1.99, 1.99, (2, *shape))), shape)


def test_columns_sum_to_zero(drift):
    columns = dense(OsmosisEdges(drift), (3, 4)).sum(axis=0)
    np.testing.assert_allclose(columns, 0, atol=1e-14)


def test_neighbours_and_only_they_give_something(drift):
    A = dense(OsmosisEdges(drift), (3, 4))
    off = A[~np.eye(12, dtype=bool)]
    near = neighbours((3, 4))[~np.eye(12, dtype=bool)]
    assert (off[near] > 0).all()
    assert not off[~near].any()


@pytest.mark.parametrize("shape", GRIDS, ids=str)
@pytest.mark.parametrize("c", [1.0, 0.37, 250.0])
def test_multiples_of_the_structure_are_steady(shape, c, rng):
    v = rng.uniform(1, 2, shape)
    assert abs(OsmosisEdges.canonical(v)(c * v)).max() <= 1e-14 * c


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_flux_is_the_harmonic_mean_times_the_step_of_the_ratio(shape, rng):
    u, v = rng.uniform(0.5, 2, (2, *shape))
    r, laplacian = u / v, np.zeros(shape)
    for _, a, b in edges(shape):
        flux = 2 * v[a] * v[b] / (v[a] + v[b]) * (r[a] - r[b])
        laplacian[a] += flux
        laplacian[b] -= flux
    np.testing.assert_allclose(OsmosisEdges.canonical(v)(u), -laplacian, rtol=0, atol=1e-13)


def test_explicit_steps_keep_mass_and_positivity(drift, rng):
    A = OsmosisEdges(drift)
    u = rng.uniform(0, 1, (3, 4))
    u[0, 0] = 1e-9
    mass, tau = u.sum(), 0.99 / abs(np.diag(assembled(drift))).max()
    for _ in range(200):
        u = u + tau * A(u)
        assert u.min() > 0
    assert u.sum() == pytest.approx(mass, rel=1e-12)


@pytest.mark.parametrize("tau", [0.1, 10.0, 1e4])
def test_implicit_steps_keep_mass_and_positivity(drift, tau, rng):
    A = dense(OsmosisEdges(drift), (3, 4))
    u = rng.uniform(0, 1, 12)
    u[0] = 0.0
    new = np.linalg.solve(np.eye(12) - tau * A, u)
    assert new.min() > 0
    assert new.sum() == pytest.approx(u.sum(), rel=1e-10)


def test_flow_ends_at_the_structure_with_the_mass_of_the_start(rng):
    u, v = rng.uniform(1, 2, (2, 3, 4))
    A = dense(OsmosisEdges.canonical(v), (3, 4))
    for _ in range(20):
        u = np.linalg.solve(np.eye(12) - 100.0 * A, u.ravel()).reshape(3, 4)
    np.testing.assert_allclose(u, u.mean() / v.mean() * v, rtol=1e-9)


def test_norm_bound_is_not_slack_by_more_than_it_says():
    """Without drift the norm tends to 8, the bound."""
    A = OsmosisEdges(np.zeros((2, 12, 12)))
    assert 7.8 < np.linalg.norm(dense(A, (12, 12)), 2) <= A.norm_bound == 8.0


def test_what_belongs_to_no_edge_is_not_read(rng):
    d = rng.uniform(-1, 1, (2, 3, 4))
    garbage = d.copy()
    garbage[0, -1] = np.nan
    garbage[1, :, -1] = np.nan
    clean = d.copy()
    clean[0, -1] = 0.0
    clean[1, :, -1] = 0.0
    u = rng.standard_normal((3, 4))
    np.testing.assert_array_equal(OsmosisEdges(garbage)(u), OsmosisEdges(clean)(u))
    np.testing.assert_array_equal(OsmosisEdges(garbage).adjoint(u), OsmosisEdges(clean).adjoint(u))
    assert OsmosisEdges(garbage).norm_bound == OsmosisEdges(clean).norm_bound


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("rule", [np.add, np.minimum])
def test_values_at_edges_are_made_of_both_ends(shape, rule, rng):
    x = rng.random(shape)
    expected = np.zeros((2, *shape))
    for k, a, b in edges(shape):
        expected[k][a] = rule(x[a], x[b])
    np.testing.assert_array_equal(at_edges(x, rule), expected)
