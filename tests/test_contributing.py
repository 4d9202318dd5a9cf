"""The recipes of CONTRIBUTING.md, each followed to the letter in a copy of the repository."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT
from pairs import write_pair

COPIED = ("src", "tests", "docs", "pyproject.toml", "examples", "*.md", "*.cff", "LICENSE")
PARTS = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("\n### ")[1:]
RECIPES = {
    title: text.partition("\n## ")[0] for title, _, text in (part.partition("\n") for part in PARTS)
}
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(recipe: str, *kinds: str) -> list[tuple[str, str]]:
    """Return the code blocks of some kinds, with the words since the block before."""
    found, end = [], 0
    for block in FENCE.finditer(recipe):
        if block[1] in kinds:
            found.append((recipe[end : block.start()], block[2]))
        end = block.end()
    return found


def create_files(recipe: str, root: Path) -> list[Path]:
    """Write the files that a recipe says to create."""
    made = []
    for words, code in blocks(recipe, "python", "toml"):
        path = root / re.search(r"^\d+\. Create `([^`]+)`", words, re.MULTILINE)[1]
        assert not path.exists(), f"{path} is there already"
        path.write_text(code, encoding="utf-8")
        made.append(path)
    return made


def change_files(recipe: str, root: Path) -> set[Path]:
    """Make the changes that a recipe says to make."""
    changed = set()
    for _, text in blocks(recipe, "diff"):
        for part in text.split("@@ ")[1:]:
            name, _, changes = part.partition("\n")
            path = root / name
            lines = path.read_text(encoding="utf-8").splitlines()
            for change in changes.strip("\n").split("\n\n"):
                lines = changed_lines(lines, change.splitlines(), name)
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
            changed.add(path)
    return changed


def changed_lines(lines: list[str], change: list[str], name: str) -> list[str]:
    """Return lines with a change: some lines that are there, and those that follow them."""
    old = [line for line in change if not line.startswith("+")]
    places = [
        k
        for k in range(len(lines))
        if all(map(is_line, lines[k : k + len(old)], old)) and k + len(old) <= len(lines)
    ]
    assert len(places) == 1, f"{name}: {old} is there {len(places)} times"
    kept = [lines[places[0] + k] for k, line in enumerate(old) if line.startswith(" ")]
    added = [line[1:] for line in change if line.startswith("+")]
    return [*lines[: places[0]], *kept, *added, *lines[places[0] + len(old) :]]


def is_line(line: str, told: str) -> bool:
    """Return True if a line is the one of a change, which may end with an ellipsis."""
    words = told[1:]
    return line.startswith(words[:-1]) if words.endswith("…") else line == words


def run(line: str, root: Path, folder: Path) -> str:
    """Run a command of a recipe: tests and scripts in the copy, osmofuse beside a pair."""
    program, *arguments = shlex.split(line)
    start = {
        "pytest": ["-m", "pytest", "-q", "-p", "no:cacheprovider"],
        "osmofuse": ["-m", "osmofuse"],
        "python": [],
    }[program]
    done = subprocess.run(
        [sys.executable, *start, *arguments],
        cwd=folder if program == "osmofuse" else root,
        env=os.environ
        | {"PYTHONPATH": str(root / "src"), "OSMOFUSE_CACHE": str(root.parent / "cache")},
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Return a folder for copies: kernels compiled for a path serve the next copy there."""
    return tmp_path_factory.mktemp("contributing")


@pytest.fixture
def copy(place):
    """Return a copy of what a recipe may change."""
    root = place / "osmofuse"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    ignored = shutil.ignore_patterns(
        "__pycache__", "_build", "node_modules", "test_contributing.py"
    )
    for path in (path for pattern in COPIED for path in ROOT.glob(pattern)):
        if path.is_dir():
            shutil.copytree(path, root / path.name, ignore=ignored)
        else:
            shutil.copy(path, root)
    return root


def test_there_is_a_recipe_for_each_thing():
    assert list(RECIPES) == ["A method", "A metric", "An energy", "A command", "A recipe"]


@pytest.mark.parametrize("title", RECIPES)
def test_a_recipe_works_to_the_letter(title, copy, tmp_path):
    recipe = RECIPES[title]
    touched = {*create_files(recipe, copy), *change_files(recipe, copy)}
    assert copy / "CHANGELOG.md" in touched
    code = [str(path) for path in sorted(touched) if path.suffix == ".py"]
    for checking in (["check"], ["format", "--check"]):
        ruff = [sys.executable, "-m", "ruff", *checking, "--no-cache", *code]
        done = subprocess.run(ruff, cwd=copy, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout
    write_pair(tmp_path)
    lines = [line for _, text in blocks(recipe, "console") for line in text.splitlines()]
    assert any(line.startswith("pytest ") for line in lines)
    for line in lines:
        run(line, copy, tmp_path)
