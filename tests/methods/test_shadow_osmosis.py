from __future__ import annotations

import numpy as np
import pytest

from osmofuse.linalg import FREE, HELD
from osmofuse.methods.shadow_osmosis import ShadowOsmosis
from osmofuse.operators import LatticeOsmosis


def go_on():
    return True


@pytest.mark.parametrize("model", ["linear", "anisotropic", "nonlinear"])
def test_without_a_drift_on_the_boundary_a_step_is_removed(model):
    f = np.where(np.arange(24) < 12, 1.0, 0.5) * np.ones((10, 1))
    keep = np.ones_like(f)
    keep[:, 11:13] = 0
    kind = np.where(np.arange(24) < 10, HELD, FREE).astype(np.uint8) * np.ones((10, 1), np.uint8)
    tensor = None
    if model == "anisotropic":
        tensor = LatticeOsmosis.diffusion(np.stack([np.full(f.shape, x) for x in (0.6, 0.4, 0.5)]))
    end = ShadowOsmosis(model, kind, keep, None, tensor)(f, f, 0, go_on)
    assert end.solved
    np.testing.assert_allclose(end.u, 1.0, rtol=1e-4)
