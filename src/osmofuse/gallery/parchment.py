"""Parchment: the grain of the skin, its colour, and the stains that water left on it."""

from __future__ import annotations

import numpy as np

from osmofuse.gallery.texture import (
    axes,
    bump,
    fractal_noise,
    mix,
    side_of,
    smooth_noise,
    smoothstep,
    tint,
)
from osmofuse.typing import FloatArray

__all__ = ["fibres", "parchment", "stained"]


def fibres(shape: tuple[int, int], rng: np.random.Generator) -> FloatArray:
    """Draw the grain of the skin: short fibres both ways, pores and fine noise."""
    # Fibres do not grow without end: a large picture of a page shows finer ones.
    unit = float(np.clip(side_of(shape) / 500.0, 0.6, 2.0))
    across = smooth_noise(shape, (1.2 * unit, 14 * unit), rng)
    down = smooth_noise(shape, (11 * unit, 1.2 * unit), rng)
    pores = smoothstep(2.0, 3.2, smooth_noise(shape, 1.6 * unit, rng))
    fine = smooth_noise(shape, 0.8, rng)
    return np.asarray(0.26 * across + 0.12 * down - 1.5 * pores + 0.24 * fine, dtype=np.float32)


def parchment(shape: tuple[int, int], skin: FloatArray, grain: FloatArray) -> FloatArray:
    """Colour a skin of a given cloudiness and grain, with handled edges and a gutter."""
    down, right = axes(shape)
    page = mix((0.90, 0.83, 0.69), (0.83, 0.71, 0.52), smoothstep(-1.5, 2.2, skin))
    # Handled edges are darker and browner; the gutter on the left falls into shade.
    edge = np.minimum(np.minimum(down, 1 - down), np.minimum(right, 1 - right))
    worn = bump(edge + 0.012 * skin, 0.05)
    page *= tint(worn, (0.16, 0.24, 0.34)) * tint(bump(right, 0.11), (0.22, 0.24, 0.26))
    fall = np.square(right - 0.45) + np.square(down - 0.4)
    return np.asarray(page * tint(fall, (0.26, 0.28, 0.31)) * tint(-grain, (0.028, 0.032, 0.038)))


def stained(page: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Lay water stains on the page: a faint ochre body and a dark tide line around it."""
    shape = (page.shape[0], page.shape[1])
    down, right = axes(shape)
    for _ in range(3):
        # Stains keep to the side where the ink has gone: the water took it.
        row, col, radius = rng.uniform(0.4, 0.95), rng.uniform(0.35, 0.95), rng.uniform(0.12, 0.24)
        field = np.hypot((down - row) * shape[0], (right - col) * shape[1]) / side_of(shape)
        field = radius - field + 0.035 * fractal_noise(shape, 0.12 * side_of(shape), rng)
        body = smoothstep(-0.006, 0.012, field) * (0.55 + 0.45 * bump(field, 0.06))
        tide = bump(field - 0.004, 0.007)
        page = page * tint(body, (0.09, 0.17, 0.28)) * tint(tide, (0.10, 0.15, 0.18))
    return page
