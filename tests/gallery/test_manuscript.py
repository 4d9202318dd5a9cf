from __future__ import annotations

import numpy as np
import pytest

from osmofuse import gallery


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
