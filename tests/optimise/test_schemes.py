"""What the schemes promise: order, mass, positivity, fixed points; each beside the others."""

import numpy as np
import pytest
from scipy.linalg import expm

from osmofuse.linalg import SplitMatrix
from osmofuse.operators import OsmosisEdges
from osmofuse.optimise import Evolution, evolve
from osmofuse.optimise.schemes import LOOPS, SCHEMES, stepper
from registry import osmosis_matrix, stationary_plane

ORDER = {"explicit": 1, "peaceman-rachford": 2, "douglas": 1, "aos": 1, "mos": 1, "amos": 1}
EXACT_ENDS = ("explicit", "peaceman-rachford", "douglas", "exponential")
ALWAYS_POSITIVE = ("explicit", "aos", "mos", "amos", "exponential")

each = pytest.mark.parametrize("scheme", SCHEMES)


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
