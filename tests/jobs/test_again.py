"""The command that does a job again."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from osmofuse.jobs.again import again


@pytest.mark.parametrize(
    ("output", "other"),
    [("b.tif", "b-again.tif"), ("my folder", "my folder-again"), ("a/b.c.png", "a/b.c-again.png")],
)
def test_the_other_output_lies_beside_the_first(output, other):
    command = again("align", Path("r.json"), Path(output))
    assert shlex.split(command) == ["osmofuse", "align", "--from", "r.json", "-o", other]


def test_the_current_folder_has_a_name_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert again("sweep", Path("sweep.json"), Path()).endswith(f"{tmp_path.name}-again")
