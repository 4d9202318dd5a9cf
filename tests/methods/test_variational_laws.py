"""The laws of variational osmosis by ipiano, on small pictures of every kind."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import osmofuse
from osmofuse import Sources, Status
from osmofuse.energies import osmosis_gradients

fuse = partial(osmofuse.fuse, solver="ipiano")  # unless a test names another
VariationalOsmosis = partial(osmofuse.VariationalOsmosis, solver="ipiano")

STARTS = ("foreground", "composite", "means")
REGULARISERS = ("huber", "tv", "tikhonov", None)
sides = st.integers(1, 9)
seeds = st.integers(0, 2**32 - 1)


def noise(seed, *shape, low=0.0, high=1.0):
    return np.random.default_rng(seed).uniform(low, high, shape)


def mask(seed, *shape):
    return np.random.default_rng(seed).random(shape) < 0.5


@settings(max_examples=20)
@given(
    seed=seeds,
    rows=st.integers(3, 12),
    cols=st.integers(3, 12),
    c=st.sampled_from([2.0, 4.0, 8.0]),
    regulariser=st.sampled_from(["huber", "tikhonov", None]),
    start=st.sampled_from(STARTS),
)
def test_scaling_law(seed, rows, cols, c, regulariser, start):
    """Dark noise, so that the first estimates of both runs grow to the same multiples."""
    f, b = noise(seed, 2, rows, cols, low=0.01, high=0.06)
    alpha = noise(seed + 1, rows, cols)
    eta = 0.1 / (c if regulariser == "tikhonov" else 1)
    both = {"regulariser": regulariser, "start": start, "offset": 0.0, "max_iter": 60}
    plain = fuse(f, b, alpha, eta=0.1, mu=100, gamma=4, epsilon=0.05, **both)
    scaled = fuse(c * f, c * b, alpha, eta=eta, mu=100 / c, gamma=4 / c, epsilon=0.05 * c, **both)
    np.testing.assert_allclose(scaled.image, c * plain.image, rtol=1e-8)
    np.testing.assert_allclose(scaled.structure, c * plain.structure, rtol=1e-8)
    np.testing.assert_allclose(scaled.energy, c * plain.energy, rtol=1e-8)


@settings(max_examples=20)
@given(seed=seeds, rows=sides, cols=sides, alpha=st.floats(0, 1), start=st.sampled_from(STARTS[:2]))
def test_equal_pictures_are_stationary_without_smoothing(seed, rows, cols, alpha, start):
    f = noise(seed, rows, cols)
    fusion = fuse(f, f, alpha, eta=0, start=start, max_iter=100)
    np.testing.assert_allclose(fusion.image, f, atol=1e-13)
    np.testing.assert_allclose(fusion.structure, f, atol=1e-13)
    assert fusion.status.is_success, "nothing is to be done, so it must end by itself"


@settings(max_examples=20)
@given(
    seed=seeds,
    rows=sides,
    cols=sides,
    start=st.sampled_from(STARTS),
    regulariser=st.sampled_from(REGULARISERS),
)
def test_alpha_one_with_large_gamma_gives_the_foreground(seed, rows, cols, start, regulariser):
    f, b = noise(seed, 2, rows, cols)
    fusion = fuse(f, b, 1.0, gamma=1e9, start=start, regulariser=regulariser)
    np.testing.assert_allclose(fusion.image, f, atol=1e-6)


@settings(max_examples=15)
@given(
    seed=seeds,
    rows=sides,
    cols=sides,
    channels=st.integers(1, 4),
    solver=st.sampled_from(["ipiano", "published"]),
)
def test_channels_are_independent(seed, rows, cols, channels, solver):
    f, b, alpha = noise(seed, 3, rows, cols, channels)
    together = fuse(f, b, alpha, solver=solver, max_iter=30)
    for c in range(channels):
        alone = fuse(f[..., c], b[..., c], alpha[..., c], solver=solver, max_iter=30)
        assert np.array_equal(alone.image, together.image[..., c])
        assert np.array_equal(alone.structure, together.structure[..., c])
        assert alone.energy[0] == together.energy[c]


finite = st.floats(0, 16)
weights = st.floats(0, 1)


@settings(max_examples=25)
@given(
    pair=st.tuples(sides, sides).flatmap(lambda s: arrays(np.float64, (2, *s), elements=finite)),
    alpha=weights,
    seed=seeds,
    gamma=st.sampled_from([0, 1, 1e6, math.inf]),
    offset=st.sampled_from([1e-3, 1.0]),
    start=st.sampled_from(STARTS),
    regulariser=st.sampled_from(REGULARISERS),
)
def test_output_is_finite_for_finite_input(pair, alpha, seed, gamma, offset, start, regulariser):
    alphas = np.where(mask(seed, *pair.shape[1:]), alpha, 1.0)
    fusion = fuse(
        *pair,
        alphas,
        gamma=gamma,
        offset=offset,
        start=start,
        regulariser=regulariser,
        max_iter=20,
    )
    assert np.isfinite(fusion.image).all()
    assert np.isfinite(fusion.structure).all()
    assert np.isfinite(fusion.energy).all()
    assert fusion.structure.min() > -offset


@settings(max_examples=15)
@given(
    pair=st.tuples(sides, sides).flatmap(lambda s: arrays(np.float64, (2, *s), elements=finite)),
    alpha=weights,
)
def test_output_of_the_published_scheme_is_finite_too(pair, alpha):
    fusion = fuse(*pair, alpha, solver="published", max_iter=10)
    assert np.isfinite(fusion.image).all()
    assert np.isfinite(fusion.energy).all()


@settings(max_examples=25)
@given(seed=seeds, rows=sides, cols=sides, low=st.sampled_from([1e-3, 1.0]))
def test_the_flow_keeps_the_product_with_the_structure(seed, rows, cols, low):
    """With gamma = 0 and v fixed, d/dt <v, u> = -<v, dO/du> = 0."""
    u, v = noise(seed, 2, rows, cols, low=low, high=2.0)
    gu, _ = osmosis_gradients(u, v)
    assert abs(np.vdot(v, gu)) <= 1e-14 * np.vdot(v, np.abs(gu) + u / v)


@settings(max_examples=15)
@given(seed=seeds, rows=sides, cols=sides, start=st.sampled_from(STARTS))
def test_without_fidelity_the_product_with_a_firm_structure_is_kept(seed, rows, cols, start):
    f, b = noise(seed, 2, rows, cols)
    alpha = noise(seed + 1, rows, cols)
    given_, free = (
        fuse(f, b, alpha, gamma=0, eta=0, mu=1e10, start=start, max_iter=n) for n in (1, 200)
    )
    w = (f + 1) ** alpha * (b + 1) ** (1 - alpha)
    np.testing.assert_allclose(free.structure + 1, w, rtol=1e-8)
    first, last = (np.vdot(w, x.image + 1) for x in (given_, free))
    assert last == pytest.approx(first, rel=1e-8)


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32, np.float64])
def test_infinite_gamma_holds_the_foreground_bit_for_bit(rng, start, dtype):
    white = {np.uint8: 255, np.uint16: 65535}.get(dtype, 1)
    f, b = (rng.random((2, 9, 8, 3)) ** 4 * white).astype(dtype)
    alpha = rng.choice([0.0, 0.5, 1.0], (9, 8))
    fusion = fuse(f, b, alpha, gamma=math.inf, start=start, max_iter=20)
    kept = f if white == 1 else f.astype(np.float32) / np.float32(white)
    assert np.array_equal(fusion.image[alpha == 1], kept[alpha == 1])
    assert not np.array_equal(fusion.image[alpha < 1], kept[alpha < 1])


def test_infinite_gamma_lets_go_elsewhere(rng):
    """Where alpha is below 1 nothing binds u: with alpha = 0.5 everywhere it is as gamma = 0."""
    f, b = rng.random((2, 8, 7))
    held, free = (fuse(f, b, 0.5, gamma=gamma) for gamma in (math.inf, 0))
    assert np.array_equal(held.image, free.image)


@pytest.mark.parametrize("regulariser", ["huber", "tikhonov", None])
def test_ipiano_finds_what_a_general_minimiser_finds(rng, regulariser, reference):
    from scipy.optimize import minimize

    shape = (4, 3)
    f, b = rng.random((2, *shape))
    alpha = rng.uniform(0.2, 1.0, shape)
    method = VariationalOsmosis(
        eta=0.3, mu=5, gamma=2, epsilon=0.1, regulariser=regulariser, rtol=1e-12
    )
    fusion = method(Sources(f, b, alpha))

    def objective(x):
        u, v = x.reshape(2, *shape)
        return reference.energy(u, v, f, b, alpha, method, "harmonic")

    start = np.stack([f, (f + 1) ** alpha * (b + 1) ** (1 - alpha) - 1])
    found = minimize(objective, start.ravel(), method="BFGS", options={"gtol": 1e-7})
    assert objective(start.ravel()) > found.fun + 1e-3
    assert fusion.energy[0] == pytest.approx(found.fun, abs=1e-6)
    np.testing.assert_allclose(
        np.stack([fusion.image, fusion.structure]).ravel(), found.x, atol=1e-3
    )


@pytest.mark.parametrize("regulariser", REGULARISERS)
@pytest.mark.parametrize("offset", [0.1, 1.0])
@pytest.mark.parametrize("start", STARTS)
def test_ipiano_descends_and_states_its_energy(rng, regulariser, offset, start, reference):
    f, b = rng.random((2, 8, 9, 2))
    alpha = rng.random((8, 9))
    method = VariationalOsmosis(regulariser=regulariser, offset=offset, start=start)
    fusion = method(Sources(f, b, alpha))
    assert fusion.status is Status.converged
    expected = reference.energies(fusion.image, fusion.structure, f, b, alpha, method)
    np.testing.assert_allclose(fusion.energy, expected, rtol=1e-11)
    for c in range(2):
        steps = [step for step in fusion.history if step.channel == c]
        assert (np.diff([step.energy for step in steps]) <= 0).all()
        assert steps[-1].energy == fusion.energy[c]
        for step in steps:
            assert sum(step.terms.values()) == step.energy
