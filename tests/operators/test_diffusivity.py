from __future__ import annotations

import numpy as np
import pytest

from osmofuse.operators import edge_diffusivity
from osmofuse.operators.osmosis_edges import canonical_drift


def reference(u, d, power, epsilon):
    down, right = np.zeros_like(u), np.zeros_like(u)
    flux = (1 - d[0, :-1] / 2) * u[1:] - (1 + d[0, :-1] / 2) * u[:-1]
    down[:-1] += flux / 2
    down[1:] += flux / 2
    flux = (1 - d[1, :, :-1] / 2) * u[:, 1:] - (1 + d[1, :, :-1] / 2) * u[:, :-1]
    right[:, :-1] += flux / 2
    right[:, 1:] += flux / 2
    g = 1 / (np.hypot(down, right) ** power + epsilon)
    return (g[:-1] + g[1:]) / 2, (g[:, :-1] + g[:, 1:]) / 2


@pytest.mark.parametrize("shape", [(5, 4), (1, 6), (6, 1), (7, 7)])
@pytest.mark.parametrize("power", [0.0, 1.0, 1.9])
def test_it_is_the_formula(rng, shape, power):
    u, v = rng.uniform(0.1, 1, (2, *shape))
    d = canonical_drift(v)
    down, right = reference(u, d, power, 0.01)
    m = edge_diffusivity(u, d, power, 0.01)
    np.testing.assert_allclose(m[0, :-1], down, rtol=1e-12)
    np.testing.assert_allclose(m[1, :, :-1], right, rtol=1e-12)


def test_it_is_largest_where_the_picture_follows_the_drift(rng):
    v = rng.uniform(0.5, 1, (6, 5))
    np.testing.assert_allclose(edge_diffusivity(2 * v, canonical_drift(v), 1.0, 0.01)[0, :-1], 100)
