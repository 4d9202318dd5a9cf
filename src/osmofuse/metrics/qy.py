r"""Yang's similarity-based quality of fusion.

With the structural similarity S in Gaussian windows of 7 × 7 pixels, :math:`\sigma = 1.5`, and
:math:`\lambda = \sigma_f^2 / (\sigma_f^2 + \sigma_b^2)`,

.. math::

    Q = \begin{cases}
        \lambda\, S(f, u) + (1 - \lambda)\, S(b, u) & \text{if } S(f, b) \ge 0.75 \\
        \max\{S(f, u), S(b, u)\} & \text{else:}
    \end{cases}

where the sources agree the fused picture should be like both, else like one of them. The mean is
over the windows that fit inside. S has no stabilising constants,

.. math::

    S(x, y) = \frac{2 \mu_x \mu_y}{\mu_x^2 + \mu_y^2} \cdot
              \frac{2 \sigma_{xy}}{\sigma_x^2 + \sigma_y^2},

(the program that most users have adds 2·10⁻¹⁶, less than its rounding errors): a factor 0/0, of
two black or of two flat windows, is 1, and :math:`\lambda = 1/2` where both sources are flat.
"""

from __future__ import annotations

import numpy as np

from osmofuse.metrics.grey_levels import clear_rounding, mean_over_channels, rounding_in
from osmofuse.metrics.local_moments import local_moments
from osmofuse.metrics.metric import Metric
from osmofuse.typing import BoolArray, FloatArray

SIGMA, RADIUS = 1.5, 3
AGREE = 0.75


def qy(fused: FloatArray, foreground: FloatArray, background: FloatArray) -> float:
    """Return Yang's quality of fusion.

    Yang, Zhang, Wang and Liu, Information Fusion 9(2), 2008, pages 156 to 160.

    Parameters
    ----------
    fused, foreground, background : array, (rows, cols) or (rows, cols, channels)
        White at 1.0; 7 pixels at least in both directions.

    Returns
    -------
    float
        In [-1, 1]; 1 if the fused picture is like one source everywhere they differ, and like
        both where they agree. Channel by channel on grey levels of 255, then the mean.

    Raises
    ------
    InputError
        The pictures are too small.
    """
    return mean_over_channels(_plane, fused, foreground, background, side=2 * RADIUS + 1)


def _plane(u: FloatArray, f: FloatArray, b: FloatArray) -> float:
    between, var_f, var_b = _similarity(f, b)
    to_f, to_b = (_similarity(source, u)[0] for source in (f, b))
    part = _ratio(var_f, var_f + var_b, 0.5)
    together = part * to_f + (1.0 - part) * to_b
    return float(np.where(between >= AGREE, together, np.maximum(to_f, to_b)).mean())


def _similarity(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the similarity of two planes, and their variances, in each window."""
    mean_x, mean_y, var_x, var_y, cov = local_moments(x, y, SIGMA, RADIUS)
    clear_rounding(var_x, x)
    clear_rounding(var_y, y)
    cov[(var_x == 0.0) | (var_y == 0.0)] = 0.0
    bright = np.hypot(mean_x, mean_y) > rounding_in(x, y)
    luminance = _ratio(2.0 * mean_x * mean_y, mean_x**2 + mean_y**2, 1.0, where=bright)
    structure = _ratio(2.0 * cov, var_x + var_y, 1.0)
    return np.clip(luminance * structure, -1.0, 1.0), var_x, var_y


def _ratio(
    part: FloatArray, whole: FloatArray, otherwise: float, *, where: BoolArray | None = None
) -> FloatArray:
    there = whole > 0.0 if where is None else where
    return np.where(there, part / np.where(there, whole, 1.0), otherwise)


METRIC = Metric(
    lambda p: qy(p.fused, p.foreground, p.background),
    better="high",
    range=(-1.0, 1.0),
    definition="structural similarity to both sources, weighted by their variances, where these "
    "agree to 0.75, else to the nearer one; Gaussian window 7 by 7, sigma 1.5, no constants",
    channels="mean over them",
    source="Yang et al., Information Fusion 2008",
    check="1 if both sources are the fused picture; "
    "0.992 for direct matting of the paper's face pair",
)
