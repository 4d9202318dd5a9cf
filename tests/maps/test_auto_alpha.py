"""The map that is made from the two pictures, against truths and by its laws."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest

import osmofuse
from osmofuse import MismatchError, gallery
from osmofuse.maps import auto_alpha
from osmofuse.maps.auto_alpha import occlusion
from osmofuse.metrics import psnr

SCENES = {
    "manuscript": (gallery.manuscript, (240, 180), 1.0),
    "gold leaf": (gallery.gold_leaf, (200, 220), 1.0),
    "cloud": (gallery.cloud, (200, 220), 1.0),
}


@pytest.mark.parametrize("name", SCENES)
def test_it_is_a_decibel_better_than_one_half_everywhere(name):
    draw, shape, least = SCENES[name]
    scene = draw(shape, seed=7)  # the constants were chosen on other seeds
    pictures = scene.foreground, scene.background
    gains = [psnr(osmofuse.fuse(*pictures, a).image, scene.truth) for a in ("auto", 0.5)]
    assert gains[0] - gains[1] >= least


def pair(shape=(60, 80)):
    """Return a lined page, and the same with writing in the right half that the page lacks."""
    rows, cols = np.indices(shape)
    page = 0.7 + 0.15 * ((rows + cols) % 12 < 3) * (cols < shape[1] / 2)
    written = page - 0.4 * (((3 * rows + cols) % 9 < 2) & (cols >= shape[1] / 2))
    return page, written


def test_it_is_low_where_the_background_alone_shows_structure():
    alpha = auto_alpha(*pair()).alpha
    assert alpha[:, :24].min() > 0.9
    assert alpha[:, 50:].max() < 0.1


def test_it_is_high_where_the_foreground_alone_shows_structure():
    written, page = pair()[::-1]
    assert auto_alpha(written, page).alpha[:, :35].min() > 0.9


def test_noise_is_no_structure(rng):
    page, written = pair()
    noisy = np.clip(page + rng.normal(0, 0.05, page.shape), 0, 1)
    assert auto_alpha(page, noisy).alpha.mean() > 0.8
    faint = np.clip(written + rng.normal(0, 0.03, page.shape), 0, 1)
    assert auto_alpha(page, faint).alpha[:, 50:].mean() < 0.15


@pytest.mark.parametrize("deviation", [1e-9, 1e-5, 1e-3, 0.02])
def test_noise_of_the_foreground_holds_no_structure_of_the_background(deviation, rng):
    """By chance noise has a covariance with anything, of any size."""
    page, written = pair()
    for clean in (page, np.full(page.shape, 0.7)):
        noisy = clean + deviation * rng.standard_normal(page.shape)
        assert auto_alpha(noisy, written).alpha[:, 50:].mean() < 0.1


def test_less_contrast_is_no_less_structure():
    page, written = pair()
    alpha = auto_alpha(page, 0.3 + 0.5 * written).alpha
    assert alpha[:, :24].min() > 0.9
    assert alpha[:, 50:].max() < 0.1


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (7, 1), (2, 2), (9, 8, 3)])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32, np.float64])
def test_any_shape_and_type_gives_a_map(rng, shape, dtype):
    white = {np.uint8: 255, np.uint16: 65535}.get(dtype, 1)
    f, b = ((rng.random(shape) * white).astype(dtype) for _ in range(2))
    f.flags.writeable = b.flags.writeable = False
    made = auto_alpha(f, b)
    assert made.alpha.shape == shape[:2]
    assert made.alpha.dtype == np.float64
    assert 0 <= made.alpha.min() <= made.alpha.max() <= 1
    assert np.array_equal(made.alpha, auto_alpha(f, b).alpha)


@pytest.mark.parametrize("level", [0.0, 0.4, 1.0])
def test_flat_and_equal_pictures_keep_the_foreground(level, rng):
    flat = np.full((20, 30), level)
    assert auto_alpha(flat, flat).alpha.min() == pytest.approx(1)
    picture = np.kron(rng.random((5, 6)), np.ones((6, 6)))
    assert auto_alpha(picture, picture).alpha.min() > 0.99


DTYPES = {"uint8": 255, "uint16": 65535, "float32": 1, "float64": 1}


def rounded(picture, dtype):
    """Return a picture as its type holds it: in levels, or in floats of that precision."""
    white = DTYPES[dtype]
    return (np.floor(picture * white + 0.5) if white > 1 else picture).astype(dtype)


@pytest.mark.parametrize("share", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_last_level_or_bit_of_a_flat_picture_is_no_structure(dtype, share, rng):
    step = 1 / DTYPES[dtype] if DTYPES[dtype] > 1 else np.finfo(dtype).eps
    f, b = (rounded(0.4 + step * (rng.random((30, 40)) < share), dtype) for _ in range(2))
    assert len(np.unique(f)) == len(np.unique(b)) == 2
    assert auto_alpha(f, b).alpha.min() > 0.999


@pytest.mark.parametrize("dtype", DTYPES)
def test_two_copies_of_a_slope_that_are_rounded_otherwise_are_equal(dtype, rng):
    step = 1 / DTYPES[dtype] if DTYPES[dtype] > 1 else np.finfo(dtype).eps
    slopes = np.linspace(0.3, 0.5, 40) + step * (rng.random((2, 30, 40)) - 0.5)
    f, b = (rounded(slope, dtype) for slope in slopes)
    assert (f != b).any()
    assert auto_alpha(f, b).alpha.min() > 0.999


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_a_highlight_hides_no_structure(dtype):
    page, written = (x.astype(dtype) for x in pair())
    page[0, 0] = written[0, 0] = 16
    assert auto_alpha(page, written).alpha[20:, 50:].max() < 0.1


@pytest.mark.parametrize("dtype", DTYPES)
def test_structure_on_a_page_that_is_flat_but_for_rounding_is_the_backgrounds(dtype, rng):
    step = 1 / DTYPES[dtype] if DTYPES[dtype] > 1 else np.finfo(dtype).eps
    page, written = pair()
    page = 0.7 + step * (rng.random(page.shape) - 0.5)
    assert auto_alpha(rounded(page, dtype), rounded(written, dtype)).alpha[:, 50:].max() < 0.1


@pytest.mark.parametrize("gain", [2.0**-10, 2.0**-4])
def test_faint_structure_in_floats_counts_as_any(gain):
    """Twelve bits of contrast about any level: far above what rounding leaves."""
    page, written = pair()
    whole = auto_alpha(page, written)
    faint = auto_alpha(0.5 + gain * (page - 0.5), 0.5 + gain * (written - 0.5))
    assert faint.agreement == pytest.approx(whole.agreement, abs=0.02)
    assert faint.alpha[:, :24].min() > 0.9
    assert faint.alpha[:, 50:].max() < 0.1


def test_where_there_is_no_background_the_foreground_is_kept():
    page, written = pair()
    valid = np.ones(page.shape, bool)
    valid[:20] = False
    holes = np.where(valid, written, np.nan)
    alpha = auto_alpha(page, holes, valid=valid).alpha
    assert (alpha[:20] == 1).all()
    assert alpha[30:, 50:].max() < 0.1
    assert (auto_alpha(page, 0 * page, valid=~(page > -1)).alpha == 1).all()


def test_large_pictures_are_seen_on_a_copy_and_it_says_so(monkeypatch):
    page, written = (np.kron(x, np.ones((3, 3))) for x in pair())
    monkeypatch.setattr(import_module("osmofuse.maps.auto_alpha"), "LARGEST_SEEN", 60 * 80)
    made = auto_alpha(page, written)
    assert made.factor == 3
    assert "on copies reduced 3 times" in made.words
    assert made.alpha.shape == page.shape
    assert made.alpha[:, :72].min() > 0.9
    assert made.alpha[:, 150:].max() < 0.1


def test_no_data_counts_on_reduced_copies_too(monkeypatch):
    page, written = (np.kron(x, np.ones((3, 3))) for x in pair())
    valid = np.ones(page.shape, bool)
    valid[:50] = False  # ends within a square of the copy
    monkeypatch.setattr(import_module("osmofuse.maps.auto_alpha"), "LARGEST_SEEN", 60 * 80)
    first, second = (
        auto_alpha(page, np.where(valid, written, gap), valid=valid) for gap in (np.nan, 1.0)
    )
    assert first.factor == 3
    assert (first.alpha[:50] == 1).all()
    np.testing.assert_array_equal(first.alpha, second.alpha)
    assert first.alpha[90:, 150:].max() < 0.1
    assert first.alpha[:, :72].min() > 0.9  # the end of the data is no structure
    whole = auto_alpha(page, np.where(valid, written, page), valid=valid)
    np.testing.assert_allclose(first.alpha[60:], whole.alpha[60:], atol=0.05)


def test_agreement_tells_pairs_of_one_kind_from_others(rng):
    scene = gallery.manuscript((120, 90))
    alike = auto_alpha(scene.foreground, scene.background)
    assert alike.agreement > 0.6
    assert "of one kind" in alike.words
    other = auto_alpha(*(np.kron(rng.random((12, 12)), np.ones((8, 8))) for _ in range(2)))
    assert other.agreement < 0.4
    assert "of different kinds" in other.words


def test_pictures_of_two_sizes():
    with pytest.raises(MismatchError, match="4 × 5 and 5 × 4"):
        auto_alpha(np.ones((4, 5)), np.ones((5, 4)))


def test_what_covers_the_foreground_is_found_and_what_covers_the_background_is_not(rng):
    ground = np.kron(rng.random((10, 12)), np.ones((9, 9))) * 0.6
    clouds = np.hypot(*(np.indices(ground.shape) - np.array([40, 60])[:, None, None])) < 18
    seen = np.ones(ground.shape, bool)
    covered = occlusion(np.where(clouds, 0.95, ground), ground, seen)
    assert covered[clouds].mean() > 0.9
    assert covered[~clouds].mean() < 0.05
    assert occlusion(ground, np.where(clouds, 0.95, ground), seen)[clouds].mean() < 0.3
    assert not occlusion(ground, 0 * ground, ~seen).any()


def test_a_cloud_over_flat_ground_lets_the_background_enter(rng):
    ground = np.kron(rng.random((24, 24)), np.ones((9, 9))) * 0.6
    away = np.hypot(*(np.indices(ground.shape) - np.array([108, 108])[:, None, None]))
    ground[away < 80] = 0.3  # nothing but the level tells of the cloud
    clouded = np.where(away < 28, 0.95, ground)
    assert auto_alpha(clouded, ground).alpha[away < 20].max() < 0.1
    assert auto_alpha(ground, ground).alpha[away < 20].min() > 0.9


def test_visible_and_infrared_share_more_edges_and_information_than_at_one_half(data):
    gains = []
    for name in ("carLight", "manCall"):
        pair = [
            osmofuse.read(data / "vifb" / f"{name}_{kind}.jpg").pixels
            for kind in ("visible", "infrared")
        ]
        values = []
        for alpha in ("auto", 0.5):
            u = osmofuse.fuse(*pair, alpha).image
            scores = osmofuse.score(u, *pair, metrics=["qabf", "mutinf"])
            values.append([one.value for one in scores.values()])
        gains.append(np.subtract(*values))
    assert (np.mean(gains, axis=0) > (0.05, 0.4)).all(), gains


def test_rounding_is_that_of_samples_with_data(monkeypatch):
    brightest = []

    def noted(_, samples):
        brightest.append(samples.max())
        return 0.0

    monkeypatch.setattr(import_module("osmofuse.maps.auto_alpha"), "rounding_of", noted)
    valid = np.ones((20, 30), bool)
    valid[:5] = False
    auto_alpha(np.full(valid.shape, 0.75), np.full(valid.shape, 0.25), valid=valid)
    assert brightest == [0.75, 0.25]
