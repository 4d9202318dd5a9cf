"""What users of neighbouring programs complained of, thread by thread (USERS.md, R3 and R14).

Each test is named after its thread and runs over every local method: one that acts only where
alpha says so. A new one joins by a line in the registry.
"""

from __future__ import annotations

import numpy as np
import pytest

from osmofuse import MismatchError, Sources, fuse
from registry import LOCAL_METHODS

SHAPE = (21, 26)
BORDERS = {
    "top": np.s_[:1],
    "bottom": np.s_[-1:],
    "left": np.s_[:, :1],
    "right": np.s_[:, -1:],
    "top half": np.s_[:10],
    "bottom half": np.s_[10:],
    "left half": np.s_[:, :13],
    "right half": np.s_[:, 13:],
    "top left": np.s_[:5, :6],
    "top right": np.s_[:5, -6:],
    "bottom left": np.s_[-5:, :6],
    "bottom right": np.s_[-5:, -6:],
    "rows through": np.s_[9:12],
    "columns through": np.s_[:, 9:12],
}
# Mixing looks at the foreground inside the region, and osmosis at its drift across the border.
COVERING = {
    name: method
    for name, method in LOCAL_METHODS.items()
    if "mixed" not in name and "osmosis" not in name
}

local = pytest.mark.parametrize("method", LOCAL_METHODS.values(), ids=LOCAL_METHODS)
# Directions of anisotropic osmosis are measured in windows that reach out of the region.
FROM_REGION = {name: one for name, one in LOCAL_METHODS.items() if "anisotropic" not in name}
covering = pytest.mark.parametrize("method", COVERING.values(), ids=COVERING)
at_borders = pytest.mark.parametrize("where", BORDERS.values(), ids=BORDERS)


@pytest.fixture
def pair(rng):
    return rng.integers(0, 256, (2, *SHAPE, 3), np.uint8)


def opened(where, shape=SHAPE):
    """Return the map that lets the background in somewhere."""
    alpha = np.ones(shape)
    alpha[where] = 0.0
    return alpha


def kept(picture):
    """Return a picture of 8 bits as every method must leave it."""
    return picture.astype(np.float32) / np.float32(255)


def fused(method, f, b, alpha):
    """Fuse pictures of 8 bits, see that the rest is untouched, and return the result."""
    fusion = method(Sources(f, b, alpha))
    assert fusion.status.is_success
    assert fusion.image.shape == f.shape
    assert np.isfinite(fusion.image).all()
    assert np.array_equal(fusion.image[alpha == 1], kept(f)[alpha == 1])
    return fusion.image


# ---- R3: masks at borders, of one pixel, empty and full ----


@local
@at_borders
def test_opencv_15294_a_mask_may_touch_every_border(method, where, pair):
    f, b = pair
    u = fused(method, f, b, opened(where))
    assert (u[where] != kept(f)[where]).mean() > 0.5, "nothing arrived"


@local
@pytest.mark.parametrize("lines", [1, 2, 3, 60])
def test_opencv_15294_a_mask_of_so_many_lines_makes_no_ghost(method, lines):
    """White into white: a red disc outside the mask must not glow into it."""
    f, b = np.full((2, 101, 101, 3), 255, np.uint8)
    rows, cols = np.ogrid[:101, :101]
    f[(rows - 70) ** 2 + (cols - 50) ** 2 <= 25] = (255, 0, 0)
    u = fused(method, f, b, opened(np.s_[:lines], (101, 101)))
    np.testing.assert_allclose(u[:lines], 1.0, atol=1e-6)


@local
def test_opencv_15294_a_mask_may_be_the_border_itself(method, pair):
    alpha = np.zeros(SHAPE)
    alpha[1:-1, 1:-1] = 1.0
    fused(method, *pair, alpha)


@local
def test_opencv_15294_an_empty_mask_changes_no_bit(method, pair):
    f, b = pair
    assert np.array_equal(fused(method, f, b, np.ones(SHAPE)), kept(f))


@covering
def test_opencv_12496_a_full_mask_is_full(method, rng):
    """All has the background's structure, up to the last row and column."""
    grey = rng.integers(0, 256, (*SHAPE, 1), np.uint8).repeat(3, axis=2)
    f = rng.integers(0, 256, (*SHAPE, 3), np.uint8)
    u = fused(method, f, grey, np.zeros(SHAPE))
    for axis in (0, 1):
        difference = np.diff(u, axis=axis) - np.diff(kept(grey), axis=axis)
        np.testing.assert_allclose(difference, 0.0, atol=1e-6)


@local
def test_opencv_16833_and_gocv_947_masks_and_pictures_of_one_size_fit(method, rng):
    """Noise as a mask: parts of every form, at every place."""
    f, b = rng.integers(0, 256, (2, 68, 51, 3), np.uint8)
    grey = rng.choice(np.array([0, 255], np.uint8), (68, 51))
    u = fuse(f, b, grey, method=method).image
    assert np.array_equal(u[grey == 255], kept(f)[grey == 255])


@local
@pytest.mark.parametrize("shape", [(9, 40), (40, 9), (1, 30), (30, 1), (2, 2)])
def test_opencv_10498_pictures_may_be_wide_or_tall(method, shape, rng):
    f, b = rng.integers(0, 256, (2, *shape, 3), np.uint8)
    fused(method, f, b, opened(np.s_[shape[0] // 3 :, shape[1] // 3 :], shape))


@local
@pytest.mark.parametrize("place", [(0, 0), (0, -1), (-1, 0), (-1, -1), (0, 9), (9, 0), (7, 8)])
def test_comfyui_inpaint_crop_and_stitch_51_a_mask_may_be_one_pixel(method, place, pair):
    fused(method, *pair, opened(place))


@local
@at_borders
def test_flux_kontext_diff_merge_9_no_other_method_steps_in(method, where, pair):
    """There, a mask at the border was quietly blended in another way."""
    fusion = method(Sources(*pair, opened(where)))
    assert fusion.method == method
    assert fusion.status.is_success
    assert np.array_equal(fusion.image, fuse(*pair, opened(where), method=method).image)


@local
@at_borders
def test_pietorch_3_no_stain_where_the_mask_reaches_the_border(method, where):
    """Of a background that is the foreground, nothing may be seen."""
    rows, cols = np.indices(SHAPE)
    f = (0.3 + 0.01 * rows + 0.008 * cols + 0.1 * np.sin(rows * cols))[..., None].repeat(3, axis=2)
    u = method(Sources(f, f, opened(where))).image
    np.testing.assert_allclose(u, f, atol=1e-9)


@covering
@at_borders
def test_klein_edit_composite_6_what_the_region_covers_does_not_shine_through(method, where, pair):
    f, b = pair
    other = np.where((opened(where) == 1)[..., None], f, 255 - f)
    u, without = fused(method, f, b, opened(where)), fused(method, other, b, opened(where))
    np.testing.assert_allclose(u, without, atol=1e-6)


# ---- R3: placement ----


@local
def test_opencv_21902_structure_arrives_where_it_was(method):
    """A spot of the background keeps its pixel, although the mask lies off the centre."""
    f = np.full((40, 50), 0.5)
    alpha = opened(np.s_[3:17, 20:47], (40, 50))
    for place in ((4, 21), (9, 30), (15, 45), (3, 20), (16, 46)):
        b = np.full((40, 50), 0.5)
        b[place] = 0.9
        u = method(Sources(f, b, alpha)).image
        assert np.unravel_index(u.argmax(), u.shape) == place


@pytest.mark.parametrize("method", FROM_REGION.values(), ids=FROM_REGION)
@pytest.mark.parametrize("margins", [(1, 0, 0, 0), (0, 0, 1, 0), (0, 7, 0, 3), (5, 2, 8, 1)])
def test_opencv_25947_and_15928_nothing_shifts_with_the_size_of_the_pictures(method, margins, rng):
    """More picture around the mask, on any side: the same pixels in the same places."""
    above, below, left, right = margins
    f, b = rng.random((2, 30, 34))
    alpha = opened(np.s_[8:22, 9:20], (30, 34)) * opened(np.s_[12:18, 15:27], (30, 34))
    rows, cols = slice(above, 30 - below), slice(left, 34 - right)
    whole = method(Sources(f, b, alpha)).image
    part = method(Sources(f[rows, cols], b[rows, cols], alpha[rows, cols])).image
    np.testing.assert_allclose(part, whole[rows, cols], atol=1e-9)


@local
def test_faceswap_586_and_comfyui_seamless_clone_2_what_does_not_fit_is_said(method, pair):
    """No guess where a picture of another size may belong, and no assertion of an inner part."""
    f, b = pair
    for other in (b[:-1], b[:, 1:], b.transpose(1, 0, 2)):
        with pytest.raises(MismatchError, match=r"^background: .*align or crop them to one size"):
            fuse(f, other, 0.0, method=method)


@local
@at_borders
def test_opencv_12053_the_mask_is_not_changed(method, where, pair):
    f, b = pair
    alpha = (255 * opened(where)).astype(np.uint8)
    inputs = (f, b, alpha)
    before = [x.copy() for x in inputs]
    first = fuse(*inputs, method=method).image
    assert all(np.array_equal(x, y) for x, y in zip(inputs, before, strict=True))
    assert np.array_equal(first, fuse(*inputs, method=method).image), "called once more"


# ---- R14: pixels outside the mask ----


@local
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32, np.float64])
def test_pietorch_8_pixels_outside_the_mask_keep_their_bits(method, dtype, rng):
    white = np.iinfo(dtype).max if np.issubdtype(dtype, np.integer) else 1
    f, b = (white * rng.random((2, *SHAPE, 3))).astype(dtype)
    mask = rng.random(SHAPE) < 0.4
    u = method(Sources(f, b, ~mask)).image
    exact = u.dtype.type
    assert np.array_equal(u[~mask], f[~mask].astype(exact) / exact(white))


@local
def test_cdtnet_9_not_even_by_the_last_digit(method, rng):
    """However strong the background is, and however near."""
    f, b = rng.random((2, *SHAPE)) * [[[0.01]], [[16.0]]]
    mask = rng.random(SHAPE) < 0.8
    u = method(Sources(f, b, ~mask)).image
    assert u[~mask].tobytes() == f[~mask].tobytes()
