"""Many random pictures and settings: whatever comes in, what comes out is finite and ends."""

import math

import numpy as np
import pytest

from osmofuse import Picture, Status, fuse

pytestmark = pytest.mark.soak


def draw(rng):
    """A random job: shapes from a pixel to a strip, any map, settings over their ranges."""
    shape = tuple(int(n) for n in np.exp(rng.uniform(0, 5, 2)))
    channels = int(rng.integers(1, 5))
    power = rng.uniform(0.2, 6)
    f, b = (rng.random((*shape, channels)) ** power for _ in range(2))
    if rng.random() < 0.3:
        b = b[..., 0]
    maps = (
        0.5,
        rng.random(shape) < rng.random(),
        rng.random(shape),
        rng.random((*shape, channels)),
    )
    settings = {
        "eta": rng.choice([0.0, 0.01, 0.1, 1.0]),
        "mu": float(10 ** rng.uniform(-1, 4)),
        "gamma": rng.choice([0.0, 0.01, 1.0, 100.0, math.inf]),
        "epsilon": float(10 ** rng.uniform(-6, 0)),
        "regulariser": (None, "huber", "tv", "tikhonov")[rng.integers(4)],
        "offset": float(10 ** rng.uniform(-2.5, 1)),
        "start": ("foreground", "composite", "means")[rng.integers(3)],
        "reach": (None, float(10 ** rng.uniform(-1, 3)), math.inf)[
            rng.choice(3, p=(0.5, 0.4, 0.1))
        ],
    }
    return f, b, maps[rng.integers(4)], settings


@pytest.mark.parametrize("seed", range(8))
def test_any_job_ends_finite(seed):
    """Extreme weights may end unconverged, and say so; most do not."""
    rng = np.random.default_rng(seed)
    successes = 0
    for _ in range(60):
        f, b, alpha, settings = draw(rng)
        fusion = fuse(Picture(f), Picture(b), alpha, **settings)
        told = (f.shape, np.shape(alpha), settings, fusion.status)
        assert np.isfinite(fusion.image).all(), told
        assert np.isfinite(fusion.structure).all(), told
        assert np.isfinite(fusion.energy).all(), told
        assert fusion.status is not Status.nonfinite, told
        successes += fusion.status.is_success
    assert successes >= 45
