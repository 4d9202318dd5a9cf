"""The command recipes, and recipes on the command fuse."""

from __future__ import annotations

import json
import sys

import pytest
from click.testing import CliRunner

import osmofuse
from osmofuse import cli
from osmofuse.cli.types import RecipeName
from osmofuse.record import read_record
from osmofuse.tasks import recipe_files
from pairs import write_pair

PAIR = ["visible.tif", "infrared.tif"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    write_pair(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def own(folder):
    """A recipe of the user's, which blends."""
    path = folder / "config" / "osmofuse" / "recipes" / "own.toml"
    path.parent.mkdir(parents=True)
    head = 'format = 1\nname = "own"\ntitle = "My own"\nfor = "Me."\n'
    path.write_text(head + '[alpha]\nfrom = 0.25\n[method]\nname = "direct"\n', encoding="utf-8")
    return path


def invoke(*arguments):
    return CliRunner().invoke(cli.commands, arguments)


def test_the_list_has_a_sentence_the_weights_and_a_picture(own):
    words = invoke("recipes").stdout
    for one in osmofuse.recipes():
        assert f"{one.name}: {one.title}" in words
        assert str(one.thumbnail or "no picture") in words
    assert "band coarse; alpha: none needed" in words
    assert "alpha: a map, which you give, softened by 1 %" in words
    assert "direct: its defaults; alpha: 0.25" in words


def test_the_list_as_json(own):
    data = {one["name"]: one for one in json.loads(invoke("recipes", "--json").stdout)}
    assert list(data) == list(recipe_files())
    assert data["own"] | {"sha256": ""} == {
        "name": "own", "title": "My own", "for": "Me.", "command": "fuse", "alpha": 0.25,
        "soften": 0.0,
        "levels": "as-is", "working_space": "encoded", "align": None, "depth": None,
        "method": "direct", "settings": {}, "scene": None, "sha256": "", "path": str(own),
        "thumbnail": None,
    }  # fmt: skip
    assert data["clone"]["settings"]["time"] == "inf"
    assert data["clone"]["thumbnail"].endswith("clone.jpg")


def test_one_is_told_with_its_file(own):
    text = own.read_text(encoding="utf-8")
    words = invoke("recipes", "own").stdout
    assert "own: My own" in words
    assert all(line in words for line in text.splitlines())
    assert json.loads(invoke("recipes", str(own), "--json").stdout)["text"] == text


def test_a_wrong_one_is_noted_and_the_others_are_listed(own):
    own.write_text("format = 2", encoding="utf-8")
    done = invoke("recipes")
    assert done.exit_code == 0
    assert f"Note: {own}: format is 2; write format = 1" in done.stderr
    assert "text: Writing under other ink" in done.stdout


def test_a_recipe_gives_what_is_not_said_and_the_record_says_so(own, folder):
    done = invoke("fuse", *PAIR, "--recipe", "own", "-o", "f.tif")
    assert done.exit_code == 0, done.output
    assert "since none was given" not in done.stderr
    record = read_record(folder / "f.tif.json")
    assert (record.method["name"], record.alpha["value"]) == ("direct", 0.25)
    assert record.recipe == osmofuse.recipe("own").entry


def test_what_is_said_wins_even_if_it_is_the_default(own, folder):
    arguments = [
        "--recipe",
        str(own),
        "--alpha",
        "0.5",
        "--method",
        "average",
        "--set",
        "weights=1,3",
    ]
    assert invoke("fuse", *PAIR, *arguments, "-o", "f.tif").exit_code == 0
    record = read_record(folder / "f.tif.json")
    assert (record.method["name"], record.alpha["value"]) == ("average", 0.5)
    assert record.method["settings"]["weights"] == [1.0, 3.0]


def test_settings_are_those_of_the_recipes_method(own):
    done = invoke("fuse", *PAIR, "--recipe", "own", "--eta", "1", "-o", "f.tif")
    assert done.exit_code == 2
    assert "--eta is not a setting of the method 'direct'" in done.stderr


def test_a_record_is_repeated_when_the_recipe_is_another(own, folder):
    invoke("fuse", *PAIR, "--recipe", "own", "-o", "f.tif")
    own.write_text(own.read_text(encoding="utf-8").replace("0.25", "0.75"), encoding="utf-8")
    assert "bit for bit" in invoke("fuse", "--from", "f.tif.json", "-o", "g.tif").stdout
    own.unlink()
    assert "bit for bit" in invoke("fuse", "--from", "g.tif.json", "-o", "h.tif").stdout
    assert read_record(folder / "h.tif.json").recipe == read_record(folder / "f.tif.json").recipe
    refused = invoke("fuse", "--from", "f.tif.json", "--recipe", "text", "-o", "i.tif")
    assert refused.exit_code == 2
    assert "leave out --recipe" in refused.stderr


@pytest.mark.parametrize(
    ("code", "name", "words"),
    [
        (2, "txet", "recipe: 'txet' is unknown (did you mean 'text'?)"),
        (2, "wrong.toml", "wrong.toml: format is missing; write format = 1"),
        (3, "gone.toml", "gone.toml: no such file"),
        (2, "face", "alpha: the recipe 'face' needs a map"),
    ],
)
def test_what_goes_wrong_has_its_code_and_one_line(folder, monkeypatch, capsys, code, name, words):
    (folder / "wrong.toml").write_text("name = 1", encoding="utf-8")
    arguments = ["osmofuse", "fuse", *PAIR, "--recipe", name, "-o", "f.tif"]
    monkeypatch.setattr(sys, "argv", arguments)
    with pytest.raises(SystemExit) as end:
        cli.main()
    out, err = capsys.readouterr()
    assert (end.value.code, out) == (code, "")
    assert err.startswith(f"osmofuse: {words}")
    assert not (folder / "f.tif").exists()


def test_completion_offers_names_and_else_files(own):
    def offered(begun):
        return [(item.value, item.type) for item in RecipeName().shell_complete(None, None, begun)]

    assert offered("cl") == [("clone", "plain"), ("cloud", "plain")]
    assert offered("o") == [("own", "plain")]
    assert offered("./") == [("", "file")]
