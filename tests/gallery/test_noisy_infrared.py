from __future__ import annotations

import math

import numpy as np
import pytest

from osmofuse import InputError, gallery

SHAPE = (150, 120)


def test_all_but_the_background_is_the_manuscript():
    noisy, page = gallery.noisy_infrared(SHAPE, 3), gallery.manuscript(SHAPE, 3)
    for name in ("foreground", "alpha", "truth"):
        assert np.array_equal(getattr(noisy, name), getattr(page, name))


def test_without_noise_it_is_the_infrared_in_a_third_of_the_range():
    noisy, page = gallery.noisy_infrared(SHAPE, noise=0), gallery.manuscript(SHAPE)
    np.testing.assert_allclose(noisy.background, 0.16 + 0.3 * page.background, atol=0.6 / 4095)


@pytest.mark.parametrize("noise", [0.02, 0.06, 0.2])
def test_noise_has_the_deviation_asked_for_and_is_weaker_in_the_dark(noise):
    clean = gallery.manuscript((200, 160)).background
    error = gallery.noisy_infrared((200, 160), noise=noise).background - (0.16 + 0.3 * clean)
    # Pixel noise and the stripes of the columns together.
    white, black = error[clean > 0.75], error[clean < 0.3]
    expected = 0.3 * noise * math.hypot(math.sqrt(0.3 + 0.7 * 0.8), 0.35)
    assert white.std() == pytest.approx(expected, rel=0.1)
    assert black.std() < 0.85 * white.std()


def test_twelve_bits_are_the_same_counts_in_a_sixteenth_of_the_range():
    plain, packed = (gallery.noisy_infrared(SHAPE, twelve_bits=flag) for flag in (False, True))
    counts = packed.background * np.float64(65535)
    assert np.abs(counts - np.rint(counts)).max() < 1e-2
    np.testing.assert_allclose(counts, plain.background * np.float64(4095), atol=1e-2)
    assert counts.max() <= 4095.01


@pytest.mark.parametrize("noise", [-0.1, math.nan, math.inf, True, "0", None])
def test_bad_noise_is_an_input_error(noise):
    with pytest.raises(InputError, match="noise must be a number of 0 or more"):
        gallery.noisy_infrared((8, 8), noise=noise)
