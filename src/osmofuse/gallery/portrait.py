"""Portrait, another person registered to it, and the second face in the light of the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from osmofuse.gallery.bust import Canvas, Look, paint_bust, prepare_canvas
from osmofuse.gallery.face import Features
from osmofuse.gallery.scene import Colour, Scene, checked_shape, finished, generator
from osmofuse.gallery.texture import mix, smoothstep
from osmofuse.typing import Array, FloatArray

_SITTER = Features()
_GUEST = Features(
    eye_height=0.055, eye_width=0.155, eye_apart=0.32, iris=(0.32, 0.20, 0.12),
    brow_width=0.046, brow_arch=0.03, brow_dark=0.62, nose_width=0.135, nose_length=0.34,
    lip_height=0.07, lip_width=0.25, smile=0.045, lip_red=0.30, cheek=0.05, chin=0.09,
    beard=0.22, fold=0.03,
)  # fmt: skip


_WARM = Look(
    skin=(0.86, 0.64, 0.51), hair=(0.34, 0.20, 0.11), cloth=(0.17, 0.30, 0.32),
    wall=(0.50, 0.45, 0.37), light=(-0.45, 0.5, 0.74), sun=(0.92, 0.87, 0.78),
    ambient=(0.26, 0.25, 0.27),
)  # fmt: skip
# Another tint and a harder contrast, but nearly the same direction: a fusion can change the colour
# of a shadow, not the side it falls on, and the truth must be within its reach.
_COOL = Look(
    skin=(0.82, 0.62, 0.52), hair=(0.10, 0.09, 0.09), cloth=(0.48, 0.16, 0.15),
    wall=(0.34, 0.40, 0.46), light=(-0.25, 0.55, 0.8), sun=(0.92, 1.02, 1.14),
    ambient=(0.12, 0.15, 0.20),
)  # fmt: skip


def portrait(shape: Sequence[int] = (480, 400), seed: int = 0) -> Scene:
    """Draw two registered portraits and the second face in the light of the first.

    Parameters
    ----------
    shape : sequence of int
        Rows and columns; the head fills the smaller of them.
    seed : int
        Varies both faces, hair and wall.

    Returns
    -------
    Scene
        The sitter, the guest (other features, other light), a map that is 0 in the face and 1
        outside it with a soft ring, and the guest's face with the sitter's skin and light.
        `truth` equals `foreground` bit for bit wherever `alpha` is 1.

    Examples
    --------
    >>> scene = portrait((48, 40))
    >>> scene.background.shape, float(scene.alpha[0, 0]), float(scene.alpha[22, 20])
    ((48, 40, 3), 1.0, 0.0)
    """
    size, rng = checked_shape(shape), generator(seed)
    canvas = prepare_canvas(size, rng)
    sitter, guest = _varied(_SITTER, rng), _varied(_GUEST, rng)
    warm, cool = _dressed(_WARM, rng), _dressed(_COOL, rng)
    foreground = paint_bust(canvas, sitter, warm)
    alpha = _ring(canvas)
    grafted = paint_bust(canvas, guest, warm)
    return Scene(
        name="portrait",
        foreground=foreground,
        background=paint_bust(canvas, guest, cool),
        alpha=alpha,
        truth=finished(mix(foreground, grafted, 1.0 - alpha)),
    )


def _varied(face: Features, rng: np.random.Generator) -> Features:
    """Return the same kind of face with every length a few per cent off."""
    names = ("eye_height", "eye_width", "brow_width", "brow_arch", "nose_width", "lip_height")
    factors = 1.0 + 0.10 * np.clip(rng.standard_normal(len(names)), -2, 2)
    changes = {name: getattr(face, name) * float(f) for name, f in zip(names, factors, strict=True)}
    return replace(face, **changes)


def _dressed(look: Look, rng: np.random.Generator) -> Look:
    """Return the same light on other cloth, hair and wall."""
    factors = rng.uniform(0.72, 1.3, (3, 3)) * rng.uniform(0.8, 1.25, (3, 1))
    # Hair may be lighter or darker, but not green.
    factors[0] = factors[0].mean()
    old = (look.hair, look.cloth, look.wall)
    hair, cloth, wall = (_scaled(colour, f) for colour, f in zip(old, factors, strict=True))
    return replace(look, hair=hair, cloth=cloth, wall=wall)


def _scaled(colour: Colour, factors: Array) -> Colour:
    red, green, blue = (float(c * f) for c, f in zip(colour, factors, strict=True))
    return red, green, blue


def _ring(canvas: Canvas) -> FloatArray:
    """Return 0 in the oval that holds eyes, nose and mouth, 1 outside, soft between."""
    radius = np.hypot(canvas.right / 0.60, (canvas.down - 0.17) / 0.71)
    return finished(smoothstep(0.86, 1.08, radius))
