r"""Visibility of the boundary of a fusion: 0 invisible, near 1 a cut.

The boundary is the line where alpha crosses 0.5. At each of its pixels, in Gaussian windows,
the fused picture inside (:math:`\alpha < 0.5`) is compared with the picture outside, on the
scale l of :mod:`osmofuse.metrics.boundary`:

- *step*, the jump of lightness and chromaticity. With :math:`\Delta_\sigma` the difference of the
  means inside and outside, :math:`(3 \Delta_{1.5} - \Delta_3)/2`: a slope makes
  :math:`\Delta` grow with the window, a jump does not, so this halves the slopes;
- *level*, the change of lightness and chromaticity from :math:`\alpha = 1` to :math:`\alpha = 0`,
  however wide the transition: the t that fits :math:`\nabla \ell \approx t \nabla(1 - \alpha)` by
  least squares, on means of blocks of four pixels. Gradients, since those of natural pictures are
  nearly uncorrelated, unlike the pixels themselves;
- *line*, the jump of the gradient: the mean on the two pixels along the boundary, minus that of
  the two sides next to it;
- *detail*, the part of the detail inside that is lost or added
  (:mod:`osmofuse.metrics.boundary_detail`).

From each the part is subtracted that the sources explain: edges of the scene, adjusted to the
brightness of the fused picture (in a shadow all jumps of l are smaller). From the square of step
and line, twice the variance that texture of deviation s on the two sides causes by chance is
subtracted. The remainder e has the visibility :math:`V = e/(e + c + 0.3 s)`: strong texture hides a
weak seam. It neither causes nor hides a level, fitted to many pixels, which has
:math:`V = e/(e + c)`. V of the detail is the part itself. The four combine as
:math:`1 - \prod (1 - V)`; the score is the mean along the boundary.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from osmofuse.errors import InputError
from osmofuse.metrics.boundary import (
    LEAST_IN_WINDOW,
    TOLERANCE,
    block_means,
    box_around,
    checked_sources,
    gradient,
    lightness_and_chroma,
    one_map,
    relative_log,
    unexplained,
    windowed,
)
from osmofuse.metrics.boundary_detail import unexplained_detail
from osmofuse.metrics.metric import Metric
from osmofuse.typing import Array, BoolArray, FloatArray

# The constants c: e of visibility 1/2 between flat sides. Fitted, like the masking by texture, to
# faults injected into gallery scenes (docs/boundary.md).
_STEP_HALF, _LEVEL_HALF, _LINE_HALF = 0.05, 0.5, 0.15
_MASKING = 0.3
# Twice the variance of the extrapolated step, and of the line, by texture of variance 1: half a
# window of sigma 1.5 holds some 14 independent pixels, the line's part of it 7.
_STEP_NOISE, _LINE_NOISE = 2 * 2 * 1.5**2 / 14, 2 * 1 / 7
_LEVEL_BLOCK = 4  # side of the blocks of the level's fit, so that the sigma of its windows is 6
# Added to the mean square of alpha's gradient, so that transitions above some 100 pixels have no
# level; 1e-3..4e-3 change scores by 0.02.
_LEAST_SLOPE = 2e-3
_FACTORS = 0.5, 4.0  # limits of the ratio of brightness; anything in 0.25..0.7 and 2..8 works


def seam_visibility(
    fused: FloatArray,
    foreground: FloatArray | None,
    background: FloatArray | None,
    alpha: FloatArray,
) -> float:
    """Return the visibility of the boundary, the mean of `seam_map` along it.

    Parameters
    ----------
    fused : array, (rows, cols) or (rows, cols, channels)
        Any scale with black at 0.
    foreground, background : array, or None
        Sources, to explain edges on the boundary; each on its own scale. The background may have
        one band. Without sources no edge is explained.
    alpha : array
        Map, or a map for each channel, whose mean is used; it must cross 0.5.

    Returns
    -------
    float
        0 if the boundary is invisible; below 1.
    """
    line = _line(_inside(fused, alpha))
    return float(seam_map(fused, foreground, background, alpha)[line].mean(dtype=np.float64))


def seam_map(
    fused: FloatArray,
    foreground: FloatArray | None,
    background: FloatArray | None,
    alpha: FloatArray,
) -> FloatArray:
    """Return the visibility at each pixel of the boundary.

    Parameters
    ----------
    fused, foreground, background, alpha
        As for `seam_visibility`.

    Returns
    -------
    array, (rows, cols)
        From 0 to 1 on the two pixels along the boundary; 0 elsewhere.
    """
    inside = _inside(fused, alpha)
    sources = checked_sources((foreground, background), fused)
    places = np.nonzero(_line(inside))
    box = box_around(_line(inside))
    here = _Boundary(inside[box], one_map(alpha, fused.shape)[box])
    planes, *explaining = (relative_log(picture, box) for picture in (fused, *sources))
    found = here.jumps(planes)
    jumps = [here.jumps(source) for source in explaining]
    factors = [found.brightness_over(one) for one in jumps]
    natural = [one.scaled(factor) for one, factor in zip(jumps, factors, strict=True)]
    texture = here.texture(planes)

    def rest(name: str, tolerance: float = TOLERANCE) -> FloatArray:
        jumps = [getattr(one, name) for one in natural]
        return unexplained(getattr(found, name), jumps, tolerance=tolerance)

    flat = np.zeros_like(texture)
    seen = np.zeros(inside.shape)
    seen[places] = 1.0 - (
        _hidden(_beyond_chance(rest("step"), _STEP_NOISE * texture), _STEP_HALF, texture)
        * _hidden(_beyond_chance(rest("level", tolerance=1.0), flat), _LEVEL_HALF, flat)
        * _hidden(_beyond_chance(rest("line"), _LINE_NOISE * texture), _LINE_HALF, texture)
        * (1.0 - unexplained_detail(planes, explaining, factors, inside[box], here.places))
    )
    return seen


@dataclass(frozen=True, eq=False)
class _Jumps:
    """Jumps across the boundary at each of its pixels, in lightness and chromaticity."""

    step: FloatArray
    level: FloatArray
    line: FloatArray
    light: FloatArray

    def brightness_over(self, other: _Jumps) -> FloatArray:
        """Return the ratio of brightness at each pixel of the boundary, within limits."""
        lights = (np.maximum(jumps.light, 1e-6) for jumps in (self, other))
        return np.clip(np.divide(*lights), *_FACTORS)

    def scaled(self, factor: FloatArray) -> _Jumps:
        """Return the jumps of the same edges at another brightness."""
        a = factor[:, np.newaxis]
        return replace(self, step=a * self.step, level=a * self.level, line=a * self.line)


class _Boundary:
    """Boundary line in its box, and the window weights common to all pictures."""

    def __init__(self, inside: BoolArray, alpha: FloatArray) -> None:
        line = _line(inside)
        self.places = np.nonzero(line)
        self.slopes = gradient(block_means(1.0 - alpha, _LEVEL_BLOCK))
        self.weights = {
            "inside": inside.astype(np.float32),
            "outside": (~inside).astype(np.float32),
            "line": line.astype(np.float32),
            "beside, inside": (inside & ~line).astype(np.float32),
            "beside, outside": (~inside & ~line).astype(np.float32),
        }
        self.totals: dict[tuple[str, int], FloatArray] = {}

    def jumps(self, planes: FloatArray) -> _Jumps:
        channels = np.moveaxis(planes, -1, 0)

        def parts(jump: Callable[[FloatArray], FloatArray]) -> FloatArray:
            return lightness_and_chroma(np.stack([jump(x) for x in channels], axis=-1))

        return _Jumps(
            step=parts(self._step),
            level=parts(self._level),
            line=parts(self._line),
            light=self._light(planes),
        )

    def texture(self, planes: FloatArray) -> FloatArray:
        """Return the variance of lightness and chroma in the windows, averaged over both sides."""
        weights = [self.weights[side].astype(np.float64) for side in ("inside", "outside")]
        sides = [(weight, np.maximum(self._sum(weight, 1), LEAST_IN_WINDOW)) for weight in weights]
        total = np.zeros(len(self.places[0]))
        for x in np.moveaxis(lightness_and_chroma(planes), -1, 0):
            # A small difference of squares needs double precision.
            y = x.astype(np.float64)
            y -= y.mean()
            for weight, whole in sides:
                mean = self._sum(weight * y, 1) / whole
                square = self._sum(weight * y * y, 1) / whole
                total += np.maximum(square - mean * mean, 0.0) / 2
        return total.astype(np.float32)

    def _step(self, x: FloatArray) -> FloatArray:
        fine, coarse = (
            self._mean(x, "inside", side) - self._mean(x, "outside", side) for side in (1, 2)
        )
        return np.asarray(1.5 * fine - 0.5 * coarse)

    def _level(self, x: FloatArray) -> FloatArray:
        """Return the change from alpha = 1 to alpha = 0, fitted to the gradients."""
        products = (self.slopes * gradient(block_means(x, _LEVEL_BLOCK))).sum(axis=0)
        squares = (self.slopes**2).sum(axis=0)
        rows, cols = (n // _LEVEL_BLOCK for n in self.places)
        return np.asarray((windowed(products) / (windowed(squares) + _LEAST_SLOPE))[rows, cols])

    def _line(self, x: FloatArray) -> FloatArray:
        sides = "beside, inside", "beside, outside"
        seen = np.minimum(*(self._total(side, 1) for side in sides)) > LEAST_IN_WINDOW
        beside = sum(self._mean(x, side, 1) for side in sides) / 2.0
        return np.where(seen, self._mean(x, "line", 1) - beside, 0.0)

    def _light(self, planes: FloatArray) -> FloatArray:
        """Return half of dl / d(log x) at the lightness around the boundary."""
        lightness = planes.mean(axis=-1)
        level = (self._mean(lightness, "inside", 1) + self._mean(lightness, "outside", 1)) / 2
        return np.asarray(-np.expm1(-level / 2.0))

    def _mean(self, x: FloatArray, name: str, block: int) -> FloatArray:
        total = np.maximum(self._total(name, block), LEAST_IN_WINDOW)
        return np.asarray(self._sum(self.weights[name] * x, block) / total)

    def _total(self, name: str, block: int) -> FloatArray:
        """Return the weights in the windows, computed once for all pictures."""
        if (name, block) not in self.totals:
            self.totals[name, block] = self._sum(self.weights[name], block)
        return self.totals[name, block]

    def _sum(self, x: FloatArray, block: int) -> FloatArray:
        """Return the window sums at the pixels of the line."""
        rows, cols = self.places
        return np.asarray(windowed(x, block)[rows // block, cols // block])


def _inside(fused: FloatArray, alpha: FloatArray) -> BoolArray:
    inside = np.asarray(one_map(alpha, fused.shape) < 0.5)
    if inside.all() or not inside.any():
        raise InputError("alpha: does not cross 0.5; there is no boundary")
    return inside


def _line(inside: BoolArray) -> BoolArray:
    """Return the pixels with a neighbour on the other side."""
    line = np.zeros_like(inside)
    down, right = inside[1:] != inside[:-1], inside[:, 1:] != inside[:, :-1]
    line[1:] |= down
    line[:-1] |= down
    line[:, 1:] |= right
    line[:, :-1] |= right
    return line


def _beyond_chance(jump: FloatArray, chance: FloatArray) -> FloatArray:
    return np.asarray(np.sqrt(np.maximum((jump**2).sum(axis=-1) - chance, 0.0)))


def _hidden(e: FloatArray, half: float, texture: FloatArray) -> Array:
    """Return 1 - V of the module's docstring."""
    scale = half + _MASKING * np.sqrt(texture)
    return np.asarray(scale / (e + scale))


METRICS = {
    "seam_visibility": Metric(
        lambda p: seam_visibility(p.fused, p.foreground, p.background, p.required_alpha),
        better="low",
        range=(0.0, 1.0),
        definition="jumps of lightness, chromaticity and gradient across the line where alpha "
        "crosses 0.5, and changes of detail inside it, beyond those of the sources and of the "
        "texture beside it; mean along the line",
        channels="jumps of the mean and of the chromaticity, together; one channel has lightness "
        "only",
        source="osmofuse",
        check="0 for the foreground itself",
    ),
}
