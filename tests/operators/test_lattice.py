"""Selling's reduction: the tensor is the sum, its weights are not negative, its offsets a basis."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from osmofuse.errors import InputError
from osmofuse.operators import lattice_basis
from osmofuse.operators.lattice import ROUNDING
from registry import tensors


def assembled(e, w):
    """The sum of w e e^T as rows of three entries."""
    down, right = e[:, 0], e[:, 1]
    return np.stack(
        [(w * a * b).sum(axis=0) for a, b in ((down, down), (down, right), (right,) * 2)]
    )


def reduced(W):
    """Reference: Selling's algorithm on one tensor, with matrices."""
    b = [np.array(x) for x in ((1, 0), (0, 1), (-1, -1))]
    while True:
        pairs = [
            (i, j, k) for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)) if b[i] @ W @ b[j] > 1e-14
        ]
        if not pairs:
            break
        i, j, k = pairs[0]
        b[i], b[k] = -b[i], b[i] - b[j]
    weights = [-b[i] @ W @ b[j] for i, j in ((1, 2), (2, 0), (0, 1))]
    return {tuple(np.sign(x[np.flatnonzero(x)[0]]) * np.array([-x[1], x[0]])): w
            for x, w in zip(b, weights, strict=True)}  # fmt: skip


def test_the_tensor_is_the_sum_and_weights_are_not_negative(rng):
    W = tensors((5000,), rng)
    e, w = lattice_basis(W)
    assert w.min() >= 0
    np.testing.assert_allclose(assembled(e, w), W, rtol=0, atol=1e-12)


@given(
    st.floats(0, np.pi), st.floats(-6, 0).map(lambda x: 10.0**x), st.sampled_from([1e-9, 1, 1e9])
)
def test_any_direction_and_condition(angle, least, scale):
    c, s = np.cos(angle), np.sin(angle)
    W = scale * np.array([[c * c + least * s * s], [(1 - least) * c * s], [s * s + least * c * c]])
    e, w = lattice_basis(W)
    assert w.min() >= 0
    # A weight is exact up to the rounding of its products, which counts by the offset squared.
    rounding = ROUNDING * (W[0, 0] + W[2, 0]) * np.square(e).max()
    np.testing.assert_allclose(assembled(e, w), W, rtol=0, atol=1e-12 * scale + rounding)


def test_offsets_are_those_of_the_algorithm_written_with_matrices(rng):
    W = tensors((50,), rng)
    e, w = lattice_basis(W)
    for n in range(50):
        expected = reduced(np.array([[W[0, n], W[1, n]], [W[1, n], W[2, n]]]))
        found = {tuple(x): y for x, y in zip(e[..., n], w[:, n], strict=True)}
        both = {(a, b): y for (a, b), y in found.items()} | {
            (-a, -b): y for (a, b), y in found.items()
        }
        for offset, weight in expected.items():
            assert both[tuple(int(x) for x in offset)] == pytest.approx(weight, abs=1e-12)


def test_two_offsets_span_the_lattice(rng):
    e, _ = lattice_basis(tensors((500,), rng))
    for i, j in ((0, 1), (1, 2), (2, 0)):
        np.testing.assert_array_equal(abs(e[i, 0] * e[j, 1] - e[i, 1] * e[j, 0]), 1)


def test_the_identity_is_exact():
    e, w = lattice_basis(np.array([[1.0], [0.0], [1.0]]))
    direct = np.abs(e[..., 0]).sum(axis=1) == 1
    assert w[direct, 0].tolist() == [1.0, 1.0]
    assert w[~direct, 0].tolist() == [0.0]


def test_offsets_grow_with_the_root_of_the_condition(rng):
    longest = [abs(lattice_basis(tensors((2000,), rng, c))[0]).max() for c in (4.0, 400.0)]
    assert longest[0] <= 4
    assert longest[1] <= 25


@pytest.mark.parametrize(
    "entries", [(0, 0, 1), (1, 1, 1), (-1, 0, -1), (1, np.nan, 1), (np.inf, 0, 1)]
)
def test_tensors_that_are_not_positive_are_refused(entries):
    with pytest.raises(InputError, match=r"^tensor: "):
        lattice_basis(np.array(entries, float)[:, None])


def test_no_tensor():
    e, w = lattice_basis(np.zeros((3, 0)))
    assert e.shape == (3, 2, 0)
    assert w.shape == (3, 0)
