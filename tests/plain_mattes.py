"""Terms of mattes as dense matrices."""

from __future__ import annotations

import numpy as np

from osmofuse.maps.colour_lines import STEPS, colour_lines


def numbered(wanted):
    return np.where(wanted, np.cumsum(wanted).reshape(wanted.shape) - 1, -1).astype(np.int32)


def colour_line_matrix(image):
    """Return the matrix of the quadratic form over all pixels."""
    shape = image.shape[:2]
    number = numbered(np.ones(shape, bool))
    found = colour_lines(image, number, np.zeros(shape, bool))
    assert not found.ends.any()
    matrix = np.zeros((number.size,) * 2)
    for weights, (down, right) in zip(found.weights.T, STEPS, strict=True):
        for i, weight in zip(np.ndindex(shape), weights, strict=True):
            j = i[0] + down, i[1] + right
            if 0 <= j[0] < shape[0] and 0 <= j[1] < shape[1]:
                ends = number[i], number[j]
                matrix[np.ix_(ends, ends)] += weight * np.array([[1, -1], [-1, 1]])
            else:
                assert weight == 0
    return matrix
