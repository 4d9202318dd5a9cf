from __future__ import annotations

import math

import numpy as np
import pytest

from osmofuse import InputError, gallery


@pytest.fixture(scope="module")
def page():
    return gallery.manuscript((400, 300), seed=0)


def contrast(band, ink, paper):
    return float(band[paper].mean() - band[ink].mean())


def places(page):
    """Return ink and bare parchment of the faded region, told apart by the infrared picture."""
    faded = page.alpha == 0
    return faded & (page.background < 0.35), faded & (page.background > 0.75)


def test_truth_is_the_foreground_bit_for_bit_where_nothing_faded(page):
    kept = page.alpha == 1
    assert 0.3 < kept.mean() < 0.8
    assert np.array_equal(page.foreground[kept], page.truth[kept])


def test_a_large_part_has_faded_through_a_smooth_transition(page):
    assert 0.2 < np.mean(page.alpha == 0) < 0.6
    assert max(np.abs(np.diff(page.alpha, axis=axis)).max() for axis in (0, 1)) < 0.15


def test_truth_is_nowhere_lighter_and_differs_only_at_ink(page):
    assert np.all(page.truth <= page.foreground + 1e-6)
    _, paper = places(page)
    assert np.abs(page.truth - page.foreground)[paper].mean() < 0.005


def test_infrared_shows_the_faded_ink_many_times_clearer(page):
    ink, paper = places(page)
    assert ink.sum() > 200
    visible, infrared = page.foreground.mean(axis=2), page.background
    assert contrast(infrared, ink, paper) > 0.45
    assert contrast(infrared, ink, paper) > 6 * contrast(visible, ink, paper)


def test_truth_is_legible_where_the_foreground_is_not(page):
    ink, paper = places(page)
    visible, truth = page.foreground.mean(axis=2), page.truth.mean(axis=2)
    assert contrast(truth, ink, paper) > 0.3
    assert contrast(truth, ink, paper) > 5 * contrast(visible, ink, paper)


def test_red_and_blue_are_kept_and_nearly_gone_from_infrared(page):
    red, green, blue = np.moveaxis(page.foreground, 2, 0)
    is_red, is_blue = (red > 2.5 * green) & (red > 0.5), blue > 1.4 * red
    assert is_red.sum() > 300
    assert is_blue.sum() > 50
    assert page.background[is_red].mean() > 0.68
    assert np.all(page.alpha[is_red | is_blue] == 1)


def test_infrared_is_flat_where_the_page_is_stained(page):
    _, paper = places(page)
    assert page.background[paper].std() < 0.03
    assert page.truth.mean(axis=2)[paper].std() > 2 * page.background[paper].std()


def test_parchment_is_warm(page):
    _, paper = places(page)
    red, green, blue = page.truth[paper].mean(axis=0)
    assert red > green > blue


def test_writing_runs_in_lines(page):
    profile = (page.background[60:360, 60:260] < 0.4).mean(axis=1)
    spectrum = np.abs(np.fft.rfft(profile - profile.mean()))
    pitch = np.sqrt(400 * 300) / 19
    assert abs(len(profile) / np.argmax(spectrum) - pitch) < 2


@pytest.mark.parametrize("shape", [(60, 45), (60, 600), (600, 60)])
def test_ink_is_there_at_other_shapes(shape):
    page = gallery.manuscript(shape)
    assert page.background.shape == shape
    assert np.mean(page.background < 0.45) > 0.02


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


def test_columns_of_the_sensor_share_a_part_of_the_noise():
    noisy, clean = (gallery.noisy_infrared(SHAPE, noise=noise).background for noise in (0.06, 0))
    noise = noisy - clean
    # The mean of 150 independent pixels would vary by a twelfth of their deviation.
    assert noise.mean(axis=0).std() > 0.2 * noise.std()
    assert noise.mean(axis=1).std() < 0.15 * noise.std()
