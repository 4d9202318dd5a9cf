"""Channels one after the other: what is kept, and what a cancel leaves."""

from __future__ import annotations

import numpy as np
import pytest

from osmofuse import Sources, Status
from osmofuse.methods.channelwise import fuse_channels
from osmofuse.optimise import Watch


@pytest.fixture
def sources(rng):
    return Sources(*rng.random((2, 4, 5, 3)))


def nines(sources, started=None):
    def planes(guard):
        for c in range(sources.channels):
            if started is not None:
                started.append(c)
            guard.pulse()
            yield np.full(sources.shape, 9.0 + c)

    return planes


def test_channels_come_in_their_order(sources):
    fusion = fuse_channels(None, sources, None, nines(sources))
    assert fusion.status is Status.direct
    assert (fusion.image == [9.0, 10.0, 11.0]).all()


@pytest.mark.parametrize("shape", [(4, 5), (4, 5, 1), (1, 1, 2)])
def test_the_picture_has_the_foregrounds_shape(rng, shape):
    sources = Sources(*rng.random((2, *shape)))
    assert fuse_channels(None, sources, None, nines(sources)).image.shape == shape


def test_the_picture_has_the_sources_type(rng):
    sources = Sources(*rng.random((2, 4, 5), np.float32))
    assert fuse_channels(None, sources, None, nines(sources)).image.dtype == np.float32


def test_a_cancel_at_once_starts_nothing(sources):
    started = []
    fusion = fuse_channels(None, sources, lambda _: True, nines(sources, started))
    assert fusion.status is Status.cancelled
    assert started == []
    assert np.array_equal(fusion.image, sources.foreground)


@pytest.mark.parametrize("last", range(2, 7))
def test_a_cancel_keeps_the_channels_that_were_finished(sources, monkeypatch, last):
    """The watch is called before and within each channel."""
    monkeypatch.setattr(Watch, "interval", 0.0)
    calls = []
    fusion = fuse_channels(
        None, sources, lambda p: calls.append(p.channel) or len(calls) == last, nines(sources)
    )
    finished = (last - 1) // 2
    assert calls == [0, 0, 1, 1, 2, 2][:last]
    assert fusion.status is Status.cancelled
    assert (fusion.image[..., :finished] == [9.0, 10.0, 11.0][:finished]).all()
    assert np.array_equal(fusion.image[..., finished:], sources.foreground[..., finished:])
