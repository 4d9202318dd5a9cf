"""The structure score: its ends, what it does not see, and what it must see."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import osmofuse
from osmofuse import InputError, gallery
from osmofuse.metrics import structure_map, structure_score, windows
from osmofuse.metrics.structure import RADIUS, SIGMA


@pytest.fixture
def scene(rng):
    """Foreground and background that have nothing in common, and a map between 0 and 1."""
    f, b = rng.random((2, 40, 44, 3))
    alpha = np.clip(np.linspace(-0.5, 1.5, 44), 0, 1) * np.ones((40, 1))
    return f, b, alpha


def agreement_by_loops(u, b, alpha):
    """The mean local correlation of two planes, from its definition at each pixel."""
    t = np.arange(-RADIUS, RADIUS + 1)
    line = np.exp(-(t**2) / (2 * SIGMA**2))
    window = np.outer(line, line)
    u, b, w = (np.pad(x, RADIUS, "edge") for x in (u, b, 1 - alpha))
    above = below = 0.0
    rows, cols = alpha.shape
    rho = np.zeros(alpha.shape)
    for i in range(rows):
        for j in range(cols):
            here = slice(i, i + 2 * RADIUS + 1), slice(j, j + 2 * RADIUS + 1)
            weight = window * w[here]
            if weight.sum() == 0:
                continue
            weight /= weight.sum()
            x, y = (z[here] - np.sum(weight * z[here]) for z in (u, b))
            variances = np.sum(weight * x * x), np.sum(weight * y * y)
            if min(variances) > 1e-15:
                rho[i, j] = np.sum(weight * x * y) / np.sqrt(np.prod(variances))
            above += (1 - alpha[i, j]) * variances[1] * rho[i, j]
            below += (1 - alpha[i, j]) * variances[1]
    return above / below, rho


def test_against_loops(rng):
    u, f, b, alpha = rng.random((4, 9, 12))
    u[:, :5] = 0.3
    alpha[:4, :4] = 1.0
    fused, rho = agreement_by_loops(u, b, alpha)
    before, _ = agreement_by_loops(f, b, alpha)
    expected = (fused - before) / (1 - before)
    assert structure_score(u, f, b, alpha) == pytest.approx(expected, abs=1e-9)
    np.testing.assert_allclose(structure_map(u, b, alpha), rho, atol=1e-9)


def test_channels_are_averaged(rng):
    """The agreements are, before they are compared with the foreground's."""
    u, f, b = rng.random((3, 9, 12, 2))
    alpha = rng.random((9, 12))
    each = [[agreement_by_loops(x[..., c], b[..., c], alpha)[0] for c in (0, 1)] for x in (u, f)]
    fused, before = np.mean(each, axis=1)
    assert structure_score(u, f, b, alpha) == pytest.approx((fused - before) / (1 - before))


def test_the_foreground_has_none_and_the_background_all(scene):
    f, b, alpha = scene
    assert structure_score(f, f, b, alpha) == 0.0
    assert structure_score(b, f, b, alpha) == pytest.approx(1.0, abs=1e-12)


def test_also_where_the_pictures_have_much_in_common(scene):
    f, b, alpha = scene
    f = 0.7 * b + 0.3 * f
    assert structure_score(f, f, b, alpha) == 0.0
    assert structure_score(b, f, b, alpha) == pytest.approx(1.0, abs=1e-12)
    assert 0.3 < structure_score((f + b) / 2, f, b, alpha) < 0.95


def test_chance_agrees_with_nothing(scene, rng):
    f, b, alpha = scene
    assert structure_score(rng.random(f.shape), f, b, alpha) == pytest.approx(0.0, abs=0.03)
    assert structure_score(np.full_like(f, 0.4), f, b, alpha) == pytest.approx(0.0, abs=0.03)


def test_an_inverted_structure_is_not_the_backgrounds(scene):
    f, b, alpha = scene
    assert structure_score(1 - b, f, b, alpha) == pytest.approx(-1.0, abs=0.05)


def test_more_of_the_background_is_more(scene):
    f, b, alpha = scene
    parts = [structure_score((1 - t) * f + t * b, f, b, alpha) for t in np.linspace(0, 1, 9)]
    assert np.all(np.diff(parts) > 0)


@given(
    gains=st.lists(st.floats(0.05, 20), min_size=9, max_size=9),
    offsets=st.lists(st.floats(-3, 3), min_size=3, max_size=3),
)
def test_gain_and_offset_of_any_picture_do_not_count(gains, offsets):
    u, f, b = np.random.default_rng(1).random((3, 12, 13, 3))
    alpha = np.random.default_rng(2).random((12, 13))
    expected = structure_score(u, f, b, alpha)
    scaled = [
        gain * x + offset
        for gain, x, offset in zip(np.reshape(gains, (3, 3)), (u, f, b), offsets, strict=True)
    ]
    assert structure_score(*scaled, alpha) == pytest.approx(expected, abs=1e-8)


def test_slow_changes_of_light_hardly_count(scene):
    f, b, alpha = scene
    light = np.linspace(0.3, 1.0, 40)[:, None, None]
    assert structure_score(light * b, f, b, alpha) > 0.98


def test_what_happens_where_alpha_is_one_does_not_count(scene, rng):
    f, b, alpha = scene
    kept = alpha == 1.0
    assert kept.any()
    u = rng.random(f.shape)
    other = np.where(kept[..., None], rng.random(f.shape), u)
    assert structure_score(other, f, b, alpha) == structure_score(u, f, b, alpha)


def test_weights_are_those_of_the_background(scene):
    """A pixel where half of the background enters counts half."""
    f, b, _ = scene
    left, right = np.where(np.arange(44)[:, None] < 22, b, f), b.copy()
    few, many = ([0.9] * 22 + [0.1] * 22, [0.1] * 22 + [0.9] * 22)
    assert structure_score(left, f, b, np.tile(few, (40, 1))) < 0.2
    assert structure_score(left, f, b, np.tile(many, (40, 1))) > 0.8
    assert structure_score(right, f, b, np.tile(few, (40, 1))) == pytest.approx(1.0)


def test_flat_places_of_the_background_do_not_count(scene, rng):
    """Nothing but rounding is there to be transferred."""
    f, b, _ = scene
    b[:, :30] = 0.5 + 0.001 * rng.random((40, 30, 3))
    u = np.where(np.arange(44)[:, None] < 30, f, b)
    assert structure_score(u, f, b, np.zeros(())) > 0.95


def test_channels_without_structure_are_left_out(scene):
    f, b, alpha = scene
    b[..., 1] = 0.25
    u = b.copy()
    u[..., 1] = f[..., 1]
    assert structure_score(u, f, b, alpha) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("band", [lambda b: b, lambda b: b[..., None]])
def test_one_band_serves_every_channel(scene, band):
    f, b, alpha = scene
    one = b[..., 0]
    u = one[..., None] * [0.9, 0.7, 0.4]
    assert structure_score(u, f, band(one), alpha) == pytest.approx(1.0, abs=1e-12)
    u[..., 2] = f[..., 2]
    assert structure_score(u, f, band(one), alpha) == pytest.approx(2 / 3, abs=0.02)


def test_maps_may_differ_by_channel(scene):
    f, b, _ = scene
    alpha = np.broadcast_to([0.0, 1.0, 1.0], f.shape)
    u = f.copy()
    u[..., 0] = b[..., 0]
    assert structure_score(u, f, b, alpha) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("shape", [(20, 21), (20, 21, 1), (1, 30), (30, 1, 3), (2, 2)])
def test_shapes(rng, shape):
    f, b = rng.random((2, *shape))
    assert structure_score(b, f, b, np.zeros(shape[:2])) == pytest.approx(1.0, abs=1e-12)
    assert structure_map(b, b, np.zeros(())).shape == shape


class TestNothingToEnter:
    def test_alpha_is_one_everywhere(self, scene):
        f, b, alpha = scene
        with pytest.raises(InputError, match=r"^alpha: 1 everywhere"):
            structure_score(b, f, b, np.ones_like(alpha))

    @pytest.mark.parametrize("level", [0.0, 0.3, 0.1])
    def test_the_background_is_flat(self, scene, level):
        f, b, alpha = scene
        with pytest.raises(InputError, match=r"^background: no structure"):
            structure_score(b, f, np.full_like(b, level), alpha)

    def test_a_single_pixel(self, rng):
        u, f, b = rng.random((3, 1, 1, 3))
        with pytest.raises(InputError, match=r"^background: no structure"):
            structure_score(u, f, b, np.zeros((1, 1)))

    def test_the_foreground_has_it_already(self, scene):
        _, b, alpha = scene
        rounded = np.rint(255 * (0.5 * b + 0.2)) / 255
        with pytest.raises(InputError, match=r"^foreground: has the background's structure"):
            structure_score(b, rounded, b, alpha)


def test_the_map_says_where(scene):
    f, b, _ = scene
    u = f.copy()
    u[:, :22] = b[:, :22]
    rho = structure_map(u, b, np.zeros((40, 44)))
    assert rho.shape == f.shape
    assert (rho[:, : 22 - RADIUS] > 1 - 1e-9).all()
    assert abs(rho[:, 22 + RADIUS :].mean()) < 0.05
    assert np.abs(rho).max() <= 1.0


def test_the_map_is_zero_where_nothing_can_be_said(scene):
    f, b, _ = scene
    alpha = np.zeros((40, 44))
    alpha[:, :25] = 1.0
    f[:, 36:] = 0.5
    rho = structure_map(f, b, alpha)
    assert not rho[:, : 25 - RADIUS].any()
    assert not rho[:, 36 + RADIUS :].any()
    assert np.isfinite(rho).all()


def test_the_last_bits_of_single_precision_are_no_structure(rng, nearly_flat):
    flat = nearly_flat((20, 30))
    picture = flat.mean() * rng.random(flat.shape)
    with pytest.raises(InputError, match="no structure where alpha"):
        structure_score(picture, picture, flat, np.zeros(flat.shape))
    assert not structure_map(flat, picture, np.zeros(flat.shape)).any()


def test_flat_pictures_have_no_structure_by_rounding(rng):
    """0.1 is no binary number: its means and squares are all a little off."""
    b = rng.random((30, 30))
    u = np.full((30, 30), 0.1)
    u[0, 0] = 1e3
    assert not structure_map(u, b, np.zeros(()))[10:, 10:].any()


@pytest.mark.parametrize("name", ["manuscript", "portrait"])
def test_fusions_of_the_gallery_rank_as_they_look(name):
    scene = getattr(gallery, name)((120, 100))
    f, b, alpha = scene.foreground, scene.background, scene.alpha
    fused = osmofuse.fuse(f, b, alpha).image
    bands = b if b.ndim == 3 else b[..., None]
    average = np.asarray((f + bands) / 2)
    found = [structure_score(x, f, b, alpha) for x in (f, average, fused, scene.truth)]
    assert found[0] == 0.0
    assert all(x > 0.5 for x in found[1:])
    assert min(found[2:]) > 0.85


def test_inputs_are_never_changed(scene):
    before = [x.copy() for x in scene]
    for x in scene:
        x.flags.writeable = False
    f, b, alpha = scene
    structure_score(f, f, b, alpha)
    structure_map(f, b, alpha)
    assert all(np.array_equal(x, y) for x, y in zip(scene, before, strict=True))


@pytest.mark.parametrize("pixels", [1, 100])
def test_strips_do_not_change_the_score(rng, monkeypatch, pixels):
    u, f, b = rng.random((3, 25, 19))
    alpha = rng.random((25, 19))
    expected = structure_score(u, f, b, alpha)
    monkeypatch.setattr(windows, "PIXELS", pixels)
    assert structure_score(u, f, b, alpha) == pytest.approx(expected, rel=1e-12)


def test_bright_pixels_that_are_kept_do_not_flatten_the_rest(rng):
    u, f, b = 1e-3 * rng.random((3, 20, 30))
    alpha = np.zeros((20, 30))
    alpha[:, 20:] = 1.0
    expected = structure_score(u, f, b, alpha)
    for x in (u, f, b):
        x[:, 20:] = 1e4
    assert structure_score(u, f, b, alpha) == pytest.approx(expected, rel=1e-9)


def test_little_missing_structure_is_scored(rng):
    b = rng.random((40, 40))
    f = b + 0.07 * rng.standard_normal((40, 40))
    assert 0.01 < 1 - structure_map(f, b, np.zeros(())).mean() < 0.05
    assert structure_score(b, f, b, np.zeros(())) == pytest.approx(1.0, abs=1e-9)
