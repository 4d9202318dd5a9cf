"""Locks on folders, and signals that wait."""

from __future__ import annotations

import signal
import subprocess
import sys
from threading import Thread

import pytest

from osmofuse.errors import OutputError
from osmofuse.io import locking
from osmofuse.io.locking import held, locked

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX: flock")
HOLD = (
    "import sys; from pathlib import Path; from osmofuse.io.locking import locked\n"
    "with locked([Path(sys.argv[1])]) as alone: print(alone, flush=True); sys.stdin.read()"
)


@pytest.fixture
def other(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout.readline() == "True\n"
        yield process


@posix
def test_a_folder_is_had_by_one_process(tmp_path, other, monkeypatch):
    monkeypatch.setattr(locking, "_LOCK_SECONDS", 0.0)
    with pytest.raises(OutputError, match="another process of osmofuse"), locked([tmp_path]):
        pass
    other.communicate()
    with locked([tmp_path]) as alone:
        assert alone


@posix
def test_the_lock_ends_with_its_process(tmp_path, other):
    other.kill()
    with locked([tmp_path]) as alone:
        assert alone


@posix
def test_one_folder_by_two_names_is_locked_once(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path)
    with locked([tmp_path, tmp_path / "link"]) as alone:
        assert alone


@posix
def test_what_cannot_be_locked_is_told(tmp_path):
    with locked([tmp_path, tmp_path / "none"]) as alone:
        assert not alone


@pytest.fixture
def interrupts():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_waits_until_the_end(interrupts):
    reached = []

    def work():
        with held():
            signal.raise_signal(signal.SIGINT)
            reached.append("the end")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert reached == ["the end"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_handlers_are_put_back_also_after_an_error(interrupts):
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with pytest.raises(ZeroDivisionError), held():
        raise ZeroDivisionError
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


def test_what_is_ignored_stays_so(interrupts):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with held():
        signal.raise_signal(signal.SIGINT)


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX: signals that end a process")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_request_to_end_takes_effect_at_the_end(name):
    program = (
        "import signal; from osmofuse.io.locking import held\n"
        f"signal.signal(signal.{name}, signal.SIG_DFL)\n"
        "with held():\n"
        f"    signal.raise_signal(signal.{name})\n"
        "    print('the end', flush=True)\n"
        "print('never', flush=True)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)  # noqa: PLW1510
    assert done.returncode == -getattr(signal, name)
    assert done.stdout == "the end\n"


def test_other_threads_may_hold_nothing(interrupts):
    reached = []

    def work():
        with held():
            reached.append("the end")

    thread = Thread(target=work)
    thread.start()
    thread.join()
    assert reached == ["the end"]
