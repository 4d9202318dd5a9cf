"""What tests of metrics share: direct matting of the paper's face pair, as a file holds it."""

import numpy as np
import pytest

import osmofuse


@pytest.fixture(scope="session")
def direct_face(data):
    names = ("foreground", "background", "alpha")
    f, b, alpha = (osmofuse.read(data / "paper" / f"4_{name}.png").pixels for name in names)
    u = osmofuse.fuse(f, b, osmofuse.soften(alpha == 255, 5), method="direct").image
    return np.rint(255.0 * np.clip(u, 0, 1).astype(float)) / 255, f / 255, b / 255
