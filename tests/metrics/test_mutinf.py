from __future__ import annotations

import numpy as np
import pytest

from osmofuse.metrics import mutinf


def test_a_picture_shares_all_with_itself():
    u = np.arange(256).reshape(16, 16) / 255
    assert mutinf(u, u, u) == pytest.approx(2 * np.log(256))


def test_gain_offset_and_inversion_do_not_count():
    u = np.arange(64).reshape(8, 8) / 255
    assert mutinf(u, 0.2 + 2 * u, 1 - u) == pytest.approx(2 * np.log(64))


def test_independent_and_constant_pictures_share_nothing():
    u = np.tile([0.0, 1.0], (4, 2))
    assert mutinf(u, u.T, np.full((4, 4), 0.3)) == pytest.approx(0.0, abs=1e-15)


def test_by_hand():
    """Of four pixels three agree: 2 H(1/2, 1/2) less the joint entropy, against itself too."""
    u, f = np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([[0.0, 0.0], [0.0, 1.0]])
    h = 0.25 * np.log(4) + 0.75 * np.log(4 / 3)
    joint = 0.5 * np.log(2) + 2 * 0.25 * np.log(4)
    assert mutinf(u, f, u) == pytest.approx(np.log(2) + h - joint + np.log(2))
