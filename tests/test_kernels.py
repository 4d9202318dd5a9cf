"""Numba's settings: where compiled kernels go, when they are made anew, who is left alone."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

import osmofuse
from osmofuse import kernels

COMPUTE = """
import numpy as np
from osmofuse.operators import inner
from osmofuse.operators.inner import _inner_rows
assert inner(np.ones((3, 4)), np.full((3, 4), 2.0)) == 24.0
print(sum(_inner_rows.stats.cache_hits.values()))
"""


def run(code, **env):
    """Run code in a fresh process whose caches are those of env only."""
    names = ("OSMOFUSE_CACHE", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR")
    clean = {k: v for k, v in os.environ.items() if k not in names}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=clean | {k: str(v) for k, v in env.items()},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


class TestUserCache:
    """By the platform's convention; these look at Linux's."""

    @pytest.fixture(autouse=True)
    def clean(self, monkeypatch):
        monkeypatch.delenv("OSMOFUSE_CACHE", raising=False)
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        monkeypatch.setattr(sys, "platform", "linux")

    def test_own_variable_wins(self, monkeypatch, tmp_path):
        monkeypatch.setenv("OSMOFUSE_CACHE", str(tmp_path / "own"))
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
        assert kernels._user_cache() == tmp_path / "own"

    def test_then_the_desktops(self, monkeypatch, tmp_path):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
        assert kernels._user_cache() == tmp_path / "xdg" / "osmofuse"

    @pytest.mark.parametrize("value", [None, ""])
    def test_then_the_home_folder(self, monkeypatch, tmp_path, value):
        monkeypatch.setenv("HOME", str(tmp_path))
        if value is not None:
            monkeypatch.setenv("XDG_CACHE_HOME", value)
        assert kernels._user_cache() == tmp_path / ".cache" / "osmofuse"

    def test_on_a_mac(self, monkeypatch, tmp_path):
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setattr(sys, "platform", "darwin")
        assert kernels._user_cache() == tmp_path / "Library" / "Caches" / "osmofuse"

    def test_on_windows(self, monkeypatch, tmp_path):
        monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
        monkeypatch.setattr(sys, "platform", "win32")
        assert kernels._user_cache() == tmp_path / "osmofuse" / "cache"


def test_kernels_are_cached_where_they_should_be_and_found_again(tmp_path):
    other = tmp_path / "other"
    env = {"OSMOFUSE_CACHE": tmp_path / "own", "NUMBA_CACHE_DIR": other}
    assert run(COMPUTE, **env) == ["0"]
    folder = tmp_path / "own" / "kernels"
    assert [path.name for path in folder.iterdir()] == [kernels._hash_of_sources()]
    assert list(folder.rglob("*.nbc"))
    assert not other.exists()
    assert run(COMPUTE, **env) == ["1"]


def test_a_cache_that_cannot_be_written_costs_time_only(tmp_path):
    """The tests may run as root, whom permissions do not bind: the folder lies in a file."""
    blocker = tmp_path / "file"
    blocker.write_text("not a folder")
    assert run(COMPUTE, OSMOFUSE_CACHE=blocker / "cache") == ["0"]
    assert blocker.read_text() == "not a folder"


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


def test_a_fast_kernel_keeps_nan_and_infinity(monkeypatch):
    monkeypatch.setattr(kernels, "_can_cache", lambda: False)
    x = np.ones((3, 40))
    x[0, 3], x[1, 5] = np.nan, np.inf
    np.testing.assert_array_equal(kernels.fast_kernel(row_sums)(x), [np.nan, np.inf, 20.0])


def test_a_kernel_divides_by_zero_as_numpy_does(monkeypatch):
    monkeypatch.setattr(kernels, "_can_cache", lambda: False)

    @kernels.pixel
    def inverse(x):
        return 1.0 / x

    assert inverse(0.0) == np.inf


def test_other_users_keep_their_cache_when_a_kernel_cannot_be_declared(monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", "/elsewhere")
    nowhere: dict = {}
    exec("def nameless(x):\n    return x", nowhere)  # no file, so Numba cannot cache it
    monkeypatch.setattr(kernels, "_can_cache", lambda: True)
    with pytest.raises(RuntimeError, match="cannot cache"):
        kernels.kernel(nowhere["nameless"])
    assert numba.config.CACHE_DIR == "/elsewhere"


class TestHash:
    @pytest.fixture
    def tree(self, tmp_path, monkeypatch):
        """A copy of the package that the hash looks at."""
        source = Path(osmofuse.__file__).parent
        shutil.copytree(
            source, tmp_path / "osmofuse", ignore=lambda d, names: {"page", "__pycache__"}
        )
        monkeypatch.setattr(kernels, "__file__", str(tmp_path / "osmofuse" / "kernels.py"))
        return tmp_path / "osmofuse"

    @pytest.fixture
    def before(self, tree):
        return kernels._hash_of_sources()

    def test_same_sources_same_hash(self, before, monkeypatch):
        monkeypatch.undo()
        assert kernels._hash_of_sources() == before

    @pytest.mark.parametrize("name", ["operators/difference.py", "optimise/primal_dual.py"])
    def test_a_change_in_a_kernel_source_counts(self, tree, before, name):
        path = tree / name
        path.write_text(path.read_text() + "\n# changed\n")
        assert kernels._hash_of_sources() != before

    # kernels.py holds the options (fastmath, error model), which Numba's own key does not.
    def test_a_change_of_the_options_counts(self, tree, before):
        path = tree / "kernels.py"
        path.write_text(path.read_text() + "\n# changed\n")
        assert kernels._hash_of_sources() != before

    def test_a_change_elsewhere_does_not(self, tree, before):
        path = tree / "energies" / "quadratic.py"
        path.write_text(path.read_text() + "\n# changed\n")
        assert kernels._hash_of_sources() == before

    @pytest.mark.parametrize("name", ["kernel", "fast_kernel"])
    @pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["unix", "dos"])
    def test_a_new_kernel_source_counts(self, tree, before, name, end):
        lines = (f"from osmofuse.kernels import {name}", f"@{name}", "def f(x): return x", "")
        (tree / "new.py").write_bytes(end.join(lines).encode())
        assert kernels._hash_of_sources() != before

    # Kernels of other files inline what @pixel declares.
    def test_a_source_of_pixels_only_counts(self, tree, before):
        text = "from osmofuse.kernels import pixel\n@pixel\ndef f(x): return x\n"
        (tree / "new.py").write_text(text)
        assert kernels._hash_of_sources() != before

    def test_another_numba_counts(self, before, monkeypatch):
        monkeypatch.setattr(numba, "__version__", "0.0.0")
        assert kernels._hash_of_sources() != before


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


FUSE = """
import hashlib, numpy, osmofuse
f, b = numpy.random.default_rng(0).random((2, 60, 50, 3))
fusion = osmofuse.fuse(f, b, numpy.linspace(0, 1, 50) * numpy.ones((60, 1)))
print(hashlib.sha256(fusion.image.tobytes()).hexdigest())
"""


def test_the_first_run_on_a_machine_has_the_bits_of_all_others(tmp_path):
    first, again = (run(FUSE, OSMOFUSE_CACHE=tmp_path / "own") for _ in range(2))
    assert first == again
