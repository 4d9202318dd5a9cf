from __future__ import annotations

import numpy as np
import pytest

from osmofuse.metrics import entropy


@pytest.mark.parametrize("levels", [1, 2, 16, 256])
def test_equal_parts_have_the_logarithm_of_their_number(levels):
    k = np.repeat(np.arange(levels), 256 // levels).reshape(16, 16)
    assert entropy(k / 255) == pytest.approx(np.log2(levels), abs=1e-14)


def test_by_hand():
    """Parts of 1/4 and 3/4, between levels."""
    u = np.array([[10.2, 20.0], [20.5, 20.9]]) / 255
    assert entropy(u) == pytest.approx(2 - 0.75 * np.log2(3))
