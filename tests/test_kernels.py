"""Numba's settings: which laws of arithmetic hold, how many threads run, who is left alone."""

import numba
import numpy as np
import pytest

from fresh_process import run
from osmofuse import kernels


class TestCodeInUse:
    CODE = """
import numpy
from osmofuse import kernels
from osmofuse.linalg.krylov import products
from osmofuse.operators import inner
x = numpy.ones((3, 4))
{call}
print(kernels.code_in_use().replace(" ", "_"))
"""

    FAST = CODE.format(call="products(x, x)")

    def test_compiled_or_loaded_it_is_the_same(self, tmp_path):
        first, again = (run(self.FAST, OSMOFUSE_CACHE=tmp_path) for _ in range(2))
        assert first == again
        assert "compiled" not in first[0]

    # As it would be with a Numba whose internals have changed.
    BROKEN = "from osmofuse import kernel_cache; kernel_cache._compiler = None\n"

    def test_it_says_if_numba_compiled_alone(self, tmp_path):
        [alone] = run(self.BROKEN + self.FAST, OSMOFUSE_CACHE=tmp_path)
        assert alone.endswith("compiled_by_this_process")

    def test_kernels_that_keep_the_order_of_sums_are_the_same_either_way(self, tmp_path):
        [alone] = run(self.BROKEN + self.CODE.format(call="inner(x, x)"), OSMOFUSE_CACHE=tmp_path)
        assert "compiled" not in alone

    def test_it_names_the_processor(self, tmp_path):
        here, other = (
            run(self.FAST, OSMOFUSE_CACHE=tmp_path, NUMBA_CPU_NAME=name, NUMBA_CPU_FEATURES="")[0]
            for name in ("nehalem", "generic")
        )
        assert other.startswith("for_generic_(features_")
        assert here.startswith("for_nehalem_(features_")


def row_sums(x):
    rows, cols = x.shape
    total = np.zeros(rows)
    for i in kernels.prange(rows):
        s = 0.0
        for j in range(cols):
            s += x[i, j] / 2.0
        total[i] = s
    return total


@pytest.mark.parametrize("declare", [kernels.kernel, kernels.fast_kernel])
def test_other_users_of_numba_keep_their_cache(declare, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", "/elsewhere")
    declare(row_sums)
    assert numba.config.CACHE_DIR == "/elsewhere"


def test_floating_point_laws_are_kept_unless_waived():
    assert not kernels.kernel(row_sums).targetoptions["fastmath"]
    waived = kernels.fast_kernel(row_sums).targetoptions["fastmath"]
    assert waived
    assert not {"nnan", "ninf", "fast"} & set(waived)  # NaN and infinity stay what they are


def test_a_fast_kernel_keeps_nan_and_infinity():
    x = np.ones((3, 40))
    x[0, 3], x[1, 5] = np.nan, np.inf
    np.testing.assert_array_equal(kernels.fast_kernel(row_sums)(x), [np.nan, np.inf, 20.0])


def test_a_kernel_divides_by_zero_as_numpy_does():
    @kernels.pixel
    def inverse(x):
        return 1.0 / x

    assert inverse(0.0) == np.inf


class TestThreads:
    def test_a_small_plane_gets_one_thread(self):
        before = numba.get_num_threads()
        with kernels.threads_for(100):
            assert numba.get_num_threads() == 1
        assert numba.get_num_threads() == before

    def test_a_large_plane_gets_all(self):
        before = numba.get_num_threads()
        with kernels.threads_for(10**6):
            assert numba.get_num_threads() == before

    def test_threads_come_back_after_an_error(self):
        before = numba.get_num_threads()
        with pytest.raises(ZeroDivisionError), kernels.threads_for(100):
            raise ZeroDivisionError
        assert numba.get_num_threads() == before


def test_compiling_is_timed():
    before = kernels.seconds_compiling()
    numba.njit(lambda x: x + 1)(1)
    assert kernels.seconds_compiling() > before
