"""Fifty jobs killed at random moments; `tests/jobs/test_kills.py` does it a few times."""

from __future__ import annotations

import numpy as np
import pytest

from kills import Kills

pytestmark = pytest.mark.soak


def test_killed_at_fifty_random_moments(tmp_path):
    rng = np.random.default_rng(0)
    kills = Kills(tmp_path, (400, 300))
    for k in range(50):
        if k % 3:
            kills.kill_after(float(rng.uniform(0.2, 1.05)) * kills.seconds)
        else:
            kills.kill_while_writing(int(rng.uniform(0.0, 5e5)))
        kills.check()
