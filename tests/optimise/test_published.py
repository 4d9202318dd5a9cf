"""The gradient of the historical scheme against its formula."""

from __future__ import annotations

import numpy as np
import pytest

from osmofuse.energies import osmosis_gradients
from osmofuse.optimise.published import published_gradient_v


def differences(x):
    """Return both forward differences, zero in the last row and the last column."""
    return np.diff(x, axis=0, append=x[-1:]), np.diff(x, axis=1, append=x[:, -1:])


def adjoint(p, q):
    """Return D*(p, q) by its definition: the transpose of the forward differences."""
    out = np.zeros_like(p)
    out[:-1] -= p[:-1]
    out[1:] += p[:-1]
    out[:, :-1] -= q[:, :-1]
    out[:, 1:] += q[:, :-1]
    return out


def gradient_v_by_formula(u, v):
    (u1, u2), (v1, v2) = differences(u), differences(v)
    a, b = 2 * u / v**2, u**2 / v**3
    return 0.5 * (
        -(u1**2 + u2**2) / v**2
        + 4 * u / v**3 * (u1 * v1 + u2 * v2)
        - adjoint(a * u1, a * u2)
        - 3 * u**2 / v**4 * (v1**2 + v2**2)
        + v * adjoint(b * v1, b * v2)
    )


@pytest.mark.parametrize("shape", [(1, 1), (1, 6), (5, 1), (7, 4), (8, 9)])
def test_gradient_v_is_the_formula_of_the_experiments(rng, shape):
    u, v = rng.uniform(1, 2, shape), rng.uniform(1, 2, shape)
    expected = gradient_v_by_formula(u, v)
    np.testing.assert_allclose(published_gradient_v(u, v), expected, rtol=1e-12, atol=1e-12)


def test_gradient_v_of_the_experiments_does_not_vanish_where_it_must(rng):
    """At u = c v the osmosis term is at its minimum; only the exact gradients know it."""
    v = rng.uniform(1, 2, (12, 10))
    u = 1.3 * v
    gu, gv = osmosis_gradients(u, v)
    assert np.abs(gu).max() <= 1e-12
    assert np.abs(gv).max() <= 1e-12
    assert np.abs(published_gradient_v(u, v)).max() > 0.1
