"""Arrays that hide something: a fourth band that may be transparency, and a mask."""

from __future__ import annotations

import numpy as np
import pytest

import osmofuse
from osmofuse import InputError, Picture, Sources


@pytest.fixture
def rgb(rng):
    return rng.random((6, 7, 3))


@pytest.fixture
def rgba(rng):
    return rng.random((6, 7, 4))


class TestFourthBand:
    @pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.float32])
    def test_beside_three_or_one_it_is_asked_about(self, rgb, rgba, kind):
        four, three = (
            (255 * a).astype(kind) / (255 if kind is np.float32 else 1) for a in (rgba, rgb)
        )
        four, three = four.astype(kind), three.astype(kind)
        for pair in ((four, three), (four, three[..., 0]), (four, three[..., :1])):
            with pytest.raises(
                InputError, match=r"^foreground: four bands.*foreground\[\.\.\., :3\]"
            ):
                osmofuse.fuse(*pair)
        with pytest.raises(InputError, match=r"^background: four bands.*transparency=True"):
            osmofuse.fuse(three, four)
        with pytest.raises(InputError, match=r"^background\[1\]: four bands"):
            Sources(three, [three, four], [0.5, 0.25, 0.25])

    @pytest.mark.parametrize(
        "call", [osmofuse.compare, osmofuse.sweep, osmofuse.recipe("text").fuse]
    )
    def test_by_every_call(self, call, rgb, rgba):
        with pytest.raises(InputError, match="four bands"):
            call(rgba, rgb, 0.5)

    def test_the_fixes_of_the_message_help(self, rgb, rgba):
        right = Sources(rgba[..., :3], rgb)
        for foreground, background in (
            (Picture(rgba, transparency=True), rgb),
            (rgb, Picture(rgba, transparency=True)),
        ):
            found = Sources(foreground, background)
            assert found.channels == right.channels == 3
        assert Sources(Picture(rgba), rgb[..., 0]).channels == 4

    def test_where_all_have_it_it_is_plain(self, rgba):
        fusion = osmofuse.fuse(rgba, rgba[::-1], method="average")
        np.testing.assert_allclose(fusion.image, (rgba + rgba[::-1]) / 2, rtol=1e-12)

    @pytest.mark.parametrize("bands", [2, 5])
    def test_other_numbers_of_bands_are_not_suspect(self, rng, bands):
        assert Sources(rng.random((6, 7, bands)), rng.random((6, 7))).channels == bands


class TestMasks:
    @pytest.fixture
    def mask(self, rgb):
        mask = np.zeros(rgb.shape, np.bool_)
        mask[1, 2, 1] = mask[4:, :2] = True
        return mask

    @pytest.mark.parametrize("method", ["variational", "poisson", "linear-osmosis"])
    @pytest.mark.parametrize("hidden", [np.nan, 1e30, -5.0])
    def test_what_is_masked_is_not_valid(self, rng, rgb, mask, hidden, method):
        background = rng.random(rgb.shape)
        right = osmofuse.fuse(rgb, background, 0.0, valid=~mask.any(axis=2), method=method)
        masked = np.ma.MaskedArray(np.where(mask, hidden, background), mask)
        found = osmofuse.fuse(rgb, masked, 0.0, method=method)
        np.testing.assert_array_equal(found.image, right.image)

    def test_of_one_band(self, rgb, mask):
        masked = np.ma.MaskedArray(rgb[..., 0], mask[..., 1])
        np.testing.assert_array_equal(Sources(rgb, masked).valid, ~mask[..., 1])

    def test_beside_what_is_said_to_be_valid(self, rgb, mask):
        valid = np.ones((6, 7), np.bool_)
        valid[0] = False
        sources = Sources(rgb, np.ma.MaskedArray(rgb, mask), 0.5, valid)
        np.testing.assert_array_equal(sources.valid, valid & ~mask.any(axis=2))
        assert valid[1:].all()

    def test_a_wrong_valid_is_still_refused(self, rgb, mask):
        masked = np.ma.MaskedArray(rgb, mask)
        for wrong in (np.ones((6, 7)), np.ones((7, 6), np.bool_)):
            with pytest.raises(ValueError, match=r"^valid: "):
                Sources(rgb, masked, 0.5, wrong)

    def test_of_several_backgrounds_each_counts(self, rgb, mask):
        backgrounds = [np.ma.MaskedArray(rgb, mask), rgb, np.ma.MaskedArray(rgb, mask[::-1])]
        sources = Sources(rgb, backgrounds, [0.25] * 4)
        np.testing.assert_array_equal(sources.valid, ~(mask | mask[::-1]).any(axis=2))

    def test_auto_alpha_and_comparisons_know_it(self, rgb, mask):
        masked = np.ma.MaskedArray(np.where(mask, np.nan, rgb[::-1]), mask)
        assert np.isfinite(osmofuse.fuse(rgb, masked, "auto").image).all()
        [one] = osmofuse.compare(rgb, masked, 0.5, methods=["direct"], metrics=["vifb_psnr"])
        assert np.isfinite(one.scores["vifb_psnr"].value)

    @pytest.mark.parametrize("place", [0, 2])
    def test_a_foreground_or_map_with_holes_is_refused(self, rgb, mask, place):
        given = [rgb, rgb, rgb[..., 0]]
        given[place] = np.ma.MaskedArray(given[place], mask if place == 0 else mask[..., 1])
        name = ("foreground", "background", "alpha")[place]
        with pytest.raises(
            InputError, match=rf"^{name}: \d+ samples are masked; fill them .*{name}"
        ):
            osmofuse.fuse(*given)

    @pytest.mark.parametrize("place", [0, 1, 2])
    @pytest.mark.parametrize("mask", [np.ma.nomask, False])
    def test_a_mask_that_hides_nothing_changes_nothing(self, rgb, place, mask):
        given = [rgb, rgb[::-1], rgb[..., 0]]
        right = osmofuse.fuse(*given, method="direct")
        given[place] = np.ma.MaskedArray(given[place], mask)
        found = osmofuse.fuse(*given, method="direct")
        np.testing.assert_array_equal(found.image, right.image)
        assert type(found.image) is np.ndarray
