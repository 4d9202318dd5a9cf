"""Edge-preserving smoothing by local linear fits: guided filter, Lee's filter.

Guided filter: He, Sun and Tang 2013, doi:10.1109/TPAMI.2012.213. `LocalFit` is its version for
colour guides and weighted pixels, whose coefficients can be applied to a larger copy of the guide.
Lee's filter: Lee 1980, doi:10.1109/TPAMI.1980.4766994.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from osmofuse.filters.box import box_mean
from osmofuse.filters.resampling import enlarged
from osmofuse.typing import FloatArray

STRIP = 256  # rows processed at a time, to limit memory; affects cost only


def guided(x: FloatArray, guide: FloatArray, *, radius: int, epsilon: float) -> FloatArray:
    r"""Smooth a plane along the edges of another.

    In every window k the plane x is fitted by a multiple of the guide z plus a constant; a pixel i
    gets the mean of the fits of the windows around it:

    .. math::

        s_k = \frac{\operatorname{cov}_k(z, x)}{\operatorname{var}_k(z) + \varepsilon}, \qquad
        t_k = \bar x_k - s_k \bar z_k, \qquad y_i = \bar s_i z_i + \bar t_i .

    Parameters
    ----------
    x : array, (rows, cols)
        Plane to be smoothed.
    guide : array, (rows, cols)
        :math:`z`; its edges are kept.
    radius : int
        Radius of the windows in pixels; at the border they hold only the pixels inside.
    epsilon : float
        :math:`\varepsilon > 0`: where the guide's variance is well below it, y is a plain mean.

    Returns
    -------
    array
        New plane of the type of x; near edges it may leave the range of x.
    """
    # A variance is a small difference of large numbers: single precision would lose 1e-6.
    y, z = np.asarray(x, np.float64), np.asarray(guide, np.float64)
    mean_y, mean_z = box_mean(y, radius), box_mean(z, radius)
    covariance = box_mean(z * y, radius) - mean_z * mean_y
    variance = np.maximum(box_mean(z * z, radius) - mean_z * mean_z, 0.0)
    slope = covariance / (variance + epsilon)
    level = mean_y - slope * mean_z
    result = box_mean(slope, radius) * z + box_mean(level, radius)
    return result.astype(x.dtype, copy=False)


def lee(x: FloatArray, *, radius: int, epsilon: float) -> FloatArray:
    r"""Shrink each pixel towards the mean of its window, more strongly in flat windows.

    .. math::

        y_i = \bar x_i + \frac{\operatorname{var}_i(x)}{\operatorname{var}_i(x) + \varepsilon}
              (x_i - \bar x_i).

    This is the guided filter of a plane by itself, evaluated in the pixel's own window without the
    mean over windows.

    Parameters
    ----------
    x : array, (rows, cols)
        Plane to be smoothed.
    radius : int
        Radius of the windows in pixels; at the border they hold only the pixels inside.
    epsilon : float
        :math:`\varepsilon > 0`: a variance well above it counts as structure and is kept.

    Returns
    -------
    array
        New plane of the same type.
    """
    z = np.asarray(x, np.float64)
    mean = box_mean(z, radius)
    variance = np.maximum(box_mean(z * z, radius) - mean * mean, 0.0)
    result = mean + variance / (variance + epsilon) * (z - mean)
    return result.astype(x.dtype, copy=False)


@dataclass(frozen=True, eq=False)
class LocalFit:
    r"""Local linear fit to a guide, :math:`y_i = \sum_c \bar s_{ic} z_{ic} + \bar t_i`.

    Parameters
    ----------
    slope : array, (rows, cols, channels)
        :math:`\bar s`, for each band of the guide.
    level : array, (rows, cols)
        :math:`\bar t`.

    Examples
    --------
    >>> import numpy as np
    >>> guide = np.array([[0.0, 0.0, 1.0, 1.0]])
    >>> fit = LocalFit.of(np.array([[0.2, 0.2, 0.9, 0.9]]), guide, radius=3, epsilon=1e-9)
    >>> fit(1 - guide).round(3).tolist()
    [[0.9, 0.9, 0.2, 0.2]]
    """

    slope: FloatArray
    level: FloatArray

    @classmethod
    def of(
        cls,
        x: FloatArray,
        guide: FloatArray,
        weight: FloatArray | None = None,
        *,
        radius: int,
        epsilon: float,
    ) -> LocalFit:
        r"""Fit a plane in every window k with weights m, and average the fits by window weight.

        .. math::

            s_k = (\operatorname{cov}_k(z, z) + \varepsilon I)^{-1} \operatorname{cov}_k(z, x),
            \qquad t_k = \bar x_k - s_k \cdot \bar z_k, \qquad
            \bar s_i = \frac{\sum_{k \ni i} \bar m_k s_k}{\sum_{k \ni i} \bar m_k} .

        Parameters
        ----------
        x : array, (rows, cols)
            Plane to be fitted.
        guide : array, (rows, cols) or (rows, cols, channels)
            :math:`z`.
        weight : array, (rows, cols), optional
            :math:`m > 0`; 1 everywhere by default.
        radius : int
            Radius of the windows in pixels; at the border they hold only the pixels inside.
        epsilon : float
            :math:`\varepsilon > 0`: where the guide varies less, y is a plain mean.
        """
        z = _bands(guide)
        m = np.ones(x.shape) if weight is None else np.asarray(weight, np.float64)
        total = box_mean(m, radius)

        def mean(plane: FloatArray) -> FloatArray:
            return box_mean(m * plane, radius) / total

        channels = range(z.shape[2])
        mean_x, mean_z = mean(x), np.stack([mean(z[..., c]) for c in channels], axis=-1)
        with_x = [mean(z[..., c] * x) - mean_z[..., c] * mean_x for c in channels]
        matrix = np.empty((*x.shape, z.shape[2], z.shape[2]))
        for c in channels:
            for d in range(c + 1):
                entry = mean(z[..., c] * z[..., d]) - mean_z[..., c] * mean_z[..., d]
                matrix[..., c, d] = matrix[..., d, c] = entry
        matrix[..., channels, channels] += epsilon
        slope = np.linalg.solve(matrix, np.stack(with_x, axis=-1)[..., None])[..., 0]
        level = mean_x - (slope * mean_z).sum(axis=-1)

        def vote(plane: FloatArray) -> FloatArray:
            return box_mean(total * plane, radius) / votes

        votes = box_mean(total, radius)
        return cls(np.stack([vote(slope[..., c]) for c in channels], axis=-1), vote(level))

    def __call__(self, guide: FloatArray) -> FloatArray:
        """Return y; near edges it may leave the range of the fitted plane."""
        y = self.level.copy()
        for c in range(self.slope.shape[2]):
            y += self.slope[..., c] * _bands(guide)[..., c]
        return y

    def carried(self, guide: FloatArray, factor: int) -> FloatArray:
        """Return y for a full-size guide, if this fit was made on a copy reduced by a factor.

        The coefficients are enlarged strip by strip, to limit memory.
        """
        shape = guide.shape[0], guide.shape[1]
        y: FloatArray = np.empty(shape)
        for top in range(0, shape[0], STRIP):
            rows = slice(top, top + STRIP)
            slope, level = (enlarged(x, factor, shape, rows) for x in (self.slope, self.level))
            y[rows] = LocalFit(slope, level)(guide[rows])
        return y


def _bands(guide: FloatArray) -> FloatArray:
    return np.asarray(guide[..., None] if guide.ndim == 2 else guide, np.float64)
