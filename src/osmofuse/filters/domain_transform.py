r"""Recursive filter of the domain transform (Gastal and Oliveira 2011).

Rows, then columns, are filtered forwards and backwards by recursions whose memory decays with the
distance along the graph of the guide, doi:10.1145/2010324.1964964.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from osmofuse.typing import FloatArray


@dataclass(frozen=True, eq=False)
class DomainTransform:
    r"""Edge-preserving filter for a guide, one iteration.

    A grid edge between neighbours i and j has a weight that decays with its length on the graph of
    the guide z; a line is filtered along its edges, forwards and then backwards:

    .. math::

        m_{ij} = \exp\Big(\! -\frac{\sqrt2}{\sigma_s}
                 \Big(1 + \frac{\sigma_s}{\sigma_r} |z_j - z_i|\Big)\Big), \qquad
        y_j \leftarrow y_j + m_{ij}\, (y_i - y_j),

    first all rows, then all columns. The first pixel of a pass keeps its value: nothing enters at
    a border.

    Parameters
    ----------
    across : array, (cols - 1, rows)
        :math:`m` between neighbours in a row: a line for each pair of columns.
    down : array, (rows - 1, cols)
        :math:`m` between neighbours in a column.

    Examples
    --------
    >>> import numpy as np
    >>> smooth = DomainTransform.of(np.array([[0.0, 0.0, 9.0]]), sigma_space=2, sigma_range=0.1)
    >>> smooth(np.array([[0.0, 1.0, 5.0]])).round(3).tolist()  # 9 is beyond an edge
    [[0.25, 0.507, 5.0]]
    """

    across: FloatArray
    down: FloatArray

    @classmethod
    def of(cls, guide: FloatArray, *, sigma_space: float, sigma_range: float) -> DomainTransform:
        r"""Build the filter for a guide.

        Parameters
        ----------
        guide : array, (rows, cols)
            :math:`z`; its edges stop the smoothing.
        sigma_space : float
            :math:`\sigma_s`, reach in pixels where the guide is flat.
        sigma_range : float
            :math:`\sigma_r`: a step of the guide of this height counts as :math:`\sigma_s` pixels.
        """
        z = np.asarray(guide, np.float64)
        return cls(*(_weights(plane, sigma_space, sigma_range) for plane in (z.T, z)))

    def __call__(self, x: FloatArray) -> FloatArray:
        """Return a smoothed copy of a plane (rows, cols), of the same type."""
        y = np.array(x.T, np.float64, order="C")
        _recur(y, self.across)
        y = np.array(y.T, order="C")
        _recur(y, self.down)
        return y.astype(x.dtype, copy=False)


def _weights(z: FloatArray, sigma_space: float, sigma_range: float) -> FloatArray:
    """Return m of the edges along the first axis."""
    steps = np.abs(np.diff(z, axis=0)) / sigma_range
    return np.asarray(np.exp(-math.sqrt(2.0) * (1.0 / sigma_space + steps)), order="C")


def _recur(y: FloatArray, m: FloatArray) -> None:
    """Filter along the first axis in place, forwards and backwards."""
    for i in range(len(m)):
        y[i + 1] += m[i] * (y[i] - y[i + 1])
    for i in reversed(range(len(m))):
        y[i] += m[i] * (y[i + 1] - y[i])
