"""Visual information by loops over windows, without a line of the package."""

from __future__ import annotations

import math

import numpy as np


def gauss(side):
    t = np.arange(side) - side // 2
    window = np.exp(-(t[:, None] ** 2 + t**2) / (2 * (side / 5) ** 2))
    return window / window.sum()


def smooth(x, window):
    n = len(window)
    return np.array(
        [
            [(window * x[i : i + n, j : j + n]).sum() for j in range(x.shape[1] - n + 1)]
            for i in range(x.shape[0] - n + 1)
        ]
    )


def windows(x, y, noise):
    """Yield for each scale a list of (gain, kept, whole) of its windows, row by row."""
    for scale, side in enumerate((17, 9, 5, 3)):
        g = gauss(side)
        if scale:
            x, y = smooth(x, g)[::2, ::2], smooth(y, g)[::2, ::2]
        entries = []
        for i in range(x.shape[0] - side + 1):
            for j in range(x.shape[1] - side + 1):
                a, b = x[i : i + side, j : j + side], y[i : i + side, j : j + side]
                a, b = a - (g * a).sum(), b - (g * b).sum()
                var_a, var_b, cov = (g * a * a).sum(), (g * b * b).sum(), (g * a * b).sum()
                gain = max(cov / var_a, 0.0)
                rest = var_b - gain * cov
                kept = math.log10(1 + gain**2 * var_a / (rest + noise))
                entries.append((gain, kept, math.log10(1 + var_a / noise)))
        yield entries
