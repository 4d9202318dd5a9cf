"""The osmosis term: values and exact gradients against references written edge by edge."""

import numpy as np
import pytest

from osmofuse.energies import osmosis, osmosis_forward, osmosis_gradients
from osmofuse.operators import OsmosisEdges
from osmofuse.testing import check_gradient
from registry import SHAPES, edges

GRIDS = [(1, 6), (5, 1), (4, 5)]


def harmonic(u, v):
    """Reference: half the sum of m (r_i - r_j)^2 over edges."""
    r = u / v
    return sum(v[a] * v[b] / (v[a] + v[b]) * (r[a] - r[b]) ** 2 for _, a, b in edges(u.shape))


def forward(u, v):
    """Reference: v at the base of each edge."""
    r = u / v
    return 0.5 * sum(v[a] * (r[b] - r[a]) ** 2 for _, a, b in edges(u.shape))


def compact(u, v):
    """Reference: value and gradients of N^2/Q over edges (METHODS.md 1.2)."""
    value, gu, gv = 0.0, np.zeros_like(u), np.zeros_like(v)
    for _, i, j in edges(u.shape):
        N, Q = u[i] * v[j] - u[j] * v[i], v[i] * v[j] * (v[i] + v[j])  # noqa: N806
        value += N**2 / Q
        gu[i] += 2 * N * v[j] / Q
        gu[j] -= 2 * N * v[i] / Q
        gv[i] += -2 * u[j] * N / Q - N**2 * v[j] * (2 * v[i] + v[j]) / Q**2
        gv[j] += 2 * u[i] * N / Q - N**2 * v[i] * (2 * v[j] + v[i]) / Q**2
    return value, gu, gv


@pytest.fixture(params=SHAPES, ids=str)
def uv(request, rng):
    return rng.uniform(1, 2, (2, *request.param))


def test_value(uv):
    assert osmosis(*uv) == pytest.approx(harmonic(*uv), rel=1e-13)


def test_forward_value(uv):
    assert osmosis_forward(*uv) == pytest.approx(forward(*uv), rel=1e-13)


def test_compact_identity(uv):
    value, gu, gv = compact(*uv)
    assert osmosis(*uv) == pytest.approx(value, rel=1e-12)
    found_u, found_v = osmosis_gradients(*uv)
    np.testing.assert_allclose(found_u, gu, rtol=0, atol=1e-13)
    np.testing.assert_allclose(found_v, gv, rtol=0, atol=1e-13)


def test_gradient_in_u_is_the_osmosis_matrix(uv):
    u, v = uv
    gu, _ = osmosis_gradients(u, v)
    np.testing.assert_allclose(gu, -OsmosisEdges.canonical(v)(u) / v, rtol=0, atol=1e-13)


@pytest.mark.parametrize("shape", GRIDS, ids=str)
@pytest.mark.parametrize("seed", [0, 1, 2])
class TestTaylor:
    def test_in_u(self, shape, seed, rng):
        u, v = rng.uniform(1, 2, (2, *shape))
        check_gradient(
            lambda x: osmosis(x, v), lambda x: osmosis_gradients(x, v)[0], u, size=1e-3, seed=seed
        )

    def test_in_v(self, shape, seed, rng):
        u, v = rng.uniform(1, 2, (2, *shape))
        check_gradient(
            lambda x: osmosis(u, x), lambda x: osmosis_gradients(u, x)[1], v, size=1e-3, seed=seed
        )

    def test_jointly(self, shape, seed, rng):
        check_gradient(
            lambda x: osmosis(*x),
            lambda x: np.stack(osmosis_gradients(*x)),
            rng.uniform(1, 2, (2, *shape)),
            size=1e-3,
            seed=seed,
        )


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("c", [1.0, 0.4, 3.0])
def test_multiples_of_the_structure_cost_nothing(shape, c, rng):
    v = rng.uniform(1, 2, shape)
    assert osmosis(c * v, v) <= 1e-28
    assert osmosis_forward(c * v, v) <= 1e-28
    for gradient in osmosis_gradients(c * v, v):
        assert abs(gradient).max() <= 1e-12


@pytest.mark.parametrize("c", [0.25, 3.0])
def test_scaling(c, rng):
    u, v = rng.uniform(1, 2, (2, 4, 5))
    assert osmosis(c * u, c * v) == pytest.approx(c * osmosis(u, v), rel=1e-12)
    assert osmosis_forward(c * u, c * v) == pytest.approx(c * osmosis_forward(u, v), rel=1e-12)
    for scaled, plain in zip(osmosis_gradients(c * u, c * v), osmosis_gradients(u, v), strict=True):
        np.testing.assert_allclose(scaled, plain, rtol=0, atol=1e-13)


def test_quadratic_in_u(rng):
    u, v = rng.uniform(1, 2, (2, 4, 5))
    assert osmosis(3 * u, v) == pytest.approx(9 * osmosis(u, v), rel=1e-12)


def test_edges_agree_on_a_flat_structure(rng):
    u, v = rng.uniform(1, 2, (4, 5)), np.full((4, 5), 1.5)
    assert osmosis(u, v) == pytest.approx(osmosis_forward(u, v), rel=1e-12)


def test_same_for_the_transposed_picture(rng):
    u, v = rng.uniform(1, 2, (2, 4, 5))
    t = np.ascontiguousarray(u.T), np.ascontiguousarray(v.T)
    assert osmosis(*t) == pytest.approx(osmosis(u, v), rel=1e-13)
