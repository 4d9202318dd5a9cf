"""What docs/command-line.md and docs/report.md say of the commands is true."""

from __future__ import annotations

import re
import shlex
import shutil

import numpy as np
import pytest
import tifffile
from click.testing import CliRunner

import osmofuse
from conftest import ROOT
from osmofuse import cli, errors, gallery
from osmofuse.cli.output import NOT_AS_ASKED
from osmofuse.pixels import quantise
from pairs import osmofuse_in, write_pair

PAGE = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
REPORT = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")


def test_its_commands_run_in_their_order(tmp_path, monkeypatch):
    pair = write_pair(tmp_path)
    with tifffile.TiffWriter(tmp_path / "bands.tif") as file:
        for name in ("infrared",) * 4:
            file.write(osmofuse.read(pair[name]).pixels, metadata=None)
    shutil.copy(pair["infrared"], tmp_path / "ultraviolet.tif")
    yard = gallery.shadow((100, 130), 1)
    shaded = (yard.foreground / yard.truth).mean(axis=2) < 0.99
    for name, plane in {
        "photo.tif": yard.foreground, "edge.png": yard.alpha, "rough.png": 1.0 - shaded,
    }.items():  # fmt: skip
        osmofuse.write(quantise(plane, np.uint8)[0], tmp_path / name)
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```console\n(.*?)^```", PAGE + REPORT, re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    assert len(lines) >= 10
    for line in lines:
        program, *arguments = shlex.split(line)
        assert program == "osmofuse"
        done = CliRunner().invoke(cli.commands, arguments)
        assert done.exit_code == 0, (line, done.output, done.exception)


def test_its_codes_are_those_of_the_errors():
    codes = {int(code) for code in re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)}
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    raised = {kind.exit_code for kind in kinds if issubclass(kind, errors.OsmofuseError)}
    assert codes == raised | {0, NOT_AS_ASKED, 130}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_can_complete(tmp_path, shell):
    named = "import sys; sys.argv[0] = 'osmofuse'"
    done = osmofuse_in(tmp_path, before=named, _OSMOFUSE_COMPLETE=f"{shell}_source")
    assert done.returncode == 0, done.stderr
    assert "_OSMOFUSE_COMPLETE" in done.stdout


@pytest.mark.parametrize(
    ("shell", "answer"),
    [
        ("bash", "plain,solver=published"),
        ("zsh", "plain\nsolver=published\n_"),
        ("fish", "plain,solver=published"),
    ],
)
def test_completion_knows_settings_and_their_words(tmp_path, shell, answer):
    named = "import sys; sys.argv[0] = 'osmofuse'"
    environment = {
        "_OSMOFUSE_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": "osmofuse fuse --set solver=p",
        "COMP_CWORD": "solver=p" if shell == "fish" else "3",
    }
    done = osmofuse_in(tmp_path, before=named, **environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == answer


def test_completion_knows_the_names_of_methods(tmp_path):
    environment = {
        "_OSMOFUSE_COMPLETE": "bash_complete",
        "COMP_WORDS": "osmofuse compare --methods direct,poi",
        "COMP_CWORD": "3",
    }
    named = "import sys; sys.argv[0] = 'osmofuse'"
    done = osmofuse_in(tmp_path, before=named, **environment)
    assert done.stdout.strip() == "plain,direct,poisson", done.stderr
