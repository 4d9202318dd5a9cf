"""Sweeps damp what they promise to damp."""

import numpy as np
import pytest

from osmofuse.linalg.smoothing import fourth_kind, semi_iteration


@pytest.mark.parametrize("rho", [0.1, 0.5, 0.9])
def test_semi_iteration_damps_as_chebyshev_promises(rho):
    """On the eigenvalue 1 - t of an iteration matrix: T_n(t/rho) / T_n(1/rho)."""
    t = np.linspace(-rho, rho, 50)
    for degree in (1, 2, 5):
        old, error = np.ones_like(t), np.ones_like(t)
        for momentum, step in semi_iteration(rho, degree):
            old, error = error, error + momentum * (error - old) - step * (1 - t) * error
        chebyshev = np.polynomial.chebyshev.Chebyshev.basis(degree)
        np.testing.assert_allclose(error, chebyshev(t / rho) / chebyshev(1 / rho), atol=1e-12)


def test_fourth_kind_sweeps_damp_the_upper_spectrum():
    eigenvalue = np.linspace(1.0, 2.0, 50)
    old, error = np.ones(50), np.ones(50)
    for momentum, step in fourth_kind(2):
        old, error = error, error + momentum * (error - old) - step * eigenvalue * error
    assert np.abs(error).max() < 0.35
