"""Numba's settings: where compiled kernels go, when they are made anew, who is left alone."""

import os
import shutil
import subprocess
import sys
import tempfile
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


FUSE = """
import hashlib, numpy, osmofuse
f, b = numpy.random.default_rng(0).random((2, 60, 50, 3))
fusion = osmofuse.fuse(f, b, numpy.linspace(0, 1, 50) * numpy.ones((60, 1)))
print(hashlib.sha256(fusion.image.tobytes()).hexdigest())
"""


def run(code, **env):
    """Run code in a fresh process whose caches are those of env only."""
    names = ("OSMOFUSE_CACHE", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR", "TMPDIR")
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


def test_without_any_cache_it_costs_time_only(tmp_path):
    """The tests may run as root, whom permissions do not bind: the folders lie in a file."""
    blocker = tmp_path / "file"
    blocker.write_text("not a folder")
    code = f"import tempfile; tempfile.tempdir = {str(blocker / 'tmp')!r}\n{COMPUTE}"
    assert run(code, OSMOFUSE_CACHE=blocker / "cache") == ["0"]
    assert blocker.read_text() == "not a folder"


def test_it_is_said_if_there_is_no_cache(monkeypatch, caplog):
    monkeypatch.delenv("OSMOFUSE_FILLING_CACHE", raising=False)
    monkeypatch.setattr(kernels, "cache_directory", lambda: None)
    kernels.make_ready.__wrapped__("single")
    assert "set OSMOFUSE_CACHE to one that can" in caplog.text


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX: permissions")
class TestPrivateCache:
    """Where the user's cache cannot be written, a private folder takes its place.

    The tests may run as root, whom permissions do not bind: the cache is to lie in a file.
    """

    @pytest.fixture
    def env(self, tmp_path):
        (tmp_path / "file").write_text("not a folder")
        (tmp_path / "temporary").mkdir()
        return {"OSMOFUSE_CACHE": tmp_path / "file" / "own", "TMPDIR": tmp_path / "temporary"}

    @pytest.fixture
    def private(self, env):
        return env["TMPDIR"] / f"osmofuse-{os.getuid()}"

    def test_kernels_are_kept_there(self, env, private):
        assert run(COMPUTE, **env) == ["0"]
        assert list(private.rglob("*.nbc"))
        assert private.stat().st_mode & 0o777 == 0o700
        assert run(COMPUTE, **env) == ["1"]

    def test_pixels_are_those_of_any_other_cache(self, env, private, tmp_path):
        elsewhere = run(FUSE, OSMOFUSE_CACHE=tmp_path / "own")
        assert run(FUSE, **env) == run(FUSE, **env) == elsewhere
        assert list(private.rglob("single-*.done"))

    @pytest.mark.parametrize("mode", [0o755, 0o770, 0o707])
    def test_a_folder_that_others_can_open_is_not_trusted(self, env, private, mode):
        private.mkdir()
        private.chmod(mode)
        assert run(COMPUTE, **env) == run(COMPUTE, **env) == ["0"]
        assert not list(private.rglob("*"))

    @pytest.mark.parametrize("what", ["link", "file"])
    def test_what_is_no_folder_is_not_trusted(self, env, private, what, tmp_path):
        (tmp_path / "other").mkdir(mode=0o700)
        if what == "link":
            private.symlink_to(tmp_path / "other")
        else:
            private.write_text("")
        assert run(COMPUTE, **env) == run(COMPUTE, **env) == ["0"]
        assert not list((tmp_path / "other").iterdir())

    def test_somebody_elses_folder_is_not_trusted(self, private, monkeypatch):
        monkeypatch.setattr(tempfile, "gettempdir", lambda: str(private.parent))
        private.mkdir(mode=0o700)
        assert kernels._temporary_cache() == private
        monkeypatch.setattr(os, "getuid", lambda: 12345)
        private.rename(private.with_name("osmofuse-12345"))
        with pytest.raises(PermissionError, match="not a private folder"):
            kernels._temporary_cache()

    def test_the_current_folder_is_not_trusted(self, private, monkeypatch):
        monkeypatch.setattr(tempfile, "gettempdir", lambda: str(private.parent))
        monkeypatch.chdir(private.parent)
        with pytest.raises(PermissionError, match="in the current folder"):
            kernels._temporary_cache()

    def test_without_a_home_there_is_a_cache(self, monkeypatch, private):
        def nobody_knows():
            raise RuntimeError("Could not determine home directory.")

        monkeypatch.delenv("OSMOFUSE_CACHE", raising=False)
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        monkeypatch.setattr(Path, "home", nobody_knows)
        monkeypatch.setattr(tempfile, "gettempdir", lambda: str(private.parent))
        assert kernels.cache_directory.__wrapped__() == (
            private / "kernels" / kernels._hash_of_sources()
        )


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

    def test_it_tells_what_was_compiled_from_what_was_loaded(self, tmp_path):
        [first], [again] = (run(self.FAST, OSMOFUSE_CACHE=tmp_path) for _ in range(2))
        assert first.endswith("compiled_by_this_process")
        assert again == first.partition(",")[0]

    def test_kernels_that_keep_the_order_of_sums_are_the_same_either_way(self, tmp_path):
        [first] = run(self.CODE.format(call="inner(x, x)"), OSMOFUSE_CACHE=tmp_path)
        assert "compiled" not in first

    def test_it_names_the_processor(self, tmp_path):
        here, other = (
            run(self.FAST, OSMOFUSE_CACHE=tmp_path, NUMBA_CPU_NAME=name, NUMBA_CPU_FEATURES="")[0]
            for name in ("nehalem", "generic")
        )
        assert other.startswith("for_generic_(features_")
        assert here.startswith("for_nehalem_(features_")

    def test_a_cache_that_was_filled_for_another_processor_is_filled_again(
        self, tmp_path, monkeypatch
    ):
        markers = {kernels._marker(tmp_path, "single"), kernels._marker(tmp_path, "double")}
        monkeypatch.setattr(kernels, "_processor", lambda: "vax ")
        assert kernels._marker(tmp_path, "single") not in markers


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
    monkeypatch.setattr(kernels, "cache_directory", lambda: None)
    x = np.ones((3, 40))
    x[0, 3], x[1, 5] = np.nan, np.inf
    np.testing.assert_array_equal(kernels.fast_kernel(row_sums)(x), [np.nan, np.inf, 20.0])


def test_a_kernel_divides_by_zero_as_numpy_does(monkeypatch):
    monkeypatch.setattr(kernels, "cache_directory", lambda: None)

    @kernels.pixel
    def inverse(x):
        return 1.0 / x

    assert inverse(0.0) == np.inf


def test_other_users_keep_their_cache_when_a_kernel_cannot_be_declared(monkeypatch, tmp_path):
    monkeypatch.setattr(numba.config, "CACHE_DIR", "/elsewhere")
    nowhere: dict = {}
    exec("def nameless(x):\n    return x", nowhere)  # no file, so Numba cannot cache it
    monkeypatch.setattr(kernels, "cache_directory", lambda: tmp_path)
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


def test_the_first_run_on_a_machine_has_the_bits_of_all_others(tmp_path):
    first, again = (run(FUSE, OSMOFUSE_CACHE=tmp_path / "own") for _ in range(2))
    assert first == again
