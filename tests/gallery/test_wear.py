"""Effects of nuisances, each measured on a scene, and the exact formula of "hard"."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from osmofuse import gallery

BACKGROUND_ONLY = (
    "pigment", "shift", "blur", "gain", "ramp", "vignette", "clipped", "border",
)  # fmt: skip


@pytest.fixture(scope="module")
def page():
    return gallery.manuscript((120, 90), 3)


def with_(scene_name, nuisances, shape=(120, 90), seed=3):
    return getattr(gallery, scene_name)(shape, seed, nuisance=nuisances)


@pytest.mark.parametrize("name", BACKGROUND_ONLY)
def test_nuisances_of_the_background_leave_foreground_and_truth_alone(page, name):
    worn = with_("manuscript", name)
    assert np.array_equal(worn.foreground, page.foreground)
    assert np.array_equal(worn.truth, page.truth)
    assert not np.array_equal(worn.background, page.background)


@pytest.mark.parametrize("name", ["noise", "dust", "jpeg"])
def test_the_camera_spoils_both_pictures_but_not_the_truth(page, name):
    worn = with_("manuscript", name)
    assert not np.array_equal(worn.foreground, page.foreground)
    assert not np.array_equal(worn.background, page.background)
    assert np.array_equal(worn.truth, page.truth)


def test_hard_is_what_it_says(page):
    f, b = page.foreground.astype(float), page.background.astype(float)
    rng = np.random.default_rng(1003)
    y, x = np.mgrid[0:1:120j, 0:1:90j]
    b = ndimage.gaussian_filter(b, 0.7, mode="nearest") * 0.3 * (1 - 0.5 * (0.6 * x + 0.4 * y))
    q = np.percentile(b, 99)
    b = b + 0.04 * q * np.sqrt(0.3 + 0.7 * b / q) * rng.standard_normal(b.shape)
    f = f + 0.015 * np.sqrt(0.3 + 0.7 * f) * rng.standard_normal(f.shape)
    hard = with_("manuscript", "hard")
    assert np.abs(hard.background - b.clip(0, 1)).max() < 1e-6
    assert np.abs(hard.foreground - f.clip(0, 1)).max() < 1e-6


def test_dark_is_a_gain(page):
    assert np.allclose(with_("manuscript", "dark").background, 0.3 * page.background, atol=1e-6)


def test_noise_has_the_deviation_asked_for(page):
    worn = with_("manuscript", ("noise", 0.08))
    q = np.percentile(page.background, 99)
    flat = np.abs(page.background - q) < 0.02
    found = (worn.background - page.background)[flat].std()
    assert found == pytest.approx(0.08 * q, rel=0.1)


def test_a_shift_is_no_longer_than_asked_for():
    cloud, moved = (with_("cloud", n, (96, 96)) for n in ((), ("shift", 1.0)))
    down, right = np.gradient(cloud.background.mean(axis=2))
    change = np.abs(moved.background - cloud.background).mean()
    assert 0.1 < change / np.hypot(down, right).mean() < 1.1


def test_clipping_makes_the_brightest_share_one_value(page):
    b = with_("manuscript", ("clipped", 0.3)).background
    assert (b == b.max()).mean() == pytest.approx(0.3, abs=0.02)


def test_the_border_is_black_and_the_inside_untouched(page):
    b = with_("manuscript", ("border", 0.1)).background
    rim = b == 0
    assert rim[0].all()
    assert rim[:, -1].all()
    assert not rim[20:-20, 20:-20].any()
    assert np.array_equal(b[~rim], page.background[~rim])


def test_faint_sets_the_contrast_that_is_left(page):
    lost = page.alpha == 0
    dark = (page.truth - page.foreground)[lost].sum()
    none, all_ = (with_("manuscript", ("faint", left)) for left in (0.0, 1.0))
    gone = (none.truth - none.foreground)[lost].sum()
    assert dark == pytest.approx((1 - page.contrast_left) * gone, rel=1e-3)
    assert np.abs(all_.foreground - all_.truth).max() < 1e-6


def test_pigment_takes_strokes_the_foreground_keeps_out_of_the_background(page):
    worn = with_("manuscript", "pigment")
    changed = worn.background - page.background
    assert changed.min() > -1e-6
    assert changed[page.alpha < 0.9].max() < 1e-6
    assert changed.max() > 0.3


def test_show_through_is_mirrored_and_in_the_truth_too(page):
    worn = with_("manuscript", ("verso", 0.5))
    through = 1 - worn.truth[..., 0] / page.truth[..., 0]
    front = 1 - worn.foreground[..., 0] / page.foreground[..., 0]
    assert np.allclose(through, front, atol=1e-3)
    ink = (page.background < 0.4).astype(float)
    mirrored, straight = (
        np.corrcoef(through.ravel(), x.ravel())[0, 1] for x in (ink[:, ::-1], ink)
    )
    assert mirrored > 2 * straight


@pytest.mark.parametrize(("name", "width"), [("wide", 12.0), ("fine", 2.0)])
def test_strokes_have_the_width_asked_for(name, width):
    page = gallery.manuscript((480, 360), 1, nuisance=(name, width))
    ink = page.ink == 0
    depth = ndimage.distance_transform_edt(ink)
    ridge = (depth == ndimage.maximum_filter(depth, 3)) & ink
    found = 2 * np.median(depth[ridge])
    assert 0.5 * width < found < 1.6 * width


def test_scenes_without_writing_are_enlarged_or_repeated():
    wide, fine, plain = (with_("cloud", n, (150, 150)).truth for n in ("wide", "fine", ()))

    def detail(x):
        return np.abs(np.diff(x, axis=0)).mean()

    assert detail(wide) < 0.7 * detail(plain)
    rows = 100  # two thirds, since details of 3 pixels become 2; the rest is the mirror image
    assert np.array_equal(fine[rows:], fine[rows - 50 : rows][::-1])
    assert np.array_equal(fine[:, rows:], fine[:, rows - 50 : rows][:, ::-1])
