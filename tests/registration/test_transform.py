"""Transforms: least squares gives back what made the points."""

import numpy as np
import pytest

from osmofuse.errors import InputError
from osmofuse.registration.transform import (
    KINDS,
    LEAST_POINTS,
    Deformation,
    Transform,
    basis,
    carried,
    corners,
    fitted,
    rates,
)

MATRICES = {
    "translation": [[1, 0, 30], [0, 1, -12], [0, 0, 1]],
    "similarity": [[1.1, -0.2, 30], [0.2, 1.1, -12], [0, 0, 1]],
    "affine": [[1.1, -0.1, 30], [0.25, 0.9, -12], [0, 0, 1]],
    "homography": [[1.1, -0.1, 30], [0.25, 0.9, -12], [1e-4, -2e-4, 1]],
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("more", [0, 20])
def test_exact_points_give_the_matrix_back(kind, more, rng):
    points = rng.uniform(0, 500, (LEAST_POINTS[kind] + more, 2))
    matrix = fitted(kind, points, carried(np.array(MATRICES[kind]), points))
    np.testing.assert_allclose(matrix, MATRICES[kind], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_small_changes_move_points_at_their_rates(kind, rng):
    points = rng.uniform(-1, 1, (5, 2))
    for k, change in enumerate(basis(kind)):
        moved = carried(np.eye(3) + 1e-6 * change, points) - points
        np.testing.assert_allclose(moved / 1e-6, rates(kind, points)[..., k], atol=1e-5)


def test_too_few_points_are_refused():
    with pytest.raises(InputError, match="3 pairs; a homography needs at least 4"):
        fitted("homography", np.zeros((3, 2)), np.zeros((3, 2)))


def test_points_on_a_line_are_refused():
    line = np.column_stack([np.arange(6.0), 2 * np.arange(6.0)])
    with pytest.raises(InputError, match="on a line"):
        fitted("affine", line, line)


def test_a_transform_carries_points_and_is_an_array():
    transform = Transform("affine", 2 * np.array(MATRICES["affine"], float))
    assert transform.matrix[2, 2] == 1
    np.testing.assert_array_equal(np.asarray(transform), transform.matrix)
    np.testing.assert_allclose(transform([[10, 20]]), [[39, 8.5]])


def test_corners_are_centres_of_pixels():
    assert corners((3, 5)).tolist() == [[0, 0], [4, 0], [4, 2], [0, 2]]


def test_a_steep_deformation_is_undone():
    shifts = np.zeros((5, 5, 2), np.float32)
    shifts[..., 0] = 0.4 * 20 * np.array([0, 1, 0, 1, 0])
    bent = Deformation(shifts, (81, 81))
    places = np.column_stack([np.linspace(5, 75, 30), np.linspace(60, 10, 30)])
    # OpenCV rounds places to 1/32 of a node's distance, here a shift of 0.25.
    np.testing.assert_allclose(bent.undone(places + bent.at(places)), places, atol=0.5)


def test_a_fold_is_a_slope_in_pixels_along_its_own_axis():
    rise = np.repeat(np.array([0, 10, 20], np.float32)[:, None, None], 3, axis=1).repeat(2, axis=2)
    shape = (101, 11)  # nodes are 50 rows and 5 columns apart
    assert not Deformation(rise, shape).folds
    assert Deformation(rise.swapaxes(0, 1), shape).folds
