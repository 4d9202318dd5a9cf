"""The option --alpha: what is no number, no word and no file is asked about."""

import click
import pytest

from osmofuse.cli.alpha import AlphaType


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
