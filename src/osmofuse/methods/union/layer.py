r"""The missing layer: the integral of the structure that is to be added, 0 on the sound ground.

.. math::

    \psi = \arg\min \sum_e (\Delta\psi - \bar a\, g\, \Delta b)^2
         + \sum_i \Big[\frac{t_i}{R^2} + \frac{(1 - m_i)^4}{(3s)^2}\Big] \psi_i^2,
    \qquad t = \frac{1}{(1 + \psi^2/\kappa^2)^2}:

the tie t lets go of strong strokes and holds the ground, wherever that is.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from osmofuse.filters import MAD, smooth
from osmofuse.linalg.integral import Integral
from osmofuse.maps.auto_alpha import smoothstep
from osmofuse.methods.statistics import Statistics, gridded, ranked
from osmofuse.methods.union.bands import TINY, Structure
from osmofuse.methods.union.missing import Missing
from osmofuse.methods.union.settings import UnionSettings
from osmofuse.optimise.rof import rof_by_grids, set_primal
from osmofuse.typing import BoolArray, FloatArray

TIE_CYCLES = 4  # V-cycles of the first solve: more change the layer by less than 0.001
# Windows of the ground's level in passes, in halves of the reach.
LEVEL_WINDOWS = 4, 2, 1, 1, 1, 1
LEAST_SPREAD = 0.001  # of the ground, in the logarithm
FINE_BANDS = 4  # whose noise is seen as grain
ROF_BATCH = 10  # iterations, which mostly are enough
ROF_ACCURACY = 1e-3  # of the logarithm: a quarter of a grey level at white


def layer_of(
    structure: Structure, missing: Missing, reach: float, k: UnionSettings, known: Statistics
) -> FloatArray:
    """Return the layer before it is cleaned."""
    m, held = missing.m, reach**-2.0
    sure = np.square(np.square(1.0 - m)) / np.float32((k.reach * structure.scale) ** 2)
    integral = Integral((m.shape[0], m.shape[1]))
    integral.set_mixed([np.float32(missing.gain) * structure.b], [missing.a])
    integral.set_mass(held)
    psi = integral.cycle(TIE_CYCLES)
    psi -= ground_level(psi, reach, known)
    kappa = known("kappa", lambda: k.tie_width * strength(psi, m))
    integral.set_start(psi)
    return integral.tied(k.rounds, held, kappa, sure)


def strength(psi: FloatArray, m: FloatArray) -> float:
    """Return the root mean square of a layer where something is missing."""
    energy = float(np.sum(m * np.square(psi), dtype=np.float64))
    return max(math.sqrt(energy / (float(m.sum(dtype=np.float64)) + TINY)), LEAST_SPREAD)


def ground_level(psi: FloatArray, reach: float, known: Statistics) -> FloatArray:
    """Return the robust level of a layer, by normalised convolutions from coarse to fine."""
    level: FloatArray = np.full_like(psi, known.percentile("level", psi, 50.0))
    for number, width in enumerate(LEVEL_WINDOWS):
        e = psi - level
        weight = robust_weight(e, known(f"spread {number}", partial(deviation, e)))
        sigma = 0.5 * reach * width
        level = smooth(weight * psi, sigma)
        level /= np.maximum(smooth(weight, sigma), np.float32(1e-9))
    return level


def robust_weight(e: FloatArray, spread: float) -> FloatArray:
    """Turn deviations into weights, in place: 1 near 0, 1/4 at the spread."""
    e /= np.float32(spread)
    e *= e
    e += np.float32(1.0)
    e *= e
    return np.divide(np.float32(1.0), e, out=e)


def deviation(e: FloatArray) -> float:
    """Return the robust standard deviation of a plane."""
    samples = gridded(e)
    return max(MAD * ranked(np.abs(samples - ranked(samples, 50.0)), 50.0), LEAST_SPREAD)


def energy(psi: FloatArray, part: BoolArray) -> float:
    """Return the sum of squares of a part of a layer."""
    return float(np.square(psi[part]).sum(dtype=np.float64))


def cleaned(
    psi: FloatArray, structure: Structure, missing: Missing, k: UnionSettings, known: Statistics
) -> FloatArray:
    """Return the layer without the weaker of two unequal signs, and without noise.

    Ink has no bright side; tooling has both. Total variation takes a share of contrast from a
    stroke that falls with its width, so wide strokes bear more smoothing.
    """
    sigma = missing.gain * math.sqrt(sum(structure.noise[:FINE_BANDS]))
    bright, dark = (
        known(name, partial(energy, psi, part))
        for name, part in (("bright", psi > 2 * sigma), ("dark", psi < -2 * sigma))
    )
    first, last = k.one_sided
    up, down = (
        np.float32(smoothstep((ratio - first) / (last - first)))
        for ratio in (bright / max(dark, float(TINY)), dark / max(bright, float(TINY)))
    )
    width = k.reach * structure.scale
    return without_grain(np.where(psi > 0, psi * up, psi * down), k.smoothing * width * sigma)


def without_grain(psi: FloatArray, size: float) -> FloatArray:
    r"""Return the minimiser of :math:`\mathrm{TV}(\cdot) + |\cdot - \psi|^2 / \text{size}`."""
    if size <= 0:
        return psi
    tau = np.float32(0.5 * size)
    y = rof_by_grids(psi[None], 0.5 * size, accuracy=ROF_ACCURACY, batch=ROF_BATCH).state.y
    kept = np.empty_like(psi)
    set_primal(kept[None], y, psi[None] / tau)
    kept *= tau
    return kept
