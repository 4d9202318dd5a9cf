"""Preparation of pictures and arrays: profiles, no data, gaps, levels, maps, backgrounds."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

import osmofuse
from osmofuse import InputError, MismatchError, Picture, SettingError, fuse, gallery, prepare
from osmofuse.maps.alpha import kept_around_gaps
from osmofuse.maps.auto_alpha import auto_alpha
from osmofuse.methods import METHODS, method_class
from osmofuse.pixels import nearest_valid, quantise
from osmofuse.tasks.lengths import in_pixels
from osmofuse.tasks.levels import apply_levels
from osmofuse.tasks.prepare import Preparation
from osmofuse.tasks.working_space import to_working
from picture_files import GREY_PROFILE, PROFILE

PAGE = gallery.manuscript((60, 48))


@pytest.fixture
def pictures():
    """Return the page and its infrared picture, in 16 bits."""
    return [Picture(quantise(one, np.uint16)[0]) for one in (PAGE.foreground, PAGE.background)]


def test_plain_pictures_are_taken_as_they_are(pictures):
    ready = prepare(*pictures)
    assert ready.foreground is pictures[0]
    assert ready.sources.foreground is pictures[0].pixels
    assert ready.sources.backgrounds[0] is pictures[1].pixels
    assert (ready.sources.alpha, ready.sources.valid) == (0.5, None)
    assert (ready.transform, ready.made, ready.notes) == (None, None, ())


def test_fuse_takes_what_was_prepared(pictures):
    ready = prepare(*pictures, PAGE.alpha)
    made = fuse(ready, eta=0.2).image
    np.testing.assert_array_equal(made, fuse(*pictures, PAGE.alpha, eta=0.2).image)


@pytest.mark.parametrize(
    "more", [{"background": PAGE.background}, {"alpha": 0.5}, {"levels": "match"}]
)
def test_what_is_prepared_takes_nothing_more(pictures, more):
    with pytest.raises(InputError, match="prepared already; leave it out"):
        fuse(prepare(*pictures), **more)


def test_a_background_is_needed(pictures):
    with pytest.raises(InputError, match="background: missing"):
        fuse(pictures[0])


def test_no_data_is_not_black(pictures):
    page, infrared = pictures
    empty = infrared.pixels.copy()
    empty[:20] = 0
    ready = prepare(page, replace(infrared, pixels=empty, nodata=0.0), 0.0)
    assert not ready.sources.valid[:20].any()
    assert ready.sources.valid[20:].all()
    assert ready.notes == (
        "background: 960 pixels hold no data; the foreground is kept there, and alpha rises to 1 "
        "over the 16 pixels around",
    )
    alpha = ready.sources.alpha
    assert (alpha[:20] == 1).all()
    assert 0 < alpha[24, 9] < 1
    assert (alpha[40:] == 0).all()


def test_arrays_with_valid_are_prepared_like_pictures_with_no_data(pictures):
    page, infrared = pictures
    valid = np.ones((60, 48), bool)
    valid[10:30, 5:20] = False
    holed = replace(infrared, pixels=np.where(valid, infrared.pixels, 0), nodata=0.0)
    by_picture = fuse(page, holed, PAGE.alpha).image
    garbage = np.where(valid, infrared.pixels, 12345).astype(np.uint16)
    by_array = fuse(page.pixels, garbage, PAGE.alpha, valid=valid).image
    masked = np.ma.MaskedArray(garbage, ~valid)
    np.testing.assert_array_equal(by_array, by_picture)
    np.testing.assert_array_equal(fuse(page.pixels, masked, PAGE.alpha).image, by_picture)


def test_nan_where_nothing_is_valid(pictures):
    valid = np.ones((60, 48), bool)
    valid[:9] = False
    infrared = np.where(valid, PAGE.background, np.nan)
    for options in ({}, {"working_space": "linear"}, {"levels": "match"}):
        assert np.isfinite(fuse(PAGE.foreground, infrared, 0.3, valid=valid, **options).image).all()


def test_feather_zero_keeps_the_map(pictures):
    valid = np.ones((60, 48), bool)
    valid[:20] = False
    ready = prepare(*pictures, 0.25, valid=valid, feather=0)
    assert ready.sources.alpha == 0.25
    assert "rises" not in ready.notes[0]


def test_two_profiles_are_brought_together(pictures):
    page = replace(pictures[0], profile=PROFILE)
    colour = Picture(quantise(PAGE.truth, np.uint16)[0])
    ready = prepare(page, colour)
    assert "converted from" in ready.notes[0]
    assert not np.array_equal(ready.sources.backgrounds[0], colour.pixels)
    assert np.array_equal(prepare(page, replace(colour, profile=PROFILE)).sources.backgrounds[0],
                          colour.pixels)  # fmt: skip


def test_levels_are_adjusted_and_told_once(pictures):
    faint = (pictures[1].pixels // 16).astype(np.uint16)
    ready = prepare(pictures[0].pixels, faint)
    assert "--levels match" in ready.notes[0]
    matched = prepare(pictures[0].pixels, faint, levels="match")
    assert "levels" in matched.notes[0]
    assert not any("--levels" in note for note in matched.notes)


def test_the_range_is_that_of_the_data(pictures):
    valid = np.zeros(pictures[0].shape, bool)
    valid[:10] = True
    infrared = np.full(valid.shape, 65535, np.uint16)
    infrared[0, [5, 20]] = 0  # one in 240 where there is data, one in 1440 after filling
    assert any("of the range" in note for note in prepare(pictures[0], infrared).notes)
    noted = prepare(pictures[0], infrared, valid=valid).notes
    assert not any("of the range" in note for note in noted)


@pytest.mark.parametrize("levels", ["match", "percentiles"])
def test_levels_ignore_pixels_without_data(pictures, levels):
    page, infrared = pictures
    pixels = infrared.pixels.copy()
    pixels[:20], pixels[20] = 7, 65535  # the nearest data, which fills the gap, is white
    ready = prepare(page, Picture(pixels, nodata=7), levels=levels, feather=0)
    expected, _ = apply_levels(pixels[20:], levels, reference=page)
    np.testing.assert_array_equal(ready.backgrounds[0].pixels[20:], expected)
    filled = nearest_valid(pixels, pixels != 7)
    assert not np.array_equal(apply_levels(filled, levels, reference=page)[0][20:], expected)


def test_an_automatic_map_ignores_pixels_without_data(pictures):
    page, infrared = pictures
    valid = np.ones(infrared.shape, bool)
    valid[:20] = False
    ready = prepare(page, infrared, "auto", valid=valid, feather=0)
    filled = nearest_valid(infrared.pixels, valid)
    expected = auto_alpha(page, filled, valid=valid).alpha
    np.testing.assert_array_equal(ready.sources.alpha, expected)
    assert not np.array_equal(auto_alpha(page, filled).alpha[20:], expected[20:])
    again = prepare(page, infrared, 0.5, valid=valid, feather=0).with_map("auto")
    np.testing.assert_array_equal(again.sources.alpha, expected)


def test_linear_light_comes_back_encoded():
    picture = np.full((8, 9, 3), 0.5)
    fusion = fuse(picture, picture, method="direct", working_space="linear")
    np.testing.assert_allclose(fusion.image, picture, atol=1e-6)
    assert fusion.sources is None
    assert prepare(picture, picture, working_space="linear").sources.foreground.max() < 0.3


def test_adjusted_levels_become_light_by_the_curve_of_the_profile():
    pages = [PAGE.foreground[..., 0], PAGE.background]
    page, infrared = (Picture(quantise(one, np.uint16)[0], GREY_PROFILE) for one in pages)
    ready = prepare(page, infrared, levels="percentiles", working_space="linear")
    adjusted, _ = apply_levels(infrared, "percentiles")
    expected = to_working(adjusted, "linear", GREY_PROFILE)
    np.testing.assert_array_equal(ready.sources.backgrounds[0], expected)
    assert not np.array_equal(expected, to_working(adjusted, "linear"))


def test_a_picture_of_a_map_is_understood_as_a_file_is(pictures):
    coloured = Picture(np.dstack([quantise(PAGE.alpha, np.uint8)[0]] * 3))
    ready = prepare(*pictures, coloured)
    assert ready.notes == ("alpha: its 3 bands are the same in every pixel; taken for one",)
    assert ready.sources.alpha.shape == (60, 48)


def test_notes_on_a_map_go_with_it(pictures):
    coloured = Picture(np.dstack([quantise(PAGE.alpha, np.uint8)[0]] * 3))
    ready = prepare(*pictures, coloured)
    assert ready.with_map(0.5).notes == ready.with_alpha(np.full((60, 48), 0.5)).notes == ()


def test_auto_and_soften(pictures):
    ready = prepare(*pictures, "auto", soften=2.0)
    assert ready.made is not None
    expected = osmofuse.soften(ready.made.alpha, 2.0)
    np.testing.assert_array_equal(ready.sources.alpha, expected)
    assert ready.notes[-1] == ready.made.words


def test_a_map_may_be_white_where_the_background_enters(pictures):
    other = np.asarray(1.0 - PAGE.alpha)
    for how in ({}, {"soften": 2.0}):
        found = prepare(*pictures, other, invert=True, **how).sources.alpha
        np.testing.assert_array_equal(found, prepare(*pictures, 1.0 - other, **how).sources.alpha)
    assert prepare(*pictures, 0.25, invert=True).sources.alpha == 0.75
    drawn = np.zeros((60, 48), np.uint8)
    drawn[:30] = 255
    found = prepare(*pictures, Picture(drawn), invert=True).sources.alpha
    np.testing.assert_array_equal(found, drawn == 0)


def test_a_map_is_blurred_before_it_rises_around_gaps(pictures):
    valid = np.ones((60, 48), bool)
    valid[:10] = False
    ready = prepare(*pictures, PAGE.alpha, valid=valid, soften=3.0)
    expected = kept_around_gaps([osmofuse.soften(PAGE.alpha, 3.0)], valid)[0]
    np.testing.assert_array_equal(ready.sources.alpha, expected)


def test_gaps_are_kept_also_under_an_inverted_map(pictures):
    valid = np.ones((60, 48), bool)
    valid[:10] = False
    ready = prepare(*pictures, np.ones((60, 48)), invert=True, valid=valid)
    assert (ready.sources.alpha[:10] == 1).all()
    assert (ready.sources.alpha[40:] == 0).all()


@pytest.mark.parametrize(
    ("alpha", "words"),
    [
        (None, "invert: there is no map to invert; give alpha"),
        ("auto", "invert: 'auto' makes a map that needs no inversion"),
        ([0.2, 0.3, 0.5], "invert: with several backgrounds every picture has its own map"),
    ],
)
def test_what_is_not_one_map_is_not_inverted(pictures, alpha, words):
    page, infrared = pictures
    background = [infrared, infrared] if isinstance(alpha, list) else infrared
    with pytest.raises(SettingError, match=words):
        prepare(page, background, alpha, invert=True)


def test_lengths_follow_the_size(pictures):
    side = np.sqrt(60 * 48)
    by_part = prepare(*pictures, PAGE.alpha, soften="5 %").sources.alpha
    by_pixels = prepare(*pictures, PAGE.alpha, soften=0.05 * side).sources.alpha
    np.testing.assert_allclose(by_part, by_pixels, rtol=1e-12)
    fusion = fuse(*pictures, PAGE.alpha, reach="10 %")
    assert fusion.method.reach == pytest.approx(0.1 * side)
    assert in_pixels({"reach": 3.0}, (9, 9)) == {"reach": 3.0}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"levels": "auto"}, "levels"), ({"working_space": "log"}, "working_space"),
        ({"soften": -1.0}, "soften"), ({"soften": "2"}, "soften"), ({"feather": -1}, "feather"),
        ({"feather": 1.5}, "feather"), ({"align": "thin-plate"}, "align: transform"),
        ({"align": 5}, "align"), ({"soften": 3.0}, "alpha is a number"),
    ],
)  # fmt: skip
def test_wrong_options_are_named(pictures, options, words):
    with pytest.raises(SettingError, match=words):
        prepare(*pictures, **options)


def test_a_masked_array_is_not_aligned(pictures):
    masked = np.ma.MaskedArray(pictures[1].pixels, pictures[1].pixels > 20000)
    with pytest.raises(InputError, match="masked array cannot be aligned"):
        prepare(pictures[0], masked, align="affine")


def test_what_cannot_be_aligned_is_named(pictures):
    flat = np.full((60, 48), 0.5)
    with pytest.raises(MismatchError, match="background: refused to align it to foreground"):
        prepare(pictures[0].pixels, flat, align="affine")


def test_options_can_be_compared_and_pickled():
    how = Preparation(align="affine", soften="2 %")
    assert pickle.loads(pickle.dumps(how)) == how
    assert how.align == {"method": "auto", "transform": "affine", "deformation": False}


# Several backgrounds


def test_several_backgrounds(pictures):
    page, infrared = pictures
    maps = [np.full((60, 48), part) for part in (0.5, 0.25, 0.25)]
    ready = prepare(page, [infrared, infrared], maps)
    assert len(ready.sources.backgrounds) == 2
    assert len(ready.sources.alphas) == 3
    both = fuse(ready, method="direct").image
    np.testing.assert_allclose(both, fuse(page, infrared, 0.5, method="direct").image, atol=1e-6)


def test_a_list_of_one_is_one(pictures):
    page, infrared = pictures
    one = fuse(page, [infrared], PAGE.alpha).image
    np.testing.assert_array_equal(one, fuse(page, infrared, PAGE.alpha).image)


@pytest.mark.parametrize(("place", "role"), [(0, "background"), (1, "background-2")])
def test_gaps_of_any_background_are_kept_by_the_foreground(pictures, place, role):
    page, infrared = pictures
    holed = infrared.pixels.copy()
    holed[:20] = 0
    backgrounds = [infrared, infrared]
    backgrounds[place] = replace(infrared, pixels=holed, nodata=0.0)
    maps = [np.full((60, 48), part) for part in (0.2, 0.4, 0.4)]
    ready = prepare(page, backgrounds, maps)
    assert ready.notes[0].startswith(f"{role}: 960 pixels hold no data")
    total = sum(ready.sources.weight(k, 0, np.float64) for k in range(3))
    np.testing.assert_allclose(total, 1.0, atol=1e-6)
    assert (ready.sources.weight(0, 0, np.float64)[:20] == 1).all()


def test_maps_of_backgrounds_fall_as_the_foregrounds_rises():
    valid = np.ones((40, 40), bool)
    valid[:5] = False
    maps = [np.full((40, 40), part) for part in (0.2, 0.5, 0.3)]
    found = kept_around_gaps(maps, valid)
    np.testing.assert_allclose(sum(found), 1.0, atol=1e-6)
    assert (found[0] >= 0.2 - 1e-12).all()


def test_a_map_that_seems_inverted_is_noted():
    scene = gallery.manuscript((160, 120))
    pair = scene.foreground, scene.background
    (note,) = prepare(*pair, 1.0 - scene.alpha).notes
    assert note.startswith("alpha: the map seems to be inverted: it keeps the foreground where")
    assert note.endswith("use --invert, or invert=True")
    (note,) = prepare(*pair, scene.alpha, invert=True).notes
    assert note.endswith("leave --invert, or invert=True, out")
    assert prepare(*pair, scene.alpha).notes == ()
    assert not any("inverted" in words for words in prepare(*pair, "auto").notes)
    turned = prepare(*pair, "auto").with_alpha(1.0 - scene.alpha)
    assert any("inverted" in words for words in turned.notes)


def test_an_inverted_map_is_noted_beside_a_foreground_with_gaps():
    scene = gallery.manuscript((160, 120))
    page, infrared = (quantise(one, np.uint8)[0] for one in (scene.foreground, scene.background))
    page = np.maximum(page, 1)
    page[::4, ::4] = 0
    notes = prepare(Picture(page, nodata=0), infrared, 1.0 - scene.alpha).notes
    assert any("inverted" in note for note in notes)


def test_hard_edges_are_noted_under_methods_that_show_them():
    scene = gallery.portrait((60, 50))
    pair = scene.foreground, scene.background
    methods = {name: method_class(name)() for name in METHODS}
    drawn = prepare(*pair, scene.alpha > 0.5)
    (note,) = drawn.notes_for(methods)
    assert "hard, and will show under variational, direct, spectral-tv; blur" in note
    assert drawn.notes_for({"poisson": methods["poisson"]}) == ()
    assert prepare(*pair, scene.alpha > 0.5, soften=3).notes_for(methods) == ()
    assert prepare(*pair, 0.5).notes_for(methods) == ()


def test_what_is_prepared_is_printed_without_samples():
    text = repr(prepare(np.full((4, 6, 3), 0.5), [np.full((4, 6), 0.5)] * 2, [0.4, 0.3, 0.3]))
    assert "Sources(6 × 4, 3 bands, float64, 2 backgrounds)" in text
    assert "array" not in text


@pytest.mark.parametrize(
    ("depth", "nothing"), [(np.int16, -9999), (np.float32, np.nan), (np.float32, -3e38)]
)
def test_no_data_may_be_a_value_that_no_sample_can_have(pictures, depth, nothing):
    page, infrared = pictures
    plain = quantise(infrared.samples(), depth)[0]
    empty = plain.copy()
    empty[:20] = nothing
    found = prepare(page, Picture(empty, nodata=float(empty[0, 0])), 0.0).sources
    valid = np.ones(page.shape, bool)
    valid[:20] = False
    expected = prepare(page, Picture(plain), 0.0, valid=valid).sources
    np.testing.assert_array_equal(found.valid, valid)
    np.testing.assert_array_equal(found.backgrounds[0][20:], expected.backgrounds[0][20:])
    np.testing.assert_array_equal(found.alpha, expected.alpha)


def test_a_picture_without_data_is_named(pictures):
    nothing = Picture(np.zeros(pictures[0].shape, np.uint8), nodata=0.0)
    with pytest.raises(InputError, match=r"background\[1\]: every pixel holds the no-data value 0"):
        prepare(pictures[0], [pictures[1], nothing], [0.4, 0.3, 0.3])


def test_no_valid_pixel_at_all_keeps_the_foreground(pictures):
    ready = prepare(*pictures, 0.0, valid=np.zeros(pictures[0].shape, bool))
    assert (ready.sources.alpha == 1).all()
    assert "2880 pixels hold no data" in ready.notes[0]


@pytest.mark.parametrize("options", [{}, {"soften": 2.0}])
@pytest.mark.parametrize(
    ("several", "alpha", "error", "match"),
    [
        (False, np.ones((5, 4)), MismatchError, r"alpha: shape \(5, 4\) does not fit"),
        (False, [0.4, 0.6], InputError, r"alpha: shape \(2,\); must be"),
        (True, [], InputError, "give a list of 3 maps"),
        (True, [np.ones((60, 48)), 0.0, np.ones((5, 4))], MismatchError, r"alpha\[2\]: shape"),
    ],
)
def test_maps_are_checked_before_they_are_changed(pictures, several, alpha, error, match, options):
    page, infrared = pictures
    valid = np.ones(page.shape, bool)
    valid[:5] = False
    background = [infrared, infrared] if several else infrared
    with pytest.raises(error, match=match):
        prepare(page, background, alpha, valid=valid, **options)


def test_pictures_with_gaps_of_two_sizes_do_not_fit(pictures):
    page = pictures[0]
    gaps = [Picture(np.eye(*size, dtype=np.uint8), nodata=0.0) for size in ((60, 48), (5, 4))]
    with pytest.raises(MismatchError, match=r"background\[1\]: shape \(5, 4\), but foreground"):
        prepare(page, gaps, [0.4, 0.3, 0.3])


@pytest.mark.parametrize(
    ("valid", "error"), [(np.ones((5, 4), bool), MismatchError), (np.ones((60, 48)), InputError)]
)
def test_what_is_valid_is_checked_before_an_alignment(pictures, valid, error):
    with pytest.raises(error, match="valid: "):
        prepare(*pictures, align="translation", valid=valid)
