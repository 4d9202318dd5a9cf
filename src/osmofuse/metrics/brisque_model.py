r"""Trained part of BRISQUE: a support vector regression on 36 scaled features.

.. math::

    \mathrm{score} = \sum_i c_i\, e^{-\gamma |x - s_i|^2} - \rho, \qquad
    x = -1 + 2\,\frac{z - z_{min}}{z_{max} - z_{min}}

for features z. The vectors :math:`s_i` and numbers come from a model file of libsvm, the ranges
from a file of its program svm-scale, or from the pickle in the wheel `brisque`. Loading a pickle
can run any code, so it is not loaded: its numbers are read from its opcodes.
"""

from __future__ import annotations

import os
import pickletools
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from osmofuse.errors import InputError
from osmofuse.metrics.natural_scene import FEATURE_COUNT
from osmofuse.metrics.quality_models import installed_file
from osmofuse.typing import FloatArray


@dataclass(frozen=True, eq=False)
class BrisqueModel:
    """Regression and the ranges of its features in the training.

    There are n weights and `vectors`, (n, 36); `ranges` is (2, 36), minimum and maximum. `rho` is
    subtracted.
    """

    weights: FloatArray
    vectors: FloatArray
    gamma: float
    rho: float
    ranges: FloatArray

    def __call__(self, features: FloatArray) -> float:
        """Return the score of 36 features."""
        low, high = self.ranges
        wide = high > low  # svm-scale omits constant features
        x = np.where(wide, -1.0 + 2.0 * (features - low) / np.where(wide, high - low, 1.0), 0.0)
        distances = ((self.vectors - x) ** 2).sum(axis=1)
        return float(self.weights @ np.exp(-self.gamma * distances)) - self.rho


def installed_model() -> BrisqueModel:
    """Return the model of the wheel brisque 0.2.0: 770 vectors; it is not that of the authors."""
    names = ("brisque/models/svm.txt", "brisque/models/normalize.pickle")
    svm, ranges = (installed_file("brisque", "0.2.0", name) for name in names)
    return read_model(svm, ranges)


def read_model(svm: str | os.PathLike[str], ranges: str | os.PathLike[str]) -> BrisqueModel:
    """Read a model: a model file of libsvm, and the ranges of its features.

    The regression is epsilon or nu, with a radial kernel. The ranges are a file of svm-scale, to
    [-1, 1], or a pickle of a dict with the lists "min_" and "max_".
    """
    regression, scaling = _read(svm), _read(ranges)
    try:
        weights, vectors, gamma, rho = _regression(regression.decode("ascii"))
    except (ValueError, KeyError, IndexError) as error:
        raise InputError(f"model: {svm} is not a regression model of libsvm ({error})") from error
    try:
        found = _ranges(scaling)
    except (ValueError, KeyError, IndexError) as error:
        raise InputError(f"model: {ranges} has no feature ranges ({error})") from error
    return BrisqueModel(weights, vectors, gamma, rho, found)


def _read(path: str | os.PathLike[str]) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"model: {path} cannot be read ({error.strerror})") from error


def _regression(text: str) -> tuple[FloatArray, FloatArray, float, float]:
    head, mark, body = text.partition("\nSV\n")
    settings = dict(line.split(maxsplit=1) for line in head.splitlines())
    if not mark or settings["svm_type"] not in ("epsilon_svr", "nu_svr"):
        raise ValueError("no regression")
    if settings["kernel_type"] != "rbf":
        raise ValueError(f"kernel {settings['kernel_type']}")
    lines = [line.split() for line in body.splitlines() if line.strip()]
    weights = np.array([float(line[0]) for line in lines])
    vectors = np.zeros((len(lines), FEATURE_COUNT))
    for vector, line in zip(vectors, lines, strict=True):
        for entry in line[1:]:  # missing entries are 0
            place, value = entry.split(":")
            vector[_place(place)] = float(value)
    numbers = float(settings["gamma"]), float(settings["rho"])
    if not (np.isfinite(vectors).all() and np.isfinite([*weights, *numbers]).all()):
        raise ValueError("not finite")
    return weights, vectors, *numbers


def _ranges(content: bytes) -> FloatArray:
    pickled = content.startswith(b"\x80")
    found = _pickled_ranges(content) if pickled else _written_ranges(content.decode("ascii"))
    if found.shape != (2, FEATURE_COUNT) or not np.isfinite(found).all():
        raise ValueError(f"not {FEATURE_COUNT} of them")
    return found


def _written_ranges(text: str) -> FloatArray:
    """Return the ranges of a file of svm-scale: x, then -1 1, then number, least and greatest."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    if lines[0] != ["x"] or [float(end) for end in lines[1]] != [-1.0, 1.0]:
        raise ValueError("not scaled to [-1, 1]")
    ranges = np.zeros((2, FEATURE_COUNT))
    for place, low, high in lines[2:]:
        ranges[:, _place(place)] = float(low), float(high)
    return ranges


def _pickled_ranges(content: bytes) -> FloatArray:
    """Return the numbers that follow the words "min_" and "max_", without loading the pickle."""
    lists: dict[str, list[float]] = {}
    current: list[float] = []
    for _, argument, _ in pickletools.genops(content):
        if isinstance(argument, str):
            current = lists.setdefault(argument, [])
        elif isinstance(argument, float):
            current.append(argument)
    return np.array([lists["min_"], lists["max_"]])


def _place(number: str) -> int:
    """Return the index of a feature, which the files count from 1."""
    place = int(number) - 1
    if not 0 <= place < FEATURE_COUNT:
        raise ValueError(f"feature {number} of {FEATURE_COUNT}")
    return place
