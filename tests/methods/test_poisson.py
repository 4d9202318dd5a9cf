"""Poisson editing (METHODS.md 7), against the equations written pixel by pixel."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_matrix
from scipy.sparse.linalg import spsolve

import osmofuse
from osmofuse import InputError, SettingError, Sources, Status, gallery
from osmofuse.linalg import Hierarchy
from osmofuse.methods import PoissonEditing
from osmofuse.methods import poisson as module
from osmofuse.metrics import chromaticity_error
from osmofuse.pixels import quantise

IMPORT = PoissonEditing()
BY_EDGE = PoissonEditing(guidance="mixed")
BY_PIXEL = PoissonEditing(guidance="mixed", mixed_by="pixel")
MONOCHROME = PoissonEditing(guidance="monochrome")
ALL = [IMPORT, BY_EDGE, BY_PIXEL, MONOCHROME]


# ---- the referee: a sparse direct solve, one equation for each pixel ----


def neighbours(p, shape):
    for step in ((-1, 0), (1, 0), (0, -1), (0, 1)):
        q = (p[0] + step[0], p[1] + step[1])
        if 0 <= q[0] < shape[0] and 0 <= q[1] < shape[1]:
            yield q


def gradient(x, p):
    """Return the differences to the lower and to the right neighbour; 0 where there is none."""
    return [x[q] - x[p] if q[0] < x.shape[0] and q[1] < x.shape[1] else 0.0
            for q in ((p[0] + 1, p[1]), (p[0], p[1] + 1))]  # fmt: skip


def guidance(method, f, b, p, q):
    """Return g_pq, what u_p - u_q is to be."""
    target, source = f[p] - f[q], b[p] - b[q]
    if method.guidance != "mixed":
        return source
    if method.mixed_by == "edge":
        return target if abs(target) > abs(source) else source
    owner = min(p, q)  # the upper or the left one
    stronger = math.hypot(*gradient(f, owner)) > math.hypot(*gradient(b, owner))
    return target if stronger else source


def referee(method, f, b, region):
    """Return the solution on a plane; the region must not be all of it."""
    pixels = [tuple(map(int, p)) for p in np.argwhere(region)]
    number = {p: k for k, p in enumerate(pixels)}
    entries, right = [], np.zeros(len(pixels))
    for p, k in number.items():
        for q in neighbours(p, f.shape):
            entries.append((k, k, 1.0))
            right[k] += guidance(method, f, b, p, q)
            if q in number:
                entries.append((k, number[q], -1.0))
            else:
                right[k] += f[q]
    rows, cols, values = zip(*entries, strict=True)
    u = f.copy()
    u[region] = spsolve(coo_matrix((values, (rows, cols))).tocsc(), right)
    return u


def edit(method, f, b, region, **more):
    return method(Sources(f, b, ~region, **more))


def regions(shape, rng):
    rows, cols = np.indices(shape)
    blank = np.zeros(shape, bool)

    def box(*slices):
        region = blank.copy()
        region[slices] = True
        return region

    return {
        "inside": box(slice(2, -2), slice(3, -3)),
        "top": box(slice(0, 3), slice(2, -2)),
        "bottom": box(slice(-3, None), slice(2, -2)),
        "left": box(slice(2, -2), slice(0, 3)),
        "right": box(slice(2, -2), slice(-3, None)),
        "corner": box(slice(-4, None), slice(-4, None)),
        "frame": ~box(slice(1, -1), slice(1, -1)),
        "one pixel": box(5, 4),
        "one pixel in a corner": box(0, 0),
        "two parts": box(slice(1, 4), slice(0, 3)) | box(slice(6, 9), slice(5, 8)),
        "diagonal parts": box(slice(1, 4), slice(1, 4)) | box(slice(4, 7), slice(4, 7)),
        "ring": box(slice(1, -1), slice(1, -1)) & ~box(slice(4, 7), slice(4, 7)),
        "all but one": ~box(3, 2),
        "board": (rows + cols) % 2 == 0,
        "random": rng.random(shape) < 0.6,
    }


REGIONS = list(regions((11, 13), np.random.default_rng(0)))


@pytest.mark.parametrize("method", ALL, ids=lambda m: f"{m.guidance} {m.mixed_by}")
@pytest.mark.parametrize("name", REGIONS)
def test_it_solves_the_equations(method, name, rng):
    f, b = rng.random((2, 11, 13))
    region = regions((11, 13), rng)[name]
    fusion = edit(method, f, b, region)
    np.testing.assert_allclose(fusion.image, referee(method, f, b, region), atol=1e-9)
    assert np.array_equal(fusion.image[~region], f[~region])
    assert fusion.status is Status.converged


@given(
    shape=st.tuples(st.integers(1, 12), st.integers(1, 12)),
    method=st.sampled_from(ALL),
    density=st.floats(0.1, 1.0),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=60)
def test_it_solves_the_equations_on_any_grid(shape, method, density, seed):
    rng = np.random.default_rng(seed)
    f, b = rng.random((2, *shape))
    region = rng.random(shape) < density
    if region.all() or not region.any():
        return
    expected = referee(method, f, b, region)
    np.testing.assert_allclose(edit(method, f, b, region).image, expected, atol=1e-9)


@pytest.mark.parametrize("method", [IMPORT, BY_EDGE], ids=lambda m: m.guidance)
@pytest.mark.parametrize("corridor", [False, True])
def test_large_and_winding_regions_are_solved_as_well(method, corridor, rng):
    f, b = rng.random((2, 90, 120))
    region = np.ones((90, 120), bool)
    region[0, 0] = False
    if corridor:  # forth and back, three pixels wide
        region[3::8, :-3] = region[7::8, 3:] = False
    expected = referee(method, f, b, region)
    np.testing.assert_allclose(edit(method, f, b, region).image, expected, atol=1e-7)


# ---- the whole picture, and nothing of it ----


@pytest.mark.parametrize("shape", [(1, 1), (1, 8), (7, 1), (6, 5), (33, 20)])
def test_the_whole_picture_is_the_background_with_the_foregrounds_mean(shape, rng):
    f, b = rng.random((2, *shape))
    u = IMPORT(Sources(f, b, 0.0)).image
    np.testing.assert_allclose(u, b - b.mean() + f.mean(), atol=1e-14)


@pytest.mark.parametrize("method", [BY_EDGE, BY_PIXEL], ids=lambda m: m.mixed_by)
@pytest.mark.parametrize("shape", [(1, 8), (6, 5), (9, 10)])
def test_the_whole_picture_mixed_is_the_least_squares_fit(method, shape, rng):
    f, b = rng.random((2, *shape))
    rows, right = [], []
    for p in np.ndindex(shape):
        for q in neighbours(p, shape):
            row = np.zeros(shape)
            row[p], row[q] = 1.0, -1.0
            rows.append(row.ravel())
            right.append(guidance(method, f, b, p, q))
    rows.append(np.ones(f.size))
    right.append(f.sum())
    expected = np.linalg.lstsq(np.array(rows), np.array(right), rcond=None)[0].reshape(shape)
    fusion = method(Sources(f, b, 0.0))
    np.testing.assert_allclose(fusion.image, expected, atol=1e-9)
    assert fusion.status is Status.converged


@pytest.mark.parametrize("method", ALL, ids=lambda m: m.guidance)
def test_an_empty_region_leaves_every_bit(method, rng):
    f, b = rng.integers(0, 65536, (2, 6, 5, 3), np.uint16)
    for alpha in (1.0, 0.5, 1e-300):
        fusion = method(Sources(f, b, alpha))
        assert np.array_equal(fusion.image, f.astype(np.float32) / np.float32(65535))
        assert fusion.status is Status.converged


# ---- laws ----


@pytest.fixture
def disc():
    rows, cols = np.indices((30, 34))
    return (rows - 14) ** 2 + (cols - 17) ** 2 < 11**2


@pytest.mark.parametrize("method", [IMPORT, BY_EDGE, BY_PIXEL], ids=lambda m: m.guidance)
def test_the_foreground_imported_into_itself_changes_nothing(method, disc, rng):
    f = rng.random((30, 34, 3))
    assert np.array_equal(edit(method, f, f, disc).image, f)


@pytest.mark.parametrize("method", [IMPORT, BY_EDGE, BY_PIXEL], ids=lambda m: m.guidance)
def test_a_constant_added_to_the_background_does_not_count(method, disc, rng):
    f = rng.random((30, 34, 3))
    np.testing.assert_allclose(edit(method, f, f + 0.7, disc).image, f, atol=1e-9)
    b = rng.random((30, 34, 3))
    brighter = edit(method, f, b + 0.7, disc).image
    np.testing.assert_allclose(brighter, edit(method, f, b, disc).image, atol=1e-9)


def test_a_flat_background_fills_harmonically_within_the_values_around(disc, rng):
    f = rng.random((30, 34))
    u = edit(IMPORT, f, np.zeros_like(f), disc).image
    around = ~disc & (
        np.roll(disc, 1, 0) | np.roll(disc, -1, 0) | np.roll(disc, 1, 1) | np.roll(disc, -1, 1)
    )
    assert u[disc].min() > f[around].min()
    assert u[disc].max() < f[around].max()
    mean = (np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1)) / 4
    np.testing.assert_allclose(u[disc], mean[disc], atol=1e-9)


def test_pixels_outside_keep_their_bits(disc, rng):
    f, b = rng.integers(0, 256, (2, 30, 34, 3), np.uint8)
    u = edit(IMPORT, f, b, disc).image
    assert np.array_equal(u[~disc], (f.astype(np.float32) / np.float32(255))[~disc])
    assert (u[disc] != (f.astype(np.float32) / np.float32(255))[disc]).mean() > 0.9


def test_importing_is_linear(disc, rng):
    f, g, b, c = rng.random((4, 30, 34))
    both = edit(IMPORT, f + 2 * g, b + 2 * c, disc).image
    apart = edit(IMPORT, f, b, disc).image + 2 * edit(IMPORT, g, c, disc).image
    np.testing.assert_allclose(both, apart, atol=1e-8)


def test_it_is_where_the_parabolic_form_comes_to_rest(rng):
    """u_t = div(chi (Du - Db)) from u = f, with chi = 1 on edges that touch the region."""
    f, b = rng.random((2, 9, 10))
    region = np.zeros((9, 10), bool)
    region[2:7, 4:] = True  # as far as the right border
    u = f.copy()
    for _ in range(3000):
        change = np.zeros_like(u)
        for axis in (0, 1):
            flux = np.diff(u - b, axis=axis)
            ahead, behind = [slice(None)] * 2, [slice(None)] * 2
            ahead[axis], behind[axis] = slice(1, None), slice(None, -1)
            change[tuple(behind)] += flux
            change[tuple(ahead)] -= flux
        u += 0.2 * np.where(region, change, 0.0)
    assert np.abs(change[region]).max() < 1e-13
    np.testing.assert_allclose(edit(IMPORT, f, b, region).image, u, atol=1e-9)


@pytest.mark.parametrize("method", [BY_EDGE, BY_PIXEL], ids=lambda m: m.mixed_by)
def test_mixing_with_a_flat_picture_takes_the_other(method, disc, rng):
    f, flat = rng.random((30, 34)), np.full((30, 34), 0.4)
    np.testing.assert_allclose(edit(method, f, flat, disc).image, f, atol=1e-9)
    mixed = edit(method, flat, f, disc).image
    np.testing.assert_allclose(mixed, edit(IMPORT, flat, f, disc).image, atol=1e-12)


def test_mixing_by_pixel_keeps_both_differences_of_one_picture():
    """The foreground is stronger to the right, the background down, and longer in all."""
    f, b = np.zeros((2, 3)), np.zeros((2, 3))
    f[0, 1], b[1, 0] = 0.3, 0.5
    region = np.zeros((2, 3), bool)
    region[0, 0] = True
    by_edge, by_pixel = (edit(m, f, b, region).image[0, 0] for m in (BY_EDGE, BY_PIXEL))
    assert by_edge == pytest.approx(((0.3 - 0.3) + (0.0 - 0.5)) / 2)
    assert by_pixel == pytest.approx(((0.3 - 0.0) + (0.0 - 0.5)) / 2)


def test_mixing_keeps_the_stronger_structure_of_both():
    """Lines of the foreground across a hole survive lines of the background, and the reverse."""
    f, b = np.full((24, 24), 0.5), np.full((24, 24), 0.5)
    f[::6], b[:, ::6] = 0.9, 0.1
    region = np.zeros((24, 24), bool)
    region[3:-3, 3:-3] = True
    imported, mixed = (edit(m, f, b, region).image for m in (IMPORT, BY_EDGE))
    between = np.s_[12, 8:11]  # on a line of f, between lines of b
    assert (mixed[between] - mixed[10, 8:11] > 0.25).all()
    assert (imported[between] - imported[10, 8:11] < 0.1).all()
    assert (mixed[9, 10] - mixed[9, 12]) > 0.25, "a line of b"


def test_monochrome_does_not_see_the_backgrounds_colours(disc, rng):
    f, b = rng.random((2, 30, 34, 3))
    luma = (b @ [0.299, 0.587, 0.114])[..., None].repeat(3, axis=2)
    u = edit(MONOCHROME, f, b, disc).image
    np.testing.assert_allclose(u, edit(IMPORT, f, luma, disc).image, atol=1e-9)
    assert np.abs(u - edit(IMPORT, f, b, disc).image).max() > 0.1


@pytest.mark.parametrize("bands", [1, 2, 4])
def test_monochrome_takes_the_mean_of_other_than_three_bands(bands, disc, rng):
    f, b = rng.random((2, 30, 34, bands))
    grey = b.mean(axis=2, keepdims=True).repeat(bands, axis=2)
    u = edit(MONOCHROME, f, b, disc).image
    np.testing.assert_allclose(u, edit(IMPORT, f, grey, disc).image, atol=1e-9)


def test_monochrome_takes_one_band_as_it_is(disc, rng):
    f, b = rng.random((30, 34, 3)), rng.random((30, 34))
    repeated = PoissonEditing(band="repeat")
    u = edit(MONOCHROME, f, b, disc).image
    np.testing.assert_allclose(u, edit(repeated, f, b, disc).image, atol=1e-9)


# ---- regions from alpha ----


def test_the_region_is_where_alpha_is_not_above_the_threshold(rng):
    f, b = rng.random((2, 9, 8))
    alpha = rng.choice([0.0, 0.25, 0.5, 1.0], (9, 8))
    for threshold in (0.0, 0.2, 0.25, 0.5):
        u = PoissonEditing(threshold=threshold)(Sources(f, b, alpha)).image
        np.testing.assert_allclose(u, referee(IMPORT, f, b, alpha <= threshold), atol=1e-9)


def test_every_channel_has_its_own_region(rng):
    f, b = rng.random((2, 9, 8, 3))
    alpha = np.round(rng.random((9, 8, 3)))
    alpha[..., 1] = 1.0
    u = IMPORT(Sources(f, b, alpha)).image
    assert np.array_equal(u[..., 1], f[..., 1])
    for c in (0, 2):
        expected = referee(IMPORT, f[..., c], b[..., c], alpha[..., c] == 0)
        np.testing.assert_allclose(u[..., c], expected, atol=1e-9)


# Not by pixel: the gradient above an unknown pixel belongs to no picture.
@pytest.mark.parametrize("method", [IMPORT, BY_EDGE, MONOCHROME], ids=lambda m: m.guidance)
def test_edges_to_unknown_pixels_are_guided_by_the_foreground(method, rng):
    """As if the background went on from the foreground's differences there."""
    f, b = rng.random((2, 5, 9))
    region, valid = np.zeros((5, 9), bool), np.ones((5, 9), bool)
    region[2, 2:7], valid[2, 4] = True, False
    u = edit(method, f, b, region, valid=valid).image
    assert u[2, 4] == f[2, 4]
    left, right = b.copy(), b.copy()
    left[2, 4], right[2, 4] = b[2, 3] + f[2, 4] - f[2, 3], b[2, 5] + f[2, 4] - f[2, 5]
    left_part, right_part = region & (np.arange(9) < 4), region & (np.arange(9) > 4)
    np.testing.assert_allclose(
        u[left_part], referee(method, f, left, left_part)[left_part], atol=1e-9
    )
    np.testing.assert_allclose(
        u[right_part], referee(method, f, right, right_part)[right_part], atol=1e-9
    )


def test_several_backgrounds_are_refused_and_a_list_of_one_is_not(rng):
    f, b, c = rng.random((3, 6, 5))
    region = np.zeros((6, 5), bool)
    region[2:4, 2:4] = True
    with pytest.raises(InputError, match=r"^background: 2 pictures; Poisson editing takes one"):
        IMPORT(Sources(f, [b, c], [0.5, 0.25, 0.25]))
    listed = IMPORT(Sources(f, [b], [~region, region])).image
    assert np.array_equal(listed, edit(IMPORT, f, b, region).image)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("guidance", "paste"),
        ("guidance", None),
        ("mixed_by", "channel"),
        ("threshold", -0.1),
        ("threshold", 1.0),
        ("threshold", math.nan),
        ("threshold", "0"),
        ("band", "grey"),
    ],
)
def test_bad_settings_are_refused_by_name(name, value):
    with pytest.raises(SettingError, match=rf"^{name}: "):
        PoissonEditing(**{name: value})


# ---- how it ends ----


def test_not_converging_is_a_status(disc, rng, monkeypatch):
    monkeypatch.setattr(module, "RTOL", 0.0)
    f, b = rng.random((2, 30, 34))
    fusion = edit(IMPORT, f, b, disc)
    assert fusion.status is Status.max_iter
    np.testing.assert_allclose(fusion.image, referee(IMPORT, f, b, disc), atol=1e-9)


def test_a_cancel_within_the_solve_ends_it(disc, rng, monkeypatch):
    monkeypatch.setattr(osmofuse.progress.Guard, "interval", 0.0)
    calls, cycles = [], []
    cycle = Hierarchy.cycle

    def counted(self, *planes, **options):
        cycles.append(self)
        return cycle(self, *planes, **options)

    monkeypatch.setattr(Hierarchy, "cycle", counted)
    f, b = rng.random((2, 30, 34))
    sources = Sources(f, b, ~disc)
    fusion = IMPORT(sources, watch=lambda p: calls.append(p) or len(calls) == 4)
    assert fusion.status is Status.cancelled
    assert len(calls) == 4
    assert len(cycles) == 2, "the first call comes before the channel, the last ends it"
    assert np.array_equal(fusion.image, f)
    assert IMPORT(sources).status is Status.converged
    assert len(cycles) > 8


def test_one_thread_and_more_give_the_same_bits(rng):
    import numba

    if numba.config.NUMBA_NUM_THREADS < 2:
        pytest.skip("needs two threads")
    f, b = rng.random((2, 200, 210))
    before, images = numba.get_num_threads(), []
    try:
        for threads in (1, 2):
            numba.set_num_threads(threads)
            images.append(IMPORT(Sources(f, b, np.eye(200, 210, dtype=bool))).image)
    finally:
        numba.set_num_threads(before)
    assert np.array_equal(*images)


# ---- the paper's face, and another program ----


def test_the_face_has_the_error_of_the_papers_table(data):
    names = ("foreground", "background", "alpha")
    f, b, alpha = (osmofuse.read(data / "paper" / f"4_{name}.png").pixels for name in names)
    fusion = osmofuse.fuse(f, b, alpha, method="poisson")
    written, _ = quantise(fusion.image, np.uint8)
    assert chromaticity_error(written / 255, f / 255) == pytest.approx(0.0111, abs=1e-4)
    region = alpha[..., 0] == 0
    assert region.sum() == 14385
    f, b = f[..., 1] / 255, b[..., 1] / 255
    expected = referee(IMPORT, f, b, region)
    np.testing.assert_allclose(fusion.image[..., 1], expected, atol=3e-7)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(
    ("rows", "cols"), [((60, 160), (30, 150)), ((120, 230), (11, 80)), ((5, 235), (5, 195))]
)
def test_opencv_agrees_where_it_solves_the_same_problem(seed, rows, cols):
    """In a rectangle, and away from its border.

    OpenCV holds the foreground on the bounding box of a mask, not outside the mask, and takes
    the background's differences only where a square of 7 pixels fits into the mask.
    """
    import cv2

    scene = gallery.portrait((240, 200), seed=seed)
    f, b = (quantise(x, np.uint8)[0] for x in (scene.foreground, scene.background))
    region = np.zeros((240, 200), bool)
    region[slice(*rows), slice(*cols)] = True
    centre = (sum(cols) // 2, sum(rows) // 2)
    mask = region.astype(np.uint8) * 255
    core = cv2.erode(mask, np.ones((11, 11), np.uint8)) > 0
    theirs = cv2.seamlessClone(b, f, mask, centre, cv2.NORMAL_CLONE)  # this spoils the mask
    ours, _ = quantise(edit(IMPORT, f, b, region).image, np.uint8)
    assert _decibels(ours[core], theirs[core]) > 35
    assert _decibels(b[core], theirs[core]) < 30, "a paste would do as well"


def _decibels(x, y):
    return 10 * np.log10(255**2 / np.mean((x.astype(float) - y) ** 2))
