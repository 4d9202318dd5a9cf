"""Laplacian pyramids: reconstruction, blending, shapes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import osmofuse
from osmofuse import SettingError, Sources, Status, gallery
from osmofuse.methods import DirectMatting, LaplacianPyramid
from osmofuse.methods.pyramid import expand, reduce
from osmofuse.metrics import psnr

SHAPES = [
    (1, 1),
    (1, 2),
    (2, 1),
    (2, 2),
    (1, 9),
    (8, 1),
    (3, 2),
    (5, 5),
    (6, 8),
    (17, 10),
    (33, 64),
]

KERNEL = np.array([1, 4, 6, 4, 1]) / 16


def mirrored(i, n):
    """Return the pixel that stands at i beyond the border: mirrored at the last one."""
    period = max(2 * n - 2, 1)
    i = abs(i) % period
    return min(i, period - i) if n > 1 else 0


def reduction(n):
    """Return the matrix that halves n pixels, entry by entry."""
    if n == 1:
        return np.eye(1)
    matrix = np.zeros((-(-n // 2), n))
    for k in range(len(matrix)):
        for offset, part in zip(range(-2, 3), KERNEL, strict=True):
            matrix[k, mirrored(2 * k + offset, n)] += part
    return matrix


def expansion(n):
    """Return the matrix that doubles into n pixels: zeros between, then twice the kernel."""
    if n == 1:
        return np.eye(1)
    matrix = np.zeros((n, -(-n // 2)))
    for i in range(n):
        for offset, part in zip(range(-2, 3), KERNEL, strict=True):
            j = mirrored(i + offset, n)
            if j % 2 == 0:
                matrix[i, j // 2] += 2 * part
    return matrix


@pytest.mark.parametrize("shape", SHAPES)
def test_reduce_and_expand_are_the_filters_of_burt_and_adelson(shape, rng):
    x = rng.random(shape)
    rows, cols = shape
    small = reduce(x)
    np.testing.assert_allclose(small, reduction(rows) @ x @ reduction(cols).T, atol=1e-15)
    large = expand(small, shape)
    np.testing.assert_allclose(large, expansion(rows) @ small @ expansion(cols).T, atol=1e-15)


@pytest.mark.parametrize("shape", SHAPES)
def test_constants_are_kept_exactly(shape):
    ones = np.ones(shape, np.float32)
    assert (reduce(ones) == 1).all()
    assert (expand(reduce(ones), shape) == 1).all()


@given(
    shape=st.tuples(st.integers(1, 40), st.integers(1, 40)),
    levels=st.one_of(st.none(), st.integers(0, 8)),
    seed=st.integers(0, 2**32 - 1),
)
def test_ends_of_alpha_give_the_pictures_back(shape, levels, seed):
    f, b = np.random.default_rng(seed).random((2, *shape))
    method = LaplacianPyramid(halvings=levels)
    np.testing.assert_allclose(method(Sources(f, b, 1.0)).image, f, atol=1e-14)
    np.testing.assert_allclose(method(Sources(f, b, 0.0)).image, b, atol=1e-14)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_constant_alpha_is_direct_matting(shape, rng):
    sources = Sources(*rng.random((2, *shape)), 0.3)
    fusion = LaplacianPyramid()(sources)
    np.testing.assert_allclose(fusion.image, DirectMatting()(sources).image, atol=1e-14)
    assert fusion.status is Status.direct


@pytest.mark.parametrize("shape", SHAPES)
def test_no_level_is_direct_matting(shape, rng):
    f, b, alpha = rng.random((3, *shape))
    sources = Sources(f, b, alpha)
    image = LaplacianPyramid(halvings=0)(sources).image
    np.testing.assert_allclose(image, DirectMatting()(sources).image, atol=1e-15)


def test_two_levels_by_hand(rng):
    f, b, alpha = rng.random((3, 9, 6))
    down, up = reduction(9), expansion(9)
    across, wide = reduction(6).T, expansion(6).T
    fused = 0
    for image, weight in ((f, alpha), (b, 1 - alpha)):
        small, less = down @ image @ across, down @ weight @ across
        fused += weight * (image - up @ small @ wide) + up @ (less * small) @ wide
    u = LaplacianPyramid(halvings=1)(Sources(f, b, alpha)).image
    np.testing.assert_allclose(u, fused, atol=1e-14)


def test_more_levels_than_there_are_change_nothing(rng):
    sources = Sources(*rng.random((3, 20, 33)))
    whole = LaplacianPyramid()(sources).image
    assert np.array_equal(whole, LaplacianPyramid(halvings=6)(sources).image)
    assert np.array_equal(whole, LaplacianPyramid(halvings=50)(sources).image)
    assert not np.array_equal(whole, LaplacianPyramid(halvings=5)(sources).image)


def test_it_is_linear_in_the_pictures(rng):
    f, b, g, c = rng.random((4, 12, 15))
    alpha = np.round(rng.random((12, 15)))
    fused = LaplacianPyramid()
    both = fused(Sources(f + g, b + c, alpha)).image
    apart = fused(Sources(f, b, alpha)).image + fused(Sources(g, c, alpha)).image
    np.testing.assert_allclose(both, apart, atol=1e-13)


def test_a_step_between_flat_pictures_is_smoothed_over_its_level():
    """Wider with each level: no detail is there to keep the seam sharp."""
    f, b = np.ones((8, 256)), np.zeros((8, 256))
    alpha = np.zeros((8, 256))
    alpha[:, 128:] = 1.0
    widths = []
    for levels in range(6):
        u = LaplacianPyramid(halvings=levels)(Sources(f, b, alpha)).image
        widths.append(np.count_nonzero((u[4] > 0.02) & (u[4] < 0.98)))
    assert widths[0] == 0
    assert all(wide > 1.5 * narrow for narrow, wide in pairwise(widths[1:]))


def test_fine_detail_has_a_narrow_seam_where_coarse_has_a_wide_one():
    """Between two phases of one wave, the mixture is as wide as the wave is long."""
    columns = np.arange(512)
    alpha = np.zeros((4, 512))
    alpha[:, 256:] = 1.0
    mixed = []
    for period in (8, 64):
        f, b = (
            np.tile(0.5 + 0.4 * np.sin(2 * np.pi * columns / period + s), (4, 1)) for s in (0, 2)
        )
        u = LaplacianPyramid()(Sources(f, b, alpha)).image
        nearest = np.where(alpha == 1, f, b)
        mixed.append(np.count_nonzero(np.abs(u - nearest)[2] > 0.05))
    assert 0 < mixed[0] <= 16
    assert mixed[1] > 3 * mixed[0]


def test_several_backgrounds_enter_by_their_weights(rng):
    f, b, c = rng.random((3, 12, 15))
    alpha = rng.random((12, 15))
    rest = 1 - alpha
    one = LaplacianPyramid()(Sources(f, b, alpha)).image
    twice = LaplacianPyramid()(Sources(f, [b, b], [alpha, 0.3 * rest, 0.7 * rest])).image
    np.testing.assert_allclose(twice, one, atol=1e-14)
    zero = np.zeros((12, 15))
    third = LaplacianPyramid()(Sources(f, [b, c], [zero, zero, zero + 1])).image
    np.testing.assert_allclose(third, c, atol=1e-14)


def test_single_precision_is_close_to_double(rng):
    f, b, alpha = rng.random((3, 50, 41))
    wide = LaplacianPyramid()(Sources(f, b, alpha)).image
    narrow = LaplacianPyramid()(Sources(f.astype(np.float32), b.astype(np.float32), alpha)).image
    np.testing.assert_allclose(narrow, wide, atol=2e-6)


def test_the_default_depth_comes_closest_to_the_gallerys_truth():
    scene = gallery.portrait((120, 100))
    sources = Sources(scene.foreground, scene.background, scene.alpha)
    images = (LaplacianPyramid(halvings=levels)(sources).image for levels in (None, 0, 3))
    whole, none, three = (psnr(image, scene.truth) for image in images)
    assert whole > three + 1 > none + 1


@pytest.mark.parametrize("levels", [-1, 2.5, "3", True])
def test_bad_levels_are_refused(levels):
    with pytest.raises(SettingError, match=r"^halvings: "):
        LaplacianPyramid(halvings=levels)


def test_a_cancel_between_levels_ends_it(rng, monkeypatch):
    monkeypatch.setattr(osmofuse.progress.Guard, "interval", 0.0)
    f, b = rng.random((2, 40, 40))
    calls = []
    fusion = LaplacianPyramid()(Sources(f, b), watch=lambda p: calls.append(p) or len(calls) == 4)
    assert fusion.status is Status.cancelled
    assert len(calls) == 4
    assert np.array_equal(fusion.image, f)
