"""Types of options: texts as people type them, and answers to mistyped ones."""

from __future__ import annotations

import click
import pytest

from osmofuse.cli.types import AlphasType, AlphaType, MetricsType, NamesType, OneOf, SizeType


def test_numbers_words_and_paths(tmp_path):
    kind = AlphaType(auto=True)
    assert kind.convert("0.25", None, None) == 0.25
    assert kind.convert("auto", None, None) == "auto"
    assert kind.convert(str(tmp_path / "map.png"), None, None) == tmp_path / "map.png"


@pytest.mark.parametrize(
    ("auto", "text", "words"),
    [
        (True, "atuo", "did you mean 'auto'"),
        (True, "0,5", "did you mean 0.5"),
        (True, "50%", "a part like 0.5"),
        (True, " ", "neither a number nor a file"),
        (False, "auto", "write its map with --alpha-out"),
    ],
)
def test_what_is_none_of_them_is_asked_about(auto, text, words):
    with pytest.raises(click.BadParameter, match=words):
        AlphaType(auto=auto).convert(text, None, None)


def test_a_file_may_have_any_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "atuo").touch()
    assert AlphaType(auto=True).convert("atuo", None, None).name == "atuo"


def test_several_maps_have_commas_between(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "0.1,0.2").touch()
    kind = AlphasType()
    assert kind.convert("0.25, auto", None, None) == (0.25, "auto")
    assert [one.name for one in kind.convert("a.png,b.png", None, None)] == ["a.png", "b.png"]
    assert [one.name for one in kind.convert("0.1,0.2", None, None)] == ["0.1,0.2"]


@pytest.mark.parametrize(
    ("text", "names"), [("a", ("a",)), ("a, b,", ("a", "b")), ("", ()), (" , ", ())]
)
def test_names_have_commas_between(text, names):
    assert NamesType().convert(text, None, None) == names


@pytest.mark.parametrize(
    ("text", "metrics"), [("vifb", "vifb"), ("fmi,qabf", ("fmi", "qabf")), ("", ())]
)
def test_one_name_may_be_that_of_a_set(text, metrics):
    assert MetricsType().convert(text, None, None) == metrics


def test_each_name_is_given_once():
    with pytest.raises(click.BadParameter, match="'b' is named twice"):
        NamesType().convert("a,b,b", None, None)


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("", ["one", "other"]), ("ot", ["other"]), ("one,", ["one,other"]), ("one,o", ["one,other"])],
)
def test_the_shell_completes_the_last_name(typed, offered):
    found = NamesType(["one", "other"]).shell_complete(None, None, typed)
    assert [item.value for item in found] == offered


def test_the_shell_knows_sets_and_metrics():
    found = [item.value for item in MetricsType().shell_complete(None, None, "vif")]
    assert found[0] == "vifb", "sets come first"
    assert {"vif", "viff", "vifb_psnr"} <= set(found)
    assert all(name.startswith("vif") for name in found)


def test_a_mistyped_choice_is_asked_about():
    with pytest.raises(click.BadParameter, match=r"'macth' is not one of .*did you mean 'match'\?"):
        OneOf(["as-is", "match"]).convert("macth", None, None)


@pytest.mark.parametrize(
    ("text", "count"),
    [("4G", 4 * 10**9), ("4GB", 4 * 10**9), ("1.5k", 1500), ("2GiB", 2 * 2**30), ("123", 123)],
)
def test_sizes(text, count):
    assert SizeType().convert(text, None, None) == count


@pytest.mark.parametrize("text", ["1e30T", "-5", "0", "0.1", "9" * 400 + "T", "inf", "nan", ""])
def test_what_is_no_size_of_memory(text):
    with pytest.raises(click.BadParameter, match=r"not a number of bytes|must be from 1 byte"):
        SizeType().convert(text, None, None)
