"""Fields between grids, and a solve that begins on coarse ones."""

import numpy as np
import pytest

from osmofuse.operators import ForwardDifference
from osmofuse.optimise.rof import rof
from osmofuse.optimise.rof_grids import doubled_field, halved, halved_field, rof_by_grids

SHAPES = [(1, 16, 16), (3, 17, 20), (1, 20, 17), (2, 33, 19)]


def divergence(y):
    D = ForwardDifference(y.shape[2:])
    return np.stack([D.adjoint(field) for field in y])


def field(rng, shape):
    y = rng.random((shape[0], 2, *shape[1:]))
    y[:, 0, -1] = 0.0
    y[:, 1, :, -1] = 0.0
    return y


def test_a_plane_is_halved_by_means():
    q = np.arange(12.0).reshape(1, 3, 4)
    assert halved(q).tolist() == [[[2.5, 4.5], [8.5, 10.5]]]


def test_a_doubled_field_has_half_the_divergence(rng):
    y = field(rng, (2, 5, 4))
    fine = divergence(doubled_field(y, (10, 8)))
    np.testing.assert_allclose(fine, divergence(y).repeat(2, 1).repeat(2, 2) / 2, atol=1e-14)


@pytest.mark.parametrize("shape", SHAPES)
def test_fields_have_nothing_where_no_edges_are(rng, shape):
    y = field(rng, shape)
    coarse = halved_field(y)
    fine = doubled_field(coarse, shape[1:])
    assert coarse.shape[2:] == halved(rng.random(shape)).shape[1:]
    assert fine.shape == y.shape
    for x in (coarse, fine):
        assert not x[:, 0, -1].any()
        assert not x[:, 1, :, -1].any()


def test_halving_undoes_doubling(rng):
    y = field(rng, (1, 6, 5))
    np.testing.assert_allclose(halved_field(doubled_field(y, (12, 10))), y, atol=1e-14)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("tau", [0.01, 1.0])
def test_it_finds_what_one_grid_finds(rng, shape, tau):
    q = rng.random(shape)
    found, plain = (
        q - tau * divergence(solve(q, tau, accuracy=2e-5).state.y.astype(float))
        for solve in (rof_by_grids, rof)
    )
    assert np.sqrt(((found - plain) ** 2).sum() / q[0].size) <= 4e-5


def test_the_finest_grid_has_less_to_do():
    rows, cols = np.indices((128, 160)) - 64
    q = (rows**2 + cols**2 < 900)[None].astype(float)
    found, plain = (solve(q, 5.0, accuracy=2e-3).state for solve in (rof_by_grids, rof))
    assert found.iteration < plain.iteration / 2
