"""Names of files beside an output."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from osmofuse.io.own_names import Owner, is_own_name, own_path, owner_of, this_process

NAMES = ("a.tif", "x" * 255, "ü" * 127, "a.b-1.partial", "new\nline.tif", os.fsdecode(b"\xff.tif"))


@pytest.mark.parametrize("name", NAMES)
def test_names_fit_and_tell_their_owner(name):
    for kind in ("partial", "aside", "commit", "done"):
        found = own_path(Path("folder") / name, kind).name
        assert len(os.fsencode(found)) <= 255
        assert owner_of(found, name, kind) == this_process()
        assert is_own_name(found, name)
        assert not is_own_name(found, "other" + name)


def test_long_names_that_begin_alike_stay_two():
    first, second = (own_path(Path("x" * 250 + end), "partial") for end in "ab")
    assert first != second


def test_others_have_names_of_their_own():
    path = own_path(Path("a.tif"), "partial", Owner("there", 7))
    assert path.name == "a.tif.there-7.partial"
    assert owner_of(path.name, "a.tif", "partial") == ("there", 7)
    assert owner_of(path.name, "a.tif", "aside") is None
    assert owner_of("a.tif.draft.partial", "a.tif", "partial") is None
