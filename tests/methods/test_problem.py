"""From pictures to the joint model: targets, starts, bands, weights; and `energy`."""

from __future__ import annotations

import math

import numpy as np
import pytest

import osmofuse
from osmofuse import InputError, MismatchError, SettingError, Sources, VariationalOsmosis
from osmofuse.methods.problem import problems


@pytest.fixture
def pair(rng):
    return rng.uniform(0.05, 1.0, (2, 6, 5, 3))


@pytest.fixture
def alpha(rng):
    alpha = rng.random((6, 5))
    alpha[:2] = 1.0
    alpha[-2:] = 0.0
    return alpha


def first(sources, **settings):
    """Return the model and the start of the first channel."""
    return next(problems(sources, VariationalOsmosis(**settings)))


@pytest.mark.parametrize("offset", [0, 0.1, 1])
def test_the_target_is_the_geometric_mean_on_the_offset_range(pair, alpha, offset):
    f, b = pair + offset
    sources = Sources(*pair, alpha)
    for c, (model, _, v) in enumerate(problems(sources, VariationalOsmosis(offset=offset))):
        expected = np.exp(alpha * np.log(f[..., c]) + (1 - alpha) * np.log(b[..., c]))
        np.testing.assert_allclose(model.structure.target, expected, rtol=1e-14)
        assert np.array_equal(v, model.structure.target)


def test_the_weights_are_those_of_the_settings(pair, alpha):
    model, _, _ = first(Sources(*pair, alpha), mu=7, gamma=3, eta=0.2, epsilon=0.3)
    assert model.structure.weight == 7
    np.testing.assert_array_equal(model.fidelity.weight, 3 * alpha)
    np.testing.assert_array_equal(model.fidelity.target, pair[0, ..., 0] + 1)
    assert (model.regulariser.eta, model.regulariser.epsilon) == (0.2, 0.3)


def test_infinite_gamma_weighs_only_where_alpha_is_one(pair, alpha):
    model, _, _ = first(Sources(*pair, alpha), gamma=math.inf)
    assert np.array_equal(model.fidelity.weight, np.where(alpha == 1, math.inf, 0))


def test_start_foreground(pair, alpha):
    _, u, _ = first(Sources(*pair, alpha), start="foreground")
    assert np.array_equal(u, pair[0, ..., 0] + 1)


def test_start_composite(pair, alpha):
    _, u, _ = first(Sources(*pair, alpha), start="composite")
    f, b = pair[..., 0] + 1
    np.testing.assert_allclose(u, alpha * f + (1 - alpha) * b, rtol=1e-15)


def test_start_means(pair, alpha):
    _, u, _ = first(Sources(*pair, alpha), start="means")
    f, b = pair[..., 0] + 1
    of_f, of_b = np.average(f, weights=alpha), np.average(b, weights=1 - alpha)
    np.testing.assert_allclose(u, alpha * of_f + (1 - alpha) * of_b, rtol=1e-14)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_start_means_where_one_picture_has_no_part(pair, value):
    _, u, _ = first(Sources(*pair, value), start="means")
    kept = pair[0 if value else 1, ..., 0] + 1
    np.testing.assert_allclose(u, kept.mean(), rtol=1e-14)


def test_several_backgrounds_multiply(rng, pair):
    alphas = [0.5, 0.3, 0.2]
    third = rng.random((6, 5, 3))
    model, u, _ = first(Sources(pair[0], [pair[1], third], alphas), start="composite")
    planes = np.stack([pair[0], pair[1], third])[..., 0] + 1
    weights = np.array(alphas)[:, None, None]
    np.testing.assert_allclose(model.structure.target, np.prod(planes**weights, 0), rtol=1e-14)
    np.testing.assert_allclose(u, np.sum(planes * weights, 0), rtol=1e-14)
    np.testing.assert_array_equal(model.fidelity.weight, np.full((6, 5), 0.5))


@pytest.mark.parametrize("offset", [0, 1])
def test_band_keep_carries_the_chromaticity_of_the_foreground(pair, offset):
    f, b = pair[0] + offset, pair[1, ..., 0] + offset
    chromaticity = f / np.cbrt(f.prod(axis=2, keepdims=True))
    sources = Sources(pair[0], pair[1, ..., 0], 0.0)
    for c, (model, _, _) in enumerate(problems(sources, VariationalOsmosis(offset=offset))):
        expected = b * chromaticity[..., c]
        np.testing.assert_allclose(model.structure.target, expected, rtol=1e-13)


def test_band_repeat_takes_the_band_itself(pair):
    sources = Sources(pair[0], pair[1, ..., :1], 0.0)
    for model, _, _ in problems(sources, VariationalOsmosis(band="repeat")):
        np.testing.assert_array_equal(model.structure.target, pair[1, ..., 0] + 1)


@pytest.mark.parametrize("band", ["keep", "repeat"])
def test_one_band_each_is_no_matter_of_chromaticity(pair, band):
    sources = Sources(pair[0, ..., 0], pair[1, ..., 0], 0.0)
    model, _, _ = first(sources, band=band)
    np.testing.assert_array_equal(model.structure.target, pair[1, ..., 0] + 1)


@pytest.mark.parametrize(("source", "name"), [(0, "foreground"), (1, "background")])
@pytest.mark.parametrize("band", ["keep", "repeat"])
@pytest.mark.parametrize("bands", [1, 3])
def test_without_offset_no_sample_may_be_zero(pair, source, name, band, bands):
    pair[source, 2, 3, 0] = 0.0
    sources = Sources(pair[0], pair[1, ..., :bands])
    with pytest.raises(InputError, match=rf"^{name}: .*offset"):
        list(problems(sources, VariationalOsmosis(offset=0, band=band)))
    assert len(list(problems(sources, VariationalOsmosis(offset=1e-3, band=band)))) == 3


def test_without_offset_what_is_not_valid_may_be_zero(pair):
    valid = np.ones((6, 5), bool)
    valid[2, 3] = False
    pair[1, 2, 3] = 0.0
    model, u, _ = first(Sources(*pair, 0.5, valid), offset=0, start="composite")
    assert model.structure.target[2, 3] == u[2, 3] == pair[0, 2, 3, 0]


@pytest.mark.parametrize("regulariser", ["huber", "tv", "tikhonov", None])
@pytest.mark.parametrize("edges", ["harmonic", "forward"])
def test_energy_against_numpy(rng, pair, alpha, regulariser, edges, reference):
    u, v = rng.uniform(-0.1, 1.1, (2, 6, 5, 3))
    settings = VariationalOsmosis(regulariser=regulariser, offset=0.5, gamma=2, eta=0.7)
    found = osmofuse.energy(u, v, Sources(*pair, alpha), settings, edges=edges)
    expected = reference.energies(u, v, *pair, alpha, settings, edges=edges)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_energy_by_hand():
    """Two pixels, w = (1, 2), v = (1, 2), u = (1, 1): r = (1, 1/2), m = 4/3."""
    f, b = np.array([[1.0, 2.0]]), np.array([[1.0, 2.0]])
    settings = VariationalOsmosis(offset=0, eta=0.1, epsilon=0.5, mu=10, gamma=4)
    sources = Sources(f, b, 0.5)
    u, v = np.array([[1.0, 1.0]]), np.array([[1.0, 2.0]])
    fidelity, huber = 4 / 2 * 0.5 * 1.0, 0.1 * (1 - 0.25)
    harmonic, forward = 4 / 3 * 0.25 / 2, 0.25 / 2
    rest = fidelity + huber
    assert osmofuse.energy(u, v, sources, settings) == pytest.approx([harmonic + rest])
    assert osmofuse.energy(u, v, sources, settings, edges="forward") == pytest.approx(
        [forward + rest]
    )


def test_energy_accepts_what_cannot_be_written(pair, alpha):
    for array in (pair, alpha):
        array.flags.writeable = False
    sources, settings = Sources(*pair, alpha), VariationalOsmosis()
    assert np.isfinite(osmofuse.energy(pair[0], pair[1], sources, settings)).all()


def test_energy_refuses_what_does_not_fit(pair):
    sources, settings = Sources(*pair), VariationalOsmosis()
    with pytest.raises(MismatchError, match=r"^u: shape"):
        osmofuse.energy(pair[0, 1:], pair[1], sources, settings)
    with pytest.raises(MismatchError, match=r"^v: shape"):
        osmofuse.energy(pair[0], pair[1, ..., 0], sources, settings)
    with pytest.raises(SettingError, match=r"^edges: 'backward'"):
        osmofuse.energy(pair[0], pair[1], sources, settings, edges="backward")
