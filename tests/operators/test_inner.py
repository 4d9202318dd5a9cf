"""The inner product: exact enough, and the same bits for any number of threads."""

import math

import numba
import numpy as np
import pytest

from osmofuse.operators import inner
from registry import SHAPES


@pytest.fixture
def threads():
    """Let a test choose the number of threads."""
    before = numba.get_num_threads()
    yield numba.set_num_threads
    numba.set_num_threads(before)


@pytest.mark.parametrize("shape", [*SHAPES, (200, 3)], ids=str)
def test_agrees_with_an_exact_sum(shape, rng):
    x, y = rng.standard_normal((2, *shape))
    exact = math.fsum((x * y).ravel())
    size = math.fsum(abs(x * y).ravel())
    assert abs(inner(x, y) - exact) <= 1e-14 * size


def test_returns_a_plain_number(rng):
    assert type(inner(*rng.standard_normal((2, 3, 4)))) is float


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="needs two threads")
def test_same_bits_with_one_thread_and_two(threads, rng):
    x, y = rng.standard_normal((2, 301, 97)) * 10.0 ** rng.uniform(-8, 8, (2, 301, 97))
    found = set()
    for count in (1, 2, 1, 2):
        threads(count)
        found.add(inner(x, y).hex())
    assert len(found) == 1


def test_nan_is_not_swallowed():
    x = np.ones((3, 4))
    x[1, 2] = np.nan
    assert math.isnan(inner(x, np.zeros((3, 4))))
