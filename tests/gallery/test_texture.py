from __future__ import annotations

import numpy as np
import pytest

from osmofuse.gallery import texture


@pytest.mark.parametrize("scale", [1.0, 3.0, 6.0, (1.2, 14.0), (14.0, 1.2)])
def test_noise_has_mean_zero_and_variance_near_one(scale):
    noise = texture.smooth_noise((400, 400), scale, np.random.default_rng(0))
    assert noise.dtype == np.float32
    assert noise.flags.c_contiguous
    assert abs(noise.mean()) < 0.15
    assert 0.8 < noise.std() < 1.2


def test_coarser_noise_is_smoother():
    rng = np.random.default_rng(0)
    steps = [
        np.abs(np.diff(texture.smooth_noise((200, 200), scale, rng), axis=0)).mean()
        for scale in (2.0, 8.0, 32.0)
    ]
    assert steps[0] > 2 * steps[1] > 4 * steps[2]


def test_unequal_scales_make_fibres_along_the_longer_one():
    noise = texture.smooth_noise((200, 200), (2.0, 20.0), np.random.default_rng(0))
    down, across = (np.abs(np.diff(noise, axis=axis)).mean() for axis in (0, 1))
    assert down > 4 * across


def test_lattice_noise_has_no_trace_of_its_lattice():
    # The variance of a B-spline lattice depends on the place in the cell; it must stay mild.
    rng = np.random.default_rng(0)
    noise = np.stack([texture.smooth_noise((1, 64), 8.0, rng)[0] for _ in range(4000)])
    spread = noise.std(axis=0)
    assert spread.max() / spread.min() < 1.1


def test_fractal_noise_is_normalised_and_rougher_than_its_coarsest_grain():
    plain = texture.smooth_noise((300, 300), 16.0, np.random.default_rng(0))
    fractal = texture.fractal_noise((300, 300), 16.0, np.random.default_rng(0))
    assert 0.8 < fractal.std() < 1.2
    assert np.abs(np.diff(fractal)).mean() > 1.5 * np.abs(np.diff(plain)).mean()


def test_smoothstep_is_exact_outside_and_falls_when_reversed():
    values = np.linspace(-1, 2, 31)
    up, down = texture.smoothstep(0.0, 1.0, values), texture.smoothstep(1.0, 0.0, values)
    assert np.all(up[values <= 0] == 0)
    assert np.all(up[values >= 1] == 1)
    assert np.all(np.diff(up) >= 0)
    np.testing.assert_allclose(up + down, 1.0, atol=1e-6)


def test_smoothstep_leaves_its_input_alone():
    values = np.array([0.2, 0.7], dtype=np.float32)
    texture.smoothstep(0.0, 1.0, values)
    texture.bump(values, 0.1)
    assert values.tolist() == np.array([0.2, 0.7], dtype=np.float32).tolist()


def test_bump_is_one_at_the_top_and_falls_to_one_over_e():
    np.testing.assert_allclose(
        texture.bump(np.array([0.0, 2.0, -2.0]), 2.0), [1.0, np.exp(-1), np.exp(-1)], rtol=1e-6
    )


def test_mix_keeps_the_first_bit_for_bit_at_weight_zero():
    rng = np.random.default_rng(0)
    first, second = rng.random((2, 5, 6, 3), dtype=np.float32)
    weight = np.zeros((5, 6), dtype=np.float32)
    weight[2] = 1.0
    mixed = texture.mix(first, second, weight)
    assert np.array_equal(np.delete(mixed, 2, axis=0), np.delete(first, 2, axis=0))
    np.testing.assert_allclose(mixed[2], second[2], atol=1e-6)


def test_mix_takes_plain_colours():
    mixed = texture.mix((0.0, 0.0, 0.0), (1.0, 0.5, 0.0), np.full((2, 2), 0.5))
    np.testing.assert_allclose(mixed, np.broadcast_to([0.5, 0.25, 0.0], (2, 2, 3)))


def test_tint_takes_away_by_channel():
    np.testing.assert_allclose(
        texture.tint(np.ones((1, 1)), (0.1, 0.2, 0.3))[0, 0], [0.9, 0.8, 0.7]
    )
