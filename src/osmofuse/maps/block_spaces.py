r"""Preconditioner for mattes: the diagonal, and colours in blocks of pixels.

Maps that a matting matrix A penalises least are combinations of the picture's bands over wide
areas. They are found slowly pixel by pixel, and fast with coarse spaces: in each block of pixels, a
level and a multiple of each band,

.. math:: M^{-1} = D^{-1} + P (P^\top A P)^{-1} P^\top

with D the diagonal of A, and columns of P that are orthonormal in each block. Where that leaves too
many columns, C = P^T A P is solved roughly, by a few conjugate gradients with a preconditioner of
the same kind: the inverses of its diagonal blocks, and larger blocks of pixels.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from osmofuse.linalg.krylov import Map, flexible_cg
from osmofuse.maps.least_variation import by_diagonal
from osmofuse.typing import Array, BoolArray, FloatArray

COLUMNS = 2000  # of the coarsest P, about: a dense factor of that size takes 32 MB
SIDE = 12  # pixels of the small blocks; larger take more iterations, smaller more memory
DISTINCT = 1e-3  # directions with smaller relative singular values are dropped
RIDGE = 1e-10  # first ridge, relative to the mean diagonal: pixels may have no ties
ROUGH, MOST_INNER = 0.3, 30  # of the rough solution: relative residual, iterations


def with_block_colours(matrix: Any, image: FloatArray, wanted: BoolArray) -> Map:
    """Return the preconditioner of a matrix A over the wanted pixels of an image.

    The matrix is a sparse array, or has `projected` and `diagonal` of `MattingForm`.
    """
    down, right = np.nonzero(wanted)
    count, near = image.shape[2] + 1, by_diagonal(matrix)
    side = math.ceil(math.sqrt(len(down) * count / COLUMNS))
    # Single precision saves memory, and is enough for rough solutions.
    dtype = np.dtype(np.float64 if side <= SIDE else np.float32)
    functions = np.ones((len(down), count), dtype)
    functions[:, 1:] = image[wanted]
    if side <= SIDE:
        space = block_space(functions, _blocks(down, right, side))
        solve = _dense(_projected(matrix, space))
    else:
        side = SIDE * math.ceil(side / SIDE)
        space = block_space(functions, _blocks(down, right, SIDE))
        coarse = _projected(matrix, space)
        wide = space.T @ block_space(functions, _blocks(down, right, side))
        solve = _rough(coarse, wide, count)
    del functions, down, right

    def apply(r: FloatArray) -> FloatArray:
        z = near(r)
        z += space @ solve(space.T @ r[0].astype(dtype)).astype(dtype)
        return z

    return apply


def _blocks(down: Array, right: Array, side: int) -> Array:
    """Return the number of the block of each pixel."""
    number = down // side * (int(right.max()) // side + 1) + right // side
    return np.unique(number, return_inverse=True)[1].astype(np.int32)


def block_space(functions: FloatArray, blocks: Array) -> Any:
    """Return P, a row for each pixel: functions that are orthonormal in each block.

    There are as many columns for each block as there are functions; those dropped are 0.
    """
    from scipy.sparse import csr_array

    (pixels, count), number = functions.shape, int(blocks.max()) + 1
    gram = np.empty((number, count, count))
    for i in range(count):
        for j in range(count):
            product = functions[:, i].astype(np.float64) * functions[:, j]
            gram[:, i, j] = np.bincount(blocks, product, number)
    squares, turns = np.linalg.eigh(gram)
    distinct = squares > DISTINCT**2 * squares[:, -1:]
    scale = np.where(distinct, 1.0 / np.sqrt(np.where(distinct, squares, 1.0)), 0.0)
    turns *= scale[:, None, :]
    values = np.zeros((pixels, count), functions.dtype)
    for i in range(count):
        values += functions[:, i, None] * turns[:, i].astype(functions.dtype)[blocks]
    columns = np.int32(count) * blocks[:, None] + np.arange(count, dtype=np.int32)
    starts = np.arange(0, values.size + 1, count, dtype=np.int32)
    return csr_array((values.ravel(), columns.ravel(), starts), shape=(pixels, number * count))


def _projected(matrix: Any, space: Any) -> Any:
    """Return P^T A P, with 1 on the diagonal where a column of P is 0."""
    from scipy.sparse import diags_array

    if hasattr(matrix, "projected"):
        coarse = matrix.projected(space)
    else:
        coarse = space.T @ (matrix @ space)
    empty = np.asarray(space.multiply(space).sum(axis=0)) == 0.0
    return (coarse + diags_array(empty.astype(coarse.dtype))).tocsr()


def _dense(coarse: Any) -> Any:
    """Return a function that solves a system, by Cholesky's factor with a ridge."""
    from scipy.linalg import cho_factor, cho_solve

    full = coarse.toarray().astype(np.float64)
    ridge = RIDGE * (abs(np.trace(full)) / len(full) or 1.0)
    while True:
        try:
            factor = cho_factor(full + ridge * np.eye(len(full)), overwrite_a=True)
            return lambda r: cho_solve(factor, r, check_finite=False)
        except np.linalg.LinAlgError:
            ridge *= 100.0  # rounding has made it a little indefinite


def _rough(coarse: Any, wide: Any, count: int) -> Any:
    """Return a function that solves a system roughly; `wide` has the wider blocks as columns."""
    rows = coarse.tobsr((count, count))
    blocks = _block_inverses(rows, count)
    wide = wide.astype(np.float64)
    solve_wide = _dense(wide.T @ (coarse @ wide))

    def precondition(r: FloatArray) -> FloatArray:
        parts = r.reshape(-1, count, 1)
        return np.asarray((blocks @ parts).reshape(1, -1) + wide @ solve_wide(wide.T @ r[0]))

    def solve(r: FloatArray) -> FloatArray:
        b = r.astype(np.float64)[None]
        found = flexible_cg(
            lambda p: (rows @ p[0].astype(rows.dtype)).astype(np.float64)[None],
            b, np.zeros_like(b),
            precondition=precondition, rtol=ROUGH, max_iter=MOST_INNER,
        )  # fmt: skip
        return np.asarray(found.x[0])

    return solve


def _block_inverses(whole: Any, count: int) -> FloatArray:
    """Return the inverses of the diagonal blocks of a matrix of blocks, with a ridge."""
    row = np.repeat(np.arange(len(whole.indptr) - 1), np.diff(whole.indptr))
    own = np.zeros((len(whole.indptr) - 1, count, count))
    on = whole.indices == row
    own[row[on]] = whole.data[on]
    ridge = 1e-6 * np.trace(own, axis1=1, axis2=2) / count
    own[:, range(count), range(count)] += ridge[:, None]
    return np.asarray(np.linalg.inv(own))
