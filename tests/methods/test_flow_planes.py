"""Planes of the flow made from stored samples: the same as the general way makes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from osmofuse import Sources, VariationalOsmosis
from osmofuse.linalg import inside
from osmofuse.methods.flow_planes import flow_channels, is_direct
from osmofuse.methods.planes import channels_of

SHAPE = (9, 14)
CLOSE = {"rtol": 4e-7, "atol": 0}  # three units in the last place of single precision


def stored_as(depth, x):
    if depth == "bool":
        return x > 0.5
    return np.rint(x * np.iinfo(depth).max).astype(depth) if "u" in depth else x.astype(depth)


def reading_of(sources, **settings):
    return VariationalOsmosis(**{"solver": "flow", **settings}).settled(sources).reading


def assert_same(sources, reading):
    """Compare the planes with those of the general way, frame included."""
    assert is_direct(sources, reading)
    direct = list(flow_channels(sources, reading))
    general = list(channels_of(sources, reading, padded=True))
    assert len(direct) == len(general) == sources.channels
    for one, expected in zip(direct, general, strict=True):
        assert np.array_equal(one.planes.f, expected.f)
        assert np.array_equal(one.planes.alpha, expected.alpha)
        np.testing.assert_allclose(one.planes.start, expected.start, **CLOSE)
        assert (one.planes.start is one.planes.f) == (reading.start == "foreground")
        np.testing.assert_allclose(one.planes.w, expected.w, **CLOSE)
        w = inside(one.planes.w, sources.shape)
        assert one.mean == pytest.approx(float(w.mean(dtype=np.float64)), rel=1e-14)
        assert one.lowest == w.min()


@pytest.mark.parametrize("of_map", ["bool", "uint8", "uint16", "float32", "float64", "number"])
@pytest.mark.parametrize("depth", ["uint8", "uint16", "float32", "float64"])
def test_planes_are_those_of_the_general_way(rng, depth, of_map):
    f, b = (stored_as(depth, x) for x in rng.random((2, *SHAPE, 3)))
    alpha = 0.3 if of_map == "number" else stored_as(of_map, rng.random(SHAPE))
    sources = Sources(f, b, alpha)
    assert_same(sources, reading_of(sources))
    channels = list(flow_channels(sources, reading_of(sources)))
    assert len({id(one.planes.alpha) for one in channels}) == 1, "one map needs one plane"


@pytest.mark.parametrize("offset", [0.05, 1.0, "auto"])
def test_maps_of_channels_and_other_offsets(rng, offset):
    f, b, alpha = (stored_as("uint8", x) for x in rng.random((3, *SHAPE, 3)))
    sources = Sources(f, b, alpha)
    assert_same(sources, reading_of(sources, offset=offset))
    assert_same(Sources(f, b, alpha[..., :1]), reading_of(sources, offset=offset))


@pytest.mark.parametrize("band", ["keep", "repeat"])
@pytest.mark.parametrize("channels", [1, 2, 3])
def test_a_background_of_one_band(rng, band, channels):
    f, b, alpha = rng.random((*SHAPE, channels)), rng.random(SHAPE), rng.random(SHAPE)
    sources = Sources(stored_as("uint16", f), stored_as("uint8", b), alpha)
    reading = reading_of(sources, band=band)
    assert is_direct(sources, reading)
    pairs = zip(
        flow_channels(sources, reading), channels_of(sources, reading, padded=True), strict=True
    )
    for one, expected in pairs:
        np.testing.assert_allclose(one.planes.w, expected.w, rtol=1e-6)
        assert np.array_equal(one.planes.f, expected.f)


@pytest.mark.parametrize("start", ["foreground", "composite", "means", "target"])
@pytest.mark.parametrize("gamma", [1.0, math.inf])
@pytest.mark.parametrize("bands", [1, 3])
def test_other_starts_and_held_pixels(rng, start, gamma, bands):
    f, b, alpha = (stored_as("uint8", x) for x in rng.random((3, *SHAPE, 3)))
    alpha[:3] = 255
    sources = Sources(f, b, alpha[..., :bands])
    assert_same(sources, reading_of(sources, start=start, gamma=gamma))


def test_all_else_takes_the_general_way(rng):
    f, b, alpha = rng.random((3, *SHAPE, 3)).astype(np.float32)
    sources, valid = Sources(f, b, alpha), np.ones(SHAPE, bool)
    valid[2, 3] = False
    reading = reading_of(sources)
    assert is_direct(sources, reading)
    others = [
        (sources, replace(reading, dtype=np.float64)),
        (sources, replace(reading, offsets=(0.0, 0.0))),
        (sources, replace(reading, single=(True,))),
        (Sources(f, b[..., 0], alpha), replace(reading, band="coarse")),
        (Sources(f, b, alpha, valid), reading),
        (sources, reading_of(sources, target="seamless")),
    ]
    assert not any(is_direct(*other) for other in others)
    third = Sources(f, [b, b], [0.5, 0.3, 0.2])
    assert not is_direct(third, replace(reading, offsets=(1.0,) * 3, single=(False,) * 2))


def test_the_general_way_has_the_mean_and_the_minimum_of_the_target(rng):
    f, b, alpha = rng.random((3, *SHAPE, 3))
    sources = Sources(f, b, alpha)
    reading = reading_of(sources, precision="double")
    for one in flow_channels(sources, reading):
        w = inside(one.planes.w, SHAPE)
        assert not is_direct(sources, reading)
        assert (one.mean, one.lowest) == (float(w.mean(dtype=np.float64)), float(w.min()))


def test_nothing_that_is_given_changes(rng):
    f, b, alpha = (stored_as("uint8", x) for x in rng.random((3, *SHAPE, 3)))
    before = [x.copy() for x in (f, b, alpha)]
    for x in (f, b, alpha):
        x.flags.writeable = False
    sources = Sources(f, b, alpha)
    for one in flow_channels(sources, reading_of(sources)):
        one.planes.w[...] = 7.0
    assert all(np.array_equal(x, y) for x, y in zip((f, b, alpha), before, strict=True))
