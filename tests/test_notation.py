"""The capital letters of docs/notation.md are those that ruff lets pass."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent


def section(title: str) -> str:
    text = (ROOT / "docs" / "notation.md").read_text(encoding="utf-8")
    return text.split(f"\n## {title}\n")[1].split("\n## ")[0]


def letters(title: str) -> list[str]:
    cells = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", section(title), re.MULTILINE)
    return [letter for cell in cells for letter in re.findall(r"`(\w+)`", cell)]


def test_capitals_equal_the_names_that_ruff_ignores():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    ignored = settings["tool"]["ruff"]["lint"]["pep8-naming"]["ignore-names"]
    assert sorted(letters("Capital letters in code")) == sorted(ignored)


def test_every_letter_has_one_entry():
    found = [
        letter
        for title in ("Pictures and fields", "Numbers", "Capital letters in code")
        for letter in letters(title)
    ]
    assert len(found) == len(set(found))
    assert {"f", "b", "alpha", "w", "u", "v", "eta", "mu", "gamma", "epsilon"} <= set(found)


def test_the_proximal_map_is_defined():
    assert r"\arg\min_p" in section("The proximal map")
