r"""Nuisances of real pictures, added to any scene: uneven light, noise, blur, dust, show-through.

A nuisance is a name, or a name with its strength: ``nuisance=("dark", ("noise", 0.04))``. Several
act in the order of the light's path (page, lens, sensor, file), however they are listed, and each
has random numbers of its own, so that it is the same alone and with others.

.. list-table::
   :header-rows: 1

   * - name
     - strength (default, range)
     - effect
   * - wide, fine
     - width of strokes in pixels (24 and 2, 1 to 40)
     - larger or smaller writing; other scenes are enlarged or reduced
   * - faint
     - share of the lost contrast that is left (0.03, 0 to 1)
     - the foreground shows so much of what the truth has and it lacks
   * - pigment
     - transparency (1, 0 to 1)
     - dark strokes that the foreground keeps vanish from the background
   * - verso
     - density (0.35, 0 to 1)
     - mirrored writing shows through, half as strong in the background
   * - shift
     - largest displacement in pixels (1, 0 to 4)
     - the background is out of register, smoothly
   * - blur
     - standard deviation in pixels (1.5, 0 to 10)
     - the background is less sharp
   * - gain
     - factor (0.5, 0.05 to 2)
     - exposure of the background; "dark" is a gain of 0.3
   * - ramp
     - fall from the upper left to the lower right (0.5, 0 to 0.95)
     - light that falls off across the background
   * - vignette
     - fall from the middle to the corners (0.5, 0 to 0.95)
     - light that falls off towards the background's corners
   * - clipped
     - share of pixels (0.2, 0 to 0.9)
     - the brightest ones of the background have one value
   * - noise
     - deviation relative to white (0.04, 0 to 0.5)
     - background, and 3/8 as much in the foreground; signal-dependent
   * - dust
     - share of pixels (0.001, 0 to 0.1)
     - specks of dust and dead pixels in both pictures
   * - jpeg
     - quality (60, 1 to 100)
     - both pictures are compressed
   * - border
     - width as a share of the side (0.04, 0 to 0.4)
     - the background is black along its rim

"hard" is blur, gain, ramp and noise, see `hard`; "all" is every one of them but wide and
fine, which exclude each other.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from osmofuse.errors import InputError, did_you_mean
from osmofuse.gallery.scene import Scene
from osmofuse.gallery.wear import NUISANCES, hard

Nuisance: TypeAlias = str | tuple[str, float]
Nuisances: TypeAlias = Nuisance | Sequence[Nuisance]


def worn(scene: Scene, seed: int, nuisance: Nuisances, *, drawn: Sequence[str] = ()) -> Scene:
    """Return a scene with nuisances added; truth and map stay what a perfect method knows.

    Parameters
    ----------
    scene : Scene
        Scene as drawn.
    seed : int
        Seed of the scene.
    nuisance : str, tuple of str and float, or sequence of them
        Nuisances with their strengths, see the list above; () for none.
    drawn : sequence of str
        Nuisances that the scene's own drawing took care of.

    Returns
    -------
    Scene
        With the same name, shape and types.

    Raises
    ------
    InputError
        A name is unknown or stands twice, a strength is out of its range, or two exclude
        each other.
    """
    for name, strength in strengths(nuisance).items():
        if name == "hard":
            scene = hard(scene, np.random.default_rng(1000 + seed))
        elif name not in drawn:
            # The name is part of the seed: a nuisance is the same alone and with others.
            rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
            scene = NUISANCES[name].apply(scene, strength, rng)
    return scene


def stroke_width(nuisance: Nuisances) -> float | None:
    """Return the width of strokes that `wide` or `fine` ask for, in pixels, or None."""
    asked = strengths(nuisance)
    return asked.get("wide", asked.get("fine"))


def strengths(nuisance: Nuisances) -> dict[str, float]:
    """Return the strength of each nuisance asked for, in the order in which they act."""
    asked: dict[str, float] = {}
    for name, strength in map(_read, _listed(nuisance)):
        for part, value in _expanded(name, strength).items():
            if part in asked:
                raise InputError(f"nuisance {part!r} is asked for twice; leave one of them out")
            asked[part] = value
    if {"wide", "fine"} <= set(asked):
        raise InputError("nuisances 'wide' and 'fine' exclude each other; leave one of them out")
    order = ["hard", *NUISANCES]
    return {name: asked[name] for name in sorted(asked, key=order.index)}


def _listed(nuisance: Nuisances) -> list[Nuisance]:
    if isinstance(nuisance, str):
        return [nuisance]
    listed: list[Nuisance] = list(_sequence(nuisance))
    # ("noise", 0.04) is one nuisance with its strength, ("noise", "blur") are two.
    if len(listed) == 2 and isinstance(listed[0], str) and not isinstance(listed[1], Sequence):
        return [(listed[0], listed[1])]
    return listed


def _sequence(nuisance: object) -> Sequence[Any]:
    """Return a list, tuple or array of nuisances as it is, or raise InputError."""
    if isinstance(nuisance, bytes) or not isinstance(nuisance, Sequence | np.ndarray):
        raise InputError(
            f"nuisance must be a name, (name, strength) or a sequence of them, not {nuisance!r}; "
            'give for example ("dark", ("noise", 0.04)), or () for none'
        )
    return nuisance  # type: ignore[return-value]


def _read(nuisance: Nuisance) -> tuple[str, float | None]:
    """Return name and strength; None for the default strength."""
    pair = (nuisance, None) if isinstance(nuisance, str) else tuple(_sequence(nuisance))
    if len(pair) != 2:
        raise InputError(f"nuisance {nuisance!r} must be a name and its strength; "
                         'give for example ("noise", 0.04)')  # fmt: skip
    name, strength = pair
    known = [*NUISANCES, "dark", "hard", "all"]
    if name not in known:
        raise InputError(f"no nuisance is called {name!r}{did_you_mean(name, known)}; "
                         f"there are {', '.join(known)}")  # fmt: skip
    if strength is None:
        return name, None
    if name not in NUISANCES:
        raise InputError(f"nuisance {name!r} has no strength; give the name alone")
    kind = NUISANCES[name]
    number = isinstance(strength, Real) and not isinstance(strength, bool)
    if not (number and kind.least <= strength <= kind.most):
        raise InputError(
            f"strength of nuisance {name!r} must be {kind.least:g} to {kind.most:g}, "
            f"not {strength!r}; give for example ({name!r}, {kind.default:g})"
        )
    return name, float(strength)


def _expanded(name: str, strength: float | None) -> dict[str, float]:
    """Return the nuisances that a name stands for."""
    if name == "dark":
        return {"gain": 0.3}
    if name == "hard":
        return {"hard": 1.0}
    if name == "all":
        return {n: kind.default for n, kind in NUISANCES.items() if n not in ("wide", "fine")}
    return {name: NUISANCES[name].default if strength is None else strength}
