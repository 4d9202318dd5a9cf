"""The proximal map of Huber-TV: its laws, its optimality, and brute force."""

import math

import numpy as np
import pytest

from osmofuse.energies import HuberTV
from osmofuse.operators import ForwardDifference
from osmofuse.optimise import primal_dual
from osmofuse.optimise.primal_dual import WarmProx, _gap_rows, dual_step, primal_step
from osmofuse.progress import Guard, Status
from osmofuse.testing import check_prox
from registry import SHAPES, edges

HUBER, TV = HuberTV(0.3, 0.05), HuberTV(0.3, 0.0)
both = pytest.mark.parametrize("term", [HUBER, TV], ids=["huber", "tv"])


def difference(p):
    out = np.zeros((2, *p.shape))
    for k, a, b in edges(p.shape):
        out[k][a] = p[b] - p[a]
    return out


def adjoint(y):
    out = np.zeros(y.shape[1:])
    for k, a, b in edges(out.shape):
        out[b] += y[k][a]
        out[a] -= y[k][a]
    return out


def dual_field(shape, rng):
    """Return a field that is zero where there is no edge."""
    return difference(rng.standard_normal(shape))


@pytest.fixture
def q(rng):
    return rng.uniform(1, 2, (4, 5))


def solve(q, zeta, term):
    """Return the last state: to rounding with epsilon > 0, else where it gets slow.

    Without epsilon p is off by O(1/N) after N iterations, its energy by the square of that.
    """
    return primal_dual(q, zeta, term, rtol=1e-14 if term.epsilon else 1e-8).state


def runs(q, zeta, term, counts):
    """Yield the state after so many iterations."""
    for count in counts:
        found = primal_dual(q, zeta, term, rtol=0.0, max_iter=count)
        if found.iterations == count:
            yield found.state


class TestKernels:
    """Against NumPy."""

    @pytest.mark.parametrize("shape", SHAPES, ids=str)
    def test_dual_step(self, shape, rng):
        y, p = dual_field(shape, rng), rng.standard_normal(shape)
        z = (y + 0.7 * difference(p)) / 1.3
        expected = z / np.maximum(1, np.sqrt((z**2).sum(axis=0)) / 0.4)
        found = dual_step(y, p, 0.7, 1.3, 0.4)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14)

    @pytest.mark.parametrize("shape", SHAPES, ids=str)
    def test_primal_step(self, shape, rng):
        p, q = rng.standard_normal((2, *shape))
        y = dual_field(shape, rng)
        z = p - 0.7 * adjoint(y)
        expected = (1.5 * z + 0.7 * q) / (1.5 + 0.7)  # tau = 0.7, zeta = 1.5
        new, bar = primal_step(p, y, q, 0.7, 1.5, 0.6)
        np.testing.assert_allclose(new, expected, rtol=0, atol=1e-14)
        np.testing.assert_allclose(bar, expected + 0.6 * (expected - p), rtol=0, atol=1e-14)

    @pytest.mark.parametrize("shape", SHAPES, ids=str)
    @pytest.mark.parametrize("epsilon", [0.0, 0.5])
    def test_gap(self, shape, epsilon, rng):
        p, q = rng.standard_normal((2, *shape))
        y = dual_field(shape, rng)
        term, z = HuberTV(0.4, epsilon), adjoint(y)
        primal = term.value(p) + ((p - q) ** 2).sum() / 3.0
        dual = np.vdot(z, q) - 0.75 * (z**2).sum() - epsilon / 0.8 * (y**2).sum()
        found = _gap_rows(p, y, q, 1.5, 0.4, epsilon).sum(axis=1)
        np.testing.assert_allclose(found, [primal, dual], rtol=1e-12, atol=1e-13)


@both
@pytest.mark.parametrize("zeta", [0.05, 2.0])
def test_gap_is_never_negative_and_y_always_feasible(term, zeta, q):
    states = list(runs(q, zeta, term, [*range(1, 30), 50, 100]))
    assert len(states) >= 20
    for s in states:
        assert s.measure == s.primal - s.dual
        assert s.measure >= -1e-12 * s.primal
        assert np.sqrt((s.y**2).sum(axis=0)).max() <= term.eta * (1 + 1e-12)


@both
def test_gap_says_how_far_the_solution_is(term, q):
    """P is strongly convex: |p - p*|^2 <= 2 zeta gap."""
    exact = solve(q, 0.5, term)
    error = math.sqrt(max(exact.measure, 0.0))
    for s in runs(q, 0.5, term, (1, 3, 10, 30)):
        assert np.linalg.norm(s.p - exact.p) <= math.sqrt(s.measure) + error + 1e-7


@both
def test_converges_to_the_tolerance(term, q):
    found = primal_dual(q, 0.5, term, rtol=1e-6)
    assert found.status is Status.converged
    assert found.state.measure <= 1e-6 * found.state.primal
    earlier = primal_dual(q, 0.5, term, rtol=1e-6, max_iter=found.iterations - 1)
    assert earlier.status is Status.max_iter


@both
@pytest.mark.parametrize("shape", [s for s in SHAPES if s != (1, 1)], ids=str)
def test_optimality(term, shape, rng):
    """p = q - zeta D* y, and y is parallel to D p with |y| = eta where |D p| > epsilon."""
    q = rng.uniform(1, 2, shape)
    s = solve(q, 0.5, term)
    atol = 1e-6 if term.epsilon else 2e-4
    np.testing.assert_allclose(s.p, q - 0.5 * adjoint(s.y), rtol=0, atol=atol)
    slope = difference(s.p)
    size = np.sqrt((slope**2).sum(axis=0))
    steep = size > max(term.epsilon, 0.02)
    assert steep.any()
    np.testing.assert_allclose(
        s.y[:, steep], term.eta * slope[:, steep] / size[steep], rtol=0, atol=20 * atol
    )


@both
def test_distance_from_optimality_is_within_the_gap(term, q):
    """|p - q + zeta D* y|^2 <= 2 zeta gap, at every iteration."""
    for s in runs(q, 0.5, term, (1, 2, 5, 10, 30)):
        assert ((s.p - q + 0.5 * adjoint(s.y)) ** 2).sum() <= 2 * 0.5 * s.measure + 1e-13


@pytest.mark.parametrize("shape", [s for s in SHAPES if s != (1, 1)], ids=str)
@pytest.mark.parametrize("zeta", [0.05, 2.0])
def test_optimality_without_the_dual_field(shape, zeta, rng):
    """(p - q)/zeta + the gradient at p vanishes."""
    q = rng.uniform(1, 2, shape)
    p = primal_dual(q, zeta, HUBER, rtol=1e-14).state.p
    assert abs(p - q + zeta * HUBER.gradient(p)).max() <= 1e-6


@both
@pytest.mark.parametrize("zeta", [0.1, 1.0])
def test_not_beaten_by_brute_force(term, zeta, rng):
    def prox(q, zeta):
        return solve(q, zeta, term).p

    check_prox(term.value, prox, rng.uniform(1, 2, (3, 3)), zeta, tolerance=1e-6)


def test_two_pixels_have_a_closed_form():
    """TV moves both towards each other by zeta eta, until they meet."""
    q = np.array([[1.0, 2.0]])
    np.testing.assert_allclose(solve(q, 1.0, TV).p, [[1.3, 1.7]], rtol=0, atol=1e-4)
    np.testing.assert_allclose(solve(q, 2.0, TV).p, [[1.5, 1.5]], rtol=0, atol=1e-4)


@pytest.mark.parametrize("epsilon", [0.0, 0.05])
def test_hardly_any_weight_is_the_identity(epsilon, q):
    found = primal_dual(q, 0.5, HuberTV(1e-12, epsilon))
    assert found.status is Status.converged
    np.testing.assert_allclose(found.state.p, q, rtol=0, atol=1e-11)


@both
@pytest.mark.parametrize("zeta", [0.05, 0.198, 0.7, 2.0])
@pytest.mark.parametrize("c", [0.1, 1.3, 1.7])
def test_constants_are_fixed_points(term, zeta, c):
    q = np.full((4, 5), c)
    found = primal_dual(q, zeta, term, max_iter=300)
    np.testing.assert_allclose(found.state.p, q, rtol=1e-13)
    assert not found.state.y.any()
    assert found.status is Status.converged


@both
def test_constants_with_rounding_noise_are_solved_soon(term):
    alpha = np.linspace(0, 1, 20).reshape(4, 5)
    for c in (1.1, 1.3, 1.7):
        q = c**alpha * c ** (1 - alpha)
        found = primal_dual(q, 0.198, term, rtol=1e-8, max_iter=300)
        np.testing.assert_allclose(found.state.p, c, rtol=1e-13)
        assert found.status is Status.converged


@both
def test_mean_is_kept(term, q):
    for count in (1, 7, 100):
        p = primal_dual(q, 0.5, term, rtol=0.0, max_iter=count).state.p
        assert p.mean() == pytest.approx(q.mean(), rel=1e-13)


@both
def test_adding_a_constant_adds_it(term, q):
    shifted, plain = solve(q + 3.0, 0.5, term).p, solve(q, 0.5, term).p
    atol = 1e-6 if term.epsilon else 4e-4
    np.testing.assert_allclose(shifted, plain + 3.0, rtol=0, atol=atol)


def test_total_variation_is_the_limit(q):
    limit = solve(q, 0.5, TV).p
    errors = []
    for epsilon in (1e-1, 1e-2, 1e-3):
        p = solve(q, 0.5, HuberTV(0.3, epsilon)).p
        errors.append(float(np.linalg.norm(p - limit)))
        # The energies differ by at most eta eps/2 a pixel, and both are strongly convex.
        assert errors[-1] <= math.sqrt(0.5 * 0.3 * q.size * epsilon)
    assert errors[0] > errors[1] > errors[2]


@both
def test_firmly_nonexpansive(term, rng):
    for _ in range(3):
        q1, q2 = rng.uniform(1, 2, (2, 4, 5))
        dp = solve(q1, 0.1, term).p - solve(q2, 0.1, term).p
        assert np.vdot(dp, dp) <= np.vdot(dp, q1 - q2) + 1e-3
        assert np.vdot(dp, dp) > 0.1


def test_linear_convergence(q):
    """Chambolle and Pock 2011, theorem 3, with its constants."""
    zeta, exact = 0.5, primal_dual(q, 0.5, HUBER, rtol=1e-14).state
    a, b = 1 / zeta, HUBER.epsilon / HUBER.eta
    rate = 1 / (1 + 2 * math.sqrt(a * b / 8))

    def distance(p, y, weight):
        return a * ((p - exact.p) ** 2).sum() + weight * b * ((y - exact.y) ** 2).sum()

    start = distance(q, np.zeros((2, 4, 5)), 1.0)
    for count in (1, 2, 5, 10, 20, 40):
        (s,) = runs(q, zeta, HUBER, [count])
        assert distance(s.p, s.y, 1 - rate) <= rate**count * start * (1 + 1e-6)


@both
@pytest.mark.parametrize("zeta", [0.01, 0.5, 100.0])
def test_steps_obey_the_theorem(term, zeta, q):
    """tau sigma |D|^2 <= 1 at every iteration."""
    for s in runs(q, zeta, term, (1, 2, 10)):
        norm = ForwardDifference(q.shape).norm_bound
        assert s.tau * s.sigma * norm**2 <= 1
        assert 0 < s.theta < 1


@both
def test_warm_start_is_quicker_and_as_good(term, q, rng):
    near = q + 1e-3 * rng.standard_normal(q.shape)
    y = primal_dual(q, 0.5, term, rtol=1e-8).state.y
    cold = primal_dual(near, 0.5, term, rtol=1e-6)
    warm = primal_dual(near, 0.5, term, y0=y, rtol=1e-6)
    assert warm.status is cold.status is Status.converged
    assert warm.iterations < cold.iterations
    np.testing.assert_allclose(warm.state.p, cold.state.p, rtol=0, atol=5e-3)


def test_inputs_are_not_changed(q):
    y0 = 0.1 * difference(q)
    before = q.copy(), y0.copy()
    primal_dual(q, 0.5, HUBER, y0=y0)
    np.testing.assert_array_equal(q, before[0])
    np.testing.assert_array_equal(y0, before[1])


def test_not_a_number_is_a_status(q):
    q[1, 2] = np.nan
    assert primal_dual(q, 0.5, HUBER).status is Status.nonfinite


def test_can_be_cancelled(q):
    found = primal_dual(q, 0.5, TV, rtol=0.0, guard=Guard(lambda _: True))
    assert (found.status, found.iterations) == (Status.cancelled, 1)


class TestWarmProx:
    @both
    def test_same_answers_as_cold(self, term, q, rng):
        rtol = 1e-12 if term.epsilon else 1e-7
        prox, counts = WarmProx(term, rtol=rtol), []
        for step in range(4):
            q = q + 1e-4 * rng.standard_normal(q.shape)
            zeta = 0.5 / (1 + 0.1 * step)
            p, count = prox(q, zeta)
            cold = primal_dual(q, zeta, term, rtol=rtol)
            np.testing.assert_allclose(p, cold.state.p, rtol=0, atol=2 * math.sqrt(rtol))
            counts.append((count, cold.iterations))
        assert counts[0][0] == counts[0][1]
        assert all(warm < cold for warm, cold in counts[1:])

    def test_passes_its_guard_on(self, q):
        guard = Guard(lambda _: True)
        _, count = WarmProx(TV, rtol=0.0, guard=guard)(q, 0.5)
        assert guard.cancelled
        assert count == 1
