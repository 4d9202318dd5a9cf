"""The command line as a whole: help, version, exit codes; and that it loads no science."""

from __future__ import annotations

import subprocess
import sys

import click
import numpy as np
import pytest
from click.testing import CliRunner

import osmofuse
from osmofuse import cli
from osmofuse.errors import MismatchError, OutputError, SettingError


def main(monkeypatch, *arguments):
    """Run the command as a shell does; return its exit code."""
    monkeypatch.setattr(sys, "argv", ["osmofuse", *arguments])
    try:
        cli.main()
    except SystemExit as end:
        return end.code
    return 0


def test_help_names_the_commands(monkeypatch, capsys):
    for option in ("--help", "-h"):
        assert main(monkeypatch, option) == 0
        assert "demo" in capsys.readouterr().out


def test_version(monkeypatch, capsys):
    assert main(monkeypatch, "--version") == 0
    assert capsys.readouterr().out.strip() == f"osmofuse, version {osmofuse.__version__}"


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_asking_loads_no_kernels(option):
    program = (
        "import sys\n"
        f"sys.argv = ['osmofuse', {option!r}]\n"
        "from osmofuse.cli import main\n"
        "main()\n"
        "heavy = {'numba', 'scipy', 'pyvips', 'matplotlib'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_python_m_osmofuse_is_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "osmofuse", "--version"], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0
    assert osmofuse.__version__ in done.stdout


def test_every_command_has_its_file():
    for name in cli.COMMANDS:
        command = cli.commands.get_command(None, name)
        assert isinstance(command, click.Command)
        assert command.name == name
        assert CliRunner().invoke(cli.commands, [name, "--help"]).exit_code == 0
    assert cli.commands.get_command(None, "no-such-command") is None


@pytest.mark.parametrize(
    ("arguments", "started"),
    [
        (["info", "here.tif"], True),
        (["fuse", "here.tif", "gone.tif", "-o", "x.tif"], True),
        (["info", "gone.tif"], False),
        (["recipes"], False),
        (["--version"], False),
    ],
)
def test_the_decoder_gets_ready_where_files_are_named(
    tmp_path, monkeypatch, capsys, arguments, started
):
    calls = []
    monkeypatch.setattr("osmofuse.io.start_decoder", lambda: calls.append(1))
    monkeypatch.chdir(tmp_path)
    osmofuse.write(np.zeros((2, 2), np.uint8), tmp_path / "here.tif")
    main(monkeypatch, *arguments)
    assert bool(calls) == started


@pytest.mark.parametrize("arguments", [["no-such-command"], ["--no-such-option"], []])
def test_wrong_usage_is_2(monkeypatch, capsys, arguments):
    assert main(monkeypatch, *arguments) == 2
    out, err = capsys.readouterr()
    assert not out
    assert "Usage" in err


def test_a_mistyped_command_is_asked_about(monkeypatch, capsys):
    assert main(monkeypatch, "comapre") == 2
    assert "No such command 'comapre' (did you mean 'compare'?)." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code"), [(SettingError, 2), (MismatchError, 4), (OutputError, 7)]
)
def test_errors_are_one_line_and_a_code(monkeypatch, capsys, error, code):
    def fail(**_):
        raise error("alpha: wrong; mend it")

    monkeypatch.setattr(cli, "commands", fail)
    assert main(monkeypatch) == code
    out, err = capsys.readouterr()
    assert not out
    assert err == "osmofuse: alpha: wrong; mend it\n"


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, click.Abort])
def test_interrupts_are_130(monkeypatch, capsys, interrupt):
    def fail(**_):
        raise interrupt

    monkeypatch.setattr(cli, "commands", fail)
    assert main(monkeypatch) == 130
    assert "interrupted" in capsys.readouterr().err


# Click takes an EOFError for the end of what a user types.
@pytest.mark.parametrize("bug", [ZeroDivisionError, EOFError])
def test_bugs_are_not_hidden(monkeypatch, bug):
    def fail():
        raise bug

    monkeypatch.setattr(
        cli.commands, "get_command", lambda *_: click.Command("fuse", callback=fail)
    )
    with pytest.raises(bug):
        main(monkeypatch, "fuse")


def test_too_little_memory_is_6(monkeypatch, capsys):
    def fail():
        np.empty(1 << 60, np.uint8)

    monkeypatch.setattr(
        cli.commands, "get_command", lambda *_: click.Command("fuse", callback=fail)
    )
    assert main(monkeypatch, "fuse") == 6
    assert capsys.readouterr().err.startswith("osmofuse: out of memory; ")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux")
def test_an_output_that_takes_nothing_is_7():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "osmofuse", "recipes"],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 7
    assert done.stderr == "osmofuse: cannot print the result (No space left on device)\n"
