"""One call: methods by name or instance, and errors that name the argument and the fix."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import osmofuse
from osmofuse import (
    Fusion,
    InputError,
    MismatchError,
    OsmofuseError,
    Picture,
    SettingError,
    Sources,
    Status,
    VariationalOsmosis,
    fuse,
    gallery,
)
from osmofuse.maps import auto_alpha
from osmofuse.methods import METHODS
from osmofuse.methods.function_method import method_of_function


@pytest.fixture
def pair(rng):
    return rng.random((2, 6, 5, 3))


def test_settings_go_to_the_named_method(pair):
    fusion = fuse(*pair, 0.5, method="variational", eta=0.3, mu=20, max_iter=5)
    assert fusion.method == VariationalOsmosis(eta=0.3, mu=20, max_iter=5)


def test_an_instance_is_taken_as_it_is(pair):
    method = VariationalOsmosis(eta=0.3, max_iter=5)
    fusion = fuse(*pair, 0.2, method=method)
    assert fusion.method is method
    assert np.array_equal(fusion.image, method(Sources(*pair, 0.2)).image)
    assert np.array_equal(fusion.image, fuse(*pair, 0.2, eta=0.3, max_iter=5).image)


def test_any_callable_on_sources_is_a_method(pair):
    def halves(sources, *, watch=None):
        assert watch is print
        return Fusion(sources.foreground / 2)

    fusion = fuse(*pair, method=halves, watch=print)
    assert np.array_equal(fusion.image, pair[0] / 2)
    assert (fusion.status, fusion.method) == (Status.direct, method_of_function(halves)())
    assert fusion.seconds > 0


def test_a_method_that_gives_no_fusion_is_named(pair):
    with pytest.raises(SettingError, match=r"method: .*gave a ndarray; must give a Fusion"):
        fuse(*pair, method=lambda sources, watch=None: sources.foreground)
    with pytest.raises(SettingError, match=r"method: .* shape \(6, 5\); must have .*\(6, 5, 3\)"):
        fuse(*pair, method=lambda sources, watch=None: Fusion(sources.foreground[..., 0]))


def test_variational_is_the_default_and_known_by_name(pair):
    assert METHODS["variational"] is VariationalOsmosis
    assert fuse(*pair, 0.5, max_iter=2).method == VariationalOsmosis(max_iter=2)


BARE = VariationalOsmosis(
    target="union", gamma=0.0, start="target", mu=10.0, reach="auto", eta="auto", offset="auto",
    background_bands="auto",
)  # fmt: skip


def test_without_a_map_what_is_missing_enters(pair):
    fusion = fuse(*pair)
    assert fusion.method == BARE
    assert np.array_equal(fusion.image, BARE(Sources(*pair, 0.0)).image)
    assert set(fusion.chosen) == {"reach", "eta", "offset"}
    assert fusion.alpha.shape == pair[0].shape[:2]


@pytest.mark.parametrize("options", [{"method": "average"}, {"solver": "ipiano", "max_iter": 5}])
def test_other_methods_and_solvers_take_a_half(pair, options):
    assert np.array_equal(fuse(*pair, **options).image, fuse(*pair, 0.5, **options).image)


def test_a_target_that_needs_a_map_takes_a_half_and_the_papers_defaults(pair):
    fusion = fuse(*pair, target="product")
    assert fusion.method == VariationalOsmosis()
    assert np.array_equal(fusion.image, fuse(*pair, 0.5).image)


def test_settings_override_the_best_guess_one_by_one(pair):
    assert fuse(*pair, mu=20.0, reach=3).method == replace(BARE, mu=20.0, reach=3)


def test_a_map_or_a_list_means_seamless(pair):
    f, b = pair
    alpha = np.zeros(f.shape[:2])
    alpha[:3] = 1.0
    one, several = fuse(f, b, alpha), fuse(f, [b, b], [alpha, 0.5 * (1 - alpha), 0.5 * (1 - alpha)])
    assert one.method == several.method
    assert (one.method.target, one.method.tie, one.method.mu) == ("seamless", "auto", 100.0)
    assert one.chosen["tie"] > 0


def test_prepared_pictures_remember_that_there_was_no_map(pair):
    ready = osmofuse.prepare(*pair)
    assert np.array_equal(fuse(ready).image, fuse(*pair).image)
    half = ready.with_map(0.5)
    assert fuse(half).method == VariationalOsmosis()


def test_unknown_methods(pair):
    with pytest.raises(SettingError, match=r"^method: 'magic' is unknown; known are variational"):
        fuse(*pair, method="magic")


@pytest.mark.parametrize("method", [42, None, VariationalOsmosis])
def test_what_is_no_method(pair, method):
    with pytest.raises(SettingError, match=r"^method: "):
        fuse(*pair, method=method)


def test_unknown_settings_are_named_with_the_known_ones(pair):
    with pytest.raises(SettingError, match=r"^lam, strength: no setting of .* eta, mu, gamma"):
        fuse(*pair, lam=3, eta=1, strength=2)


def test_an_instance_takes_no_settings(pair):
    with pytest.raises(SettingError, match=r"^eta: give settings to the method itself"):
        fuse(*pair, method=VariationalOsmosis(), eta=0.2)


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"solver": "magic"}, "solver"),
        ({"solver": "ipiano", "reach": 10}, "reach"),
        ({"eta": -1}, "eta"),
    ],
)
def test_bad_settings(pair, settings, name):
    with pytest.raises(SettingError, match=rf"^{name}: "):
        fuse(*pair, **settings)


ONES = np.ones((6, 5, 3))
GREY = np.ones((6, 5))


@pytest.mark.parametrize(
    ("arguments", "kind", "name"),
    [
        ((ONES, ONES[1:]), MismatchError, "background"),
        ((GREY, ONES), MismatchError, "background"),
        ((ONES, ONES, GREY[1:]), MismatchError, "alpha"),
        ((ONES * np.nan, ONES), InputError, "foreground"),
        ((ONES, ONES * np.inf), InputError, "background"),
        ((-ONES, ONES), InputError, "foreground"),
        ((255 * ONES, ONES), InputError, "foreground"),
        ((ONES, ONES, 2.0), InputError, "alpha"),
        ((ONES, ONES, -GREY), InputError, "alpha"),
        ((ONES, ONES, np.full((6, 5), 255)), InputError, "alpha"),
        ((ONES[:0], ONES[:0]), InputError, "foreground"),
        ((np.ones(5), np.ones(5)), InputError, "foreground"),
        ((ONES[None], ONES[None]), InputError, "foreground"),
        ((None, ONES), InputError, "foreground"),
        ((ONES, None), InputError, "background"),
        (("picture.png", ONES), InputError, "foreground"),
        ((ONES, [ONES, ONES], [0.5, 0.5]), InputError, "alpha"),
        ((ONES, [ONES, ONES], [0.5, 0.5, 0.5]), InputError, "alpha"),
        ((ONES, [ONES, GREY[1:]], [0.5, 0.25, 0.25]), MismatchError, "background[1]"),
    ],
)
def test_bad_pictures(arguments, kind, name):
    with pytest.raises(OsmofuseError) as caught:
        fuse(*arguments)
    assert type(caught.value) is kind
    assert str(caught.value).startswith(f"{name}: ")


@pytest.mark.parametrize("name", ["foreground", "background"])
def test_without_offset_zeros_are_refused(name):
    pictures = {"foreground": GREY.copy(), "background": GREY.copy()}
    pictures[name][2, 2] = 0.0
    with pytest.raises(InputError, match=rf"^{name}: samples of 0 with offset 0; use a positive"):
        fuse(**pictures, offset=0)


@pytest.mark.parametrize("solver", ["ipiano", "published"])
def test_inputs_are_never_changed(pair, rng, solver):
    """Also where they cannot be written, are not contiguous, or lie backwards."""
    f, b = np.asfortranarray(pair[0]), pair[1, :, ::-1]
    alpha, valid = rng.random((12, 5, 3))[::2], np.ones((6, 5), bool)
    inputs = (f, b, alpha, valid)
    before = [x.copy() for x in inputs]
    for x in inputs:
        x.flags.writeable = False
    fusion = fuse(f, b, alpha, valid=valid, solver=solver, max_iter=10)
    assert all(np.array_equal(x, y) for x, y in zip(inputs, before, strict=True))
    assert not any(np.shares_memory(fusion.image, x) for x in inputs)
    plain = [np.ascontiguousarray(x) for x in before]
    again = fuse(*plain[:3], valid=plain[3], solver=solver, max_iter=10)
    assert np.array_equal(fusion.image, again.image)


def test_the_same_call_gives_the_same_bits(pair):
    assert np.array_equal(fuse(*pair).image, fuse(*pair).image)


def test_pictures_and_arrays_are_fused_alike(rng):
    f, b = rng.integers(0, 256, (2, 6, 5, 3), np.uint8)
    pictures = fuse(Picture(f), Picture(b), max_iter=5)
    assert np.array_equal(pictures.image, fuse(f, b, max_iter=5).image)


def test_transparency_of_a_picture_is_not_fused(rng):
    f, b = rng.integers(1, 256, (2, 6, 5, 4), np.uint8)
    carried = fuse(Picture(f, transparency=True), Picture(b, transparency=True), max_iter=5)
    assert carried.image.shape == (6, 5, 3)
    assert np.array_equal(carried.image, fuse(f[..., :3], b[..., :3], max_iter=5).image)
    assert fuse(f, b, max_iter=5).image.shape == (6, 5, 4), "a plain band in arrays"


def test_what_is_fully_transparent_in_a_background_does_not_enter(rng):
    f, b = rng.integers(1, 256, (2, 12, 15, 4), np.uint8)
    b[2:5, 3:6, 3] = 0
    valid = b[..., 3] > 0
    found = fuse(f[..., :3], Picture(b, transparency=True), 0.0, reach=2)
    assert np.array_equal(
        found.image, fuse(f[..., :3], b[..., :3], 0.0, valid=valid, reach=2).image
    )


def test_depths_mean_the_same_picture(rng):
    levels = rng.integers(0, 256, (2, 6, 5), np.uint8)
    eight, sixteen = fuse(*levels), fuse(*(levels.astype(np.uint16) * 257))
    floats = fuse(*(levels / 255))
    np.testing.assert_allclose(sixteen.image, eight.image, atol=1e-6)
    np.testing.assert_allclose(floats.image, eight.image, atol=1e-6)


def test_a_structure_found_in_linear_light_comes_back_encoded():
    picture = np.full((8, 9, 3), 0.5)
    fusion = fuse(picture, picture, working_space="linear", reach=1)
    np.testing.assert_allclose(fusion.structure, picture, atol=1e-4)


def test_integer_masks_and_bools_are_one_map(pair, rng):
    kept = rng.random((6, 5)) < 0.5
    images = [
        fuse(*pair, alpha, max_iter=5).image
        for alpha in (kept, kept.astype(float), kept.astype(np.int64), kept.astype(np.uint8) * 255)
    ]
    assert all(np.array_equal(images[0], image) for image in images[1:])


def test_the_package_offers_it():
    assert osmofuse.fuse is fuse


def test_auto_is_the_map_made_from_the_pictures():
    page = gallery.manuscript((60, 45))
    made = auto_alpha(page.foreground, page.background).alpha
    fusion = osmofuse.fuse(page.foreground, page.background, "auto")
    expected = osmofuse.fuse(page.foreground, page.background, made)
    assert np.array_equal(fusion.image, expected.image)
    (compared,) = osmofuse.compare(page.foreground, page.background, "auto", methods="direct")
    assert compared.scores


def test_another_word_or_several_backgrounds_are_refused():
    page = np.full((6, 7), 0.5)
    with pytest.raises(InputError, match=r"^alpha: 'map.png'; give a number, an array or 'auto'"):
        osmofuse.fuse(page, page, "map.png")
    with pytest.raises(InputError, match="alpha: 'auto' takes one background"):
        osmofuse.fuse(page, [page, page], "auto")
