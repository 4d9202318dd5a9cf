"""Structure-aware fusion: the paper's table, its formula, its own laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import osmofuse
import plain_filters as plain
from osmofuse import InputError, SettingError
from osmofuse.methods import StructureAwareFusion
from osmofuse.metrics import chromaticity_error
from osmofuse.pixels import quantise

sides = st.integers(1, 15)
seeds = st.integers(0, 2**32 - 1)


def fuse(f, b, alpha=0.5, **arguments):
    return osmofuse.fuse(f, b, alpha, method="structure-aware", **arguments).image


def structure(x, radius, epsilon):
    s = np.pad(plain.lee(x, radius, epsilon), ((0, 1), (0, 1)))
    return np.abs(s[1:, :-1] - s[:-1, :-1]) + np.abs(s[:-1, 1:] - s[:-1, :-1])


def reference(
    f, b, *, radius=3, epsilon=0.01, sigma_space=10.0, sigma_range=0.2, rounds=3, valid=True
):
    """Fuse planes by the formula, with plain filters."""
    valid = np.broadcast_to(valid, f.shape)
    b = np.where(valid, b, f)
    own = plain.eroded(valid, radius + 1)
    more = structure(f, radius, epsilon) - structure(b, radius, epsilon) * own
    weight = 1.0 * (plain.box_mean(more, radius) > 1e-10)
    for _ in range(rounds):
        weight = plain.domain_transform(1.0 * (weight > 0.5), f, sigma_space, sigma_range)
    return weight * f + (1 - weight) * b


@pytest.fixture(scope="module")
def face(data):
    names = ("fore", "back")
    return [osmofuse.read(data / "paper" / f"4_{name}ground.png").pixels for name in names]


# ---- published numbers ----


def test_the_face_has_the_error_of_the_papers_table(face):
    f, b = face
    u = quantise(fuse(f, b), np.uint8)[0]
    assert chromaticity_error(u / 255, f / 255) == pytest.approx(0.0659, abs=1e-4)


def test_swapped_the_face_has_another_error(face):
    f, b = face
    u = quantise(fuse(b, f), np.uint8)[0]
    assert chromaticity_error(u / 255, f / 255) == pytest.approx(0.0666, abs=1e-4)


# ---- the formula ----


@settings(max_examples=25)
@given(
    seed=seeds,
    rows=sides,
    cols=sides,
    radius=st.integers(0, 4),
    rounds=st.integers(0, 3),
    sigma_space=st.sampled_from([2.0, 10.0]),
)
def test_it_is_what_the_formula_says(seed, rows, cols, radius, rounds, sigma_space):
    f, b = np.random.default_rng(seed).random((2, rows, cols))
    chosen = {"radius": radius, "rounds": rounds, "sigma_space": sigma_space, "sigma_range": 0.7}
    np.testing.assert_allclose(fuse(f, b, **chosen), reference(f, b, **chosen), atol=1e-12)


def test_the_defaults_are_those_of_the_authors(rng):
    f, b = rng.random((2, 25, 22))
    np.testing.assert_allclose(fuse(f, b), reference(f, b), atol=1e-12)


def test_with_holes_too(rng):
    f, b = rng.random((2, 40, 35))
    valid = np.ones((40, 35), bool)
    valid[5:15, :10] = valid[20, 20] = False
    hidden = np.where(valid, b, np.nan)
    expected = reference(f, b, valid=valid)
    np.testing.assert_allclose(fuse(f, hidden, valid=valid), expected, atol=1e-12)
    assert np.array_equal(fuse(f, hidden, valid=valid)[~valid], f[~valid])


# ---- laws ----


@settings(max_examples=20)
@given(seed=seeds, rows=sides, cols=sides, channels=st.integers(1, 4))
def test_channels_are_independent(seed, rows, cols, channels):
    f, b = np.random.default_rng(seed).random((2, rows, cols, channels))
    u = fuse(f, b)
    for c in range(channels):
        assert np.array_equal(fuse(f[..., c], b[..., c]), u[..., c])


@settings(max_examples=20)
@given(seed=seeds, rows=sides, cols=sides)
def test_between_the_two_pictures(seed, rows, cols):
    f, b = np.random.default_rng(seed).random((2, rows, cols))
    u = fuse(f, b)
    assert (np.minimum(f, b) - 1e-15 <= u).all()
    assert (u <= np.maximum(f, b) + 1e-15).all()


@settings(max_examples=20)
@given(seed=seeds, rows=sides, cols=sides, c=st.sampled_from([0.5, 2.0, 8.0]))
def test_scaling_law(seed, rows, cols, c):
    f, b = np.random.default_rng(seed).random((2, rows, cols))
    scaled = fuse(c * f, c * b, epsilon=0.01 * c * c, sigma_range=0.2 * c)
    np.testing.assert_allclose(scaled, c * fuse(f, b), atol=1e-10)


@settings(max_examples=20)
@given(seed=seeds, rows=st.integers(2, 15), cols=st.integers(2, 15))
def test_against_black_the_foreground_is_kept_to_the_last_bit(seed, rows, cols):
    f = np.random.default_rng(seed).random((rows, cols))
    assert np.array_equal(fuse(f, np.zeros_like(f)), f)


@settings(max_examples=20)
@given(seed=seeds, rows=st.integers(2, 15), cols=st.integers(2, 15))
def test_a_black_foreground_gives_way(seed, rows, cols):
    b = np.random.default_rng(seed).random((rows, cols))
    assert np.array_equal(fuse(np.zeros_like(b), b), b)


def test_away_from_its_border_a_flat_background_gives_way(rng):
    f = rng.random((60, 60))
    u = fuse(f, np.full((60, 60), 0.9))
    np.testing.assert_allclose(u[:30, :30], f[:30, :30], atol=1e-3)


def test_where_both_are_flat_the_background_wins_in_spite_of_rounding():
    f, b = np.full((50, 40), 0.7), np.full((50, 40), 0.3)
    assert np.array_equal(fuse(f, b)[:30, :30], b[:30, :30])
    assert np.array_equal(fuse(b, f), f)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_of_a_brighter_copy_the_background_wins_in_spite_of_rounding(dtype, rng):
    f = rng.random((40, 50)).astype(dtype)
    b = f + dtype(0.2)
    image = fuse(f, b)
    np.testing.assert_allclose(image[:30, :40], b[:30, :40], atol=1e-6)


def test_beyond_the_last_row_and_column_is_black():
    """So that there the brighter of two flat pictures has more structure."""
    f, b = np.full((50, 40), 0.7), np.full((50, 40), 0.3)
    expected = b.copy()
    expected[-4:], expected[:, -4:] = 0.7, 0.7
    np.testing.assert_allclose(fuse(f, b, rounds=0), expected, atol=1e-15)


def test_several_backgrounds_are_refused(rng):
    f, b, third = rng.random((3, 5, 5))
    with pytest.raises(InputError, match=r"^background: 2 pictures.* use the method 'guided"):
        fuse(f, [b, third], [0.2, 0.3, 0.5])


# ---- settings ----


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("radius", 1),
        ("epsilon", 1.0),
        ("sigma_space", 2.0),
        ("sigma_range", 2.0),
        ("rounds", 0),
    ],
)
def test_every_setting_matters(rng, name, value):
    f, b = rng.random((2, 30, 30))
    assert np.abs(fuse(f, b, **{name: value}) - fuse(f, b)).max() > 1e-3


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, v) for name in ("radius", "rounds") for v in (-1, 2.5, "3", True, math.inf)),
        *(
            (name, v)
            for name in ("epsilon", "sigma_space", "sigma_range")
            for v in (0, -1, math.nan, math.inf)
        ),
    ],
)
def test_bad_settings_are_refused_by_name(name, value):
    with pytest.raises(SettingError, match=rf"^{name}: "):
        StructureAwareFusion(**{name: value})
