"""Time steppers: equations of each, then order, mass, positivity and fixed points of all."""

import math

import numpy as np
import pytest
from scipy.linalg import expm

from osmofuse.linalg import CLOSED, Solution, SplitMatrix
from osmofuse.operators import OsmosisEdges
from osmofuse.optimise import Evolution, evolve
from osmofuse.optimise.steppers import (
    LOOPS,
    SCHEMES,
    AdditiveSplitting,
    Douglas,
    Explicit,
    Exponential,
    Implicit,
    MultiplicativeSplitting,
    PeacemanRachford,
    SymmetricSplitting,
    poisson,
    stepper,
)
from registry import dense, osmosis_matrix, stationary_plane

ORDER = {"explicit": 1, "peaceman-rachford": 2, "douglas": 1, "aos": 1, "mos": 1, "amos": 1}
EXACT_ENDS = ("explicit", "peaceman-rachford", "douglas", "exponential")
ALWAYS_POSITIVE = ("explicit", "aos", "mos", "amos", "exponential")

each = pytest.mark.parametrize("scheme", SCHEMES)
both = pytest.mark.parametrize("scheme", [PeacemanRachford, Douglas])


# ---- implicit and explicit ----


def implicit(A, tau):
    def solve(u):
        x = np.linalg.solve(np.eye(len(A)) - tau * A, u)
        return Solution(x, (1.0, 0.25), True)

    return Implicit(solve, tau)


@pytest.fixture
def matrix(rng):
    return osmosis_matrix(rng.uniform(-1, 1, (2, 3, 4))).toarray()


def test_an_implicit_step_solves_for_the_end_of_the_step(matrix, rng):
    u = rng.random(12)
    new = implicit(matrix, 0.7)(Evolution(u, 2.0))
    np.testing.assert_allclose(new.u - 0.7 * matrix @ new.u, u, atol=1e-13)
    assert (new.time, new.inner, new.residual, new.solved) == (2.7, 1, 0.25, True)


def test_an_implicit_step_reports_an_unsolved_system():
    new = Implicit(lambda u: Solution(u, (1.0,), False), 1.0)(Evolution(np.ones(2)))
    assert not new.solved
    assert new.inner == 0


def test_an_infinite_implicit_step_takes_infinite_time():
    new = Implicit(lambda u: Solution(u, (0.0,), True), math.inf)(Evolution(np.ones(2)))
    assert new.time == math.inf


def test_an_implicit_step_is_of_first_order(matrix, rng):
    u, errors = rng.random(12), []
    for steps in (50, 100, 200):
        end = evolve(implicit(matrix, 1.0 / steps), Evolution(u), steps=steps).state.u
        errors.append(np.linalg.norm(end - expm(matrix) @ u))
    ratios = np.divide(errors[:-1], errors[1:])
    np.testing.assert_allclose(ratios, 2.0, atol=0.05)


@pytest.mark.parametrize("tau", [0.1, 10.0, 1e5])
def test_an_implicit_step_keeps_mass_and_positivity(matrix, tau):
    u = np.eye(12)[3]
    end = evolve(implicit(matrix, tau), Evolution(u), steps=3).state.u
    assert end.sum() == pytest.approx(1, rel=1e-9)
    assert end.min() > 0


def test_a_short_explicit_step_is_one_product(rng):
    A, u = SplitMatrix(rng.uniform(-1, 1, (2, 5, 4))), rng.random((5, 4))
    new = Explicit(A, 0.1)(Evolution(u, 2.0))
    np.testing.assert_allclose(new.u, u + 0.1 * A(u), atol=1e-15)
    assert (new.time, new.inner) == (2.1, 1)


@pytest.mark.parametrize("tau", [0.125, 1.0, 50.0])
def test_a_long_explicit_step_has_stable_substeps(rng, tau):
    A = SplitMatrix(rng.uniform(-1.9, 1.9, (2, 5, 4)))
    new = Explicit(A, tau)(Evolution(rng.random((5, 4))))
    assert tau / new.inner * A.rate <= 1.0 + 1e-9
    assert tau / max(new.inner - 1, 1) * A.rate >= 1.0 or new.inner == 1


# ---- alternating directions ----


def evolved(scheme, drift, u, tau, steps):
    return evolve(scheme(SplitMatrix(drift), tau), Evolution(u), steps=steps).state.u


def parts(A, shape):
    return [dense(lambda u, k=k: A(u, k), shape) for k in (0, 1)]


def test_a_step_of_peaceman_and_rachford(rng):
    A, u, tau = SplitMatrix(rng.uniform(-1, 1, (2, 4, 3))), rng.random((4, 3)), 0.8
    down, across = parts(A, (4, 3))
    one, h = np.eye(12), tau / 2
    expected = np.linalg.solve(
        (one - h * down) @ (one - h * across), (one + h * down) @ (one + h * across) @ u.ravel()
    )
    new = PeacemanRachford(A, tau)(Evolution(u, 1.0))
    np.testing.assert_allclose(new.u.ravel(), expected, atol=1e-13)
    assert (new.time, new.solved) == (1.8, True)


def test_a_step_of_douglas_and_rachford(rng):
    A, u, tau = SplitMatrix(rng.uniform(-1, 1, (2, 4, 3))), rng.random((4, 3)), 0.8
    down, across = parts(A, (4, 3))
    one = np.eye(12)
    expected = np.linalg.solve(
        (one - tau * down) @ (one - tau * across), (one + tau**2 * down @ across) @ u.ravel()
    )
    np.testing.assert_allclose(Douglas(A, tau)(Evolution(u)).u.ravel(), expected, atol=1e-13)


def test_positivity_of_peaceman_and_rachford_up_to_half(rng):
    drift = rng.uniform(-1.999, 1.999, (2, 6, 5))
    for place in range(30):
        u = np.zeros(30)
        u[place] = 1.0
        assert evolved(PeacemanRachford, drift, u.reshape(6, 5), 0.5, 1).min() >= -1e-17


@both
def test_long_steps_are_stable_but_not_positive(rng, scheme):
    v, u = rng.uniform(1, 2, (6, 5)), np.zeros((6, 5))
    u[3, 2] = 1.0
    drift = OsmosisEdges.canonical(v).drift
    assert min(evolved(scheme, drift, u, tau, 1).min() for tau in (1.0, 10.0, 100.0)) < 0.0
    first, end = (evolved(scheme, drift, u, 100.0, steps) for steps in (1, 2000))
    assert np.abs(first).max() > 1.0
    np.testing.assert_allclose(end, v / v.sum(), rtol=1e-3)


def test_long_steps_may_grow_where_pictures_meet(rng):
    u = np.zeros((6, 5))
    u[3, 2] = 1.0
    drift = rng.uniform(-1, 1, (2, 6, 5))
    assert np.abs(evolved(PeacemanRachford, drift, u, 100.0, 5)).max() > 10.0


# ---- splittings ----


def test_splitting_steps_match_their_formulas(rng):
    A, u, tau = SplitMatrix(rng.uniform(-1, 1, (2, 4, 3))), rng.random((4, 3)), 0.8
    down, across = parts(A, (4, 3))
    one, x = np.eye(12), u.ravel()
    inverse = [np.linalg.inv(one - tau * part) for part in (down, across)]
    double = [np.linalg.inv(one - 2 * tau * part) for part in (down, across)]
    expected = {
        AdditiveSplitting: (double[0] + double[1]) @ x / 2,
        MultiplicativeSplitting: inverse[1] @ inverse[0] @ x,
        SymmetricSplitting: (inverse[1] @ inverse[0] + inverse[0] @ inverse[1]) @ x / 2,
    }
    for scheme, plane in expected.items():
        new = scheme(A, tau)(Evolution(u, 1.0))
        np.testing.assert_allclose(new.u.ravel(), plane, atol=1e-13)
        assert (new.time, new.solved) == (1.8, True)


@pytest.mark.parametrize("scheme", [AdditiveSplitting, MultiplicativeSplitting, SymmetricSplitting])
def test_splitting_ends_are_off_by_the_step_where_pictures_meet(rng, scheme):
    drift = rng.uniform(-1, 1, (2, 4, 5))
    end, off = stationary_plane(drift), []
    for tau in (0.04, 0.02, 0.01):
        start = Evolution(np.full((4, 5), 1 / 20))
        found = evolve(scheme(SplitMatrix(drift), tau), start, steps=3000).state.u
        off.append(np.linalg.norm(found - end))
    assert off[-1] > 1e-6
    np.testing.assert_allclose(np.divide(off[:-1], off[1:]), 2.0, atol=0.2)


# ---- exponential ----


@pytest.mark.parametrize("tau", [1e-6, 1e-3, 1.0, 3.5, 100.0])
def test_an_exponential_step_is_exact(rng, tau):
    drift, u = rng.uniform(-1, 1, (2, 4, 5)), rng.random((4, 5))
    exact = (expm(tau * osmosis_matrix(drift).toarray()) @ u.ravel()).reshape(4, 5)
    new = Exponential(SplitMatrix(drift), tau)(Evolution(u, 1.0))
    np.testing.assert_allclose(new.u, exact, rtol=1e-11)
    assert new.time == 1.0 + tau


def test_an_exponential_step_counts_its_products(rng):
    A, products = SplitMatrix(rng.uniform(-1, 1, (2, 4, 5))), []
    new = Exponential(A, 3.5, lambda: products.append(1) or True)(Evolution(rng.random((4, 5))))
    assert new.inner == len(products)


def test_an_exponential_step_changes_nothing_where_nothing_flows(rng):
    A = SplitMatrix(np.zeros((2, 3, 3)), np.full((3, 3), CLOSED, np.uint8))
    u = rng.random((3, 3))
    assert np.array_equal(Exponential(A, 5.0)(Evolution(u)).u, u)


@pytest.mark.parametrize("mean", [1e-9, 0.3, 8.0, 8e3])
def test_exponential_weights_are_those_of_a_poisson_distribution(mean):
    weights = poisson(mean)
    assert weights.sum() == pytest.approx(1.0, abs=1e-12)
    for k in {0, 1, round(mean), round(mean + math.sqrt(mean))}:
        expected = math.exp(k * math.log(mean) - mean - math.lgamma(k + 1))
        assert weights[k] == pytest.approx(expected, rel=1e-9, abs=1e-300)


# ---- all schemes ----


@pytest.fixture
def drift(rng):
    return rng.uniform(-1, 1, (2, 4, 5))


def followed(scheme, drift, u, time, steps):
    step = stepper(scheme, SplitMatrix(drift), time / steps)
    return evolve(step, Evolution(u), steps=steps).state


@pytest.mark.parametrize(("scheme", "order"), ORDER.items())
def test_order_of_convergence(drift, rng, scheme, order):
    u = rng.random((4, 5))
    exact = (expm(osmosis_matrix(drift).toarray()) @ u.ravel()).reshape(4, 5)
    errors = [
        np.linalg.norm(followed(scheme, drift, u, 1.0, steps).u - exact) for steps in (64, 128, 256)
    ]
    np.testing.assert_allclose(np.log2(np.divide(errors[:-1], errors[1:])), order, atol=0.1)


def test_every_scheme_has_an_order_or_is_exact():
    assert {*ORDER, "exponential"} == set(SCHEMES)


@each
def test_all_agree_with_a_fine_explicit_run(rng, scheme):
    drift, u = rng.uniform(-1, 1, (2, 12, 9)), rng.random((12, 9))
    fine = followed("explicit", drift, u, 2.0, 8000).u
    tolerance = 2e-2 if ORDER.get(scheme) == 1 else 1e-3
    np.testing.assert_allclose(followed(scheme, drift, u, 2.0, 400).u, fine, rtol=tolerance)


@each
@pytest.mark.parametrize("tau", [0.1, 10.0, 1e3])
def test_mass_is_kept(drift, rng, scheme, tau):
    u = rng.random((4, 5))
    end = followed(scheme, drift, u, 3 * tau, 3)
    assert end.u.sum() == pytest.approx(u.sum(), rel=1e-10)
    assert end.time == pytest.approx(3 * tau)


@pytest.mark.parametrize("scheme", ALWAYS_POSITIVE)
@pytest.mark.parametrize("tau", [0.01, 1.0, 1e3])
@pytest.mark.parametrize("steepest", [0.5, 1.999])
def test_positivity_for_any_step(rng, scheme, tau, steepest):
    drift = rng.uniform(-steepest, steepest, (2, 6, 5))
    u = np.zeros((6, 5))
    u[3, 2] = 1.0
    end = followed(scheme, drift, u, 2 * tau, 2).u
    assert end.min() >= 0.0
    assert end.max() <= 1.0 + 1e-12


@each
def test_a_drift_of_one_picture_rests_at_that_picture(rng, scheme):
    v = rng.uniform(1, 2, (7, 6))
    drift = OsmosisEdges.canonical(v).drift
    np.testing.assert_allclose(followed(scheme, drift, v, 30.0, 3).u, v, rtol=1e-12)


@pytest.mark.parametrize("scheme", EXACT_ENDS)
def test_ends_of_the_flow_are_fixed_points(drift, scheme):
    end = stationary_plane(drift)
    np.testing.assert_allclose(followed(scheme, drift, end, 5.0, 5).u, end, atol=1e-13)


@pytest.mark.parametrize("scheme", LOOPS)
def test_loops_let_themselves_be_stopped(drift, scheme):
    asked = []

    def go_on():
        asked.append(True)
        return len(asked) < 3

    u = np.ones((4, 5))
    stepper(scheme, SplitMatrix(drift), 100.0, go_on)(Evolution(u))
    assert len(asked) == 3


@each
def test_the_start_is_not_changed(drift, scheme):
    u = np.ones((4, 5))
    u.flags.writeable = False
    assert followed(scheme, drift, u, 1.0, 1).u is not u
    assert (u == 1).all()
