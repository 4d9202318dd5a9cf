"""Nuisances: one effect each, the same alone and together, and the exact recipe of "hard"."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from scipy import ndimage

from osmofuse import InputError, gallery
from osmofuse.gallery import nuisance
from osmofuse.gallery.nuisance import NUISANCES, strengths, stroke_width

SHAPE = (60, 45)
SCENES = [name for name in gallery.__all__ if name[0].islower()]
BACKGROUND_ONLY = (
    "pigment", "shift", "blur", "gain", "ramp", "vignette", "clipped", "border",
)  # fmt: skip


@pytest.fixture(scope="module")
def page():
    return gallery.manuscript((120, 90), 3)


def with_(scene_name, nuisances, shape=(120, 90), seed=3):
    return getattr(gallery, scene_name)(shape, seed, nuisance=nuisances)


@pytest.mark.parametrize("name", SCENES)
def test_every_scene_takes_all_nuisances_and_keeps_its_form(name):
    plain, hard = with_(name, (), SHAPE), with_(name, ("all", "wide"), SHAPE)
    for part in ("foreground", "truth"):
        x = getattr(hard, part)
        assert x.shape == getattr(plain, part).shape
        assert x.dtype == np.float32
        assert 0 <= x.min() <= x.max() <= 1
    again = with_(name, ("wide", "all"), SHAPE)
    assert np.array_equal(hard.foreground, again.foreground)


@pytest.mark.parametrize("name", SCENES)
def test_the_argument_is_by_name_and_none_by_default(name):
    parameter = inspect.signature(getattr(gallery, name)).parameters["nuisance"]
    assert parameter.kind is parameter.KEYWORD_ONLY
    assert parameter.default == ()


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


@pytest.mark.parametrize("name", sorted(NUISANCES))
def test_a_nuisance_is_the_same_for_a_seed_and_grows_with_its_strength(name):
    kind = NUISANCES[name]
    one = with_("gold_leaf", (name, kind.default))
    again = with_("gold_leaf", [name])
    assert np.array_equal(one.background, again.background)
    assert np.array_equal(one.foreground, again.foreground)


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


def test_order_of_the_list_does_not_matter_and_company_changes_nothing():
    two = with_("manuscript", ["blur", ("gain", 0.4)])
    assert np.array_equal(two.background, with_("manuscript", [("gain", 0.4), "blur"]).background)
    noise = with_("manuscript", "noise").foreground
    assert np.array_equal(noise, with_("manuscript", ["noise", "gain"]).foreground)


def test_all_has_every_nuisance_that_does_not_exclude_another():
    assert set(strengths("all")) == set(NUISANCES) - {"wide", "fine"}
    assert stroke_width("all") is None
    assert stroke_width(["blur", ("fine", 3)]) == 3


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("nois", "no nuisance is called 'nois' (did you mean 'noise'?)"),
        (("noise", 0.6), "must be 0 to 0.5"),
        (("noise", float("nan")), "must be 0 to 0.5"),
        (("dark", 0.5), "has no strength"),
        (["gain", "dark"], "'gain' is asked for twice"),
        (["wide", "fine"], "exclude each other"),
        (None, "or () for none"),
        ({"noise": 0.1, "blur": 1}, "a sequence of them"),
        ([3], "a sequence of them"),
        (b"noise", "a sequence of them"),
        ([("noise",)], "a name and its strength"),
        ([("noise", "0.04")], "must be 0 to 0.5"),
        (("noise", np.array([0.1])), "must be 0 to 0.5"),
        (("blur", True), "must be 0 to 10"),
        (("noise", 10**400), "must be 0 to 0.5"),
    ],
)
def test_what_cannot_be_used_is_refused_with_the_fix(given, words):
    with pytest.raises(InputError) as caught:
        gallery.manuscript((40, 30), nuisance=given)
    assert words in str(caught.value)


def test_the_docstring_lists_every_nuisance_with_its_default_and_range():
    listed = nuisance.__doc__
    for name, kind in NUISANCES.items():
        assert name in listed
        assert f"{kind.least:g} to {kind.most:g}" in listed
