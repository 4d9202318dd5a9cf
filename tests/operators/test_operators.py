"""The laws of every operator in the registry."""

import inspect

import numpy as np
import pytest

from osmofuse import operators
from osmofuse.testing import check_adjoint
from registry import OPERATORS, SHAPES, dense

each = pytest.mark.parametrize(
    "make", [pytest.param(f, id=c.__name__) for c, f in OPERATORS.items()]
)


def test_every_public_operator_is_in_the_registry():
    public = {getattr(operators, name) for name in operators.__all__}
    assert {c for c in public if inspect.isclass(c)} == set(OPERATORS)


@each
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("seed", [0, 1])
def test_adjoint_and_norm_bound(make, shape, seed, rng):
    check_adjoint(make(shape, rng), shape, rtol=1e-12, seed=seed)


@each
def test_adjoint_is_the_transposed_matrix(make, rng):
    operator = make((3, 4), rng)
    matrix = dense(operator, (3, 4))
    image = operator(np.zeros((3, 4))).shape
    np.testing.assert_allclose(dense(operator.adjoint, image), matrix.T, rtol=0, atol=1e-15)


@each
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_norm_bound_holds_for_the_matrix(make, shape, rng):
    operator = make(shape, rng)
    assert np.linalg.norm(dense(operator, shape), 2) <= operator.norm_bound * (1 + 1e-12)


@each
def test_linear(make, rng):
    operator = make((5, 7), rng)
    x, y = rng.standard_normal((2, 5, 7))
    expected = 2.5 * operator(x) - operator(y)
    np.testing.assert_allclose(operator(2.5 * x - y), expected, rtol=0, atol=1e-13)


@each
def test_takes_read_only_and_strided_planes_and_changes_none(make, rng):
    operator = make((5, 7), rng)
    x = rng.standard_normal((7, 5)).T  # not contiguous
    plain, before = np.ascontiguousarray(x), x.copy()
    x.flags.writeable = False
    np.testing.assert_array_equal(operator(x), operator(plain))
    np.testing.assert_array_equal(x, before)
    np.testing.assert_array_equal(plain, before)
    y = operator(plain)
    y.flags.writeable = False
    np.testing.assert_array_equal(operator.adjoint(y), operator.adjoint(y.copy()))
