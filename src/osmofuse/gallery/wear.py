"""Effects of nuisances on a scene, each a function of the scene, a strength and random numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from scipy import ndimage

from osmofuse.gallery.scene import Scene, axes, finished, side_of
from osmofuse.gallery.texture import fractal_noise, smooth_noise, smoothstep
from osmofuse.typing import FloatArray

Apply: TypeAlias = Callable[[Scene, float, np.random.Generator], Scene]

# Deviation of a foreground's noise relative to that of its infrared picture: 1.5 % and 4 %.
FOREGROUND_NOISE = 0.375
# Share of the noise's variance that does not depend on the signal: read noise.
READ_NOISE = 0.3
# Quantile that stands for white: a few glints are not.
WHITE = 99.0
# Smallest detail of scenes without writing, as a share of the side; anything in 0.01..0.04 works.
DETAIL = 0.02
# Enlargement of scenes without writing: beyond, too little of the scene is left.
LEAST_SCALE, MOST_SCALE = 1 / 3, 3.0


@dataclass(frozen=True)
class Kind:
    """Strength of a nuisance: default and range; and the function that adds it."""

    default: float
    least: float
    most: float
    apply: Apply


def hard(scene: Scene, rng: np.random.Generator) -> Scene:
    r"""Return a scene with a dark, uneven, noisy and blurred background.

    b is blurred by 0.7 pixels and multiplied by 0.3 (1 - 0.5 (0.6 x + 0.4 y)), x and y from 0 to 1
    over columns and rows. Then noise: :math:`0.04\, q \sqrt{0.3 + 0.7\, b/q}\, N` with q the 99th
    percentile of b, and :math:`0.015 \sqrt{0.3 + 0.7 f}\, N` on f.
    """
    rows, cols = scene.foreground.shape[:2]
    y, x = np.linspace(0, 1, rows)[:, None], np.linspace(0, 1, cols)[None, :]
    light = 0.3 * (1.0 - 0.5 * (0.6 * x + 0.4 * y))

    def dimmed(b: FloatArray) -> FloatArray:
        b = _over_bands(_blurred(b, 0.7), light)
        return _noisy(b, 0.04, float(np.percentile(b, WHITE)), rng)

    # The background's random numbers come first.
    scene = _backgrounds(scene, dimmed)
    return replace(scene, foreground=finished(_noisy(scene.foreground, 0.015, 1.0, rng)))


def _backgrounds(scene: Scene, change: Callable[[FloatArray], FloatArray]) -> Scene:
    """Return the scene with each background changed."""
    b = scene.background
    if b is None:
        return scene
    if isinstance(b, tuple):
        return replace(scene, background=tuple(finished(change(x)) for x in b))
    return replace(scene, background=finished(change(b)))


def _both(scene: Scene, change: Callable[[FloatArray], FloatArray]) -> Scene:
    """Return the scene with backgrounds, foreground and panels changed."""
    scene = _backgrounds(scene, change)
    panels = tuple(replace(p, picture=finished(change(p.picture))) for p in scene.panels)
    return replace(scene, foreground=finished(change(scene.foreground)), panels=panels)


def _over_bands(picture: FloatArray, plane: FloatArray) -> FloatArray:
    """Return the product of a picture and a plane."""
    return np.asarray(picture * (plane if picture.ndim == 2 else plane[..., None]))


def _blurred(picture: FloatArray, sigma: float) -> FloatArray:
    return np.asarray(ndimage.gaussian_filter(picture, sigma, mode="nearest", axes=(0, 1)))


def _noisy(x: FloatArray, deviation: float, white: float, rng: np.random.Generator) -> FloatArray:
    """Return x plus read noise and shot noise; `deviation` is that at white, relative to it."""
    spread = deviation * white * np.sqrt(READ_NOISE + (1 - READ_NOISE) * x / white)
    return np.asarray(x + spread * rng.standard_normal(x.shape))


def _faint(scene: Scene, left: float, rng: np.random.Generator) -> Scene:
    """Set the share of the lost contrast that the foreground still shows."""
    own = scene.contrast_left
    share = (left - own) / (1.0 - own)
    mixed = scene.foreground + np.float32(share) * (scene.truth - scene.foreground)
    return replace(scene, foreground=finished(mixed))


def _pigment(scene: Scene, strength: float, rng: np.random.Generator) -> Scene:
    """Take dark strokes out of the background, in patches where the foreground is kept."""
    kept = scene.alpha[0] if isinstance(scene.alpha, tuple) else scene.alpha
    shape = (kept.shape[0], kept.shape[1])
    patches = fractal_noise(shape, 0.25 * side_of(shape), rng, octaves=2)
    clear = np.float32(strength) * smoothstep(-0.1, 0.1, patches) * smoothstep(0.9, 1.0, kept)
    return _backgrounds(scene, lambda b: b + _over_bands(_ink(b), clear))


def _ink(picture: FloatArray) -> FloatArray:
    """Return how much darker a picture is than the ground around, by a closing."""
    rows, cols = picture.shape[:2]
    width = 2 * max(round(0.02 * side_of((rows, cols))), 1) + 1
    size = (width, width) if picture.ndim == 2 else (width, width, 1)
    return np.asarray(ndimage.grey_closing(picture, size) - picture)


def _verso(scene: Scene, density: float, rng: np.random.Generator) -> Scene:
    """Show mirrored writing through the page; truth has it too, since the page has."""
    first = scene.background[0] if isinstance(scene.background, tuple) else scene.background
    source = scene.truth if first is None else first
    ink = _ink(source if source.ndim == 2 else source.mean(axis=2))[:, ::-1]
    ink = ink / max(float(np.percentile(ink, WHITE)), 1e-3)
    # Light scatters in the page: what shines through is soft.
    soft = _blurred(np.clip(ink, 0, 1), 0.004 * side_of((ink.shape[0], ink.shape[1])) + 0.5)
    through = 1.0 - density * soft
    front = replace(
        scene,
        foreground=finished(_over_bands(scene.foreground, through)),
        truth=finished(_over_bands(scene.truth, through)),
    )
    return _backgrounds(front, lambda b: _over_bands(b, 1.0 - 0.5 * density * soft))


def _shift(scene: Scene, most: float, rng: np.random.Generator) -> Scene:
    """Displace the background by a smooth field whose longest vector has this length."""
    rows, cols = scene.foreground.shape[:2]
    grain = 0.5 * side_of((rows, cols))
    field = np.stack([smooth_noise((rows, cols), grain, rng) for _ in range(2)])
    field *= most / max(float(np.hypot(*field).max()), 1e-6)
    places = np.indices((rows, cols)) + field

    def warped(plane: FloatArray) -> FloatArray:
        return np.asarray(ndimage.map_coordinates(plane, places, order=3, mode="nearest"))

    def change(b: FloatArray) -> FloatArray:
        bands = b[..., None] if b.ndim == 2 else b
        moved = np.stack([warped(bands[..., c]) for c in range(bands.shape[2])], axis=-1)
        return moved.reshape(b.shape)

    return _backgrounds(scene, change)


def _blur(scene: Scene, sigma: float, rng: np.random.Generator) -> Scene:
    return _backgrounds(scene, lambda b: _blurred(b, sigma))


def _gain(scene: Scene, factor: float, rng: np.random.Generator) -> Scene:
    return _backgrounds(scene, lambda b: b * np.float32(factor))


def _ramp(scene: Scene, fall: float, rng: np.random.Generator) -> Scene:
    down, right = axes(scene.foreground.shape[:2])
    return _backgrounds(scene, lambda b: _over_bands(b, 1 - fall * (0.6 * right + 0.4 * down)))


def _vignette(scene: Scene, fall: float, rng: np.random.Generator) -> Scene:
    down, right = axes(scene.foreground.shape[:2])
    away = 2.0 * ((down - 0.5) ** 2 + (right - 0.5) ** 2)
    return _backgrounds(scene, lambda b: _over_bands(b, 1.0 - fall * away))


def _clipped(scene: Scene, share: float, rng: np.random.Generator) -> Scene:
    return _backgrounds(scene, lambda b: np.minimum(b, np.percentile(b, 100 * (1 - share))))


def _noise(scene: Scene, deviation: float, rng: np.random.Generator) -> Scene:
    scene = _backgrounds(
        scene, lambda b: _noisy(b, deviation, max(float(np.percentile(b, WHITE)), 1e-3), rng)
    )
    noisy = _noisy(scene.foreground, FOREGROUND_NOISE * deviation, 1.0, rng)
    return replace(scene, foreground=finished(noisy))


def _dust(scene: Scene, share: float, rng: np.random.Generator) -> Scene:
    """Scatter dead pixels, black or white, and specks that darken."""

    def dusty(x: FloatArray) -> FloatArray:
        shape = (x.shape[0], x.shape[1])
        radius = max(0.003 * side_of(shape), 0.8)
        seeds = rng.random(shape) < share / (4 * radius**2)
        specks = _blurred(seeds.astype(np.float32), radius) * (2 * math.pi * radius**2)
        x = _over_bands(x, 1.0 - 0.6 * np.clip(specks, 0, 1))
        dead = rng.random(shape) < 0.5 * share
        x[dead] = rng.integers(0, 2, shape)[dead].reshape((-1,) + (1,) * (x.ndim - 2))
        return x

    return _both(scene, dusty)


def _jpeg(scene: Scene, quality: float, rng: np.random.Generator) -> Scene:
    return _both(scene, lambda x: _compressed(x, round(quality)))


def _compressed(picture: FloatArray, quality: int) -> FloatArray:
    """Return a picture after a round trip through a real JPEG."""
    import pyvips

    levels = np.rint(255.0 * picture).astype(np.uint8)
    data = pyvips.Image.new_from_array(levels).jpegsave_buffer(Q=quality)
    back = pyvips.Image.jpegload_buffer(data).numpy()
    return np.asarray(back.reshape(picture.shape) / np.float32(255.0))


def _border(scene: Scene, share: float, rng: np.random.Generator) -> Scene:
    """Blacken a rim whose width differs from side to side."""
    rows, cols = scene.foreground.shape[:2]
    top, bottom, left, right = np.rint(
        share * side_of((rows, cols)) * rng.uniform(0.5, 1.0, 4)
    ).astype(int)
    inside = np.zeros((rows, cols), np.float32)
    inside[top : rows - bottom, left : cols - right] = 1.0
    return _backgrounds(scene, lambda b: _over_bands(b, inside))


def _resized(scene: Scene, stroke: float, rng: np.random.Generator) -> Scene:
    """Enlarge the middle of a scene, or repeat it reduced and mirrored."""
    rows, cols = scene.foreground.shape[:2]
    scale = stroke / max(DETAIL * side_of((rows, cols)), 1.0)
    scale = min(max(scale, LEAST_SCALE), MOST_SCALE)

    def change(x: FloatArray) -> FloatArray:
        return finished(_enlarged(x, scale) if scale > 1 else _repeated(x, scale))

    alpha = scene.alpha
    scene = replace(
        scene,
        panels=(),  # exposures do not grow with the mosaic
        foreground=change(scene.foreground),
        truth=change(scene.truth),
        alpha=tuple(map(change, alpha)) if isinstance(alpha, tuple) else change(alpha),
    )
    return _backgrounds(scene, change)


def _enlarged(x: FloatArray, scale: float) -> FloatArray:
    inner = [max(math.ceil(n / scale), 2) for n in x.shape[:2]]
    top, left = ((n - k) // 2 for n, k in zip(x.shape, inner, strict=False))
    part = x[top : top + inner[0], left : left + inner[1]]
    return _zoomed(part, x.shape[:2])


def _repeated(x: FloatArray, scale: float) -> FloatArray:
    rows, cols = x.shape[:2]
    small = _zoomed(
        _blurred(x, 0.5 / scale), (max(round(scale * rows), 2), max(round(scale * cols), 2))
    )
    after = [(0, n - k) for n, k in zip((rows, cols), small.shape, strict=False)]
    return np.asarray(np.pad(small, after + [(0, 0)] * (x.ndim - 2), mode="symmetric"))


def _zoomed(x: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    factors = [n / k for n, k in zip(shape, x.shape, strict=False)] + [1.0] * (x.ndim - 2)
    return np.asarray(ndimage.zoom(x, factors, order=1, mode="nearest", grid_mode=True))


# In the order of the light's path: page, lens, sensor, file.
NUISANCES: dict[str, Kind] = {
    "wide": Kind(24.0, 1.0, 40.0, _resized),
    "fine": Kind(2.0, 1.0, 40.0, _resized),
    "faint": Kind(0.03, 0.0, 1.0, _faint),
    "pigment": Kind(1.0, 0.0, 1.0, _pigment),
    "verso": Kind(0.35, 0.0, 1.0, _verso),
    "shift": Kind(1.0, 0.0, 4.0, _shift),
    "blur": Kind(1.5, 0.0, 10.0, _blur),
    "gain": Kind(0.5, 0.05, 2.0, _gain),
    "ramp": Kind(0.5, 0.0, 0.95, _ramp),
    "vignette": Kind(0.5, 0.0, 0.95, _vignette),
    "clipped": Kind(0.2, 0.0, 0.9, _clipped),
    "noise": Kind(0.04, 0.0, 0.5, _noise),
    "dust": Kind(0.001, 0.0, 0.1, _dust),
    "jpeg": Kind(60.0, 1.0, 100.0, _jpeg),
    "border": Kind(0.04, 0.0, 0.4, _border),
}
