"""Copies of an object from one picture into another."""

from __future__ import annotations

import numpy as np
import pytest

import osmofuse
from osmofuse import InputError, MismatchError, Picture, SettingError, Status, clone, gallery


@pytest.fixture(scope="module")
def beach():
    return gallery.clone((150, 165), seed=3)


def disc(shape, radius, centre=None):
    row, col = centre or (shape[0] / 2, shape[1] / 2)
    i, j = np.mgrid[: shape[0], : shape[1]]
    return np.hypot(i - row, j - col) < radius


def ball(ground, shape=(70, 80), seed=1):
    """Return a dark ball with a light spot on a noisy ground, and its exact mask."""
    noise = np.random.default_rng(seed).normal(1.0, 0.04, (*shape, 1))
    picture, mask = np.array(ground) * noise, disc(shape, 18)
    picture[mask] = (0.16, 0.1, 0.07)
    picture[disc(shape, 5)] = (0.9, 0.8, 0.7)
    return np.clip(picture, 0, 1).astype(np.float32), mask


def place(colour, shape=(120, 140), seed=2):
    noise = np.random.default_rng(seed).normal(1.0, 0.03, (*shape, 1))
    return np.clip(np.array(colour) * noise, 0, 1).astype(np.float32)


def decibels(a, b):
    return osmofuse.metrics.psnr(np.clip(a, 0, 1), b)


def test_an_object_on_a_like_ground_enters_with_it(beach):
    made = clone(beach.foreground, beach.background, 1 - beach.alpha)
    assert made.model == "osmosis"
    assert made.status.is_success
    inside = beach.alpha < 1
    assert decibels(made.image[inside], beach.truth[inside]) > 29
    assert "its ground is like that of the place" in made.notes[-1]


@pytest.mark.parametrize(
    ("ground", "there"),
    [((0.1, 0.2, 0.08), (0.85, 0.7, 0.6)), ((0.9, 0.88, 0.85), (0.05, 0.06, 0.1))],
)
def test_an_object_on_another_ground_is_cut_from_it_and_keeps_its_colours(ground, there):
    thing, exact = ball(ground)
    into = place(there)
    made = clone(into, thing, disc(exact.shape, 28), at=(30, 20))
    assert made.model == "cut"
    box = (slice(30, 100), slice(20, 100))
    rim = ~disc(exact.shape, 20)
    assert np.array_equal(made.image[box][rim], into[box][rim])  # no ground is left
    factor = made.image[box][disc(exact.shape, 16)].mean() / thing[disc(exact.shape, 16)].mean()
    assert (factor - 1) * (np.mean(there) - np.mean(ground)) > 0  # lit like the place
    assert 0.5 < factor < 2
    assert made.image.max() <= 1


def test_nothing_burns_out():
    """A dark object in a bright place: ratios alone would multiply it by five."""
    thing, exact = ball((0.15, 0.16, 0.13))
    into = place((0.85, 0.8, 0.75))
    for model in ("auto", "osmosis"):
        u = clone(into, thing, disc(exact.shape, 28), at=(30, 20), model=model).image
        assert u.max() < 254.5 / 255
        assert u.min() > 0
    plain = osmofuse.fuse(
        into[30:100, 20:100], thing, 1.0 - disc(exact.shape, 28), method="linear-osmosis",
        extent="local", time=np.inf, drift="soft", offset=0.1,
    )  # fmt: skip
    assert np.mean(plain.image > 1) > 0.01


def test_the_object_keeps_its_own_light_if_asked():
    thing, exact = ball((0.1, 0.2, 0.08))
    into = place((0.85, 0.7, 0.6))
    made = clone(into, thing, disc(exact.shape, 28), at=(30, 20), relight=0)
    inner = disc(exact.shape, 14)
    assert np.allclose(made.image[30:100, 20:100][inner], thing[inner], atol=1e-6)


@pytest.mark.parametrize("model", ["osmosis", "seamless", "cut"])
def test_pixels_around_keep_their_bits(beach, model):
    made = clone(beach.foreground, beach.background, 1 - beach.alpha, at=(20, 20), model=model)
    around = made.mask == 0
    assert around.any()
    assert not around.all()
    assert np.array_equal(made.image[around], beach.foreground[around])
    assert not np.array_equal(made.image, beach.foreground)


@pytest.mark.parametrize("at", [(-30, -40), (80, 100), (-30, 100), (80, -40)])
@pytest.mark.parametrize("model", ["osmosis", "cut"])
def test_an_object_may_be_cut_at_any_border(at, model):
    thing, exact = ball((0.3, 0.4, 0.3))
    into = place((0.5, 0.4, 0.4))
    made = clone(into, thing, disc(exact.shape, 28), at=at, model=model)
    assert made.at == at
    assert np.isfinite(made.image).all()
    changed = np.argwhere(np.any(made.image != into, axis=2))
    low, high = changed.min(axis=0), changed.max(axis=0)
    assert (low >= np.maximum(at, 0)).all()
    assert (high < np.array(at) + exact.shape).all()


def test_a_full_mask_and_one_of_a_pixel_work():
    thing, exact = ball((0.3, 0.4, 0.3))
    into = place((0.5, 0.4, 0.4), (100, 110))
    assert np.isfinite(clone(into, thing, np.ones_like(exact)).image).all()
    whole = clone(into[:70, :80], thing, np.ones_like(exact))
    assert np.isfinite(whole.image).all()
    point = np.zeros_like(exact)
    point[30, 30] = True
    made = clone(into, thing, point, at=(0, 0))
    assert np.array_equal(np.delete(made.image, 30, 0), np.delete(into, 30, 0))


def test_masks_of_all_kinds_mean_the_same():
    thing, exact = ball((0.1, 0.2, 0.08))
    mask, into = disc(exact.shape, 28), place((0.85, 0.7, 0.6))
    expected = clone(into, thing, mask).image
    for other in (
        mask.astype(np.uint8) * 255,
        mask.astype(np.uint16) * 65535,
        mask.astype(np.float64),
        np.repeat(mask[..., None] * np.uint8(255), 3, axis=2),
        Picture(mask * np.uint8(255)),
    ):
        assert np.array_equal(clone(into, thing, other).image, expected)


def test_transparency_is_the_mask_of_a_cut_out():
    thing, exact = ball((0.1, 0.2, 0.08))
    rgba = np.dstack([thing, exact.astype(np.float32)])
    into = place((0.85, 0.7, 0.6))
    made = clone(into, rgba, at=(0, 0))
    assert made.model == "cut"
    assert np.allclose(made.image[:70, :80][exact], thing[exact], atol=1e-6)
    with pytest.raises(InputError, match="mask: none given"):
        clone(into, thing)


def test_depth_profile_and_metadata_are_those_of_the_picture():
    thing, exact = ball((0.1, 0.2, 0.08))
    pixels = (place((0.85, 0.7, 0.6)) * 65535).astype(np.uint16)
    layer = np.full((*pixels.shape[:2], 1), 40_000, np.uint16)
    into = Picture(np.concatenate([pixels, layer], axis=2), transparency=True)
    made = clone(into, (thing * 255).astype(np.uint8), disc(exact.shape, 28), at=(30, 20))
    picture, clipped = made.picture()
    assert picture.pixels.dtype == np.uint16
    assert clipped == 0
    assert np.array_equal(picture.pixels[..., 3:], layer)
    same = made.mask == 0
    assert np.array_equal(picture.pixels[same], into.pixels[same])


def test_grey_and_colour():
    thing, exact = ball((0.1, 0.2, 0.08))
    into, mask = place((0.85, 0.7, 0.6)), disc(exact.shape, 28)
    made = clone(into, thing.mean(axis=2), mask)
    assert made.image.shape == into.shape
    assert any("grey" in note for note in made.notes)
    assert clone(into.mean(axis=2), thing.mean(axis=2), mask).image.ndim == 2
    with pytest.raises(MismatchError, match=r"^object: 3 bands, but INTO has 1; convert"):
        clone(into.mean(axis=2), thing, mask)


def test_scale_and_turn_move_the_object_with_its_mask():
    thing, exact = ball((0.1, 0.2, 0.08))
    into, mask = place((0.85, 0.7, 0.6), (200, 220)), disc(exact.shape, 28)
    plain = clone(into, thing, mask, relight=0)
    for scale in (0.5, 2.0):
        made = clone(into, thing, mask, scale=scale, relight=0)
        assert made.mask.sum() == pytest.approx(plain.mask.sum() * scale**2, rel=0.1)
    # A turn by 180 degrees and back by exchange of the axes.
    half = clone(into, thing, mask, rotate=180, relight=0)
    other = clone(into, thing[::-1, ::-1], mask[::-1, ::-1], relight=0)
    assert np.abs(half.image - other.image).max() < 0.01
    quarter = clone(into, thing, mask, rotate=90, relight=0, at=(0, 0))
    other = clone(into, np.rot90(thing, -1), np.rot90(mask, -1), relight=0, at=(0, 0))
    assert np.abs(quarter.image - other.image).mean() < 1e-3


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"mask": np.zeros((70, 80), bool)}, InputError, "^mask: empty"),
        ({"mask": np.ones((60, 80), bool)}, MismatchError, "^mask: 80 × 60 pixels, but"),
        ({"mask": np.full((70, 80), np.nan)}, InputError, "^mask: NaN"),
        ({"mask": "mask.png"}, InputError, "^mask: a path"),
        ({"at": (500, 0)}, InputError, "^at: 500, 0 .* outside of INTO"),
        ({"at": (-70, 0)}, InputError, "outside of INTO"),
        ({"at": (1.5, 0)}, SettingError, r"^at \(row\)"),
        ({"at": (1,)}, SettingError, "^at"),
        ({"scale": 0}, SettingError, "^scale"),
        ({"scale": 1e6}, SettingError, "^scale"),
        ({"rotate": np.inf}, SettingError, "^rotate"),
        ({"model": "poisson"}, SettingError, "^model"),
        ({"relight": 2}, SettingError, "^relight"),
        ({"into": np.full((9, 9, 3), np.nan)}, InputError, "^into: "),
        ({"object": np.full((70, 80, 3), np.nan)}, InputError, "^object: "),
        ({"object": np.zeros((70, 80, 5))}, MismatchError, "^object: 5 bands"),
    ],
)
def test_bad_input_is_a_named_error(changes, error, words):
    thing, exact = ball((0.1, 0.2, 0.08))
    given = {"into": place((0.8, 0.7, 0.6)), "object": thing, "mask": disc(exact.shape, 28)}
    with pytest.raises(error, match=words):
        clone(**given | changes)


def test_inputs_are_not_changed_and_a_watch_cancels(beach):
    arrays = [beach.foreground.copy(), beach.background.copy(), 1 - beach.alpha]
    before = [one.copy() for one in arrays]
    for one in arrays:
        one.setflags(write=False)
    made = clone(*arrays, watch=lambda _: True, model="osmosis")
    assert made.status is Status.cancelled
    assert np.array_equal(made.image, arrays[0])
    clone(*arrays)
    assert all(np.array_equal(a, b) for a, b in zip(arrays, before, strict=True))


@pytest.mark.parametrize("model", ["cut", "osmosis", "seamless"])
def test_a_cancelled_copy_leaves_the_picture(model):
    thing, mask = ball((0.8, 0.8, 0.8))
    wall = place((0.5, 0.4, 0.3))
    made = clone(wall, thing, mask, model=model, watch=lambda _: True)
    assert made.status is Status.cancelled
    assert np.array_equal(made.image, wall)
    assert not made.mask.any()


def test_an_object_too_small_to_be_seen_is_refused():
    thing, _ = ball((0.8, 0.8, 0.8))
    small = np.zeros((12, 12), bool)
    small[2:10, 2:10] = True
    with pytest.raises(InputError, match=r"^mask: nothing of the object is left"):
        clone(place((0.5, 0.4, 0.3)), thing[:12, :12], small, scale=0.01)


def test_transparent_pixels_around_the_object_keep_their_bits(rng):
    thing, mask = ball((0.8, 0.8, 0.8))
    pixels = rng.integers(0, 256, (100, 110, 4)).astype(np.uint8)
    pixels[..., 3] *= rng.random((100, 110)) < 0.5
    made = clone(Picture(pixels, transparency=True), thing, mask, at=(10, 10), model="cut")
    outside = made.mask == 0
    assert outside.any()
    assert np.array_equal(made.picture()[0].pixels[outside], pixels[outside])


def test_osmosis_burns_nothing_next_to_a_white_part_of_the_place():
    thing, exact = ball((0.3, 0.3, 0.3))
    into = place((0.7, 0.7, 0.7))
    into[20:40] = 1.0  # beside the object, under the rim of the mask
    made = clone(into, thing, disc(exact.shape, 28), at=(30, 20), model="osmosis")
    burnt = np.any((made.image >= 254.5 / 255) & (into < 254.5 / 255), axis=2)
    assert burnt.sum() < 0.005 * (made.mask > 0).sum()


@pytest.mark.parametrize(("inverted", "told"), [(True, True), (False, False)])
def test_a_mask_that_seems_inverted_is_told(inverted, told):
    wall, flower = np.full((40, 50, 3), 180, np.uint8), np.full((20, 24, 3), 90, np.uint8)
    mask = np.zeros((20, 24), bool)
    mask[5:15, 6:18] = True
    notes = osmofuse.clone(wall, flower, ~mask if inverted else mask).notes
    assert any("inverted" in note for note in notes) == told
