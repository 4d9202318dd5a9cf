"""The cache of compiled kernels: where it lies, whom it trusts, and that it can be damaged."""

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
from fresh_process import run
from osmofuse import kernel_cache

# Prints 1 if the kernel was loaded, 0 if it was compiled.
COMPUTE = """
import numpy as np
from osmofuse import kernels
from osmofuse.operators import inner
assert inner(np.ones((3, 4)), np.full((3, 4), 2.0)) == 24.0
print(int(kernels.seconds_compiling() == 0))
"""

# Prints the digest of the pixels, and the same.
FUSE = """
import hashlib, numpy, osmofuse
from osmofuse import kernels
f, b = numpy.random.default_rng(0).random((2, 60, 50, 3))
fusion = osmofuse.fuse(f, b, numpy.linspace(0, 1, 50) * numpy.ones((60, 1)))
assert "compiled" not in kernels.code_in_use()
print(hashlib.sha256(fusion.image.tobytes()).hexdigest(), int(kernels.seconds_compiling() == 0))
"""


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
        assert kernel_cache._user_cache() == tmp_path / "own"

    def test_then_the_desktops(self, monkeypatch, tmp_path):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
        assert kernel_cache._user_cache() == tmp_path / "xdg" / "osmofuse"

    @pytest.mark.parametrize("value", [None, ""])
    def test_then_the_home_folder(self, monkeypatch, tmp_path, value):
        monkeypatch.setenv("HOME", str(tmp_path))
        if value is not None:
            monkeypatch.setenv("XDG_CACHE_HOME", value)
        assert kernel_cache._user_cache() == tmp_path / ".cache" / "osmofuse"

    def test_on_a_mac(self, monkeypatch, tmp_path):
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setattr(sys, "platform", "darwin")
        assert kernel_cache._user_cache() == tmp_path / "Library" / "Caches" / "osmofuse"

    def test_on_windows(self, monkeypatch, tmp_path):
        monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
        monkeypatch.setattr(sys, "platform", "win32")
        assert kernel_cache._user_cache() == tmp_path / "osmofuse" / "cache"


def test_kernels_are_cached_where_they_should_be_and_found_again(tmp_path):
    other = tmp_path / "other"
    env = {"OSMOFUSE_CACHE": tmp_path / "own", "NUMBA_CACHE_DIR": other}
    assert run(COMPUTE, **env) == ["0"]
    folder = tmp_path / "own" / "kernels"
    assert [path.name for path in folder.iterdir()] == [kernel_cache._hash_of_sources()]
    assert list(folder.rglob("*.nbc"))
    assert not other.exists()
    assert run(COMPUTE, **env) == ["1"]


def test_compiling_is_logged_once(tmp_path):
    log = tmp_path / "log"
    listen = f"import logging; logging.basicConfig(level='INFO', filename={str(log)!r})\n"
    assert run(listen + COMPUTE, OSMOFUSE_CACHE=tmp_path) == ["0"]
    assert log.read_text().count("compiling kernels") == 1


class TestNoCache:
    """The tests may run as root, whom permissions do not bind: the folders lie in a file."""

    @pytest.fixture
    def blocked(self, tmp_path):
        (tmp_path / "file").write_text("not a folder")
        return tmp_path / "file"

    def test_it_costs_time_only(self, blocked, pixels):
        code = f"import tempfile; tempfile.tempdir = {str(blocked / 'tmp')!r}\n"
        assert run(code + FUSE, OSMOFUSE_CACHE=blocked / "cache") == [pixels, "0"]
        assert blocked.read_text() == "not a folder"

    def test_nothing_is_printed_unasked(self, blocked):
        code = f"import sys, tempfile; tempfile.tempdir = {str(blocked / 'tmp')!r}\n"
        code += "sys.stderr = sys.stdout\n" + COMPUTE
        assert run(code, OSMOFUSE_CACHE=blocked / "cache") == ["0"]

    def test_it_is_logged(self, monkeypatch, caplog):
        monkeypatch.setattr(kernel_cache, "cache_directory", lambda: None)
        kernel_cache._log_compiling.__wrapped__()
        assert "set OSMOFUSE_CACHE to one that can" in caplog.text


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """Return a cache that holds what FUSE needs, and the digest of its pixels."""
    folder = tmp_path_factory.mktemp("filled")
    digest, loaded = run(FUSE, OSMOFUSE_CACHE=folder)
    assert loaded == "0"
    return folder, digest


@pytest.fixture
def pixels(filled):
    return filled[1]


def test_the_first_run_on_a_machine_has_the_bits_of_all_others(filled):
    folder, digest = filled
    assert run(FUSE, OSMOFUSE_CACHE=folder) == [digest, "1"]


def flipped(path):
    """Change one bit in the middle: of the machine code, if that were trusted."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def replaced(path):
    path.unlink()
    return path


DAMAGES = {
    "empty": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-100]),
    "digest only": lambda path: path.write_bytes(path.read_bytes()[:32]),
    "garbage": lambda path: path.write_bytes(b"garbage" * 999),
    "a wrong pickle": lambda path: path.write_bytes(b"\x80\x04N."),
    "one bit": flipped,
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"x"),
    "too large": lambda path: os.truncate(path, 1 << 40),
    "missing": lambda path: path.unlink(),
    "unreadable": lambda path: path.chmod(0),
    "a folder": lambda path: (replaced(path).mkdir(), (path / "x").mkdir()),
    "a dead link": lambda path: replaced(path).symlink_to("nowhere"),
    "a link to itself": lambda path: replaced(path).symlink_to(path),
}
if os.name == "posix":
    DAMAGES["a pipe"] = lambda path: os.mkfifo(replaced(path))
    DAMAGES["endless"] = lambda path: replaced(path).symlink_to("/dev/zero")


class TestDamaged:
    @pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
    def test_an_entry_is_compiled_anew_and_replaced(self, tmp_path, damage):
        assert run(COMPUTE, OSMOFUSE_CACHE=tmp_path) == ["0"]
        [entry] = tmp_path.rglob("*.nbc")
        damage(entry)
        expected = "1" if damage is DAMAGES["unreadable"] and os.access(entry, os.R_OK) else "0"
        assert run(COMPUTE, OSMOFUSE_CACHE=tmp_path) == [expected]  # root may read everything
        assert run(COMPUTE, OSMOFUSE_CACHE=tmp_path) == ["1"]

    def test_an_entry_of_another_kernel_is_not_taken(self, filled, tmp_path):
        shutil.copytree(filled[0], tmp_path, dirs_exist_ok=True)
        first, second, *_ = sorted(tmp_path.rglob("*.nbc"))
        shutil.copy(first, second)
        assert run(FUSE, OSMOFUSE_CACHE=tmp_path) == [filled[1], "0"]

    # With a sound digest, as another version of a library would leave it.
    def test_what_cannot_be_unpacked_is_replaced(self, tmp_path):
        assert run(COMPUTE, OSMOFUSE_CACHE=tmp_path) == ["0"]
        [entry] = tmp_path.rglob("*.nbc")
        for payload in (b"", b"\x80\x04N.", b"cno_such_module\nf\n."):
            entry.write_bytes(kernel_cache._digest(entry.name, payload) + payload)
            assert run(COMPUTE, OSMOFUSE_CACHE=tmp_path) == ["0"]
        assert run(COMPUTE, OSMOFUSE_CACHE=tmp_path) == ["1"]

    def test_pixels_stay_the_same(self, filled, tmp_path):
        shutil.copytree(filled[0], tmp_path, dirs_exist_ok=True)
        entries, damages = sorted(tmp_path.rglob("*.nbc")), list(DAMAGES.values())
        for number, entry in enumerate(entries):
            damages[number % len(damages)](entry)
        assert len(entries) >= len(damages)
        assert run(FUSE, OSMOFUSE_CACHE=tmp_path) == [filled[1], "0"]
        assert run(FUSE, OSMOFUSE_CACHE=tmp_path) == [filled[1], "1"]

    def test_the_command_ends_well(self, filled, tmp_path):
        shutil.copytree(filled[0], tmp_path / "cache")
        for entry in (tmp_path / "cache").rglob("*.nbc"):
            entry.write_bytes(b"")
        osmofuse.write(osmofuse.Picture(np.full((9, 7), 99, np.uint8)), tmp_path / "a.png")
        files = [str(tmp_path / "a.png"), str(tmp_path / "a.png"), "-o", str(tmp_path / "b.png")]
        done = subprocess.run(
            [sys.executable, "-m", "osmofuse", "fuse", *files, "--alpha", "0.5"],
            env=os.environ | {"OSMOFUSE_CACHE": str(tmp_path / "cache")},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr

    def test_processes_that_repair_it_together_do_not_trip(self, tmp_path):
        assert run(COMPUTE, OSMOFUSE_CACHE=tmp_path) == ["0"]
        [entry] = tmp_path.rglob("*.nbc")
        entry.write_bytes(b"")
        env = os.environ | {"OSMOFUSE_CACHE": str(tmp_path)}
        several = [subprocess.Popen([sys.executable, "-c", COMPUTE], env=env) for _ in range(4)]
        assert [process.wait(timeout=300) for process in several] == [0] * 4
        assert [path.name for path in entry.parent.iterdir()] == [entry.name]
        assert run(COMPUTE, OSMOFUSE_CACHE=tmp_path) == ["1"]


def on_a_disk_of(size, folder):
    """Return the command that mounts a small disk at a folder, for what runs after it."""
    mount = f"mount -t tmpfs -o size={size} tmpfs '{folder}' && exec \"$@\""
    prefix = ["unshare", "--mount", "sh", "-c", mount, "sh"]
    try:
        able = subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        able = False
    if not able:
        pytest.skip("needs root: to mount a small disk")
    return prefix


@pytest.mark.parametrize("size", ["4k", "128k"])  # for no entry, and for some of them
@pytest.mark.parametrize("temporary", ["there", "elsewhere"])
def test_a_full_disk_costs_time_only(tmp_path, pixels, size, temporary):
    disk, other = tmp_path / "disk", tmp_path / "other"
    disk.mkdir()
    other.mkdir()
    env = {"OSMOFUSE_CACHE": disk, "TMPDIR": disk if temporary == "there" else other}
    assert run(FUSE, prefix=on_a_disk_of(size, disk), **env) == [pixels, "0"]
    assert bool(list(other.rglob("*.nbc"))) == (temporary == "elsewhere" and size == "4k")


def test_it_is_logged_if_an_entry_cannot_be_kept(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(kernel_cache, "cache_directory", lambda: tmp_path / "gone")
    kernel_cache._warn_not_stored.cache_clear()
    kernel_cache._store("a.nbc", b"code")
    kernel_cache._store("a.nbc", b"code")
    assert caplog.text.count("cannot be kept") == 1


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX: permissions")
class TestOwner:
    """Code from a folder that others can write would be theirs."""

    @pytest.fixture
    def kept(self, tmp_path, monkeypatch):
        """Return the folder of the kernels in the user's cache; there is no other cache."""
        monkeypatch.setenv("OSMOFUSE_CACHE", str(tmp_path))
        monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path / "none"))
        folder = kernel_cache.cache_directory.__wrapped__()
        assert folder.is_relative_to(tmp_path)
        return folder

    def test_it_is_private(self, kept):
        assert kept.stat().st_mode & 0o777 == 0o700

    @pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
    def test_others_must_not_write_it(self, kept, mode):
        kept.chmod(mode)
        assert kernel_cache.cache_directory.__wrapped__() is None

    def test_others_may_read_it(self, kept):
        kept.chmod(0o755)
        assert kernel_cache.cache_directory.__wrapped__() == kept

    # E.g. root, in the cache of the user who called sudo.
    def test_it_must_not_be_somebody_elses(self, kept, monkeypatch):
        monkeypatch.setattr(os, "getuid", lambda: kept.stat().st_uid + 1)
        assert kernel_cache.cache_directory.__wrapped__() is None

    def test_it_is_no_link(self, kept, tmp_path):
        kept.rename(tmp_path / "elsewhere")
        kept.symlink_to(tmp_path / "elsewhere")
        assert kernel_cache.cache_directory.__wrapped__() is None


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

    def test_pixels_are_those_of_any_other_cache(self, env, pixels):
        assert run(FUSE, **env) == [pixels, "0"]
        assert run(FUSE, **env) == [pixels, "1"]

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
        assert kernel_cache._temporary_cache() == private
        monkeypatch.setattr(os, "getuid", lambda: 12345)
        private.rename(private.with_name("osmofuse-12345"))
        with pytest.raises(PermissionError, match="not a private folder"):
            kernel_cache._temporary_cache()

    def test_the_current_folder_is_not_trusted(self, private, monkeypatch):
        monkeypatch.setattr(tempfile, "gettempdir", lambda: str(private.parent))
        monkeypatch.chdir(private.parent)
        with pytest.raises(PermissionError, match="in the current folder"):
            kernel_cache._temporary_cache()

    def test_without_a_home_there_is_a_cache(self, monkeypatch, private):
        def nobody_knows():
            raise RuntimeError("Could not determine home directory.")

        monkeypatch.delenv("OSMOFUSE_CACHE", raising=False)
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        monkeypatch.setattr(Path, "home", nobody_knows)
        monkeypatch.setattr(tempfile, "gettempdir", lambda: str(private.parent))
        assert kernel_cache.cache_directory.__wrapped__() == (
            private / "kernels" / kernel_cache._hash_of_sources()
        )


class TestHash:
    @pytest.fixture
    def tree(self, tmp_path, monkeypatch):
        """A copy of the package that the hash looks at."""
        source = Path(osmofuse.__file__).parent
        shutil.copytree(
            source, tmp_path / "osmofuse", ignore=lambda d, names: {"page", "__pycache__"}
        )
        monkeypatch.setattr(
            kernel_cache, "__file__", str(tmp_path / "osmofuse" / "kernel_cache.py")
        )
        return tmp_path / "osmofuse"

    @pytest.fixture
    def before(self, tree):
        return kernel_cache._hash_of_sources()

    def test_same_sources_same_hash(self, before, monkeypatch):
        monkeypatch.undo()
        assert kernel_cache._hash_of_sources() == before

    @pytest.mark.parametrize("name", ["operators/difference.py", "optimise/primal_dual.py"])
    def test_a_change_in_a_kernel_source_counts(self, tree, before, name):
        path = tree / name
        path.write_text(path.read_text() + "\n# changed\n")
        assert kernel_cache._hash_of_sources() != before

    # kernels.py holds the options (fastmath, error model), which Numba's own key does not.
    def test_a_change_of_the_options_counts(self, tree, before):
        path = tree / "kernels.py"
        path.write_text(path.read_text() + "\n# changed\n")
        assert kernel_cache._hash_of_sources() != before

    def test_a_change_elsewhere_does_not(self, tree, before):
        path = tree / "energies" / "quadratic.py"
        path.write_text(path.read_text() + "\n# changed\n")
        assert kernel_cache._hash_of_sources() == before

    @pytest.mark.parametrize("name", ["kernel", "fast_kernel"])
    @pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["unix", "dos"])
    def test_a_new_kernel_source_counts(self, tree, before, name, end):
        lines = (f"from osmofuse.kernels import {name}", f"@{name}", "def f(x): return x", "")
        (tree / "new.py").write_bytes(end.join(lines).encode())
        assert kernel_cache._hash_of_sources() != before

    # Kernels of other files inline what @pixel declares.
    def test_a_source_of_pixels_only_counts(self, tree, before):
        text = "from osmofuse.kernels import pixel\n@pixel\ndef f(x): return x\n"
        (tree / "new.py").write_text(text)
        assert kernel_cache._hash_of_sources() != before

    def test_another_numba_counts(self, before, monkeypatch):
        monkeypatch.setattr(numba, "__version__", "0.0.0")
        assert kernel_cache._hash_of_sources() != before
