from __future__ import annotations

import math

import numpy as np
import pytest

import osmofuse
from osmofuse.linalg import FREE
from osmofuse.methods.nonlinear_osmosis import SemiImplicit
from osmofuse.operators.osmosis_edges import canonical_drift
from osmofuse.optimise import Evolution


@pytest.fixture
def pair(rng):
    f, b = rng.uniform(0.2, 1, (2, 14, 12, 3))
    alpha = np.ones((14, 12))
    alpha[4:9, 3:8] = 0
    return f, b, alpha


def test_without_a_power_it_is_linear_osmosis(pair):
    # With p = 0 all weights are 1 / (1 + epsilon).
    epsilon = 1e-7
    found = osmofuse.fuse(*pair, method="nonlinear-osmosis", power=0.0, epsilon=epsilon)
    linear = osmofuse.fuse(*pair, method="linear-osmosis")
    np.testing.assert_allclose(found.image, linear.image, atol=1e-5)


@pytest.mark.parametrize("time", [1.0, 1e4])
def test_mass_and_positivity_are_kept(pair, time):
    f, b, alpha = pair
    found = osmofuse.fuse(f, b, alpha, method="nonlinear-osmosis", time=time, start="foreground")
    assert (found.image + 1.0 > 0).all()
    np.testing.assert_allclose(found.image.sum((0, 1)), f.sum((0, 1)), rtol=1e-9)


def test_the_structure_of_a_compatible_drift_is_steady(rng):
    v = rng.uniform(0.5, 1.5, (9, 8))
    kind = np.full(v.shape, FREE, np.uint8)
    step = SemiImplicit(canonical_drift(v), v, kind, 10.0, 1.0, 1e-3, 1e-12)
    np.testing.assert_allclose(step(Evolution(3 * v)).u, 3 * v, rtol=1e-9)


def test_a_jump_is_blurred_less_than_in_linear_osmosis():
    u = np.where(np.arange(20) < 10, 0.2, 1.0) * np.ones((20, 1))
    d = np.zeros((2, 20, 20))
    kind = np.full(u.shape, FREE, np.uint8)
    jumps = []
    for power in (0.0, 1.0):
        # The same diffusivity where nothing changes.
        step = SemiImplicit(d, np.ones_like(u), kind, 1e-3, power, 1e-3, 1e-10)
        if power == 0.0:
            step = SemiImplicit(d, np.ones_like(u), kind, 1.0, power, 1e-3, 1e-10)
        found = step(Evolution(u)).u
        jumps.append((found[:, 10] - found[:, 9]).mean())
    assert jumps[1] > 1.3 * jumps[0]


def test_an_infinite_time_reweights_in_every_step(pair):
    found = osmofuse.fuse(
        *pair, method="nonlinear-osmosis", time=math.inf, steps=2, extent="local", epsilon=0.1
    )
    assert found.status.is_success
    assert len(found.history) == 2 * 3


@pytest.mark.parametrize("bad", [{"power": 3.0}, {"epsilon": 0.0}])
def test_settings_are_checked(bad):
    with pytest.raises(osmofuse.SettingError, match=f"^{next(iter(bad))}: "):
        osmofuse.NonlinearOsmosis(**bad)
