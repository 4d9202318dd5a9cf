"""Paved yard under the shadow of a tree, and the same yard in plain light."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from osmofuse.gallery.scene import Scene, axes, checked_shape, finished, generator, side_of
from osmofuse.gallery.texture import bump, fractal_noise, mix, smooth_noise, smoothstep, tint
from osmofuse.typing import FloatArray

# Light left in the full shadow: skylight, hence bluer than the sun it replaces.
_UMBRA = (0.40, 0.45, 0.53)
# Stones of the yard: sandstone, grey, slate, brick.
_STONES = ((0.71, 0.62, 0.50), (0.60, 0.58, 0.55), (0.50, 0.52, 0.55), (0.66, 0.46, 0.37))
_SLABS_ACROSS = 7.0  # courses of stones along the side of the picture


def shadow(shape: Sequence[int] = (400, 520), seed: int = 0) -> Scene:
    """Draw a paved yard with a cast shadow, and the yard without it.

    Parameters
    ----------
    shape : sequence of int
        Rows and columns; stones and shadow grow with the picture.
    seed : int
        Chooses stones, grass, paint and tree.

    Returns
    -------
    Scene
        The shadowed yard, no background, a map that is 0 on a band a little wider than the
        penumbra and 1 elsewhere, and the yard without shadow. Where `alpha` is 1,
        ``foreground / truth`` is either exactly 1 (in the light) or the same colour all over (in
        the full shadow), up to rounding.

    Examples
    --------
    >>> scene = shadow((40, 52))
    >>> scene.background is None, bool((scene.foreground <= scene.truth).all())
    (True, True)
    """
    size, rng = checked_shape(shape), generator(seed)
    ground = _ground(size, rng)
    depth = _depth_in_shadow(size, rng)
    # A penumbra under three pixels would alias.
    penumbra = max(0.014, 1.5 / side_of(size))
    dark = smoothstep(-penumbra, penumbra, depth)
    loss = (1 - _UMBRA[0], 1 - _UMBRA[1], 1 - _UMBRA[2])
    return Scene(
        name="shadow",
        foreground=finished(ground * tint(dark, loss)),
        background=None,
        alpha=finished(np.abs(depth) > 1.25 * penumbra),
        truth=ground,
    )


def _ground(shape: tuple[int, int], rng: np.random.Generator) -> FloatArray:
    side = side_of(shape)
    rough = fractal_noise(shape, side / 30, rng, octaves=4)
    # Coordinates in slabs, bent a little: no mason lays to the pixel.
    down, right = (
        part * size / side * _SLABS_ACROSS for part, size in zip(axes(shape), shape, strict=True)
    )
    down = down + 0.035 * smooth_noise(shape, side / 9, rng)
    right = right + 0.035 * smooth_noise(shape, side / 9, rng)
    stones, joint = _paving(down, right, side, rng)
    light = 1.0 + 0.05 * rough + 0.035 * smooth_noise(shape, max(side / 600, 0.8), rng)
    ground = _painted(stones, down, right, rough, rng) * light[..., None]
    ground *= tint(smoothstep(1.1, 2.4, smooth_noise(shape, max(side / 220, 1.2), rng)), (0.2,) * 3)
    moss = smooth_noise(shape, side / 7, rng)
    ground = mix(ground, (0.30, 0.27, 0.22), 0.85 * joint)
    ground = mix(ground, _turf(shape, rng), joint * smoothstep(0.1, 0.9, moss + 0.3 * rough))
    return finished(_bordered(ground, down, right, rough, rng))


def _paving(
    down: FloatArray, right: FloatArray, side: float, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return the colours of the slabs and the cover of the joints between them."""
    course = np.floor(down).astype(np.intp)
    lowest, count = int(course.min()), int(course.max() - course.min()) + 1
    # Every course starts elsewhere and has its own length of stone.
    offset, length = rng.random(count) * 0.9, rng.uniform(1.1, 1.7, count)
    along = (right + offset[course - lowest] + 1) / length[course - lowest]
    along = along.astype(np.float32)
    number = np.floor(along).astype(np.intp)
    key = (course - lowest) * (int(number.max()) + 2) + number + 1
    colours = _stone_colours(int(key.max()) + 1, rng)
    gap_down = np.abs(down - np.round(down))
    gap_right = np.abs(along - np.round(along)) * length[course - lowest].astype(np.float32)
    gap = np.minimum(gap_down, gap_right) * np.float32(side / _SLABS_ACROSS)
    width = max(0.004 * side, 0.6)
    joint = smoothstep(width + max(0.35 * width, 0.7), 0.6 * width, gap)
    # Worn arrises: a lighter rim just inside the joint rounds each stone off.
    rim = bump(gap - 2.2 * width, 0.8 * width)
    return colours[key] * tint(rim, (-0.05, -0.05, -0.05)), joint


def _stone_colours(count: int, rng: np.random.Generator) -> FloatArray:
    base = np.asarray(_STONES)[rng.choice(len(_STONES), count, p=(0.42, 0.28, 0.14, 0.16))]
    varied = base * rng.uniform(0.86, 1.12, (count, 1)) * rng.uniform(0.97, 1.03, (count, 3))
    return varied.astype(np.float32)


def _painted(
    stones: FloatArray,
    down: FloatArray,
    right: FloatArray,
    rough: FloatArray,
    rng: np.random.Generator,
) -> FloatArray:
    """Paint a worn yellow line and a worn blue ring on the stones."""
    worn = smoothstep(1.6, -0.4, rough)
    across = (right - 0.25 * down - rng.uniform(1.4, 2.2)) / np.float32(np.hypot(1, 0.25))
    line = smoothstep(0.16, 0.13, np.abs(across))
    row, col = rng.uniform(2.2, 3.6), rng.uniform(4.6, 5.6)
    ring = smoothstep(0.12, 0.09, np.abs(np.hypot(down - row, right - col) - 0.85))
    painted = mix(stones, (0.88, 0.70, 0.16), 0.85 * line * worn)
    return mix(painted, (0.20, 0.38, 0.66), 0.8 * ring * worn)


def _turf(shape: tuple[int, int], rng: np.random.Generator) -> FloatArray:
    unit = max(side_of(shape) / 450, 0.8)
    blades = smooth_noise(shape, (7 * unit, 1.1 * unit), rng) + smooth_noise(shape, 1.6 * unit, rng)
    patches = fractal_noise(shape, 40 * unit, rng, octaves=3)
    green = mix((0.22, 0.36, 0.10), (0.50, 0.56, 0.20), smoothstep(-1.8, 2.2, patches))
    return np.asarray(green * np.clip(1.0 + 0.2 * blades, 0.35, 1.6)[..., None])


def _bordered(
    ground: FloatArray,
    down: FloatArray,
    right: FloatArray,
    rough: FloatArray,
    rng: np.random.Generator,
) -> FloatArray:
    """Let grass grow in from the lower edge, ragged."""
    shape = (ground.shape[0], ground.shape[1])
    tufts = smooth_noise(shape, max(side_of(shape) / 110, 1.0), rng)
    edge = down - down.max() + 0.75 + 0.12 * np.sin(0.9 * right + rng.uniform(0, 6))
    grass = smoothstep(-0.03, 0.03, edge + 0.05 * tufts + 0.04 * rough)
    earth = bump(edge, 0.14) * (1 - grass)
    return mix(ground * tint(earth, (0.25, 0.3, 0.38)), _turf(shape, rng), grass)


def _depth_in_shadow(shape: tuple[int, int], rng: np.random.Generator) -> FloatArray:
    """Return the depth of each point in the shadow, in sides of the picture; negative in light.

    A tree: a crown of overlapping discs, joined smoothly, and a trunk that leaves the picture.
    """
    side = side_of(shape)
    down, right = axes(shape)
    row, col = rng.uniform(0.30, 0.42), rng.uniform(0.52, 0.66)
    down, right = (down - row) * shape[0] / side, (right - col) * shape[1] / side
    lean = rng.uniform(-0.25, -0.1)
    # The smooth union sums exp(depth / softness); 0.02 rounds the notches between the leaves.
    softness = np.float32(0.02)
    total = np.exp((_trunk(down, right, lean)) / softness)
    angles = np.linspace(0, 2 * np.pi, 11, endpoint=False) + rng.uniform(-0.15, 0.15, 11)
    for angle in angles:
        reach, radius = rng.uniform(0.15, 0.21), rng.uniform(0.07, 0.10)
        away = np.hypot(down - 0.85 * reach * np.sin(angle), right - 1.15 * reach * np.cos(angle))
        total += np.exp((radius - away) / softness)
    total += np.exp((0.17 - np.hypot(down, right)) / softness)
    # Ripples of twigs: smooth, and small against the discs, so the edge stays one curve.
    twigs = 0.006 * smooth_noise(shape, side / 28, rng)
    return np.asarray(softness * np.log(np.maximum(total, 1e-30)) + twigs, dtype=np.float32)


def _trunk(down: FloatArray, right: FloatArray, lean: float) -> FloatArray:
    along = np.clip(down, 0.0, 10.0)
    return np.asarray(0.028 + 0.012 * along - np.hypot(down - along, right - lean * along))
