"""The checks themselves: they pass what is right and fail what is wrong."""

import numpy as np
import pytest

from osmofuse.energies import HuberTV, Quadratic, Tikhonov, osmosis, osmosis_gradients
from osmofuse.operators import ForwardDifference
from osmofuse.testing import check_adjoint, check_gradient, check_prox


class Matrix:
    """An operator whose parts can be spoilt."""

    def __init__(self, forward, adjoint=None, bound=None):
        self.forward = forward
        self.backward = forward.T if adjoint is None else adjoint
        self.norm_bound = np.linalg.norm(forward, 2) if bound is None else bound

    def __call__(self, x):
        return self.forward @ x

    def adjoint(self, y):
        return self.backward @ y


@pytest.fixture
def matrix(rng):
    return rng.standard_normal((5, 4))


class TestAdjoint:
    def test_passes_a_matrix_and_returns_the_error(self, matrix):
        assert 0 <= check_adjoint(Matrix(matrix), (4,)) <= 1e-12

    def test_passes_a_map_to_nothing(self):
        assert check_adjoint(ForwardDifference((1, 1)), (1, 1)) == 0

    @pytest.mark.parametrize("size", [1.0, 1e-3, 1e-9])
    def test_fails_a_wrong_adjoint(self, matrix, size):
        wrong = matrix.T.copy()
        wrong[1, 2] += size
        with pytest.raises(AssertionError, match="adjoint"):
            check_adjoint(Matrix(matrix, wrong), (4,))

    def test_fails_a_wrong_sign(self, matrix):
        with pytest.raises(AssertionError, match="adjoint"):
            check_adjoint(Matrix(matrix, -matrix.T), (4,))

    def test_fails_nan(self, matrix):
        with pytest.raises(AssertionError, match="adjoint"):
            check_adjoint(Matrix(matrix, np.nan * matrix.T), (4,))

    def test_fails_a_bound_below_the_norm(self, matrix):
        bound = 0.99 * np.linalg.norm(matrix, 2)
        with pytest.raises(AssertionError, match="norm"):
            check_adjoint(Matrix(matrix, bound=bound), (4,))

    def test_fails_the_zero_map_with_another_adjoint(self, matrix):
        with pytest.raises(AssertionError, match="adjoint"):
            check_adjoint(Matrix(0 * matrix, matrix.T), (4,))


class TestGradient:
    def test_passes_and_returns_the_slope(self, rng):
        x = rng.standard_normal((3, 4))
        slope = check_gradient(lambda x: float(np.sum(x**4)), lambda x: 4 * x**3, x, size=1e-3)
        assert slope == pytest.approx(2, abs=0.05)

    @pytest.mark.parametrize("factor", [0.0, 0.9, -1.0, 2.0])
    def test_fails_a_wrong_factor(self, factor, rng):
        x = rng.standard_normal((3, 4))
        with pytest.raises(AssertionError, match="slope"):
            check_gradient(lambda x: float(np.sum(x**4)), lambda x: factor * 4 * x**3, x)

    @pytest.mark.parametrize("seed", [0, 1, 2])
    @pytest.mark.parametrize(
        "factor", [lambda v: 2 * v, lambda v: v, lambda v: v / 2], ids=["text", "appendix", "code"]
    )
    def test_fails_the_papers_gradient_in_v(self, factor, seed, rng):
        """The last term, -div(u²/v³ ∇v), is too large by a factor that differs three ways."""
        u, v = rng.uniform(1, 2, (2, 5, 6))
        D = ForwardDifference((5, 6))

        def wrong(x):
            last = D.adjoint(u**2 / x**3 * D(x))
            return osmosis_gradients(u, x)[1] + (factor(x) - 1) * last

        with pytest.raises(AssertionError, match="slope"):
            check_gradient(lambda x: osmosis(u, x), wrong, v, size=1e-3, seed=seed)
        check_gradient(
            lambda x: osmosis(u, x), lambda x: osmosis_gradients(u, x)[1], v, size=1e-3, seed=seed
        )

    def test_refuses_a_straight_line(self, rng):
        with pytest.raises(AssertionError, match="no curvature"):
            check_gradient(lambda x: 0.0, np.zeros_like, rng.standard_normal((3, 4)))


class TestProx:
    def test_passes_the_absolute_value(self, rng):
        def soft(x, tau):
            return np.sign(x) * np.maximum(abs(x) - tau, 0)

        excess = check_prox(lambda x: float(abs(x).sum()), soft, rng.standard_normal((2, 3)), 0.4)
        assert 0 <= excess <= 1e-6

    @pytest.mark.parametrize("factor", [0.0, 0.9, 1.1])
    def test_fails_a_wrong_threshold(self, factor, rng):
        def soft(x, tau):
            return np.sign(x) * np.maximum(abs(x) - factor * tau, 0)

        with pytest.raises(AssertionError, match="prox"):
            check_prox(lambda x: float(abs(x).sum()), soft, rng.standard_normal((2, 3)), 0.4)

    def test_fails_the_identity_and_a_forgotten_step(self, rng):
        term, x = Tikhonov(0.7), rng.standard_normal((2, 3))
        for wrong in (lambda x, tau: x, lambda x, tau: term.prox(x, 1.0)):
            with pytest.raises(AssertionError, match="prox"):
                check_prox(term.value, wrong, x, 0.4)

    def test_fails_a_prox_swapped_with_the_gradient_step(self, rng):
        term, x = Quadratic(2.0, rng.standard_normal((2, 3))), rng.standard_normal((2, 3))
        with pytest.raises(AssertionError, match="prox"):
            check_prox(term.value, lambda x, tau: x - tau * term.gradient(x), x, 0.4)

    def test_fails_the_papers_prox_of_the_conjugate(self, rng):
        """It divides by 1 + sigma eps, where 1 + sigma eps/eta is right."""
        term = HuberTV(0.1, 0.5)

        def papers(y, sigma):
            y = y / (1 + sigma * term.epsilon)
            return y / np.maximum(1, np.hypot(*y) / term.eta)

        y = 0.05 * rng.uniform(-1, 1, (2, 1, 2))
        with np.errstate(invalid="ignore"):
            check_prox(term.conj_value, term.conj_prox, y, 1.0)
            with pytest.raises(AssertionError, match="prox"):
                check_prox(term.conj_value, papers, y, 1.0)

    def test_fails_a_point_where_the_value_is_infinite(self):
        """The identity is not the projection."""
        y = np.full((2, 1, 2), 0.5)
        with np.errstate(invalid="ignore"), pytest.raises(AssertionError, match="prox"):
            check_prox(HuberTV(0.1, 0.5).conj_value, lambda y, _: y, y, 1.0)

    def test_passes_a_projection_without_a_warning(self, rng):
        term = HuberTV(0.4, 0.05)
        check_prox(term.conj_value, term.conj_prox, rng.standard_normal((2, 1, 2)), 1.0)
