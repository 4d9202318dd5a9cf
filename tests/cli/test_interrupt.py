from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import suppress
from ctypes import CFUNCTYPE

import pytest

from osmofuse import cli
from osmofuse.cli import interrupt
from osmofuse.cli.output import progress_line


@pytest.fixture
def listening(monkeypatch):
    # A shell may have told its background jobs to ignore interrupts; this test does not.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    monkeypatch.setattr(interrupt, "_seen", False)
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    interrupt.listen()
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_that_was_lost_comes_again(listening):
    with progress_line("Working") as watch:
        watch(None)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        # Somebody has caught it and went on.
        with pytest.raises(KeyboardInterrupt):
            watch(None)


def test_a_lost_interrupt_is_not_printed(listening, capsys, monkeypatch):
    lose = CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGINT))
    lose()
    assert interrupt.was_seen()
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(interrupt, "_seen", False)
    CFUNCTYPE(None)(lambda: 1 / 0)()
    assert "ZeroDivisionError" in capsys.readouterr().err


@pytest.mark.parametrize("seen", [False, True])
def test_an_error_that_follows_an_interrupt_is_taken_for_it(listening, monkeypatch, capsys, seen):
    def command(**_):
        if seen:
            with suppress(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
        raise SystemError("returned a result with an exception set")

    monkeypatch.setattr(cli, "commands", command)
    with pytest.raises(SystemExit if seen else SystemError) as ended:
        cli.main()
    if seen:
        assert ended.value.code == 130
        assert capsys.readouterr().err == "osmofuse: interrupted\n"


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX: signals that end a process")
def test_an_interrupt_before_the_start_prints_nothing():
    # As the interpreter sets it, whatever the shell says.
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "import osmofuse.__main__; signal.raise_signal(signal.SIGINT)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")


def test_who_ignores_interrupts_is_left_alone(monkeypatch):
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        interrupt.listen()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
