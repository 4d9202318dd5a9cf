"""Smooth random surfaces, and functions to mix them; float32, any size."""

from __future__ import annotations

import numpy as np
from scipy import ndimage, sparse

from osmofuse.gallery.scene import Colour
from osmofuse.typing import Array, FloatArray

# Below this grain (pixels) filtered white noise is cheaper than a lattice.
_FINE = 4.0
# Mean of the squared cubic B-spline weights over one cell, 151/315: the variance a lattice loses.
_SPLINE_VARIANCE = 151 / 315


def smoothstep(low: float, high: float, values: Array) -> FloatArray:
    """Return a ramp from exactly 0 at `low` to exactly 1 at `high` with flat ends.

    With `low` above `high` it falls.
    """
    # In place from here on: large temporaries cost more than the arithmetic.
    t = np.atleast_1d(np.asarray(values, dtype=np.float32) - np.float32(low))
    t /= np.float32(high - low)
    np.clip(t, 0.0, 1.0, out=t)
    ramp = np.float32(3.0) - 2.0 * t
    ramp *= t
    ramp *= t
    return ramp


def bump(offset: Array, width: float) -> FloatArray:
    """Return the Gaussian bell exp(-(offset / width)**2)."""
    bell = np.asarray(offset, dtype=np.float32) / np.float32(width)
    np.square(bell, out=bell)
    np.negative(bell, out=bell)
    np.exp(bell, out=bell)
    return bell


def mix(first: Array | Colour, second: Array | Colour, weight: Array) -> FloatArray:
    """Return ``first + weight * (second - first)``: exactly `first` at weight 0."""
    first, second = np.asarray(first, np.float32), np.asarray(second, np.float32)
    mixed = np.empty((*weight.shape, 3), dtype=np.float32)
    # Channel by channel: NumPy is slow where the innermost loop has only three turns.
    for c in range(3):
        step = np.multiply(weight, second[..., c] - first[..., c], dtype=np.float32)
        np.add(first[..., c], step, out=mixed[..., c])
    return mixed


def tint(weight: Array, strength: Colour) -> FloatArray:
    """Return the factor of a transparent layer, ``1 - weight * strength``, (rows, cols, 3)."""
    factor = np.empty((*weight.shape, 3), dtype=np.float32)
    for c in range(3):
        factor[..., c] = 1.0 - weight * np.float32(strength[c])
    return factor


def smooth_noise(
    shape: tuple[int, int], scale: float | tuple[float, float], rng: np.random.Generator
) -> FloatArray:
    """Draw smooth noise of mean 0 and variance near 1, about normally distributed.

    `scale` is the grain in pixels, down and across; unequal ones make fibres. Coarse grains
    interpolate a random lattice with cubic B-splines, whose cost does not grow with the grain.
    The weights are sparse matrices and not dense ones, so the bits do not depend on how a BLAS
    splits its sums.
    """
    down, across = scale if isinstance(scale, tuple) else (scale, scale)
    if max(down, across) <= _FINE:
        return _filtered_noise(shape, (down, across), rng)
    left, right = _spline_weights(shape[0], down, rng), _spline_weights(shape[1], across, rng)
    lattice = rng.standard_normal((left.shape[1], right.shape[1]), dtype=np.float32)
    lattice /= np.float32(_SPLINE_VARIANCE)
    # Columns first: the product with the rows then comes out in C order.
    return np.asarray(left @ np.ascontiguousarray((right @ lattice.T).T), dtype=np.float32)


def fractal_noise(
    shape: tuple[int, int], scale: float, rng: np.random.Generator, octaves: int = 4
) -> FloatArray:
    """Draw noise of variance near 1: the sum of smooth noise of halving grain and amplitude.

    `scale` is the coarsest grain in pixels.
    """
    total = np.zeros(shape, dtype=np.float32)
    for octave in range(octaves):
        layer = smooth_noise(shape, scale * 0.5**octave, rng)
        layer *= np.float32(0.5**octave)
        total += layer
    total /= np.float32(np.sqrt(sum(0.25**k for k in range(octaves))))
    return total


def _filtered_noise(
    shape: tuple[int, int], scale: tuple[float, float], rng: np.random.Generator
) -> FloatArray:
    white = rng.standard_normal(shape, dtype=np.float32)
    sigma = [max(side, 0.3) / 2 for side in scale]
    gain = np.prod([max(np.sqrt(2 * np.sqrt(np.pi) * side), 1.0) for side in sigma])
    return np.asarray(
        ndimage.gaussian_filter(white, sigma, mode="reflect", truncate=3.0) * np.float32(gain),
        dtype=np.float32,
    )


def _spline_weights(size: int, scale: float, rng: np.random.Generator) -> sparse.csr_array:
    scale = max(scale, 1.0)
    # A random phase, so that the lattices of the octaves do not line up at the corner.
    position = np.arange(size) / scale + rng.random()
    cell = position.astype(np.intp)
    t = position - cell
    weights = np.stack(
        [(1 - t) ** 3, 3 * t**3 - 6 * t**2 + 4, -3 * t**3 + 3 * t**2 + 3 * t + 1, t**3], axis=1
    )
    columns = cell[:, None] + np.arange(4)
    starts = 4 * np.arange(size + 1)
    data = (weights / 6).astype(np.float32).ravel()
    return sparse.csr_array((data, columns.ravel(), starts), shape=(size, int(cell[-1]) + 4))
