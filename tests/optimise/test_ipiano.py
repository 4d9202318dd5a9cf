"""iPiano: known minima, its descent tests, its Lyapunov function, its guards."""

import itertools
import math
from dataclasses import dataclass

import numpy as np
import pytest

from osmofuse.energies import HuberTV, JointModel, Quadratic, Tikhonov
from osmofuse.optimise import ipiano
from osmofuse.optimise.ipiano import BETA, RELAX, step_size
from osmofuse.optimise.primal_dual import WarmProx
from osmofuse.progress import Guard, Status

SHAPE = (3, 4)

NONE = Tikhonov(0.0)  # smooths nothing


@dataclass
class Toy:
    """k/2 |u - a|^2 + l/2 |v - b|^2 + c <u, v>, with weight·(|u|_1 + |v|_1) for the proxes."""

    a: np.ndarray
    b: np.ndarray
    k: float = 1.0
    l: float = 1.0  # noqa: E741
    c: float = 0.0
    weight: float = 0.0

    def coupling(self, u, v):
        quadratic = self.k / 2 * ((u - self.a) ** 2).sum() + self.l / 2 * ((v - self.b) ** 2).sum()
        return float(quadratic + self.c * (u * v).sum())

    def coupling_gradients(self, u, v):
        return self.k * (u - self.a) + self.c * v, self.l * (v - self.b) + self.c * u

    def terms(self, u, v):
        return {"smooth": self.coupling(u, v), "l1": self.weight * (abs(u).sum() + abs(v).sum())}

    def prox(self, x, tau):
        return soft(x, tau * self.weight)

    def counted(self, x, tau):
        return self.prox(x, tau), 3


def soft(x, t):
    return np.sign(x) * np.maximum(abs(x) - t, 0)


def solve(toy, start, v_min=-math.inf, **options):
    """Run a toy; return its outcome and all accepted states, the start first."""
    states = []
    found = ipiano(
        toy,
        start,
        prox_u=toy.prox,
        prox_v=toy.counted,
        v_min=v_min,
        record=lambda _, s: states.append(s),
        **options,
    )
    return found, states


@pytest.fixture
def start(rng):
    return tuple(rng.standard_normal((2, *SHAPE)))


@pytest.fixture
def toy(rng):
    a, b = 2 * rng.standard_normal((2, *SHAPE))
    return Toy(a, b, k=3.0, l=0.4, weight=0.7)


def joint(rng, regulariser=NONE, mu=10.0, shape=(6, 7)):
    """Return a random joint model, its start, and its proximal maps."""
    f, b = rng.uniform(1, 2, (2, *shape))
    alpha = rng.uniform(0, 1, shape)
    w = f**alpha * b ** (1 - alpha)
    model = JointModel(Quadratic(mu, w), Quadratic(1.0 * alpha, f), regulariser)
    if isinstance(regulariser, HuberTV):
        prox_v = WarmProx(regulariser, rtol=1e-11)
    else:
        prox_v = lambda q, _: (q, 0)  # noqa: E731
    return model, (f, w), {"prox_u": model.fidelity.prox, "prox_v": prox_v, "v_min": 1e-3}


def run_joint(model, start, proxes, **options):
    states = []
    found = ipiano(model, start, **proxes, record=lambda _, s: states.append(s), **options)
    return found, states


class TestKnownMinimum:
    def test_quadratic_and_absolute_value(self, toy, start):
        found, _ = solve(toy, start, rtol=1e-15)
        assert found.status is Status.converged
        solution = soft(toy.a, toy.weight / toy.k), soft(toy.b, toy.weight / toy.l)
        assert (solution[0] == 0).any()
        assert (solution[0] != 0).any()
        np.testing.assert_allclose(found.state.u, solution[0], rtol=0, atol=1e-6)
        np.testing.assert_allclose(found.state.v, solution[1], rtol=0, atol=1e-6)
        assert found.state.measure == pytest.approx(sum(toy.terms(*solution).values()), rel=1e-12)

    def test_coupled_blocks(self, toy, start):
        toy.c, toy.weight = 0.8, 0.0
        found, _ = solve(toy, start, rtol=1e-15)
        system = np.array([[toy.k, toy.c], [toy.c, toy.l]])
        expected = np.linalg.solve(system, np.stack([toy.k * toy.a, toy.l * toy.b]).reshape(2, -1))
        np.testing.assert_allclose(
            np.stack([found.state.u, found.state.v]).reshape(2, -1), expected, rtol=0, atol=1e-5
        )

    def test_gradient_map_vanishes_on_the_joint_model(self, rng):
        model, start, proxes = joint(rng)
        found, _ = run_joint(model, start, proxes, rtol=1e-14)
        gu, gv = model.coupling_gradients(found.state.u, found.state.v)
        gu = gu + model.fidelity.gradient(found.state.u)
        first_u, first_v = model.coupling_gradients(*start)
        assert abs(gu).max() <= 1e-4 * abs(first_u).max()
        assert abs(gv).max() <= 1e-4 * abs(first_v).max()


class TestIteration:
    def test_first_steps_by_hand(self, start):
        """Curvatures so low that every first trial is accepted: L = 1, 1/1.2, 1/1.44, …"""
        rng = np.random.default_rng(1)
        toy = Toy(*rng.standard_normal((2, *SHAPE)), k=0.1, l=0.2, weight=0.05)
        _, states = solve(toy, start, max_iter=4)
        (u, v), (u_old, v_old), L = start, start, 1.0
        for s in states:
            assert s.L1 == pytest.approx(L, rel=1e-14)
            assert s.L2 == pytest.approx(L, rel=1e-14)
            zeta = 0.99 * (1 - 2 * 0.4) / L
            gu, gv = toy.coupling_gradients(u, v)
            new_u = soft(u - zeta * gu + 0.4 * (u - u_old), zeta * toy.weight)
            new_v = soft(v - zeta * gv + 0.4 * (v - v_old), zeta * toy.weight)
            u, v, u_old, v_old, L = new_u, new_v, u, v, L / 1.2
            np.testing.assert_allclose(s.u, u, rtol=0, atol=1e-14)
            np.testing.assert_allclose(s.v, v, rtol=0, atol=1e-14)
            assert s.u_old is not s.u
            np.testing.assert_allclose(s.u_old, u_old, rtol=0, atol=1e-14)
            assert s.inner == 3
        assert len(states) == 4

    def test_estimates_double_until_the_curvature_is_met(self, start):
        toy = Toy(*np.ones((2, *SHAPE)), k=5.0, l=0.1)
        _, states = solve(toy, start, max_iter=1)
        assert states[0].L1 == pytest.approx(8.0, rel=1e-14)
        assert states[0].L2 == pytest.approx(1.0, rel=1e-14)

    def test_strong_coupling_raises_both(self, start):
        """Each block alone passes with L = 1; together they do not."""
        toy = Toy(*np.zeros((2, *SHAPE)), k=1.0, l=1.0, c=3.0)
        u = v = abs(start[0])
        _, states = solve(toy, (u, v), max_iter=1)
        assert states[0].L1 == states[0].L2 == pytest.approx(4.0)

    def test_energies_are_those_of_the_states(self, toy, start):
        found, states = solve(toy, start, max_iter=10)
        assert found.iterations == len(states) == 10
        assert states[-1] is found.state
        for s in states:
            assert s.terms == toy.terms(s.u, s.v)
            assert s.measure == sum(s.terms.values())

    def test_stops_on_the_relative_change_after_five(self, toy, start):
        found, states = solve(toy, start, rtol=1e-3)
        energies = [sum(toy.terms(*start).values())] + [s.measure for s in states]
        changes = [abs(b - a) / abs(a) for a, b in itertools.pairwise(energies)]
        assert found.status is Status.converged
        assert changes[-1] <= 1e-3
        assert all(c > 1e-3 for c in changes[4:-1])

    def test_stays_at_the_minimum(self, rng):
        f = rng.uniform(1, 2, (4, 5))
        model = JointModel(Quadratic(3.0, f), Quadratic(1.0, f), NONE)
        found = ipiano(
            model, (f, f), prox_u=model.fidelity.prox, prox_v=lambda q, _: (q, 0), v_min=1e-3
        )
        assert found.status is Status.converged
        np.testing.assert_allclose(found.state.u, f, rtol=1e-14)
        np.testing.assert_allclose(found.state.v, f, rtol=1e-14)


REGULARISERS = [NONE, HuberTV(0.1, 0.05), Tikhonov(0.3)]


@pytest.mark.parametrize("regulariser", REGULARISERS, ids=["none", "huber", "tikhonov"])
@pytest.mark.parametrize("mu", [10.0, 100.0])
class TestDescent:
    @pytest.fixture
    def problem(self, regulariser, mu, rng):
        model, start, proxes = joint(rng, regulariser, mu)
        found, states = run_joint(model, start, proxes, max_iter=60)
        assert len(states) >= 10
        return model, start, found, states

    def test_tests_hold_at_acceptance(self, problem):
        model, _, _, states = problem
        for s in states:
            base = model.coupling(s.u_old, s.v_old)
            gu, gv = model.coupling_gradients(s.u_old, s.v_old)
            du, dv = s.u - s.u_old, s.v - s.v_old
            model_u = np.vdot(gu, du) + s.L1 / 2 * np.vdot(du, du)
            model_v = np.vdot(gv, dv) + s.L2 / 2 * np.vdot(dv, dv)
            slack = 1e-12 * base
            assert model.coupling(s.u, s.v_old) <= base + model_u + slack
            assert model.coupling(s.u_old, s.v) <= base + model_v + slack
            assert model.coupling(s.u, s.v) <= base + model_u + model_v + slack

    def test_lyapunov_function_falls(self, problem):
        """E + sum delta_i |x_i - x_i_old|^2, delta = 1/a - L/2 - b/2a; see METHODS.md 2.

        An iteration lowers it where delta of the last one covers b/2a of this one, so as
        long as L has not risen by more than a factor of 3.5.
        """
        model, start, _, states = problem

        def delta(L):
            return 1 / step_size(L) - L / 2 - BETA / (2 * step_size(L))

        def lyapunov(s):
            du, dv = s.u - s.u_old, s.v - s.v_old
            return s.measure + delta(s.L1) * np.vdot(du, du) + delta(s.L2) * np.vdot(dv, dv)

        assert delta(1.0) == pytest.approx(3.54, abs=0.001)
        energy = sum(model.terms(*start).values())
        assert lyapunov(states[0]) <= energy * (1 + 1e-9)
        covered = 0
        for old, new in itertools.pairwise(states):
            needed = [BETA / (2 * step_size(L)) for L in (new.L1, new.L2)]
            if needed[0] <= delta(old.L1) and needed[1] <= delta(old.L2):
                covered += 1
                assert lyapunov(new) <= lyapunov(old) * (1 + 1e-9)
        assert covered >= 0.8 * (len(states) - 1)

    def test_energy_falls(self, problem):
        model, start, _, states = problem
        energies = [sum(model.terms(*start).values())] + [s.measure for s in states]
        assert all(b <= a * (1 + 1e-9) for a, b in itertools.pairwise(energies))
        assert energies[-1] < 0.99 * energies[0]


class TestPositivity:
    def test_a_step_below_the_least_structure_is_refused(self):
        """The minimum lies at v = -1, on the forbidden side."""
        toy = Toy(np.zeros(SHAPE), np.full(SHAPE, -1.0))
        start = np.zeros(SHAPE), np.ones(SHAPE)
        _, free = solve(toy, start, max_iter=50)
        assert min(s.v.min() for s in free) < 0.1
        _, held = solve(toy, start, v_min=0.1, max_iter=50)
        assert len(held) >= 2
        assert min(s.v.min() for s in held) > 0.1

    def test_inertia_does_not_stall_it(self):
        """The energy falls all the way to the border: there it must come."""
        toy = Toy(np.zeros(SHAPE), np.full(SHAPE, -2.5))
        found, _ = solve(toy, (np.zeros(SHAPE), np.ones(SHAPE)), v_min=0.1, max_iter=100)
        assert 0.1 < found.state.v.max() < 0.11

    def test_on_the_joint_model(self, rng):
        """A dark pixel in the structure under a bright one in u."""
        w = np.full((4, 5), 1.0)
        w[1, 2] = 0.02
        u = rng.uniform(1, 2, (4, 5))
        model = JointModel(Quadratic(10.0, w), Quadratic(1.0, u), NONE)
        proxes = {"prox_u": model.fidelity.prox, "prox_v": lambda q, _: (q, 0)}
        _, gv = model.coupling_gradients(u, w)
        assert (w - step_size(1.0) * gv).min() < 0
        _, states = run_joint(model, (u, w), proxes | {"v_min": 2e-5}, max_iter=100)
        assert min(s.v.min() for s in states) > 2e-5


class TestEnds:
    def test_stalled_by_an_energy_that_always_rises(self, toy, start):
        class Adversary(Toy):
            calls = itertools.count()

            def coupling(self, u, v):
                return float(next(self.calls))

        found, states = solve(Adversary(toy.a, toy.b), start)
        assert (found.status, found.iterations, states) == (Status.stalled, 0, [])
        assert found.state.u is start[0]
        assert found.state.v is start[1]

    def test_stalled_by_nan(self, toy, start):
        class Broken(Toy):
            def coupling_gradients(self, u, v):
                return np.full_like(u, np.nan), np.full_like(v, np.nan)

        found, _ = solve(Broken(toy.a, toy.b), start)
        assert found.status is Status.stalled
        assert np.isfinite(found.state.u).all()

    def test_infinite_energy_gives_the_last_good_state(self, toy, start):
        class Bottomless(Toy):
            def terms(self, u, v):
                at_start = np.array_equal(u, start[0])
                return {"smooth": 1.0 if at_start else -math.inf}

        found, states = solve(Bottomless(toy.a, toy.b), start)
        assert (found.status, states) == (Status.nonfinite, [])
        assert found.state.u is start[0]

    def test_most_iterations(self, toy, start):
        found, _ = solve(toy, start, rtol=0.0, max_iter=7)
        assert (found.status, found.iterations) == (Status.max_iter, 7)

    def test_cancelled_between_iterations(self, toy, start):
        found, states = solve(toy, start, guard=Guard(lambda _: True))
        assert (found.status, found.iterations) == (Status.cancelled, 1)
        assert states == [found.state]

    def test_cancelled_while_searching_drops_the_trial(self, toy, start):
        """The inner solver's pulse cancels: no more than the trial under way is made."""
        guard, trials = Guard(None), []

        def prox_v(x, tau):
            trials.append(tau)
            guard.cancelled = len(trials) == 2
            return x, 0

        toy.l = 1e6
        found = ipiano(toy, start, prox_u=toy.prox, prox_v=prox_v, v_min=-math.inf, guard=guard)
        assert (found.status, found.iterations) == (Status.cancelled, 0)
        assert found.state.u is start[0]
        assert len(trials) == 2

    def test_start_is_not_changed(self, toy, start):
        before = [x.copy() for x in start]
        solve(toy, start, max_iter=20)
        np.testing.assert_array_equal(start, before)


class TestNoSmoothing:
    def test_zero_weight_equals_no_regulariser(self, rng):
        f, b = rng.uniform(1, 2, (2, 6, 7))
        found = []
        for regulariser in (NONE, HuberTV(1e-300, 0.05)):
            model = JointModel(Quadratic(10.0, b), Quadratic(1.0, f), regulariser)
            proxes = {"prox_u": model.fidelity.prox, "prox_v": lambda q, _: (q, 0), "v_min": 1e-3}
            found.append(ipiano(model, (f, b), **proxes, max_iter=30).state)
        np.testing.assert_array_equal(found[0].u, found[1].u)
        np.testing.assert_array_equal(found[0].v, found[1].v)

    def test_hardly_any_weight_comes_close(self, rng):
        found = []
        for regulariser in (NONE, HuberTV(1e-12, 0.05)):
            model, start, proxes = joint(np.random.default_rng(3), regulariser)
            found.append(run_joint(model, start, proxes, max_iter=30)[0].state)
        np.testing.assert_allclose(found[0].u, found[1].u, rtol=0, atol=1e-8)
        np.testing.assert_allclose(found[0].v, found[1].v, rtol=0, atol=1e-8)


def test_step_size_is_the_papers():
    assert step_size(1.0) == pytest.approx(0.198, rel=1e-14)
    assert step_size(4.0) == pytest.approx(0.198 / 4, rel=1e-14)
    assert RELAX == 1.2
