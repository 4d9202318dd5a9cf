"""Padded planes and five-point matrices against a dense one."""

import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from osmofuse.linalg import Stencil, inside, padded, padded_shape
from osmofuse.linalg.stencil import zeros
from registry import harmonic_stencil

SHAPES = [(1, 1), (1, 5), (4, 1), (3, 4), (5, 7)]


def dense(stencil):
    """The matrix, column by column, from the definition on edges."""
    rows, cols = stencil.shape
    index = np.arange(rows * cols).reshape(rows, cols)
    matrix = np.diag(inside(stencil.mass, stencil.shape).ravel().astype(float))
    for plane, a, b in (
        (inside(stencil.down, stencil.shape)[:-1], index[:-1], index[1:]),
        (inside(stencil.right, stencil.shape)[:, :-1], index[:, :-1], index[:, 1:]),
    ):
        for m, i, j in zip(plane.ravel(), a.ravel(), b.ravel(), strict=True):
            matrix[i, i] += m
            matrix[j, j] += m
            matrix[i, j] -= m
            matrix[j, i] -= m
    return matrix


@pytest.mark.parametrize("shape", [*SHAPES, (3, 254), (2, 1023)])
def test_planes_are_even_inside_their_frame(shape):
    rows, cols = padded_shape(shape)
    assert rows % 2 == 0
    assert rows - shape[0] in (2, 3)
    assert 2 + shape[1] % 2 <= cols - shape[1] <= 34
    assert cols % 32 == 16


@pytest.mark.parametrize("shape", SHAPES)
def test_padding_and_inside_are_inverse(shape, rng):
    x = rng.standard_normal(shape)
    plane = padded(x, np.float64)
    np.testing.assert_array_equal(inside(plane, shape), x)
    assert plane.sum() == pytest.approx(x.sum(), abs=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
def test_it_applies_the_matrix_of_its_edges(shape, rng):
    stencil = harmonic_stencil(1 + rng.random(shape), mass=0.3)
    x = rng.standard_normal(shape)
    found = inside(stencil(padded(x, np.float64)), shape).ravel()
    np.testing.assert_allclose(found, dense(stencil) @ x.ravel(), atol=1e-13)


@pytest.mark.parametrize("shape", SHAPES)
def test_it_inverts_its_diagonal(shape, rng):
    stencil = harmonic_stencil(1 + rng.random(shape), mass=0.3)
    stencil.invert_diagonal()
    np.testing.assert_allclose(
        inside(stencil.inverse, shape).ravel(), 1 / np.diag(dense(stencil)), rtol=1e-13
    )


def test_an_empty_row_has_no_inverse():
    stencil = Stencil.empty((2, 2), np.float64)
    stencil.invert_diagonal()
    assert not stencil.inverse.any()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_planes_begin_at_different_places_of_a_page(dtype):
    planes = [zeros((7, 5), dtype) for _ in range(12)]
    assert len({plane.ctypes.data % 4096 for plane in planes}) == 12
    for plane in planes:
        assert plane[1:, 1:].ctypes.data % 64 == 0
        assert plane.flags.c_contiguous
        assert plane.dtype == dtype
        assert plane.shape == (10, 16)
        assert not plane.any()


SIZE = (300, 200)  # a plane of it is cut from a block


def test_planes_of_medium_size_share_memory_and_are_zero():
    planes = []
    for k in range(200):  # more than a block holds
        planes.append(zeros(SIZE))
        assert not planes[-1].any()
        planes[-1][...] = k + 1
        if k % 3 == 0:
            del planes[0]
    assert all(len(np.unique(plane)) == 1 for plane in planes), "planes overlap"
    assert len({id(plane.base) for plane in planes}) < len(planes) / 10


def test_a_block_is_freed_with_the_last_of_its_planes():
    planes = [zeros(SIZE) for _ in range(2)]
    blocks = [weakref.ref(plane.base) for plane in planes]
    del planes
    assert [block() for block in blocks] == [None, None]


def test_threads_get_planes_of_their_own():
    with ThreadPoolExecutor(8) as pool:
        planes = list(pool.map(lambda _: zeros(SIZE), range(100)))
    for k, plane in enumerate(planes):
        plane[...] = k
    assert [plane[0, 0] for plane in planes] == [plane[-1, -1] for plane in planes] == [*range(100)]
