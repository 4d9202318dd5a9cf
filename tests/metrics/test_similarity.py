from __future__ import annotations

import pytest

from osmofuse import InputError
from osmofuse.metrics import strips, truth_ssim
from osmofuse.metrics.similarity import mean_similarities


@pytest.mark.parametrize("pixels", [1, 50, 10**6])
def test_strips_do_not_count(rng, monkeypatch, pixels):
    x, y, z = rng.random((3, 31, 17))
    expected = [truth_ssim(x, y), truth_ssim(x, z)]
    monkeypatch.setattr(strips, "PIXELS", pixels)
    assert mean_similarities(x, y, z, white=1.0) == pytest.approx(expected, rel=1e-13)


def test_white_is_the_scale(rng):
    x, y = rng.random((2, 14, 15))
    found = mean_similarities(255 * x, 255 * y, white=255.0)
    assert found == pytest.approx(mean_similarities(x, y, white=1.0), rel=1e-12)


def test_a_window_must_fit(rng):
    with pytest.raises(InputError, match="needs 11 pixels"):
        mean_similarities(*rng.random((2, 10, 30)), white=1.0)
