"""The paper's chromaticity error (METHODS.md 17)."""

from __future__ import annotations

import numpy as np
import pytest

import osmofuse
from osmofuse import InputError, SettingError
from osmofuse.metrics import chromaticity_error, chromaticity_map


def test_a_picture_has_no_error_against_itself(rng):
    u = rng.random((5, 4, 3))
    assert not chromaticity_map(u, u).any()
    assert chromaticity_error(u, u) == 0.0


def test_greys_have_one_chromaticity(rng):
    u, f = (np.repeat(rng.random((5, 4, 1)), 3, axis=2) for _ in range(2))
    # Logarithms and exponentials of vector libraries may be off by four units in the last place.
    assert chromaticity_error(u, f) == pytest.approx(0.0, abs=32 * np.finfo(float).eps)


def test_brightness_does_not_count_without_offset(rng):
    f = rng.uniform(0.1, 1.0, (5, 4, 3))
    u = f * rng.uniform(0.2, 1.0, (5, 4, 1))
    assert chromaticity_error(u, f, offset=0.0) == pytest.approx(0.0, abs=1e-14)
    assert chromaticity_error(u, f) > 1e-4


def test_is_symmetric_within_the_range(rng):
    u, f = rng.random((2, 5, 4, 3))
    assert chromaticity_error(u, f) == pytest.approx(chromaticity_error(f, u), rel=1e-14)


def test_by_hand():
    """(1, 1, 1) / 1 against (4, 2, 1) / 2, a quarter of each, without offset."""
    u, f = np.full((1, 1, 3), 0.25), np.array([[[1.0, 0.5, 0.25]]])
    np.testing.assert_allclose(chromaticity_map(u, f, offset=0.0), [[[1.0, 0.0, 0.5]]], atol=1e-14)
    assert chromaticity_error(u, f, offset=0.0) == pytest.approx(0.5)


def test_one_grey_level_is_added_to_both():
    u, f = np.zeros((1, 1, 3)), np.array([[[3.0, 1.0, 0.0]]]) / 255
    mean = 8 ** (1 / 3)
    expected = (abs(1 - 4 / mean) + abs(1 - 2 / mean) + abs(1 - 1 / mean)) / 3
    assert chromaticity_error(u, f) == pytest.approx(expected)


def test_the_fused_picture_counts_as_it_will_be_written(rng):
    f = rng.random((5, 4, 3))
    u = rng.uniform(-0.5, 1.5, (5, 4, 3))
    assert chromaticity_error(u, f) == chromaticity_error(np.clip(u, 0, 1), f)


def test_the_euclidean_map_is_the_norm_over_channels(rng):
    u, f = rng.random((2, 5, 4, 3))
    channels = chromaticity_map(u, f)
    euclidean = chromaticity_map(u, f, norm="euclidean")
    np.testing.assert_allclose(euclidean, np.linalg.norm(channels, axis=-1), rtol=1e-13)


def test_reducers(rng):
    u, f = rng.random((2, 5, 4, 3))
    error = chromaticity_map(u, f)
    expected = {
        "mean_abs": error.mean(),
        "rms": np.linalg.norm(error) / np.sqrt(error.size),
        "l2": np.linalg.norm(error),
        "mean_norm": np.linalg.norm(error, axis=-1).mean(),
    }
    found = {name: chromaticity_error(u, f, reducer=name) for name in expected}
    assert found == pytest.approx(expected)
    assert chromaticity_error(u, f) == found["mean_abs"]


def test_a_mask_says_where_to_look(rng):
    u, f = rng.random((2, 5, 4, 3))
    mask = np.zeros((5, 4), bool)
    mask[1:3, 2:] = True
    part = u[1:3, 2:], f[1:3, 2:]
    for reducer in ("mean_abs", "rms", "l2", "mean_norm"):
        found = chromaticity_error(u, f, reducer=reducer, mask=mask)
        assert found == pytest.approx(chromaticity_error(*part, reducer=reducer))
    with pytest.raises(InputError, match=r"^mask: empty"):
        chromaticity_error(u, f, mask=np.zeros((5, 4), bool))


@pytest.mark.parametrize("shape", [(5, 4), (5, 4, 1)])
def test_one_channel_has_no_chromaticity(rng, shape):
    u, f = rng.random((2, *shape))
    with pytest.raises(InputError, match=r"^fused: needs more than one channel"):
        chromaticity_map(u, f)


@pytest.mark.parametrize("name", ["fused", "foreground"])
def test_black_has_no_chromaticity_without_offset(rng, name):
    pictures = dict(zip(("fused", "foreground"), rng.uniform(0.1, 1, (2, 5, 4, 3)), strict=True))
    pictures[name][2, 2, 0] = 0.0
    assert np.isfinite(chromaticity_map(**pictures)).all()
    with pytest.raises(InputError, match=rf"^{name}: samples of 0 without an offset"):
        chromaticity_map(**pictures, offset=0.0)


def test_bad_settings(rng):
    u, f = rng.random((2, 5, 4, 3))
    with pytest.raises(SettingError, match=r"^norm: 'l2'"):
        chromaticity_map(u, f, norm="l2")
    with pytest.raises(SettingError, match=r"^reducer: 'max'; must be one of 'mean_abs'"):
        chromaticity_error(u, f, reducer="max")


def test_direct_matting_of_the_face_has_the_error_of_the_papers_table(data):
    names = ("foreground", "background", "alpha")
    f, b, alpha = (osmofuse.read(data / "paper" / f"4_{name}.png").pixels for name in names)
    alpha = osmofuse.soften(alpha == 255, 5)
    u = np.rint(alpha * f + (1 - alpha) * b).astype(np.uint8)
    assert chromaticity_error(u / 255, f / 255) == pytest.approx(0.0178, abs=1e-4)
    assert osmofuse.score(u, f, b, alpha)["chromaticity"].value == pytest.approx(0.0178, abs=1e-4)
