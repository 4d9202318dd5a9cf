from __future__ import annotations

import pytest

from osmofuse import InputError
from osmofuse.metrics import ssim, truth_ssim


def test_it_is_the_sum_of_both_similarities(rng):
    u, f, b = rng.random((3, 20, 17, 3))
    expected = truth_ssim(u, f) + truth_ssim(u, b)
    assert ssim(u, f, b) == pytest.approx(expected, rel=1e-12)
    assert ssim(u, u, u) == pytest.approx(2.0, abs=1e-12)


def test_a_window_must_fit(rng):
    with pytest.raises(InputError, match="needs 11 pixels"):
        ssim(*rng.random((3, 10, 30)))
