"""From passes to a fusion: the channels' planes, holes, the watch and a cancel."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from osmofuse import Sources, Status
from osmofuse.methods.passes import fuse_by_passes
from osmofuse.progress import Guard


@pytest.fixture
def sources(rng):
    return Sources(*rng.random((2, 4, 5, 3)))


@pytest.fixture
def every_pass(monkeypatch):
    """Let the watching function have its turn after every pass."""
    monkeypatch.setattr(Guard, "interval", 0.0)


def counting(sources, prepared=2, guard=None):
    """Yield None a few times, then planes of 10, 11, 12; a guard is pulsed within each pass."""
    for _ in range(prepared):
        yield None
    for c in range(sources.channels):
        if guard is not None:
            guard.pulse()
        yield np.full(sources.shape, 10.0 + c)


def method(sources, *, watch=None):
    return fuse_by_passes(method, sources, counting(sources), Guard(watch))


def test_planes_become_the_channels_in_order(sources):
    fusion = method(sources)
    assert np.array_equal(fusion.image, np.broadcast_to([10.0, 11.0, 12.0], (4, 5, 3)))
    assert fusion.status is Status.direct
    assert fusion.method is method
    assert (fusion.structure, fusion.energy, fusion.reach, fusion.history) == (None,) * 3 + ((),)
    assert fusion.seconds >= 0


@pytest.mark.parametrize("shape", [(4, 5), (4, 5, 1), (4, 5, 2), (1, 1, 2)])
@pytest.mark.parametrize(
    ("given", "expected"),
    [(np.uint8, np.float32), (np.float32, np.float32), (np.float64, np.float64)],
)
def test_shape_of_the_foreground_and_type_of_the_sources(shape, given, expected):
    image = method(Sources(np.ones(shape, given), np.ones(shape, given))).image
    assert image.shape == shape
    assert image.dtype == expected
    assert image.flat[0] == 10.0, "beyond white, not clipped"


@pytest.fixture
def holes(rng):
    f, b = rng.integers(0, 256, (2, 4, 5, 3)).astype(np.uint8)
    return Sources(f, b, valid=rng.random((4, 5)) < 0.5)


def test_holes_have_the_foregrounds_own_values(holes):
    fusion = method(holes)
    expected = holes.foreground.astype(np.float32) / np.float32(255)
    assert np.array_equal(fusion.image[~holes.valid], expected[~holes.valid])
    assert (fusion.image[holes.valid] >= 10).all()


def test_holes_are_left_to_a_method_that_fades_into_them(holes):
    fusion = fuse_by_passes(method, holes, counting(holes), Guard(None), keep_holes=False)
    assert (fusion.image >= 10).all()


@pytest.mark.usefixtures("every_pass")
def test_the_watch_has_its_turn_before_each_pass_on_this_thread(sources):
    seen = []
    fusion = method(sources, watch=lambda p: seen.append((p, threading.get_ident())))
    assert [p.iteration for p, _ in seen] == [0, 1, 2, 3, 4], "passes done, of five"
    assert [p.channel for p, _ in seen] == [0, 0, 0, 1, 2], "the one at work"
    assert {(p.channels, p.energy, p.reach) for p, _ in seen} == {(3, None, None)}
    assert {thread for _, thread in seen} == {threading.get_ident()}
    assert fusion.status is Status.direct


@pytest.mark.usefixtures("every_pass")
@pytest.mark.parametrize("last", range(5))
def test_cancelled_it_leaves_the_foreground_in_channels_not_reached(sources, last):
    passes = counting(sources)
    fusion = fuse_by_passes(method, sources, passes, Guard(lambda p: p.iteration == last))
    assert_cancelled(fusion, sources, done=max(last - 2, 0))
    assert len(list(passes)) == 5 - last, "no further pass was run"


@pytest.mark.usefixtures("every_pass")
@pytest.mark.parametrize("last", range(1, 4))
def test_a_channel_within_which_it_was_cancelled_is_dropped(sources, last):
    calls = []
    guard = Guard(lambda p: calls.append(p.channel) or calls == [0, 0, 1, 1, 2, 2][: 2 * last])
    fusion = fuse_by_passes(method, sources, counting(sources, 0, guard), guard)
    assert_cancelled(fusion, sources, done=last - 1)
    assert len(calls) == 2 * last, "nobody is asked again"


def assert_cancelled(fusion, sources, done):
    assert fusion.status is Status.cancelled
    assert (fusion.image[..., :done] >= 10).all()
    assert np.array_equal(fusion.image[..., done:], sources.foreground[..., done:])
