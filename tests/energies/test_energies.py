"""The laws of every energy term in the registry."""

import inspect

import numpy as np
import pytest

from osmofuse import energies
from osmofuse.testing import check_gradient, check_prox
from registry import ENERGIES

GRIDS = [(1, 6), (5, 1), (4, 5)]  # a single pixel leaves some terms without curvature

each = pytest.mark.parametrize(
    "make", [pytest.param(f, id=c.__name__) for c, f in ENERGIES.items()]
)


def proximal(shape, rng):
    found = [make(shape, rng) for make in ENERGIES.values()]
    return [energy for energy in found if energy.prox]


def test_every_public_term_is_in_the_registry():
    public = {getattr(energies, name) for name in energies.__all__}
    no_terms = {energies.Channel, energies.Regulariser}
    assert {c for c in public if inspect.isclass(c)} == set(ENERGIES) | no_terms


@each
@pytest.mark.parametrize("shape", GRIDS, ids=str)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_gradient_by_taylor(make, shape, seed, rng):
    energy = make(shape, rng)
    check_gradient(energy.value, energy.gradient, energy.x, size=1e-3, seed=seed)


@each
def test_single_pixel_has_a_value_and_a_gradient(make, rng):
    energy = make((1, 1), rng)
    assert np.isfinite(energy.value(energy.x))
    assert energy.gradient(energy.x).shape == energy.x.shape


@each
def test_input_is_not_changed(make, rng):
    energy = make((4, 5), rng)
    before = energy.x.copy()
    energy.value(energy.x)
    energy.gradient(energy.x)
    if energy.prox:
        energy.prox(energy.x, 0.5)
    np.testing.assert_array_equal(energy.x, before)


def test_prox_by_brute_force(rng):
    for energy in proximal((2, 3), rng):
        for tau in (0.1, 3.0):
            check_prox(energy.value, energy.prox, energy.x, tau)


def test_prox_is_firmly_nonexpansive(rng):
    for energy in proximal((4, 5), rng):
        for _ in range(5):
            x, z = rng.standard_normal((2, 4, 5))
            dp = energy.prox(x, 0.7) - energy.prox(z, 0.7)
            assert np.vdot(dp, dp) <= np.vdot(dp, x - z) + 1e-12
