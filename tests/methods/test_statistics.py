"""Numbers of whole pictures."""

import numpy as np
import pytest

from osmofuse.methods.statistics import (
    SAMPLES,
    CancelledError,
    Statistics,
    gridded,
    percentile,
)
from osmofuse.progress import Guard


def test_what_is_known_is_not_measured():
    known = Statistics({"noise": 0.5})
    assert known("noise", lambda: pytest.fail("it was measured")) == 0.5
    assert known("white", lambda: 0.9) == 0.9
    assert known("white", lambda: 0.1) == 0.9, "once"
    assert known.within("background 1")("noise", lambda: 0.2) == 0.2
    assert known.values == {"noise": 0.5, "white": 0.9, "background 1 noise": 0.2}


def test_a_cancel_ends_it():
    known = Statistics(guard=Guard(lambda progress: True))
    with pytest.raises(CancelledError):
        known("noise", lambda: 0.5)


def test_percentiles_of_large_planes_are_those_of_a_grid(rng):
    x = rng.random((700, 900))
    assert percentile(x, 99.0) == pytest.approx(0.99, abs=0.005)
    assert percentile(np.tile(np.arange(10.0), (500, 90)), 50.0) in (4.0, 5.0)


def test_samples_are_on_a_grid_that_a_percentile_uses(rng):
    plane = rng.random((500, 400))
    samples = gridded(plane)
    assert SAMPLES / 2 < samples.size <= SAMPLES
    assert np.array_equal(samples, plane[::2, ::2])
    assert percentile(samples, 30.0) == percentile(plane, 30.0)
    assert np.array_equal(gridded(plane[:5]), plane[:5])
