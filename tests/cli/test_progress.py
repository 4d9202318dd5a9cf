from __future__ import annotations

import re
from dataclasses import replace

import pytest
from rich.console import Console

from osmofuse import Progress
from osmofuse.cli import progress
from osmofuse.cli.progress import progress_line

AT = Progress(channel=1, channels=3, iteration=42, energy=1234.5678, reach=None, seconds=2.04)


def test_off_a_terminal_it_says_one_line_on_stderr(capsys):
    with progress_line("Fusing") as watch:
        for _ in range(3):
            assert not watch(AT)
    out, err = capsys.readouterr()
    assert not out
    assert err == "Fusing ...\n"


def test_on_a_terminal_the_line_tells_where_it_is(monkeypatch, capsys):
    monkeypatch.setattr(progress, "Console", lambda **_: Console(force_terminal=True, width=200))
    with progress_line("Fusing") as watch:
        assert watch(AT) is False, "it never cancels"
        shown = str(watch.spinner.status)
    assert shown == "Fusing: channel 2 of 3, iteration 42, energy 1234.6, 2.0 s, about 4 s left"
    assert re.search("Fusing", capsys.readouterr().out)


@pytest.mark.parametrize(
    ("channel", "expected", "left"),
    [
        (1, None, ", about 4 s left"),
        (1, 1000.0, ", about 4 s left"),
        (2, 1000.0, ", about 1 s left"),
        (0, 10.0, ", about 8 s left"),
        (None, 10.0, ", about 8 s left"),
        (None, 2.5, ", about to end"),
        (None, 1.0, ", about to end"),
        (None, None, ""),
    ],
)
def test_time_left_is_told_by_channels_or_by_what_was_expected(
    monkeypatch, channel, expected, left
):
    monkeypatch.setattr(progress, "Console", lambda **_: Console(force_terminal=True, width=200))
    with progress_line("Fusing", expected) as watch:
        watch(replace(AT, channel=channel))
        assert str(watch.spinner.status).endswith(f"2.0 s{left}")


def test_what_a_method_does_not_have_is_not_told(monkeypatch):
    monkeypatch.setattr(progress, "Console", lambda **_: Console(force_terminal=True, width=200))
    with progress_line("Fusing") as watch:
        watch(replace(AT, energy=None))
        assert (
            str(watch.spinner.status)
            == "Fusing: channel 2 of 3, iteration 42, 2.0 s, about 4 s left"
        )
        watch(replace(AT, channel=None, energy=0.0, reach=1.25))
        assert str(watch.spinner.status) == ("Fusing: reach 1.2 px, iteration 42, energy 0, 2.0 s")
