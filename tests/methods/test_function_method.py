"""Functions as methods: their arguments become settings."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest

import osmofuse
from osmofuse.cli.settings import chosen_settings
from osmofuse.methods import catalogue
from osmofuse.methods.cost import TYPICAL, Cost, cost_of
from osmofuse.methods.describe import describe
from osmofuse.methods.function_method import method_of_function


def scaled(sources, factor: float = 2.0, *, kind="plain", watch=None):
    """Scale the foreground."""
    if watch is not None:
        watch(factor)
    return osmofuse.Fusion(factor * sources.foreground)


def plain(sources):
    return osmofuse.Fusion(sources.foreground)


SOURCES = osmofuse.Sources(np.full((2, 3), 0.25), np.full((2, 3), 0.5))


def test_it_is_a_frozen_dataclass_of_the_arguments():
    kind = method_of_function(scaled)
    assert [(one.name, one.default) for one in fields(kind)] == [("factor", 2.0), ("kind", "plain")]
    assert (kind.__name__, kind.__doc__) == ("scaled", "Scale the foreground.")
    with pytest.raises(FrozenInstanceError):
        kind().factor = 3.0
    np.testing.assert_array_equal(kind(factor=3.0)(SOURCES).image, 0.75)


def test_a_function_is_one_method_however_often_it_is_asked_for():
    assert method_of_function(scaled) is method_of_function(scaled)
    assert method_of_function(scaled)(3.0) == method_of_function(scaled)(3.0)
    assert pickle.loads(pickle.dumps(method_of_function(scaled)(3.0))).factor == 3.0


def test_a_watch_is_given_to_those_that_take_one():
    seen = []
    method_of_function(scaled)(4.0)(SOURCES, watch=seen.append)
    assert seen == [4.0]
    assert method_of_function(plain)()(SOURCES, watch=seen.append).image.max() == 0.25


def test_its_cost_is_what_it_says_or_typical():
    def heavy(sources):
        return plain(sources)

    heavy.cost = Cost(1000, 1000, 60.0)
    assert cost_of(method_of_function(heavy)()) == heavy.cost
    assert cost_of(method_of_function(plain)()) == TYPICAL


def test_the_command_line_knows_kinds_and_defaults(monkeypatch):
    monkeypatch.setitem(catalogue.METHODS, "scaled", method_of_function(scaled))
    given = {"assignments": [("factor", "0.5"), ("kind", "other")]}
    assert chosen_settings("scaled", given) == {"factor": 0.5, "kind": "other"}
    factor, kind = describe("scaled").settings
    assert (factor.default, kind.default) == (2.0, "plain")


def test_settings_go_with_the_function():
    pair = np.full((2, 4, 4), 0.25)
    fusion = osmofuse.fuse(*pair, method=scaled, factor=0.5)
    assert (fusion.image.max(), fusion.method) == (0.125, method_of_function(scaled)(0.5))
    with pytest.raises(osmofuse.SettingError, match=r"^power: no setting of 'scaled'"):
        osmofuse.fuse(*pair, method=scaled, power=2)


def test_a_function_cannot_change_the_pictures():
    page, infrared = np.full((4, 5), 0.6), np.full((4, 5), 0.2)
    valid = np.ones((4, 5), bool)

    def careless(sources):
        for one in (sources.foreground, *sources.backgrounds, *sources.alphas, sources.valid):
            with pytest.raises(ValueError, match="read-only"):
                one[...] = 0
        return osmofuse.Fusion(sources.foreground)

    found = osmofuse.fuse(page, infrared, np.full((4, 5), 0.5), method=careless, valid=valid)
    np.testing.assert_array_equal(found.image, 0.6)
    assert all(one.flags.writeable for one in (page, infrared, valid))
