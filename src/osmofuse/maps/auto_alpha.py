r"""Alpha map estimated from the two pictures: ``alpha="auto"``.

It is low where the background has structure that the foreground lacks (ink under a stain, a warm
body in the dark) and where something covers the foreground (a cloud), and 1 elsewhere.

Structure is the variance in a window minus the noise. A share :math:`\rho^2` of it is common to
both pictures, with :math:`\rho` their correlation in the window; the rest belongs to one picture
only. The weight of f's own structure depends on the pair. Two pictures that mostly agree are of one
kind: structure that only f has may be damage as well as content. If two hardly agree (visible light
and thermal infrared), they show different things, and the stronger one wins.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from osmofuse.errors import MismatchError
from osmofuse.filters import LocalFit, enlarged, gaussian, gaussian_moments, reduced
from osmofuse.picture import Picture, checked, rounding_of, samples
from osmofuse.pixels import scaled
from osmofuse.typing import ArrayLike, BoolArray, FloatArray

LARGEST_SEEN = 2_000_000  # pixels; larger pictures are reduced first, to bound time and memory
SCALES = (2.0, 4.0, 8.0)  # deviations of the windows, in pixels
LEAST_STRUCTURE = 0.15  # structure with half weight, in units of b's 90th percentile
TRUST = 0.03  # prior weight of alpha = 1, which decides where there is no structure
# Agreement of pictures that show different things, and of pictures of one kind; blended between.
DIFFERENT_KINDS, ONE_KIND = 0.2, 0.6
CHANCE = 4.0  # multiple of noise's expected squared covariance, added to s_f s_b
FIT_RADIUS, FIT_EPSILON = 6, 1e-3  # window and ridge of the fit along f's edges
# Memory and time for a pixel of the reduced copy, and of the whole picture.
_COPY_BYTES, _PICTURE_BYTES = 400, 60
_COPY_MICROSECONDS, _PICTURE_MICROSECONDS = 3.5, 0.5
_NO_ZERO = 1e-12  # keeps 0 / 0 from becoming NaN, in sums of weights around 1


@dataclass(frozen=True, eq=False)
class AutoAlpha:
    """Alpha map estimated from two pictures.

    Attributes
    ----------
    alpha : array, (rows, cols)
        float64, in [0, 1].
    agreement : float
        Share of the windows with much structure in both pictures in which their squared
        correlation exceeds 0.5, mean over the scales: near 1 for pictures of one kind.
    factor : int
        Reduction of the copies from which it was estimated; 1: the pictures themselves.
    """

    alpha: FloatArray
    agreement: float
    factor: int

    @property
    def words(self) -> str:
        """Description of how it was made, for a person."""
        alike = self.agreement >= (DIFFERENT_KINDS + ONE_KIND) / 2
        kind = "of one kind" if alike else "of different kinds"
        size = "" if self.factor == 1 else f", seen on copies reduced {self.factor} times"
        return (
            f"alpha was made from the two pictures, which are {kind} (agreement "
            f"{self.agreement:.2f} of 1){size}; its mean is {self.alpha.mean():.2f}"
        )


def auto_alpha_cost(pixels: int) -> tuple[float, float]:
    """Return bytes (in addition to the pictures) and seconds needed to estimate a map."""
    seen = min(pixels, LARGEST_SEEN)
    seconds = (_COPY_MICROSECONDS * seen + _PICTURE_MICROSECONDS * pixels) / 1e6
    return _COPY_BYTES * seen + _PICTURE_BYTES * pixels, seconds


def auto_alpha(
    foreground: ArrayLike | Picture,
    background: ArrayLike | Picture,
    *,
    valid: BoolArray | None = None,
) -> AutoAlpha:
    r"""Estimate an alpha map from the pictures to be fused.

    In every window, with :math:`s_f, s_b` the variances minus those of noise and of rounding to the
    pictures' own levels,

    .. math::

        e = \frac{\rho^2 \min(s_f, s_b) + k (1-\rho^2) s_f}
                 {\rho^2 \min(s_f, s_b) + k (1-\rho^2) s_f + (1-\rho^2) s_b}

    is the share of the structure that f has, with k = 0 for pictures of one kind and 1 for
    pictures that show different things. Where there is enough structure, e becomes the map,
    smoothed along the edges of f; the map falls to 0 where f is covered, see `occlusion`.

    Parameters
    ----------
    foreground : array, (rows, cols) or (rows, cols, channels), or Picture
        The picture whose colours are kept.
    background : array or Picture
        Of the same size, with as many channels or one.
    valid : array of bool, (rows, cols), optional
        False where the background has no data: there the map is 1.

    Returns
    -------
    AutoAlpha
        The map, and how it was made.

    Examples
    --------
    >>> import numpy as np
    >>> page, written = np.full((40, 120), 0.8), np.full((40, 120), 0.8)
    >>> written[:, 80::4] = 0.2  # on the right, only the background shows strokes
    >>> alpha = auto_alpha(page, written).alpha
    >>> bool(alpha[:, :40].min() > 0.9), bool(alpha[:, 80:].max() < 0.1)
    (True, True)
    """
    f, b = samples(foreground, "foreground"), _background(background, valid)
    if f.shape[:2] != b.shape[:2]:
        sizes = " and ".join(f"{x.shape[0]} × {x.shape[1]}" for x in (f, b))
        raise MismatchError(f"alpha: auto needs pictures of one size, not {sizes} pixels")
    factor = math.ceil(math.sqrt(b.shape[0] * b.shape[1] / LARGEST_SEEN))
    guide, seen = reduced(f, factor), _seen(b, valid, factor)
    z = _grey_of(guide)
    other = np.where(seen, _grey_of(reduced(b, factor)), z)
    noise = (
        noise_of(z) ** 2 + rounding_of(foreground, z) ** 2,
        noise_of(other) ** 2 + rounding_of(background, other[seen]) ** 2,
    )
    windows = [_Window.of(z, other, sigma, noise) for sigma in SCALES]
    agreement = float(np.mean([window.agreement(seen)[0] for window in windows]))
    alike = float(smoothstep((agreement - DIFFERENT_KINDS) / (ONE_KIND - DIFFERENT_KINDS)))
    held, weight = _evidence(windows, 1.0 - alike, seen)
    fit = LocalFit.of(held, guide, weight, radius=FIT_RADIUS, epsilon=FIT_EPSILON)
    covered = alike * occlusion(z, other, seen)
    alpha = np.clip(fit.carried(f, factor), 0.0, 1.0)
    alpha *= 1.0 - enlarged(covered, factor, f.shape[:2])
    if valid is not None:
        alpha[~valid] = 1.0
    return AutoAlpha(alpha, agreement, factor)


def _background(background: ArrayLike | Picture, valid: BoolArray | None) -> FloatArray:
    """Return the background with white at 1.0, and 0 where it has no data."""
    array = checked(background, "background", valid=valid)
    b = scaled(array, np.float64 if array.dtype == np.float64 else np.float32)
    if valid is not None:
        b[~valid] = 0.0
    return b


def _seen(b: FloatArray, valid: BoolArray | None, factor: int) -> BoolArray:
    """Return the mask of pixels of the reduced background that average valid pixels only."""
    whole = np.ones(b.shape[:2]) if valid is None else np.asarray(valid, np.float64)
    return np.asarray(reduced(whole, factor) == 1.0)


def _grey_of(x: FloatArray) -> FloatArray:
    return np.asarray(x if x.ndim == 2 else x.mean(axis=2), np.float64)


def _evidence(windows: list[_Window], own: float, seen: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Return the share of the structure that f has, and the weight of that evidence.

    `own` is the weight k of f's own structure; there is no evidence where `seen` is False.
    """
    total = held = np.zeros(seen.shape)
    for window in windows:
        common, of_f, of_b = window.shares(seen)
        kept = common + own * of_f
        structure = kept + of_b
        weight = structure / (structure + LEAST_STRUCTURE)
        total = total + weight
        held = held + weight * kept / (structure + _NO_ZERO)
    held /= total + _NO_ZERO
    # Push the share towards 0 or 1: most maps are nearly binary.
    held = 1.0 / (1.0 + np.exp(-8.0 * (2.0 * held - 1.0)))
    weight = np.where(seen, total / len(windows), 0.0)
    return (weight * held + TRUST) / (weight + TRUST), weight + TRUST


@dataclass(frozen=True, eq=False)
class _Window:
    """Variances of both pictures around each pixel, less the noise, and their common part."""

    f: FloatArray
    b: FloatArray
    common: FloatArray

    @classmethod
    def of(cls, f: FloatArray, b: FloatArray, sigma: float, noise: tuple[float, float]) -> _Window:
        r"""Measure both pictures; `noise` holds the variances of their noise.

        The common part is :math:`\rho^2 = \mathrm{cov}^2 / (s_f s_b)`; chance alone gives noise
        a squared covariance of :math:`(n_f s_b + n_b s_f + n_f n_b) / N` in a window of N pixels.
        `CHANCE` times that is added to the denominator.
        """
        found = gaussian_moments(f, b, sigma, radius=math.ceil(3.0 * sigma))
        s_f, s_b = (
            np.maximum(variance - n, 0.0)
            for variance, n in zip((found.var_x, found.var_y), noise, strict=True)
        )
        chance = noise[0] * s_b + noise[1] * s_f + noise[0] * noise[1]
        whole = s_f * s_b + CHANCE / (4.0 * math.pi * sigma**2) * chance
        common = np.divide(found.cov**2, whole, out=np.zeros_like(whole), where=whole > 0.0)
        return cls(s_f, s_b, np.minimum(common, 1.0))

    def agreement(self, seen: BoolArray) -> tuple[float, float]:
        """Return the share of structured pixels of both that agree, and f's contrast there.

        The contrast is the ratio of the variances; 1 if they agree nowhere.
        """
        f, b = self.f[seen], self.b[seen]
        if f.size == 0:
            return 0.0, 1.0
        much = (f > np.median(f)) & (b > np.median(b))
        agree = much & (self.common[seen] > 0.5)
        if not agree.any():
            return 0.0, 1.0
        part = np.count_nonzero(agree) / np.count_nonzero(much)
        return part, float(np.median(f[agree] / b[agree]))

    def shares(self, seen: BoolArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return common structure, f's own and b's own, in units of b's 90th percentile."""
        agreement, contrast = self.agreement(seen)
        # Equalise the contrast of the two, the less the fewer windows agree.
        gain = np.clip(contrast, 0.25, 4.0) ** min(1.0, 2.0 * agreement)
        b = gain * self.b
        much = _much(b)
        own = (1.0 - self.common) / much
        return self.common * np.minimum(self.f, b) / much, own * self.f, own * b


def _much(b: FloatArray) -> float:
    """Return the 90th percentile of b's structure, of its non-zero part if that is 0; else 1."""
    least = float(np.finfo(b.dtype).tiny)  # a quotient by less overflows
    much = float(np.percentile(b, 90))
    if much > least:
        return much
    some = b[b > least]  # in less than a tenth of the picture
    return float(np.percentile(some, 90)) if some.size else 1.0


def noise_of(x: FloatArray) -> float:
    """Return the deviation of a plane's noise (Immerkær 1996, with the median for the mean).

    It uses second differences along rows of second differences along columns, on which edges and
    slopes have little effect; of large planes, those of some rows.
    """
    step = math.ceil(x.size / LARGEST_SEEN)
    down = x[:-2:step] - 2.0 * x[1:-1:step] + x[2::step]
    difference = np.diff(down, n=2, axis=1)
    return float(np.median(np.abs(difference))) / (0.6745 * 6.0) if difference.size else 0.0


BINS = 32  # of the background's levels, equally filled
ORDINARY, STRANGE = 2.0, 4.0  # robust standard deviations at which confidence is 0, and 1
LEAST_DEVIATION = 0.02  # added to the spread: deviations of a few grey levels never count


def occlusion(f: FloatArray, b: FloatArray, seen: BoolArray) -> FloatArray:
    r"""Return a confidence from 0 to 1 that something covers the foreground.

    Both pictures are of one kind, in grey, white at 1.0; where `seen` is False the result is 0.
    Pixels of similar background have mostly similar foregrounds. With :math:`\hat f(b)` their
    median and :math:`\sigma(b)` the robust deviation from it, :math:`|f - \hat f(b)|` gives 0 up to
    :math:`2\sigma` and 1 from :math:`4\sigma`. Objects that cover the background are not found:
    there, pixels of similar background have foregrounds of all kinds, and :math:`\sigma` is large.
    """
    if not seen.any():
        return np.zeros(f.shape)
    f, b = gaussian(f, 1.0), gaussian(b, 1.0)
    ends = np.quantile(b[seen], np.arange(1, BINS) / BINS)
    bins = np.searchsorted(ends, b)
    typical, spread = np.zeros(BINS), np.zeros(BINS)
    for k in np.unique(bins[seen]):
        alike = f[seen & (bins == k)]
        typical[k] = np.median(alike)
        spread[k] = np.median(np.abs(alike - typical[k]))
    away = np.abs(f - typical[bins])
    spread = np.maximum(spread, np.median(away[seen])) / 0.6745 + LEAST_DEVIATION
    strange = smoothstep((away / spread[bins] - ORDINARY) / (STRANGE - ORDINARY))
    return np.where(seen, strange, 0.0)


def smoothstep(x: FloatArray | float) -> FloatArray:
    """Return 0 up to 0, 1 from 1 on, and a smooth rise between."""
    t = np.clip(x, 0.0, 1.0)
    return np.asarray(t * t * (3.0 - 2.0 * t))
