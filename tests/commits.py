"""Commits that are struck at one of their system calls, and what is left of them.

Run as ``python commits.py FOLDER STEP``: every STEP-th call of a commit, and of the recovery of a
killed one, meets each kind of trouble, in a process of its own. What is wrong is printed, a line
each; a last line counts the cases.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from osmofuse.errors import OutputError
from osmofuse.io.recovery import recover
from osmofuse.io.staging import Staging, made_folder
from osmofuse.io.targets import check_target

NAMES = ("s/structure.tif", "map.png", "page/pictures/fused.png", "page/pictures/alpha.png",
         "page/index.html", "fused.tif.json", "fused.tif")  # fmt: skip
DEBRIS = (".partial", ".aside", ".commit", ".done")
CALLS = ("replace", "unlink", "fsync", "open")
ONCE = ("EIO", "SIGINT", "SIGTERM", "SIGKILL")
FROM_THEN_ON = "EIO+"


class Struck:
    """System calls, one of which meets trouble."""

    def __init__(self, at: int, how: str) -> None:
        self.at, self.how, self.count = at, how, 0

    def __enter__(self) -> Struck:
        self.real = {name: getattr(os, name) for name in CALLS}
        for name, call in self.real.items():
            setattr(os, name, self._watched(call))
        return self

    def __exit__(self, *_: object) -> None:
        for name, call in self.real.items():
            setattr(os, name, call)

    def _watched(self, call: Callable[..., object]) -> Callable[..., object]:
        def watched(*args: object, **kwargs: object) -> object:
            self.count += 1
            if self.count == self.at and self.how.startswith("SIG"):
                os.kill(os.getpid(), getattr(signal, self.how))
            if self.how.startswith("EIO") and (
                self.count == self.at or (self.how == FROM_THEN_ON and self.count > self.at)
            ):
                raise OSError(5, "Input/output error")
            return call(*args, **kwargs)

        return watched


def in_a_process(work: Callable[[], None]) -> int:
    """Do something in a process of its own; return how it ended, as a shell says it."""
    child = os.fork()
    if child == 0:
        code = 0
        try:
            work()
        except OutputError:
            code = OutputError.exit_code
        except KeyboardInterrupt:
            code = 130
        except BaseException as error:
            _tell(f"traceback: {error!r}")
            code = 1
        os._exit(code)
    status = os.waitpid(child, 0)[1]
    return os.waitstatus_to_exitcode(status)


def commit(folder: Path, words: str, *, overwrite: bool, at: int = 0, how: str = "EIO") -> None:
    """Write all files, of which one call of the commit meets trouble."""
    paths = [folder / name for name in NAMES]
    for path in reversed(paths):  # the main output first, as jobs do
        check_target(path, overwrite=overwrite, folders=True)
    with made_folder(folder / "page" / "pictures"), Staging(paths, overwrite=overwrite) as staging:
        for path in paths:
            staging.partial(path).write_text(f"{words} {path.name}")
        with Struck(at, how):
            staging.commit()


def state(folder: Path) -> set[str]:
    """Return what is there: "nothing", "old", "new" or "next", "debris", or several of them."""
    found = set()
    for path in folder.rglob("*"):
        if path.name.endswith(DEBRIS):
            found.add("debris")
        elif path.is_file():
            found.add(path.read_text().partition(" ")[0])
    there = [name for name in NAMES if (folder / name).exists()]
    if not there:
        found.add("nothing")
    elif len(there) < len(NAMES):
        found.add(f"only {there}")
    return found


def case(folder: Path, at: int, how: str, *, overwrite: bool) -> Iterator[str]:
    """Yield what is wrong after a commit whose call met trouble, and after the next run."""
    _start(folder, overwrite=overwrite)
    code = in_a_process(lambda: commit(folder, "new", overwrite=overwrite, at=at, how=how))
    yield from _wrong(folder, how, code, overwrite=overwrite)
    yield from _next(folder, overwrite=overwrite)


def recovery(folder: Path, killed: int, at: int, how: str, *, overwrite: bool) -> Iterator[str]:
    """Yield what is wrong when the recovery of a killed commit meets trouble itself."""
    _start(folder, overwrite=overwrite)
    in_a_process(lambda: commit(folder, "new", overwrite=overwrite, at=killed, how="SIGKILL"))

    def struck() -> None:
        with Struck(at, how):
            recover([folder / NAMES[-1]])

    if in_a_process(struck) == 1:
        yield "the recovery raised"
    yield from _next(folder, overwrite=overwrite)


def _start(folder: Path, *, overwrite: bool) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "s").mkdir(parents=True)
    if overwrite:
        commit(folder, "old", overwrite=False)


def _wrong(folder: Path, how: str, code: int, *, overwrite: bool) -> Iterator[str]:
    before, found = {"old"} if overwrite else {"nothing"}, state(folder)
    if code == 1:
        yield "it raised"
    if how in ("SIGKILL", FROM_THEN_ON):  # the next run puts it right
        return
    if how == "SIGTERM":  # before the commit has begun, it ends at once
        found.discard("debris")
    if found not in (before, {"new"}):
        yield f"left {found}"
    if code == 0 and found != {"new"}:
        yield f"ended well, with {found}"
    if code == OutputError.exit_code and found != before:
        yield f"failed, with {found}"


def _next(folder: Path, *, overwrite: bool) -> Iterator[str]:
    in_a_process(lambda: recover([folder / NAMES[0]]))
    found = state(folder)
    whole = found - {"debris"}  # partial files of a process that never began its commit
    if whole not in ({"old"} if overwrite else {"nothing"}, {"new"}):
        yield f"recovered to {found}"
    code = in_a_process(lambda: commit(folder, "next", overwrite=overwrite))
    expected = {"next"} if overwrite or "new" not in whole else {"new"}
    if code != (0 if expected == {"next"} else OutputError.exit_code):
        yield f"the next run ended with {code}"
    if state(folder) != expected:
        yield f"the next run left {state(folder)}"


def main(folder: Path, step: int) -> None:
    """Try all cases, or every so many of them."""
    count = 0
    for overwrite in (False, True):
        calls = _calls(folder / "count", overwrite=overwrite)
        cases = [
            (f"overwrite={overwrite} {how} at call {at}", how, at)
            for how in (*ONCE, FROM_THEN_ON)
            for at in range(1, calls + 1)
        ]
        for label, how, at in cases[::step]:
            count += 1
            for words in case(folder / "case", at, how, overwrite=overwrite):
                _tell(f"{label}: {words}")
        twice = [
            (killed, at, how)
            for killed in range(1, calls + 1)
            for at in range(1, 60, 3)
            for how in ("EIO", "SIGKILL", FROM_THEN_ON)
        ]
        for killed, at, how in twice[:: 11 * step]:
            count += 1
            for words in recovery(folder / "case", killed, at, how, overwrite=overwrite):
                _tell(f"overwrite={overwrite} killed at {killed}, {how} at {at}: {words}")
    _tell(f"{count} cases")


def _tell(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def _calls(folder: Path, *, overwrite: bool) -> int:
    """Return how many calls a commit makes."""
    _start(folder, overwrite=overwrite)
    paths = [folder / name for name in NAMES]
    with made_folder(folder / "page" / "pictures"), Staging(paths) as staging:
        for path in paths:
            staging.partial(path).write_text("new")
        with Struck(0, "") as struck:
            staging.commit()
    return struck.count


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
