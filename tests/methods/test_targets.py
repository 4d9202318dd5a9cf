"""Targets of the structure: the product, the spectral one, and one of a user's own."""

from dataclasses import dataclass

import numpy as np
import pytest

import osmofuse
from osmofuse import SettingError, Sources, SpectralTV, VariationalOsmosis
from osmofuse.methods.cost import Cost
from osmofuse.methods.planes import Target, WholeTarget
from osmofuse.methods.targets import TARGETS, with_coarse_of_first


@pytest.fixture
def pair(rng):
    """A bright foreground, and a dark background with texture."""
    return np.full((30, 28), 0.8), 0.1 + 0.1 * rng.random((30, 28))


def test_backgrounds_get_the_first_band_of_the_foreground(rng):
    images = list(1.0 + rng.random((3, 20, 17)))
    found = with_coarse_of_first(images)
    assert found[0] is images[0]
    for image, mixed in zip(images[1:], found[1:], strict=True):
        expected = SpectralTV()(Sources(images[0], image, 0.0)).image
        np.testing.assert_allclose(mixed, expected, atol=1e-12)


def test_they_stay_positive_and_of_their_type():
    f, b = np.full((8, 8), 0.01, np.float32), np.ones((8, 8), np.float32)
    b[3:5, 3:5] = 0.02
    mixed = with_coarse_of_first([f, b])[1]
    assert mixed.dtype == np.float32
    assert mixed.min() > 0


def test_the_target_has_the_brightness_of_one_and_the_texture_of_the_other(pair):
    f, b = pair
    settings = VariationalOsmosis(target="spectral")
    ((model, channel),) = settings.models(Sources(f, b, 0.0))
    v = channel.w
    assert model.structure.target is v
    assert v.mean() == pytest.approx(1.8, abs=1e-9)
    np.testing.assert_allclose(v - v.mean(), b - b.mean(), atol=5e-3)


@pytest.mark.parametrize("solver", ["flow", "ipiano"])
def test_every_solver_knows_it(pair, solver):
    f, b = pair
    alpha = np.ones((30, 28))
    alpha[8:20, 9:18] = 0.0
    plain, spectral = (
        osmofuse.fuse(f, b, alpha, solver=solver, target=target, max_iter=30)
        for target in ("product", "spectral")
    )
    assert plain.structure[alpha == 0].mean() < 0.5 < spectral.structure[alpha == 0].mean()
    assert np.isfinite(spectral.image).all()


def test_prepared_pictures_are_prepared_again_for_it(pair):
    sources = Sources(*pair, 0.5)
    prepared = VariationalOsmosis(reach=3.0).prepare(sources)
    found = prepared.solve(target="spectral").image
    assert np.array_equal(found, VariationalOsmosis(reach=3.0, target="spectral")(sources).image)
    assert not np.array_equal(found, prepared.solve().image)


def test_equal_pictures_have_an_equal_target(rng):
    f = rng.random((15, 12))
    plain, spectral = (
        VariationalOsmosis(reach=3.0, target=target)(Sources(f, f, 0.3)).image
        for target in ("product", "spectral")
    )
    np.testing.assert_allclose(spectral, plain, atol=1e-6)


def test_other_targets_are_refused():
    with pytest.raises(SettingError, match=r"^target: 'fourier'"):
        VariationalOsmosis(target="fourier")


# ---- a target of a user's own ----


@dataclass(frozen=True)
class Mean:
    """The mean of the pictures, weighted."""

    cost = Cost(0, 0, 0.0)

    def fill(self, w, images, weights):
        w[...] = sum(a * image for image, a in zip(images, weights, strict=True))


def test_ours_are_targets():
    assert all(isinstance(one, Target | WholeTarget) for one in (*TARGETS.values(), Mean()))


@pytest.mark.parametrize("solver", ["flow", "ipiano"])
def test_a_target_of_ones_own_is_followed(pair, solver):
    f, b = pair
    settings = VariationalOsmosis(target=Mean(), solver=solver, eta=0.0, mu=1e6, max_iter=50)
    fusion = settings(Sources(f, b, 0.25))
    np.testing.assert_allclose(fusion.structure, 0.25 * f + 0.75 * b, atol=1e-3)
    assert np.isfinite(fusion.image).all()


def test_equal_targets_share_what_is_prepared(pair):
    settings = VariationalOsmosis(target=Mean(), reach=3.0)
    prepared = settings.prepare(Sources(*pair, 0.5))
    assert prepared.serves(VariationalOsmosis(target=Mean(), reach=5.0, eta=0.5))
    assert not prepared.serves(VariationalOsmosis(reach=3.0))
