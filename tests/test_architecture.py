"""ARCHITECTURE.md, the tree and import-linter's layers tell the same story."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "osmofuse"
UNROOMED = {"__init__", "__main__"}


def table() -> dict[str, str]:
    """Return what each room may import, by the room's name, from top to bottom."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w./]+)` \|.*\| ([^|]*) \|$", text, re.MULTILINE)
    return {re.sub(r"/$|\.py$", "", room): allowed for room, allowed in rows}


def tree() -> set[str]:
    """Return the rooms that have an inhabitant."""
    packages = {path.name for path in SOURCE.iterdir() if any(path.rglob("*.py"))}
    return (packages | {path.stem for path in SOURCE.glob("*.py")}) - UNROOMED


def house() -> dict:
    """Return import-linter's contract of layers."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    return next(contract for contract in contracts if contract["type"] == "layers")


def layers() -> list[list[str]]:
    """Return the layers from top to bottom, without rooms that do not exist."""
    named = [[room.strip(" ()") for room in re.split("[:|]", line)] for line in house()["layers"]]
    present = tree()
    return [kept for rooms in named if (kept := [room for room in rooms if room in present])]


def imports(room: str) -> set[str]:
    """Return the other rooms that a room imports."""
    path = SOURCE / room
    files = path.rglob("*.py") if path.is_dir() else [path.with_suffix(".py")]
    names = set()
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                names |= {f"{node.module}.{alias.name}" for alias in node.names}
            elif isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
    ours = {name.split(".")[1] for name in names if name.startswith("osmofuse.")}
    return (ours & tree()) - {room}


def test_the_table_lists_the_tree():
    assert sorted(table()) == sorted(tree())


def test_the_table_goes_down_the_layers():
    beside = set(house()["exhaustive_ignores"]) - UNROOMED
    rooms = [room for room in table() if room not in beside]
    assert rooms == [room for layer in layers() for room in layer]
    assert beside == set(table()) - set(rooms)


@pytest.mark.parametrize("room", sorted(tree()))
def test_a_room_imports_what_the_table_allows(room):
    rooms, allowed = list(table()), table()[room]
    named = set(re.findall(r"`(\w+)`", allowed))
    below = set(rooms[rooms.index(room) + 1 :]) - set(house()["exhaustive_ignores"])
    assert imports(room) <= (named | below if allowed.startswith("all below") else named)


def test_architecture_is_two_screens():
    lines = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 90
