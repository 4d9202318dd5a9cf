r"""Significance of a fit: the correlation peak of edge orientations against its sidelobes.

Two orientation fields :math:`c_1, c_2` (see `local_shifts`) that fit correlate at displacement 0
and nowhere else. Long straight edges and repeated lines correlate at many displacements, so the
cross spectrum is whitened first (phase correlation),

.. math:: s = \mathcal F^{-1} \frac{\hat c_1 \bar{\hat c}_2}{|\hat c_1 \hat c_2| + \epsilon},

and the height of :math:`s` at 0 is counted in standard deviations of :math:`s` elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from osmofuse.registration.opencv import opencv
from osmofuse.typing import BoolArray, FloatArray

_FARTHEST = 32  # pixels: displacements of the sidelobes; a few thousand samples of chance
_HOLE = 6.0  # pixels: radius of the peak, three times the widest Gaussian before the gradient
_PEAK_RADIUS = 1.5  # pixels: largest distance of the peak from 0, that of an inlier in `quality`
_TAPER = 8  # pixels over which the borders fade: the common outline must not correlate
_LEAST_SPECTRUM = 0.02  # of the mean magnitude: frequencies below it are not amplified


def widespread_significance(fields: Iterable[tuple[FloatArray, FloatArray, float]]) -> float:
    """Return the significance that three of the four quarters of the overlap reach.

    A fit by chance, or of a few words that two pages share, is that of one or two quarters.
    `fields` are pairs of orientation fields with the deviation of their Gaussian; in each quarter
    the most significant pair counts.
    """
    found = [
        [significance(one[part], other[part], sigma) for part in _quarters(one, other)]
        for one, other, sigma in fields
    ]
    return float(np.sort(np.max(found, axis=0))[1])


def significance(one: FloatArray, other: FloatArray, sigma: float) -> float:
    """Return the height of the peak at displacement 0, in standard deviations of the sidelobes."""
    from scipy.fft import fft2, fftfreq, ifft2, next_fast_len

    shape = one.shape[:2]
    far = min(_FARTHEST, min(shape) // 2)
    weight = _faded(_shared(one, other)) if far > 2 * _HOLE else np.zeros(0)
    if not weight.any():
        return 0.0
    size = [next_fast_len(n + far) for n in shape]
    product = fft2(_centred(one, weight), size) * fft2(_centred(other, weight), size).conj()
    strength = np.abs(product)
    if not strength.any():
        return 0.0
    down, across = (fftfreq(n)[:, None] for n in size)
    # Beyond the Gaussian of the gradient, at least a pixel, there is nothing but noise.
    passed = np.exp(-2 * (np.pi * max(sigma, 1.0)) ** 2 * (down**2 + across.T**2))
    surface = ifft2(product * passed / (strength + _LEAST_SPECTRUM * strength.mean())).real
    place = np.arange(-far, far + 1)
    surface, distance = surface[np.ix_(place, place)], np.hypot(place[:, None], place)
    side = surface[distance > _HOLE]
    return float((surface[distance <= _PEAK_RADIUS].max() - side.mean()) / side.std())


def _shared(one: FloatArray, other: FloatArray) -> BoolArray:
    """Return the mask of pixels where both fields exist."""
    return np.asarray(np.any(one, axis=2) & np.any(other, axis=2))


def _quarters(one: FloatArray, other: FloatArray) -> list[tuple[slice, slice]]:
    """Return the quarters of the overlap, cut at the median row and column."""
    places = np.nonzero(_shared(one, other))
    row, col = (int(np.median(p)) if p.size else 0 for p in places)
    return [(r, c) for r in (slice(row), slice(row, None)) for c in (slice(col), slice(col, None))]


def _faded(mask: BoolArray) -> FloatArray:
    cv2 = opencv()
    kernel = np.ones((2 * _TAPER + 1, 2 * _TAPER + 1))
    inner = cv2.erode(
        mask.astype(np.float32), kernel, borderType=cv2.BORDER_CONSTANT, borderValue=0
    )
    return np.asarray(cv2.GaussianBlur(inner, (0, 0), _TAPER / 2))


def _centred(field: FloatArray, weight: FloatArray) -> FloatArray:
    """Return a field as complex numbers, minus its mean, faded out at the borders."""
    values = field[..., 0] + np.complex64(1j) * field[..., 1]
    mean = (values * weight).sum() / weight.sum()
    return np.asarray((values - mean) * weight)
