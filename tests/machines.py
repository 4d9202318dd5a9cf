"""Run tests as they run elsewhere: on another processor, for another user, under load.

python tests/machines.py CONDITION [ARGUMENTS OF PYTEST]

Without arguments all tests run, as `make test` runs them. Conditions joined by + hold together.
`make soak PART=machines` runs a sample under each condition.
"""

from __future__ import annotations

import os
import shlex
import shutil
import site
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
NOBODY = 65534
ONE_THREAD = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
ALL = ("-m", "not soak", "-n", "2", "--dist", "loadfile")
# It ends when its standard input does, so with this process, however that ends.
SPIN = "import select, sys\nwhile not select.select([sys.stdin], [], [], 0)[0]: sum(range(10**6))"


@dataclass(frozen=True)
class Condition:
    """Differences from the present machine.

    Parameters
    ----------
    env : mapping
        Variables of the environment.
    folder : str, optional
        Name of the folder into which the project is copied.
    nobody : bool
        Run as an unprivileged user, in a copy of the project that this user owns.
    read_only_home : bool
        Nothing can be written below the home folder.
    ignores_interrupts : bool
        SIGINT is ignored, as in background jobs of a shell.
    busy : int
        Processes that compute beside the tests.
    """

    env: Mapping[str, str] = field(default_factory=dict)
    folder: str | None = None
    nobody: bool = False
    read_only_home: bool = False
    ignores_interrupts: bool = False
    busy: int = 0

    def can_be_had(self) -> bool:
        """Return True if this machine can do it: become somebody else, mount a disk."""
        if not (self.nobody or self.read_only_home):
            return True
        trial = ["unshare", "--mount", "setpriv", f"--reuid={NOBODY}", "true"]
        try:
            return subprocess.run(trial, capture_output=True, check=False).returncode == 0
        except FileNotFoundError:
            return False


def _oldest_processor() -> dict[str, str]:
    """Return the variables that turn off what libraries have for newer processors."""
    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    return {
        "NPY_DISABLE_CPU_FEATURES": ",".join(found),
        "NUMBA_CPU_NAME": "generic",
        "OPENBLAS_CORETYPE": "Prescott",
        "OPENCV_CPU_DISABLE": "AVX,AVX2,FMA3,AVX512-SKX,AVX512-ICL",
        "OPENCV_IPP": "disabled",
        "VIPS_NOVECTOR": "1",
    }


CONDITIONS = {
    "oldest": Condition(env=_oldest_processor()),
    "generic": Condition(env={"NUMBA_CPU_NAME": "generic"}),
    "haswell": Condition(env={"OPENBLAS_CORETYPE": "Haswell"}),
    "prescott": Condition(env={"OPENBLAS_CORETYPE": "Prescott"}),
    "one-thread": Condition(env=dict.fromkeys(ONE_THREAD, "1")),
    "background": Condition(ignores_interrupts=True),
    "user": Condition(nobody=True, folder="osmofuse"),
    "path": Condition(folder="Prüfstand für Bücher"),
    "locale": Condition(env={"LANG": "C", "LC_ALL": "C"}),
    "home": Condition(read_only_home=True),
    "busy": Condition(busy=2),
}


def together(conditions: list[Condition]) -> Condition:
    """Return the condition under which all of some hold."""
    first, *others = conditions
    for other in others:
        env = {**first.env, **other.env}
        rest = {
            one.name: getattr(first, one.name) or getattr(other, one.name) for one in fields(first)
        }
        first = Condition(**{**rest, "env": env})
    return first


def run(
    name: str, arguments: list[str], *, capture: bool = True
) -> subprocess.CompletedProcess[str]:
    """Run pytest under a condition, or under several; capture what it prints, or let it through."""
    condition = together([CONDITIONS[one] for one in name.split("+")])
    with ExitStack() as stack:
        place = Path(stack.enter_context(_temporary()))
        root = _copied(place / condition.folder) if condition.folder else ROOT
        env = _environment(condition, place, root)
        if condition.nobody:
            _give_away(place)
        for _ in range(condition.busy):
            stack.enter_context(_spinning())
        command = [*_prefix(condition, Path(env["HOME"])), _python(condition), "-m", "pytest"]
        return subprocess.run(
            [*command, *arguments], cwd=root, env=env, check=False, text=True,
            stdout=subprocess.PIPE if capture else None,
            stderr=subprocess.STDOUT if capture else None,
        )  # fmt: skip


@contextmanager
def _temporary() -> Iterator[str]:
    folder = tempfile.mkdtemp()
    os.chmod(folder, 0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def _copied(folder: Path) -> Path:
    """Copy the files that git knows, with the page's packages; return the folder."""
    known = ["git", "-c", "safe.directory=*", "ls-files", "-z"]
    names = subprocess.run(known, cwd=ROOT, check=True, capture_output=True).stdout
    for name in filter(None, names.decode().split("\0")):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target)
    packages = ROOT / "tests" / "page" / "node_modules"
    if packages.exists():
        shutil.copytree(packages, folder / "tests" / "page" / "node_modules")
    return folder


def _environment(condition: Condition, place: Path, root: Path) -> dict[str, str]:
    env = {**os.environ, **condition.env}
    if root != ROOT:
        env["PYTHONPATH"] = os.pathsep.join([str(root / "src"), *site.getsitepackages()])
        env.setdefault("OSMOFUSE_DATA", str(ROOT.parent / "shared" / "data"))
    if condition.nobody or condition.read_only_home:
        for name in ("OSMOFUSE_CACHE", "XDG_CACHE_HOME"):
            env.pop(name, None)
        (place / "home").mkdir()
        (place / "tmp").mkdir()
        env |= {"HOME": str(place / "home"), "TMPDIR": str(place / "tmp")}
    return env


def _python(condition: Condition) -> str:
    """Return an interpreter that the user may execute: root's may lie below root's home."""
    base = Path(sys.base_prefix).resolve()
    open_to_all = all(path.stat().st_mode & 0o001 for path in (base, *base.parents))
    if not condition.nobody or open_to_all:
        return sys.executable
    return f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"


def _give_away(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)


def _prefix(condition: Condition, home: Path) -> list[str]:
    """Return the commands that begin the command line, each of which starts the rest."""
    prefix = []
    if condition.read_only_home:
        # Root may write everywhere but on a disk that is mounted read-only.
        mount = f'mount -t tmpfs -o ro,size=1m none {shlex.quote(str(home))} && exec "$@"'
        prefix += ["unshare", "--mount", "sh", "-c", mount, "sh"]
    if condition.nobody:
        prefix += ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    if condition.ignores_interrupts:
        prefix += ["sh", "-c", "trap '' INT; exec \"$@\"", "sh"]
    return prefix


@contextmanager
def _spinning() -> Iterator[None]:
    """Keep a processor busy."""
    with subprocess.Popen([sys.executable, "-c", SPIN], stdin=subprocess.PIPE):
        yield


if __name__ == "__main__":
    sys.exit(run(sys.argv[1], sys.argv[2:] or list(ALL), capture=False).returncode)
