from __future__ import annotations

import numpy as np
import pytest

from osmofuse.metrics import edge_intensity


def test_a_ramp_by_hand():
    """A step of 1 across is 8 inside, and 4 in the replicated first and last column."""
    u = np.tile(np.arange(6.0), (5, 1)) / 255
    assert edge_intensity(u) == pytest.approx((4 * 8 + 2 * 4) / 6)
    assert edge_intensity(u.T) == pytest.approx((4 * 8 + 2 * 4) / 6)


def test_constants_have_no_edges():
    assert edge_intensity(np.full((5, 6, 3), 0.7)) == 0.0
