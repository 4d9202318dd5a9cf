r"""Cover of the foreground, such as a cloud and its shadow, and the layer that takes it away.

Where both pictures show the same ground in colour, the background predicts the foreground: with
light that varies slowly and a tone curve, robustly fitted in the logarithm,

.. math::

    \log f_c \approx p_c(x) + \tau_c \log b_c, \qquad p_c \text{ of degree } 2.

What deviates is a cover, unless it ends at edges of b: then it is a thing in other colours, or
another thing. Under a cover, the drift of f is replaced by that of b and integrated.
"""

from __future__ import annotations

import math

import numpy as np

from osmofuse.filters import enlarged, reduced, robust_deviation, smooth
from osmofuse.linalg.integral import Integral
from osmofuse.methods.sources import Sources
from osmofuse.methods.statistics import Statistics, gridded
from osmofuse.methods.union.bands import TINY
from osmofuse.methods.union.pair import RIM_BLACK, grey_of, rim, white_of
from osmofuse.typing import BoolArray, FloatArray

COVER_PIXELS = 120_000  # pixels of the copies that are searched: covers are large
GRAIN = 1.0  # deviation of the Gaussian against noise, in pixels of the copies
FIT_SAMPLES = 10_000  # pixels of the fit, for 7 unknowns a channel
FIT_PASSES = 8  # re-weightings of the fit: more change results by less than 0.1 dB
LEAST_LOG_SPREAD = 0.02  # deviations of a few grey levels never count
# Robust deviations of a cover, and of its strongest part; 2..4 and 4..5 work.
STRANGE_LOG, CERTAIN_LOG = 3.0, 4.0
# Of the logarithm: samples of b so near the largest may be clipped, and prove nothing.
NEAR_WHITE = 0.01
# Half width of a core and margin of a cover, as shares of the side: a misregistered edge is
# thinner, and a cloud's rim wider than it seems. 0.005..0.02 works for both.
CORE, COVER_MARGIN = 0.01, 0.01
LEAST_COVER = 0.005  # share of the picture; less is dust
LEAST_GROUND = 0.2  # share of the picture around a cover; with less, the fit has failed
# Correlation of the colours around a cover. Gallery: 0.8 to 1 with the same ground in both, down
# to 0.5 with all nuisances at once; below 0.1 with another ground.
LEAST_CORRELATION = 0.5
# Band of these colours, in pixels and as a share of the side.
CHROMA_FINE, CHROMA_COARSE = 2.0, 1 / 8
# Slope of b at a cover's outline relative to that elsewhere. Gallery: 0.7 to 1.8 for clouds, 2.6
# to 8 for things that differ in colour.
MOST_SLOPE = 2.0
UNTIED = 1e-6  # tie of what is covered: none, but for a cover without a rim
# V-cycles of the healing: each halves the error or better, at first that of the cover.
HEALING_CYCLES = 10


def uncovered(sources: Sources, offset: float, known: Statistics) -> Sources:
    """Return the sources with what covers the foreground taken away, if anything does.

    `offset` is relative to the white of each picture.
    """
    for k in range(1, sources.count):
        sources = _without_cover(sources, k, offset, known.within(f"background {k}"))
    return sources


def _without_cover(sources: Sources, k: int, offset: float, known: Statistics) -> Sources:
    if sources.channels < 2 or sources.is_one_band(k):
        return sources
    lift, white = offset * white_of(sources, 0, known), white_of(sources, k, known)
    side = known("side", lambda: math.sqrt(sources.shape[0] * sources.shape[1]))
    valid = ~rim(grey_of(sources, k), RIM_BLACK * white, side)
    if sources.valid is not None:
        valid &= sources.valid
    factor = math.ceil(side / math.sqrt(COVER_PIXELS))
    f = _logarithms(sources, 0, lift, factor)
    small = _logarithms(sources, k, offset * white, factor)
    # The share of a cover and the ground around it are those of the whole picture.
    told = known.given("covered")
    cover = None if told == 0.0 else cover_of(f, small, valid, factor, side, certain=bool(told))
    known("covered", lambda: float(cover is not None))
    if cover is None:
        return sources
    f, b = _logarithms(sources, 0, lift), _logarithms(sources, k, offset * white)
    healed = np.maximum(np.exp(f + healing(f, b, cover, valid)) - np.float32(lift), 0.0)
    return sources.with_foreground(np.moveaxis(healed, 0, -1).astype(sources.dtype, copy=False))


def _logarithms(sources: Sources, source: int, lift: float, factor: int = 1) -> FloatArray:
    """Return the logarithms of all channels of a reduced copy, (channels, rows, cols)."""
    planes = [
        reduced(sources.image(source, c, np.float32), factor) for c in range(sources.channels)
    ]
    return np.asarray(np.log(np.stack(planes) + np.float32(lift)))


def cover_of(
    f: FloatArray,
    b: FloatArray,
    valid: BoolArray,
    factor: int,
    side: float,
    *,
    certain: bool = False,
) -> BoolArray | None:
    """Return the mask of what covers the foreground, or None; f and b are reduced by a factor.

    `side` is that of the whole picture; if `certain`, the whole has a cover.
    """
    from scipy import ndimage

    side /= factor
    f, b = (np.stack([smooth(plane, GRAIN) for plane in x]) for x in (f, b))
    # Not what the Gaussian mixes with no data.
    seen = _eroded(reduced(valid.astype(np.float32), factor) == 1.0, math.ceil(3.0 * GRAIN))
    if np.count_nonzero(seen) < LEAST_COVER * seen.size:
        return None
    strange = np.where(seen, strangeness(f, b, seen), 0.0)
    low = strange > STRANGE_LOG
    clipped = (b > b.max(axis=(1, 2), keepdims=True) - NEAR_WHITE).any(axis=0)
    core = _eroded(low & ~clipped, max(1, round(CORE * side)))
    found = np.asarray(ndimage.binary_propagation(strange > CERTAIN_LOG, mask=low))
    cover = _dilated(found, max(2, math.ceil(COVER_MARGIN * side)))
    around = seen & ~cover
    if not (certain or _is_cover(f, b, found, core & found, around, seen, side)):
        return None
    return valid & (enlarged(cover.astype(np.float32), factor, _shape(valid)) > 0.0)


def _is_cover(
    f: FloatArray,
    b: FloatArray,
    found: BoolArray,
    core: BoolArray,
    around: BoolArray,
    seen: BoolArray,
    side: float,
) -> bool:
    """Return True if what was found is large, with the same ground around it, and no object."""
    if core.mean() < LEAST_COVER or around.mean() < LEAST_GROUND:
        return False
    same = correlation(f, b, around, side) >= LEAST_CORRELATION
    return same and outline(found, b, seen) <= MOST_SLOPE


def strangeness(f: FloatArray, b: FloatArray, seen: BoolArray) -> FloatArray:
    """Return the distance of f from what b predicts, in robust deviations."""
    rest = _residuals(f, b, seen)
    places = gridded(np.flatnonzero(seen))
    spread = [_spread(x.ravel()[places]) for x in rest]
    return _distance(rest, spread)


def _residuals(f: FloatArray, b: FloatArray, seen: BoolArray) -> list[FloatArray]:
    """Return the residuals of the fit of each channel of f."""
    light = _light(_shape(seen))
    places = np.flatnonzero(seen)
    places = places[:: max(1, places.size // FIT_SAMPLES)]
    terms = [[*light, x - np.median(x.ravel()[places])] for x in b]
    a = [np.stack([x.ravel()[places] for x in one]).astype(np.float64) for one in terms]
    y = [x.ravel()[places].astype(np.float64) for x in f]
    rest = [t - x[-1] - np.median(t - x[-1]) for t, x in zip(y, a, strict=True)]
    for _ in range(FIT_PASSES):
        weight = 1.0 / np.square(1.0 + np.square(_distance(rest, [_spread(x) for x in rest])))
        fits = [_fit(x, t, weight) for x, t in zip(a, y, strict=True)]
        rest = [t - _sum(k, x) for k, x, t in zip(fits, a, y, strict=True)]
    return [x - _sum(k, one) for k, x, one in zip(fits, f, terms, strict=True)]


def _light(shape: tuple[int, int]) -> list[FloatArray]:
    """Return the monomials of row and column up to degree 2, both from -1 to 1."""
    row, col = np.meshgrid(*(np.linspace(-1.0, 1.0, n) for n in shape), indexing="ij")
    return [np.ones(shape), row, col, row * row, row * col, col * col]


def _fit(a: FloatArray, y: FloatArray, weight: FloatArray) -> FloatArray:
    """Return the coefficients of a weighted fit, by sums in an order that threads do not change."""
    weighted = a * weight
    matrix = np.einsum("ik,jk->ij", weighted, a, optimize=False)
    matrix += 1e-9 * weight.sum() * np.eye(len(a))
    return np.asarray(np.linalg.solve(matrix, (weighted * y).sum(axis=-1)))


def _sum(k: FloatArray, x: FloatArray | list[FloatArray]) -> FloatArray:
    return np.asarray(sum(a * term for a, term in zip(k, x, strict=True)))


def _spread(x: FloatArray) -> float:
    return float(robust_deviation(x)) + LEAST_LOG_SPREAD


def _distance(rest: list[FloatArray], spread: list[float]) -> FloatArray:
    squares = (np.square(x / s) for x, s in zip(rest, spread, strict=True))
    return np.asarray(np.sqrt(sum(squares) / len(rest)))


def correlation(f: FloatArray, b: FloatArray, around: BoolArray, side: float) -> float:
    """Return the correlation of the colours of both pictures outside a cover."""
    coarse = CHROMA_COARSE * side
    sums = np.zeros(3)
    for c in range(len(f) - 1):
        x, y = (
            (_mean(z, around, CHROMA_FINE) - _mean(z, around, coarse))[around].astype(np.float64)
            for z in (f[c] - f[c + 1], b[c] - b[c + 1])
        )
        sums += ((x * y).sum(), (x * x).sum(), (y * y).sum())
    return float(sums[0] / math.sqrt(sums[1] * sums[2] + TINY))


def _mean(x: FloatArray, known: BoolArray, sigma: float) -> FloatArray:
    """Return the Gaussian mean of the known pixels."""
    weight = known.astype(x.dtype)
    return smooth(weight * x, sigma) / np.maximum(smooth(weight, sigma), 1e-6)


def outline(found: BoolArray, b: FloatArray, seen: BoolArray) -> float:
    """Return the mean slope of b at the outline of a mask, relative to that outside the mask."""
    slope = np.sqrt(sum(np.square(g) for x in b for g in np.gradient(x)))
    rim = (_dilated(found, 1) != _eroded(found, 1)) & seen
    away = seen & ~found
    if not (rim.any() and away.any()):
        return 0.0
    return float(slope[rim].mean() / (slope[away].mean() + TINY))


def healing(f: FloatArray, b: FloatArray, cover: BoolArray, valid: BoolArray) -> FloatArray:
    r"""Return the layers :math:`\psi_c` that replace the drift of f by that of b under a cover.

    Where b has no data, nothing is added; the cover is continued there for the solve, since what
    lies at its rim is not ground.
    """
    from scipy import ndimage

    shape = _shape(cover)
    free = cover
    if not valid.all():
        nearest = ndimage.distance_transform_edt(
            ~valid, return_distances=False, return_indices=True
        )
        free = cover[tuple(nearest)]
    integral = Integral(shape)
    integral.set_mass(np.where(free, UNTIED, 1.0).astype(np.float32))
    layers = np.empty_like(f)
    for c in range(len(f)):
        integral.set_drift(_drift(b[c] - f[c], cover, valid))
        integral.set_start(0.0)
        layers[c] = integral.cycle(HEALING_CYCLES)
    layers[:, ~valid] = 0.0
    return layers


def _drift(x: FloatArray, cover: BoolArray, valid: BoolArray) -> FloatArray:
    """Return the differences of x on edges with a covered end and data at both."""
    drift = np.zeros((2, *x.shape), x.dtype)
    for axis in (0, 1):
        one, other = (
            tuple(part if k == axis else slice(None) for k in (0, 1))
            for part in (slice(None, -1), slice(1, None))
        )
        used = (cover[one] | cover[other]) & valid[one] & valid[other]
        drift[axis][one] = np.where(used, x[other] - x[one], 0.0)
    return drift


def _eroded(mask: BoolArray, radius: int) -> BoolArray:
    from scipy import ndimage

    return np.asarray(ndimage.minimum_filter(mask, 2 * radius + 1, mode="nearest"))


def _dilated(mask: BoolArray, radius: int) -> BoolArray:
    from scipy import ndimage

    return np.asarray(ndimage.maximum_filter(mask, 2 * radius + 1, mode="nearest"))


def _shape(x: BoolArray) -> tuple[int, int]:
    return x.shape[0], x.shape[1]
