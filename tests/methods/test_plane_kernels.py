"""Kernels between stored pictures and padded planes, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from osmofuse.linalg import inside
from osmofuse.linalg.stencil import zeros
from osmofuse.methods.plane_kernels import multiply_powers, read, store

SHAPE = (7, 5)


def padded_of(x):
    plane = zeros(x.shape)
    inside(plane, x.shape)[...] = x
    return plane


def product(f, b, alpha):
    """Return the product with its mean and minimum, from planes without a frame."""
    w = padded_of(b)
    mean, lowest = multiply_powers(
        w, padded_of(f), padded_of(np.broadcast_to(alpha, f.shape)), f.shape
    )
    frame = w.copy()
    inside(frame, f.shape)[...] = 0
    assert not frame.any(), "it writes into the frame"
    return inside(w, f.shape), mean, lowest


@pytest.mark.parametrize(("low", "high"), [(1.0, 2.0), (0.05, 1.05), (1.0, 17.0), (1e-20, 17.0)])
def test_the_product_is_right_within_three_units_in_the_last_place(rng, low, high):
    f, b = np.exp(rng.uniform(np.log(low), np.log(high), (2, 200, 200))).astype(np.float32)
    alpha = rng.random(f.shape).astype(np.float32)
    w, _, _ = product(f, b, alpha)
    x, y, a = (one.astype(np.float64) for one in (f, b, alpha))
    exact = x**a * y ** (1 - a)
    assert (np.abs(w - exact) <= 3 * np.spacing(exact.astype(np.float32))).all()


def test_the_product_has_the_bits_of_a_picture_that_has_all_the_weight(rng):
    f, b = rng.uniform(1e-6, 17.0, (2, *SHAPE)).astype(np.float32)
    assert np.array_equal(product(f, b, 1.0)[0], f)
    assert np.array_equal(product(f, b, 0.0)[0], b)
    assert np.array_equal(product(f, f, rng.random(SHAPE).astype(np.float32))[0], f)


def test_the_product_comes_with_its_mean_and_minimum(rng):
    f, b, alpha = rng.uniform(0.1, 1.0, (3, *SHAPE)).astype(np.float32)
    w, mean, lowest = product(f, b, alpha)
    assert mean == pytest.approx(w.mean(dtype=np.float64), rel=1e-14)
    assert lowest == w.min()


DEPTHS = [np.bool_, np.uint8, np.uint16, np.int16, np.float16, np.float32, np.float64, ">u2", ">f4"]


@pytest.mark.parametrize("depth", DEPTHS, ids=str)
def test_samples_are_read_as_numpy_converts_them(rng, depth):
    white = {"u1": 255, "u2": 65535, "i2": 32767}.get(np.dtype(depth).str[1:], 1)
    stored = (rng.random((*SHAPE, 3)) * white).round(0 if white > 1 else 3).astype(depth)
    stored.flags.writeable = False
    plane = zeros(SHAPE)
    read(plane, stored[..., 1], white, 0.5)
    expected = stored[..., 1].astype(np.float32) / np.float32(white) + np.float32(0.5)
    assert np.array_equal(inside(plane, SHAPE), expected)
    inside(plane, SHAPE)[...] = 0
    assert not plane.any(), "it writes into the frame"


def test_samples_are_read_with_any_strides(rng):
    whole = rng.integers(0, 256, (20, 30, 3), np.uint8)
    unaligned = np.frombuffer(b"\0" + rng.random(35, np.float32).tobytes(), np.uint8)[1:]
    for stored in (
        whole[3:10, 4:9, 2],
        whole[::2, ::3, 0],
        whole[::-1, ::-1, 1],
        whole[..., 0].T,
        whole[:1, :, 0],
        np.broadcast_to(np.uint8(7), SHAPE),
        unaligned.view(np.float32).reshape(SHAPE),
    ):
        plane = zeros(stored.shape)
        read(plane, stored, 2.0)
        assert np.array_equal(inside(plane, stored.shape), stored.astype(np.float32) / 2)


def test_whole_levels_divide_as_in_double_precision():
    for depth in (np.uint8, np.uint16):
        white = int(np.iinfo(depth).max)
        levels = np.arange(white + 1, dtype=depth)[None]
        plane = zeros(levels.shape)
        read(plane, levels, white)
        assert np.array_equal(inside(plane, levels.shape), (levels / white).astype(np.float32))


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_planes_are_put_into_a_picture_without_their_offset(rng, channels, dtype):
    planes = [inside(zeros(SHAPE, dtype), SHAPE) for _ in range(channels)]
    for plane in planes:
        plane[...] = rng.random(SHAPE)
    picture = np.empty((*SHAPE, channels), dtype)
    store(picture, planes, 0.25)
    assert np.array_equal(picture, np.stack(planes, axis=-1) - dtype(0.25))
