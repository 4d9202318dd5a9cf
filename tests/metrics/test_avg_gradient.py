from __future__ import annotations

import numpy as np
import pytest

from osmofuse import InputError
from osmofuse.metrics import avg_gradient


def test_a_ramp_by_hand():
    """Steps of 3 down and 4 across: length 5 at each of 20 pixels, over 3 * 4."""
    u = np.add.outer(3 * np.arange(4), 4 * np.arange(5)) / 255
    assert avg_gradient(u) == pytest.approx(20 * 5 / np.sqrt(2) / 12)


def test_differences_are_centred_inside_and_one_sided_at_borders():
    u = np.tile([0.0, 0.0, 8.0, 8.0], (2, 1)) / 255
    assert avg_gradient(u) == pytest.approx(2 * (4 + 4) / np.sqrt(2) / 3)


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1, 3)])
def test_lines_have_no_gradient(shape):
    with pytest.raises(InputError, match="needs 2 pixels in both directions"):
        avg_gradient(np.zeros(shape))
