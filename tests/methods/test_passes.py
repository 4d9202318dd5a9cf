"""From passes to a fusion: the channels' planes, holes, the watch and a cancel."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from osmofuse import Sources, Status
from osmofuse.methods.passes import fill, fuse_by_passes, is_own
from osmofuse.optimise import Watch


@pytest.fixture
def sources(rng):
    return Sources(*rng.random((2, 4, 5, 3)))


@pytest.fixture
def every_pass(monkeypatch):
    """Let the watching function have its turn after every pass."""
    monkeypatch.setattr(Watch, "interval", 0.0)


def counting(sources, prepared=2):
    """Yield None a few times, then planes of 10, 11, 12."""
    for _ in range(prepared):
        yield None
    for c in range(sources.channels):
        yield np.full(sources.shape, 10.0 + c)


def method(sources, *, watch=None):
    return fuse_by_passes(method, sources, counting(sources), watch)


def test_planes_become_the_channels_in_order(sources):
    fusion = method(sources)
    assert np.array_equal(fusion.image, np.broadcast_to([10.0, 11.0, 12.0], (4, 5, 3)))
    assert fusion.status is Status.direct
    assert fusion.method is method
    assert (fusion.structure, fusion.energy, fusion.reach, fusion.history) == (None,) * 3 + ((),)
    assert fusion.seconds >= 0


@pytest.mark.parametrize("shape", [(4, 5), (4, 5, 1), (4, 5, 2)])
@pytest.mark.parametrize(
    ("given", "expected"),
    [(np.uint8, np.float32), (np.float32, np.float32), (np.float64, np.float64)],
)
def test_shape_of_the_foreground_and_type_of_the_sources(shape, given, expected):
    image = method(Sources(np.ones(shape, given), np.ones(shape, given))).image
    assert image.shape == shape
    assert image.dtype == expected
    assert image.flat[0] == 10.0, "beyond white, not clipped"


def test_holes_have_the_foregrounds_own_values(rng):
    f, b = rng.integers(0, 256, (2, 4, 5, 3)).astype(np.uint8)
    valid = rng.random((4, 5)) < 0.5
    fusion = method(Sources(f, b, valid=valid))
    expected = (f / np.float32(255)).astype(np.float32)
    assert np.array_equal(fusion.image[~valid], expected[~valid])
    assert (fusion.image[valid] >= 10).all()


@pytest.mark.usefixtures("every_pass")
def test_the_watch_has_its_turn_between_passes_on_this_thread(sources):
    seen = []
    fusion = fuse_by_passes(
        method, sources, counting(sources), lambda p: seen.append((p, threading.get_ident()))
    )
    assert [p.iteration for p, _ in seen] == [1, 2, 3, 4], "not after the last of five"
    assert [p.channel for p, _ in seen] == [0, 0, 1, 2], "the one at work next"
    assert {p.channels for p, _ in seen} == {3}
    assert {thread for _, thread in seen} == {threading.get_ident()}
    assert fusion.status is Status.direct


@pytest.mark.usefixtures("every_pass")
@pytest.mark.parametrize("last", [1, 2, 3, 4])
def test_cancelled_it_leaves_the_foreground_in_channels_not_reached(sources, last):
    passes = counting(sources)
    fusion = fuse_by_passes(method, sources, passes, lambda p: p.iteration == last)
    done = max(last - 2, 0)
    assert fusion.status is Status.cancelled
    assert (fusion.image[..., :done] >= 10).all()
    assert np.array_equal(fusion.image[..., done:], sources.foreground[..., done:])
    assert len(list(passes)) == 5 - last, "no further pass was run"


def test_filling(rng):
    f, b = rng.random((2, 4, 5))
    valid = rng.random((4, 5)) < 0.5
    plane = b.copy()
    fill(plane, f, Sources(f, b))
    assert np.array_equal(plane, b)
    fill(plane, f, Sources(f, b, valid=valid))
    assert np.array_equal(plane, np.where(valid, b, f))


def test_what_is_near_a_hole_is_not_a_backgrounds_own():
    valid = np.ones((5, 6), bool)
    valid[1, 4] = False
    sources = Sources(np.ones((5, 6)), np.ones((5, 6)), valid=valid)
    expected = np.ones((5, 6), bool)
    expected[:3, 3:] = False
    assert np.array_equal(is_own(sources, 1, 1), expected)
    assert np.array_equal(is_own(sources, 1, 0), valid)
    assert is_own(sources, 0, 1) is True
    assert is_own(Sources(np.ones((5, 6)), np.ones((5, 6))), 1, 1) is True
