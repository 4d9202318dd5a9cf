from __future__ import annotations

import numpy as np

from osmofuse.filters import box_mean, guided


def test_by_a_flat_guide_it_is_the_mean_of_means(rng):
    x = rng.random((12, 10))
    found = guided(x, np.full(x.shape, 0.7), radius=2, epsilon=0.01)
    np.testing.assert_allclose(found, box_mean(box_mean(x, 2), 2), atol=1e-13)


def test_what_the_guide_explains_stays(rng):
    z = rng.random((12, 10))
    np.testing.assert_allclose(guided(3 * z - 1, z, radius=3, epsilon=1e-12), 3 * z - 1, atol=1e-9)


def test_an_edge_of_the_guide_holds_up_the_smoothing():
    step = np.repeat([0.0, 1.0], 10) * np.ones((20, 1))
    sharp = guided(step, step, radius=3, epsilon=1e-4)
    soft = guided(step, 0.0 * step, radius=3, epsilon=1e-4)
    assert np.abs(sharp - step).max() < 1e-3
    assert np.abs(soft - step).max() > 0.3


def test_it_is_linear_in_the_plane_and_blind_to_the_level_of_the_guide(rng):
    x, y, z = rng.random((3, 9, 11))

    def by(plane, guide):
        return guided(plane, guide, radius=2, epsilon=0.1)

    np.testing.assert_allclose(by(x + 2 * y, z), by(x, z) + 2 * by(y, z), atol=1e-12)
    np.testing.assert_allclose(by(x, z + 5), by(x, z), atol=1e-10)


def test_faint_edges_count_also_in_single_precision(rng):
    """A variance of 1e-6 around a level of 1 is lost where squares are rounded to 24 bits."""
    z = (1 + 1e-3 * rng.standard_normal((20, 20))).astype(np.float32)
    x = rng.random((20, 20)).astype(np.float32)
    expected = guided(x.astype(np.float64), z.astype(np.float64), radius=3, epsilon=1e-6)
    np.testing.assert_allclose(guided(x, z, radius=3, epsilon=1e-6), expected, atol=1e-6)
