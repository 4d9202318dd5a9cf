"""What tests of metrics share: direct matting of the paper's face pair, as a file holds it."""

import numpy as np
import pytest

import osmofuse


@pytest.fixture(params=[0.1, 1.0, 16.0])
def nearly_flat(request):
    """Return planes of one level but for the last bit of single precision, which is random."""
    level, rng = np.float32(request.param), np.random.default_rng(1)

    def draw(shape):
        away = rng.choice(np.array([0, np.inf], np.float32), shape)
        return np.nextafter(level, away).astype(np.float64)

    return draw


@pytest.fixture(scope="session")
def direct_face(data):
    names = ("foreground", "background", "alpha")
    f, b, alpha = (osmofuse.read(data / "paper" / f"4_{name}.png").pixels for name in names)
    u = osmofuse.fuse(f, b, osmofuse.soften(alpha == 255, 5), method="direct").image
    return np.rint(255.0 * np.clip(u, 0, 1).astype(float)) / 255, f / 255, b / 255
