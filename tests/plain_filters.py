"""The filters as their formulas say it, pixel by pixel, without a line of the package."""

from __future__ import annotations

import math

import numpy as np


def window(x, i, j, radius):
    """Return the part of a plane that a square window around a pixel holds."""
    rows = slice(max(i - radius, 0), i + radius + 1)
    return x[rows, max(j - radius, 0) : j + radius + 1]


def of_windows(x, radius, function):
    """Return a plane of what a function says of the window around each pixel."""
    y = np.empty(x.shape)
    for i, j in np.ndindex(x.shape):
        y[i, j] = function(window(x, i, j, radius))
    return y


def eroded(valid, radius):
    """Tell where a window holds valid pixels only."""
    return of_windows(valid, radius, np.all) == 1


def box_mean(x, radius, border="shrink"):
    if border == "shrink":
        return of_windows(x, radius, np.mean)
    rows, cols = x.shape
    padded = np.pad(x, radius, mode="edge")
    return of_windows(padded, radius, np.mean)[radius : radius + rows, radius : radius + cols]


def guided(x, guide, radius, epsilon):
    slope, level = np.empty(x.shape), np.empty(x.shape)
    for i, j in np.ndindex(x.shape):
        z, y = window(guide, i, j, radius), window(x, i, j, radius)
        covariance = np.mean((z - z.mean()) * (y - y.mean()))
        slope[i, j] = covariance / (z.var() + epsilon)
        level[i, j] = y.mean() - slope[i, j] * z.mean()
    return box_mean(slope, radius) * guide + box_mean(level, radius)


def lee(x, radius, epsilon):
    mean, variance = (of_windows(x, radius, f) for f in (np.mean, np.var))
    return mean + variance / (variance + epsilon) * (x - mean)


def laplacian(x):
    p = np.pad(x, 1, mode="edge")
    return p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * x


def gaussian(x, sigma, radius):
    t = np.arange(-radius, radius + 1)
    line = np.exp(-(t**2) / (2 * sigma**2))
    kernel = np.outer(line, line) / line.sum() ** 2
    p = np.pad(x, radius, mode="edge")
    y = np.empty(x.shape)
    for i, j in np.ndindex(x.shape):
        y[i, j] = np.sum(kernel * p[i : i + 2 * radius + 1, j : j + 2 * radius + 1])
    return y


def domain_transform(x, guide, sigma_space, sigma_range):
    a = math.exp(-math.sqrt(2) / sigma_space)
    y = x.copy()
    for line, z in ((y, guide), (y.T, guide.T)):  # views: the rows, then the columns
        for i in range(line.shape[0]):
            v = a ** (1 + sigma_space / sigma_range * np.abs(np.diff(z[i])))
            for j in range(1, line.shape[1]):
                line[i, j] += v[j - 1] * (line[i, j - 1] - line[i, j])
            for j in range(line.shape[1] - 2, -1, -1):
                line[i, j] += v[j] * (line[i, j + 1] - line[i, j])
    return y
