"""Direct matting (METHODS.md 4)."""

from __future__ import annotations

import numpy as np
import pytest

import osmofuse
from osmofuse import Sources, Status
from osmofuse.methods import DirectMatting
from osmofuse.metrics import chromaticity_error
from osmofuse.pixels import quantise


@pytest.fixture
def pair(rng):
    return rng.random((2, 6, 5, 3))


def test_it_is_the_formula(pair, rng):
    f, b = pair
    alpha = rng.random((6, 5, 1))
    fusion = DirectMatting()(Sources(f, b, alpha))
    np.testing.assert_allclose(fusion.image, alpha * f + (1 - alpha) * b, atol=1e-15)
    assert fusion.status is Status.direct


def test_ends_of_alpha_give_the_pictures_themselves(rng):
    f, b = rng.integers(0, 256, (2, 6, 5, 3), np.uint8)
    for alpha, expected in ((1.0, f), (0.0, b)):
        fusion = DirectMatting()(Sources(f, b, alpha))
        assert np.array_equal(fusion.image, expected.astype(np.float32) / np.float32(255))


def test_results_lie_between_the_pictures(rng):
    f, b = rng.random((2, 30, 40), np.float32)
    u = DirectMatting()(Sources(f, b, rng.random((30, 40)))).image
    rounding = np.spacing(np.maximum(f, b))
    assert (u >= np.minimum(f, b) - rounding).all()
    assert (u <= np.maximum(f, b) + rounding).all()


def test_constant_alpha_mixes_gradients_alike(pair):
    f, b = pair
    u = DirectMatting()(Sources(f, b, 0.3)).image
    for axis in (0, 1):
        expected = 0.3 * np.diff(f, axis=axis) + 0.7 * np.diff(b, axis=axis)
        np.testing.assert_allclose(np.diff(u, axis=axis), expected, atol=1e-14)


def test_every_channel_has_its_own_map(pair, rng):
    f, b = pair
    alpha = rng.random((6, 5, 3))
    u = DirectMatting()(Sources(f, b, alpha)).image
    np.testing.assert_allclose(u, alpha * f + (1 - alpha) * b, atol=1e-15)


def test_several_backgrounds_are_summed_by_their_weights(rng):
    f, *b = rng.random((4, 6, 5, 3))
    alphas = rng.dirichlet(np.ones(4), (6, 5)).transpose(2, 0, 1)
    u = DirectMatting()(Sources(f, b, list(alphas))).image
    expected = sum(a[..., None] * s for a, s in zip(alphas, (f, *b), strict=True))
    np.testing.assert_allclose(u, expected, atol=1e-15)


def test_results_are_not_clipped():
    bright = np.full((2, 2), 3.0)
    assert (DirectMatting()(Sources(bright, bright, 0.5)).image == 3.0).all()


def test_the_face_has_the_error_of_the_papers_table(face):
    fusion = DirectMatting()(face.sources)
    written, _ = quantise(fusion.image, np.uint8)
    found = chromaticity_error(written / 255, face.sources.foreground / 255)
    assert found == pytest.approx(0.0178, abs=1e-4)


def test_it_is_known_by_name(pair):
    fusion = osmofuse.fuse(*pair, 0.3, method="direct", band="repeat")
    assert fusion.method == DirectMatting(band="repeat")
