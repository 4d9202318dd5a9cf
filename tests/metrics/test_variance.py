from __future__ import annotations

import numpy as np
import pytest

from osmofuse.metrics import variance


def test_it_is_a_standard_deviation_in_levels():
    assert variance(np.array([[0.0, 1.0]])) == pytest.approx(127.5)
    assert variance(np.full((3, 4, 3), 0.3)) == pytest.approx(0.0, abs=1e-12)
