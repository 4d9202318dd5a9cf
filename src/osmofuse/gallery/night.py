"""Yard by night with people in dark clothes, and the picture of a thermal camera that sees them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from osmofuse.gallery.nuisance import Nuisances, worn
from osmofuse.gallery.scene import Scene, axes, checked_shape, finished, generator, side_of
from osmofuse.gallery.shadow import shadow
from osmofuse.gallery.texture import bump, fractal_noise, mix, smoothstep
from osmofuse.typing import FloatArray

# Light of the night sky, and of the lamp where it is brightest.
_SKY, _LAMP = 0.16, 0.75
# People unseen, and as they would be seen.
_CLOTHES, _LAMP_LIT = (0.05, 0.05, 0.06), (0.40, 0.39, 0.38)
# Of the thermal camera: level of the ground, and people above it.
_NIGHT_GROUND, _WARM_BODY = 0.38, 0.3
_PEOPLE = 3
# Discs of a person, in heights: down, right, radius.
_BODY = (
    (0.08, 0.0, 0.08),
    (0.27, -0.03, 0.10), (0.27, 0.03, 0.10), (0.40, 0.0, 0.11), (0.52, 0.0, 0.10),
    *((0.60 + 0.08 * k, side * (0.04 + 0.015 * k), 0.055) for k in range(5) for side in (-1, 1)),
)  # fmt: skip


def night(shape: Sequence[int] = (400, 520), seed: int = 0, *, nuisance: Nuisances = ()) -> Scene:
    """Draw a yard by night with people in it, its thermal picture, and the yard with people seen.

    Parameters
    ----------
    shape : sequence of int
        Rows and columns; yard and people grow with the picture.
    seed : int
        Chooses yard, lamp and people.
    nuisance : str, tuple of str and float, or sequence of them
        Nuisances of real pictures, see `osmofuse.gallery.nuisance`.

    Returns
    -------
    Scene
        The dark yard, a thermal picture of one band, a map that is 0 on the people and 1
        elsewhere, and the yard with people as visible as at dusk. `truth` equals `foreground` bit
        for bit where `alpha` is 1.

    Examples
    --------
    >>> scene = night((40, 52))
    >>> scene.background.shape, bool((scene.truth >= scene.foreground).all())
    ((40, 52), True)
    """
    size, rng = checked_shape(shape), generator(seed)
    down, right = axes(size)
    away = np.hypot(down - rng.uniform(0.1, 0.4), right - rng.uniform(0.7, 0.9))
    yard = shadow(size, seed).truth * (_SKY + _LAMP * bump(away, 0.2))[..., None]
    people = _people(size, rng)
    visible = finished(mix(yard, _CLOTHES, 0.8 * people))
    seen = finished(mix(yard, _LAMP_LIT, people))
    ground = _NIGHT_GROUND + 0.02 * fractal_noise(size, side_of(size) / 4, rng)
    skin = 1.0 + 0.1 * fractal_noise(size, side_of(size) / 40, rng, octaves=2)
    scene = Scene(
        name="night",
        foreground=visible,
        background=finished(ground + _WARM_BODY * people * skin),
        alpha=finished(people == 0),
        truth=np.maximum(visible, seen),
    )
    return worn(scene, seed, nuisance)


def _people(shape: tuple[int, int], rng: np.random.Generator) -> FloatArray:
    """Return the cover of all people, standing where the lamp does not shine."""
    side = side_of(shape)
    down, right = (part * n / side for part, n in zip(axes(shape), shape, strict=True))
    edge = max(0.004, 0.7 / side)
    cover = np.zeros(shape, np.float32)
    for k in range(_PEOPLE):
        height = rng.uniform(0.2, 0.26)
        top = rng.uniform(0.35, 0.6) * shape[0] / side
        middle = (0.12 + 0.2 * k + rng.uniform(-0.03, 0.03)) * shape[1] / side
        for row, col, radius in _BODY:
            off = np.hypot(down - top - height * row, right - middle - height * col)
            np.maximum(cover, smoothstep(edge, -edge, off - height * radius), out=cover)
    return cover
