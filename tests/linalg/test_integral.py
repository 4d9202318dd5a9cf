"""Least-squares integral of a drift."""

import numpy as np

from osmofuse.linalg.integral import Integral, add_drift
from osmofuse.operators.difference import backward_divergence


def test_the_integral_of_differences_is_the_plane(rng):
    x = rng.standard_normal((33, 29))
    drift = np.zeros((2, *x.shape))
    add_drift(drift, x, np.ones_like(x))
    integral = Integral((33, 29), np.float64)
    integral.set_drift(drift)
    integral.set_mass(1e-6)
    found = integral.cycle(30)
    np.testing.assert_allclose(found - found.mean(), x - x.mean(), atol=1e-3)


def test_it_solves_the_normal_equations(rng):
    drift, mass = rng.standard_normal((2, 21, 18)), rng.uniform(0.01, 1.0, (21, 18))
    drift[0, -1], drift[1, :, -1] = 0.0, 0.0
    integral = Integral((21, 18), np.float64)
    integral.set_drift(drift)
    integral.set_mass(mass)
    x = integral.cycle(40)
    own = np.zeros_like(drift)
    add_drift(own, x, np.ones_like(x))
    rest = mass * x + backward_divergence(own) - backward_divergence(drift)
    assert np.abs(rest).max() < 1e-8


def test_weights_are_means_of_two_pixels():
    drift = np.zeros((2, 1, 2))
    add_drift(drift, np.array([[1.0, 3.0]]), np.array([[0.0, 1.0]]))
    assert drift[1].tolist() == [[1.0, 0.0]]
    assert not drift[0].any()


def test_mixed_planes_have_the_drift_of_their_sum(rng):
    planes, weights = list(rng.standard_normal((2, 17, 12))), list(rng.random((2, 17, 12)))
    drift = np.zeros((2, 17, 12))
    for plane, weight in zip(planes, weights, strict=True):
        add_drift(drift, plane, weight)
    one, other = Integral((17, 12), np.float64), Integral((17, 12), np.float64)
    one.set_drift(drift)
    other.set_mixed(planes, weights)
    for integral in (one, other):
        integral.set_mass(0.1)
    np.testing.assert_allclose(one.cycle(3), other.cycle(3), atol=1e-12)


def test_a_twin_has_the_same_mass_and_its_own_drift(rng):
    first, mass = Integral((20, 15), np.float64), rng.uniform(0.1, 1.0, (20, 15))
    second = first.twin()
    first.set_mass(mass)
    first.set_mixed([rng.random((20, 15))], [np.ones((20, 15))])
    assert not second.cycle(1).any()
    x = np.ones((20, 15))
    second.set_mixed([mass], [np.zeros((20, 15))])
    second.set_start(x)
    assert np.abs(second.cycle(20)).max() < 1e-6


def test_sweeps_alone_smooth_an_error(rng):
    integral = Integral((40, 30), np.float64, levels=1)
    integral.set_mass(0.01)
    noise = rng.standard_normal((40, 30))
    integral.set_start(noise)
    assert integral.levels == 1
    assert np.abs(integral.sweep(4)).mean() < 0.3 * np.abs(noise).mean()


def test_a_tie_lets_go_of_what_is_far_from_0(rng):
    x, sure = rng.standard_normal((19, 24)), 0.1 * rng.random((19, 24))
    one, other = Integral((19, 24), np.float64), Integral((19, 24), np.float64)
    for integral in (one, other):
        integral.set_mixed([x], [np.ones_like(x)])
        integral.set_start(psi := x.copy())
    found = one.tied(3, 0.5, 0.7, sure)
    for _ in range(3):
        other.set_mass(0.5 / np.square(1.0 + np.square(psi / 0.7)) + sure)
        psi = other.cycle(1)
    np.testing.assert_allclose(found, psi, atol=1e-12)
