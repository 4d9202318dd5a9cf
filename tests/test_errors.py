"""Error kinds, and errors of the system in one wording, whoever reads the file."""

from __future__ import annotations

import errno
import inspect
import os
import pickle
from pathlib import Path

import pytest

from osmofuse import errors, record
from osmofuse.documents import read_document
from osmofuse.errors import InputError, UnreadableError, reading
from osmofuse.io import decoder, read
from osmofuse.io.formats import sniff
from osmofuse.io.header import named_errors

CODES = {
    "OsmofuseError": 1,
    "InputError": 2,
    "SettingError": 2,
    "MissingExtraError": 2,
    "UnreadableError": 3,
    "MismatchError": 4,
    "LimitError": 6,
    "OutputError": 7,
}


def test_these_are_the_kinds():
    found = {name for name, kind in vars(errors).items() if inspect.isclass(kind)}
    assert found == set(CODES)


@pytest.mark.parametrize(("name", "code"), CODES.items())
def test_each_kind_has_its_exit_code_and_is_caught_as_one(name, code):
    kind = getattr(errors, name)
    assert kind.exit_code == code
    with pytest.raises(errors.OsmofuseError, match=r"^alpha: wrong$"):
        raise kind("alpha: wrong")


@pytest.mark.parametrize(
    ("word", "meant"),
    [("poison", "poisson"), ("DIRECT", "direct"), ("photoshop", None), ("", None)],
)
def test_mistyped_names_are_asked_about(word, meant):
    asked = errors.did_you_mean(word, ["direct", "poisson"])
    assert asked == ("" if meant is None else f" (did you mean '{meant}'?)")


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        (("InputError", "SettingError", "MismatchError"), ValueError),
        (("UnreadableError", "OutputError"), OSError),
    ],
)
def test_who_catches_pythons_own_kinds_catches_these(names, kind):
    found = {name for name in CODES if issubclass(getattr(errors, name), kind)}
    assert found == set(names)
    for name in names:
        error = pickle.loads(pickle.dumps(getattr(errors, name)("a.tif: wrong")))
        assert str(error) == "a.tif: wrong"
        assert type(error).__name__ == name


READERS = {
    "a document": read_document,
    "a hash": record.sha256_of_file,
    "the first bytes": sniff,
    "a picture": read,
}


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("none", "{path}: no such file"),
        ("a\0b", "{path!r}: not a valid file name (embedded null byte)"),
        ("n" * 5000, "{path}: File name too long"),
        ("file/none", "{path}: Not a directory"),
    ],
    ids=["missing", "zero byte", "too long", "in a file"],
)
def test_all_readers_say_the_same(tmp_path, reader, name, words):
    (tmp_path / "file").touch()
    path = tmp_path / name
    with pytest.raises(UnreadableError) as refused:
        reader(path)
    assert str(refused.value) == words.format(path=path if "!r" not in words else str(path))


def gone(path):
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)


def test_a_file_that_goes_away_while_it_is_read():
    path = Path("a.tif")
    with pytest.raises(UnreadableError, match=r"^a\.tif: no such file$"), named_errors(path):
        gone(path)


def test_a_file_that_goes_away_before_the_child_opens_it(monkeypatch):
    monkeypatch.setattr(decoder, "_size_of", gone)  # before this process would get limits
    found = decoder.answer({"path": os.fsencode("a.tif").hex(), "page": 1})
    assert isinstance(found, UnreadableError)
    assert str(found) == "a.tif: no such file"


def test_an_error_of_ours_stays():
    with pytest.raises(InputError, match=r"^picture: wrong$"), reading("a.tif"):
        raise InputError("picture: wrong")


def test_an_error_without_words_of_the_system():
    with pytest.raises(UnreadableError, match=r"^a\.tif: strange$"), reading("a.tif"):
        raise OSError("strange")
