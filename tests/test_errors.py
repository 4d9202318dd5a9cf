from __future__ import annotations

import inspect
import pickle

import pytest

from osmofuse import errors

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
