from __future__ import annotations

import numpy as np
import pytest

from osmofuse.maps.shadow_regions import ShadowRegions
from osmofuse.methods.shadow_profile import shadow_profile
from osmofuse.operators.osmosis_edges import canonical_drift


@pytest.fixture
def scene(rng):
    """Ground, shadow on the right with a penumbra of ten pixels, and regions."""
    depth = np.indices((60, 80))[1] - 39.5
    q = np.clip(depth / 10 + 0.5, 0, 1)
    shadow = np.exp(q[..., None] * np.log([0.4, 0.5, 0.6]))
    ground = rng.uniform(0.4, 0.8, (60, 80, 1)) * np.ones(3)
    regions = ShadowRegions(depth < -6, depth > 6, abs(depth) <= 6)
    return ground, shadow, regions


def test_it_measures_jump_and_profile(scene):
    ground, shadow, regions = scene
    profile = shadow_profile(np.log(ground * shadow), regions)
    np.testing.assert_allclose(np.exp(profile.jump), [0.4, 0.5, 0.6], rtol=0.06)
    # Without the shadow's, the drift is that of the ground, but for noise of the fit.
    with_shadow, plain = (
        canonical_drift(np.ascontiguousarray(x[..., 0])) for x in (ground * shadow, ground)
    )
    left = profile.drift(with_shadow, 0) - plain
    assert abs(left.sum(axis=2)[1].mean()) < 0.08
    assert np.abs(left).mean() < 0.45 * np.abs(with_shadow - plain).mean()


def test_drifts_outside_the_band_are_not_changed(scene):
    ground, shadow, regions = scene
    drift = canonical_drift(np.ascontiguousarray((ground * shadow)[..., 0]))
    found = shadow_profile(np.log(ground * shadow), regions).drift(drift, 0)
    assert np.array_equal(found[:, :, :30], drift[:, :, :30])
    assert np.array_equal(found[:, :, 50:], drift[:, :, 50:])


@pytest.mark.parametrize("step", [1, 4, 14])
def test_along_a_link_of_any_length_the_shadow_is_taken_off(scene, step):
    ground, shadow, regions = scene
    profile = shadow_profile(np.log(ground * shadow), regions)
    here = np.arange(20 * 80 + 25, 20 * 80 + 40)
    there = here + step
    f = (ground * shadow)[..., 0].ravel()
    drift = 2 * (f[there] - f[here]) / (f[there] + f[here])
    u = f * profile.gain(0).ravel()
    expected = 2 * (u[there] - u[here]) / (u[there] + u[here])
    found = profile.along(drift, here, there, 0)
    assert np.abs(found - expected).mean() < 0.01
