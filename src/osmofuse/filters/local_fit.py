"""A plane as a local combination of the bands of a guide: the guided filter, with weights.

The guided filter (He, Sun and Tang 2013, doi:10.1109/TPAMI.2012.213) of colour guides, where
pixels count as much as their weight says, and whose coefficients can be carried to a larger
copy of the guide.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from osmofuse.filters.box import box_mean
from osmofuse.filters.resize import enlarged
from osmofuse.typing import FloatArray

STRIP = 256  # rows


@dataclass(frozen=True, eq=False)
class LocalFit:
    r"""Coefficients of :math:`y_i = \sum_c \bar s_{ic} z_{ic} + \bar t_i`.

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
        r"""Fit a plane, in every window k with weights m, and let windows vote by their weight.

        .. math::

            s_k = (\operatorname{cov}_k(z, z) + \varepsilon I)^{-1} \operatorname{cov}_k(z, x),
            \qquad t_k = \bar x_k - s_k \cdot \bar z_k, \qquad
            \bar s_i = \frac{\sum_{k \ni i} \bar m_k s_k}{\sum_{k \ni i} \bar m_k} .

        Parameters
        ----------
        x : array, (rows, cols)
            The plane.
        guide : array, (rows, cols) or (rows, cols, channels)
            :math:`z`.
        weight : array, (rows, cols), optional
            :math:`m > 0`; 1 everywhere if not given.
        radius : int
            Of the windows, in pixels; those at the border hold only the pixels inside.
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
        """Return y; near edges it may leave the range of the plane that was fitted."""
        y = self.level.copy()
        for c in range(self.slope.shape[2]):
            y += self.slope[..., c] * _bands(guide)[..., c]
        return y

    def carried(self, guide: FloatArray, factor: int) -> FloatArray:
        """Return y for a guide of which this fit's was a copy, reduced by a factor.

        The coefficients are enlarged strip by strip: together they would be many planes.
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
