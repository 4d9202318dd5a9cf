r"""Visibility of the boundary of a fusion: 0 invisible, near 1 a cut.

The boundary is the line where alpha crosses 0.5. At each of its pixels, in Gaussian windows,
the fused picture inside (:math:`\alpha < 0.5`) is compared with the picture outside, on the
scale l of :mod:`osmofuse.metrics.boundary`:

- *step*, the jump of lightness and chromaticity. With :math:`\Delta_\sigma` the difference of the
  means inside and outside, :math:`(3 \Delta_{1.5} - \Delta_3)/2`: a slope makes
  :math:`\Delta` grow with the window, a jump does not, so this halves the slopes;
- *ramp*, the same with windows four times as wide: a jump that a soft map has spread;
- *line*, the jump of the gradient: the mean on the two pixels along the boundary, minus that of
  the two sides next to it;
- *detail*, the jump of the amount of gradient: :math:`\log(g_i/g_o)`, with g the mean absolute
  difference of neighbours on one side of the boundary, a hundredth added.

From each the part is subtracted that the sources explain: edges of the scene, adjusted to the
brightness of the fused picture (in a shadow all jumps of l are smaller). From the square of step,
ramp and line, twice the variance that texture of deviation s on the two sides causes by chance is
subtracted. The remainder e has the visibility :math:`V = e/(e + c + 0.3 s)`: strong texture hides a
weak seam. The four combine as :math:`1 - \prod (1 - V)`; the score is the mean along the boundary.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from osmofuse.errors import InputError
from osmofuse.metrics.boundary import (
    Box,
    box_around,
    checked_sources,
    lightness_and_chroma,
    one_map,
    relative_log,
    unexplained,
    windowed,
)
from osmofuse.metrics.metric import Metric
from osmofuse.typing import Array, BoolArray, FloatArray

# The constants c: e of visibility 1/2 between flat sides. Fitted, like the masking by texture, to
# faults injected into gallery scenes; that of the ramp to the paper's face pair (docs/boundary.md).
_STEP_HALF, _RAMP_HALF, _LINE_HALF, _DETAIL_HALF = 0.05, 0.5, 0.15, 1.25
_MASKING = 0.3
_FLAT = 0.01  # gradient that counts as none; 0.005..0.02 change scores by 0.002
# Twice the variance of the extrapolated step, and of the line, by texture of variance 1: half a
# window of sigma 1.5 holds some 14 independent pixels, the line's part of it 7.
_STEP_NOISE, _LINE_NOISE = 2 * 2 * 1.5**2 / 14, 2 * 1 / 7
_WIDE_BLOCK = 4  # side of the blocks of ramp and detail, so that their sigma is 6 pixels
_RAMP_NOISE = _STEP_NOISE / _WIDE_BLOCK**2
_FACTORS = 0.5, 4.0  # limits of the ratio of brightness; anything in 0.25..0.7 and 2..8 works
_LEAST_WEIGHT = 1e-4  # of a window with hardly a pixel on one side; anything in 1e-7..1e-3 works


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
    here = _Boundary(box, inside[box])
    found = here.jumps(fused)
    natural = [here.jumps(source).in_the_light_of(found) for source in sources]
    texture = here.texture(fused)

    def rest(name: str) -> FloatArray:
        return unexplained(getattr(found, name), [getattr(jumps, name) for jumps in natural])

    seen = np.zeros(inside.shape)
    seen[places] = 1.0 - (
        _hidden(_beyond_chance(rest("step"), _STEP_NOISE * texture), _STEP_HALF, texture)
        * _hidden(_beyond_chance(rest("ramp"), _RAMP_NOISE * texture), _RAMP_HALF, texture)
        * _hidden(_beyond_chance(rest("line"), _LINE_NOISE * texture), _LINE_HALF, texture)
        * _hidden(np.abs(rest("detail")), _DETAIL_HALF, np.zeros_like(texture))
    )
    return seen


@dataclass(frozen=True, eq=False)
class _Jumps:
    """Jumps across the boundary at each of its pixels, in lightness and chromaticity."""

    step: FloatArray
    ramp: FloatArray
    line: FloatArray
    detail: FloatArray
    light: FloatArray

    def in_the_light_of(self, other: _Jumps) -> _Jumps:
        """Return the jumps of the same edges at the brightness of another picture."""
        factor = np.clip(other.light / np.maximum(self.light, 1e-6), *_FACTORS)[:, np.newaxis]
        return replace(
            self, step=factor * self.step, ramp=factor * self.ramp, line=factor * self.line
        )


class _Boundary:
    """Boundary line in its box, and the window weights common to all pictures."""

    def __init__(self, box: Box, inside: BoolArray) -> None:
        line = _line(inside)
        self.box, self.places = box, np.nonzero(line)
        self.same = tuple(np.diff(inside, axis=axis) == 0 for axis in (0, 1))
        self.weights = {
            "inside": inside.astype(np.float32),
            "outside": (~inside).astype(np.float32),
            "line": line.astype(np.float32),
            "beside, inside": (inside & ~line).astype(np.float32),
            "beside, outside": (~inside & ~line).astype(np.float32),
        }
        self.totals: dict[tuple[str, int], FloatArray] = {}

    def jumps(self, picture: FloatArray) -> _Jumps:
        planes = relative_log(picture, self.box)
        channels = np.moveaxis(planes, -1, 0)

        def parts(jump: Callable[[FloatArray], FloatArray]) -> FloatArray:
            return lightness_and_chroma(np.stack([jump(x) for x in channels], axis=-1))

        return _Jumps(
            step=parts(lambda x: self._step(x, 1)),
            ramp=parts(lambda x: self._step(x, _WIDE_BLOCK)),
            line=parts(self._line),
            detail=self._detail(planes),
            light=self._light(planes),
        )

    def texture(self, picture: FloatArray) -> FloatArray:
        """Return the variance of lightness and chroma in the windows, averaged over both sides."""
        weights = [self.weights[side].astype(np.float64) for side in ("inside", "outside")]
        sides = [(weight, np.maximum(self._sum(weight, 1), _LEAST_WEIGHT)) for weight in weights]
        total = np.zeros(len(self.places[0]))
        for x in np.moveaxis(lightness_and_chroma(relative_log(picture, self.box)), -1, 0):
            # A small difference of squares needs double precision.
            y = x.astype(np.float64)
            y -= y.mean()
            for weight, whole in sides:
                mean = self._sum(weight * y, 1) / whole
                square = self._sum(weight * y * y, 1) / whole
                total += np.maximum(square - mean * mean, 0.0) / 2
        return total.astype(np.float32)

    def _step(self, x: FloatArray, block: int) -> FloatArray:
        fine, coarse = (
            self._mean(x, "inside", side) - self._mean(x, "outside", side)
            for side in (block, 2 * block)
        )
        return np.asarray(1.5 * fine - 0.5 * coarse)

    def _line(self, x: FloatArray) -> FloatArray:
        sides = "beside, inside", "beside, outside"
        seen = np.minimum(*(self._total(side, 1) for side in sides)) > _LEAST_WEIGHT
        beside = sum(self._mean(x, side, 1) for side in sides) / 2.0
        return np.where(seen, self._mean(x, "line", 1) - beside, 0.0)

    def _light(self, planes: FloatArray) -> FloatArray:
        """Return half of dl / d(log x) at the lightness around the boundary."""
        lightness = planes.mean(axis=-1)
        level = (self._mean(lightness, "inside", 1) + self._mean(lightness, "outside", 1)) / 2
        return np.asarray(-np.expm1(-level / 2.0))

    def _detail(self, planes: FloatArray) -> FloatArray:
        total, count = (np.zeros(planes.shape[:2], np.float32) for _ in range(2))
        for axis, same in enumerate(self.same):
            change = same * np.abs(np.diff(planes, axis=axis)).mean(axis=-1)
            for end in (slice(1, None), slice(None, -1)):
                part = (end, slice(None)) if axis == 0 else (slice(None), end)
                total[part] += change
                count[part] += same
        sides = [self.weights[name] for name in ("inside", "outside")]
        counts = [self._sum(side * count, _WIDE_BLOCK) for side in sides]
        amounts = [
            self._sum(side * total, _WIDE_BLOCK) / np.maximum(n, _LEAST_WEIGHT) + _FLAT
            for side, n in zip(sides, counts, strict=True)
        ]
        seen = np.minimum(*counts) > _LEAST_WEIGHT
        return np.where(seen, np.log(amounts[0] / amounts[1]), 0.0)

    def _mean(self, x: FloatArray, name: str, block: int) -> FloatArray:
        total = np.maximum(self._total(name, block), _LEAST_WEIGHT)
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
        "crosses 0.5, beyond those of the sources and of the texture beside it; mean along the "
        "line",
        channels="jumps of the mean and of the chromaticity, together; one channel has lightness "
        "only",
        source="osmofuse",
        check="0 for the foreground itself",
    ),
}
