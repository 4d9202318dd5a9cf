from __future__ import annotations

import signal

import pytest

from osmofuse.cli import interrupt
from osmofuse.cli.progress import progress_line


@pytest.fixture
def listening(monkeypatch):
    # A shell may have told its background jobs to ignore interrupts; this test does not.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    monkeypatch.setattr(interrupt, "_seen", False)
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


def test_who_ignores_interrupts_is_left_alone(monkeypatch):
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        interrupt.listen()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
