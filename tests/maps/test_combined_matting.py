from __future__ import annotations

import numpy as np
import pytest

from osmofuse.maps.colour_mixtures import mixture_weights
from osmofuse.maps.combined_matting import (
    KNOWN,
    MIXTURES,
    MOST_KNOWN,
    TIES,
    combined_matte,
    matting_system,
)
from osmofuse.maps.knn_matting import knn_matte, neighbours, ties_along, ties_to_known
from osmofuse.maps.trimap import Trimap
from osmofuse.progress import Guard, Status
from plain_mattes import colour_line_matrix


def open_between(shape, width):
    kept, entered = np.zeros((2, *shape), bool)
    kept[:, :width], entered[:, -width:] = True, True
    return Trimap(kept, entered)


def dense_system(image, trimap):
    """Return the matrix and the right-hand side of the sum of all four terms."""
    known, pixels = trimap.known.ravel(), np.arange(trimap.known.size)
    near = neighbours(image, pixels)
    matrix = colour_line_matrix(image)
    # Neighbours of open pixels only.
    open_near = [x[~known] for x in near]
    matrix += TIES * ties_along(image, pixels[~known], open_near).laplacian(known.size).toarray()
    weight = min(KNOWN / known.size, MOST_KNOWN)
    matrix += weight * ties_to_known(image, trimap).laplacian(known.size).toarray()
    rows = np.eye(known.size)[~known]
    weights = mixture_weights(image.reshape(known.size, -1), pixels[~known], open_near[0])
    np.put_along_axis(rows, open_near[0], -weights, axis=1)
    matrix += MIXTURES * rows.T @ rows
    right = -matrix[np.ix_(~known, known)] @ trimap.kept.ravel()[known]
    return matrix[np.ix_(~known, ~known)], right


@pytest.mark.parametrize("bands", [1, 3])
def test_the_system_is_the_sum_of_all_terms(bands, rng):
    image = 0.5 + 0.1 * rng.random((9, 11, bands))
    levels = rng.choice([0.0, 0.5, 0.5, 1.0], (9, 11))
    trimap = Trimap.of(levels)
    form, right = matting_system(image, trimap, Guard(None))
    matrix, expected = dense_system(image, trimap)
    found = np.stack([form @ x for x in np.eye(len(expected))], axis=1)
    np.testing.assert_allclose(found, matrix, atol=1e-6 * abs(matrix).max())
    np.testing.assert_allclose(form.diagonal(), matrix.diagonal(), rtol=1e-6)
    np.testing.assert_allclose(right, expected, atol=1e-6 * abs(matrix).max())


def test_the_map_is_that_of_a_dense_solve(rng):
    image, trimap = 0.5 + 0.1 * rng.random((8, 9, 3)), open_between((8, 9), 2)
    alpha, status = combined_matte(image, trimap, Guard(None))
    assert status is Status.converged
    dense = np.linalg.solve(*dense_system(image, trimap))
    np.testing.assert_allclose(alpha[~trimap.known], np.clip(dense, 0, 1), atol=2e-3)
    assert (alpha[trimap.kept] == 1).all()
    assert (alpha[trimap.entered] == 0).all()


def test_a_soft_edge_between_plain_colours_is_found_where_ties_alone_miss_it():
    shape = (40, 60)
    truth = np.clip((45.0 - np.indices(shape)[1]) / 30, 0, 1)
    image = truth[..., None] * (0.8, 0.3, 0.1) + (1 - truth[..., None]) * (0.1, 0.4, 0.7)
    trimap = open_between(shape, 10)
    error = np.abs(combined_matte(image, trimap, Guard(None))[0] - truth).mean()
    assert error < 1e-3
    assert error < 0.1 * np.abs(knn_matte(image, trimap, Guard(None))[0] - truth).mean()


def test_an_island_that_no_line_reaches_is_joined_by_its_colour():
    image = np.full((40, 60, 3), 0.2)
    image[:, :15] = image[15:25, 35:45] = 0.8
    alpha, _ = combined_matte(image, open_between((40, 60), 8), Guard(None))
    assert np.array_equal(alpha, (image[..., 0] > 0.5).astype(float))


def test_hair_thinner_than_a_pixel_is_found_better_than_by_lines_and_ties_alone(monkeypatch, rng):
    fine = np.zeros((480, 640))
    for start, lean in zip(rng.uniform(0, 640, 120), rng.uniform(-0.3, 0.3, 120), strict=True):
        cols = (start + lean * np.arange(360)).astype(int) % 640
        fine[np.arange(360), cols] = fine[np.arange(360), (cols + 1) % 640] = 1.0
    fine[360:] = 1.0
    truth = fine.reshape(120, 4, 160, 4).mean(axis=(1, 3))
    leaf = rng.random((120, 160, 1)) * (0.1, 0.25, 0.1) + (0.1, 0.3, 0.1)
    hair = rng.random((120, 160, 1)) * (0.3, 0.2, 0.1) + (0.6, 0.5, 0.2)
    image = truth[..., None] * hair + (1 - truth[..., None]) * leaf
    trimap = np.full(truth.shape, 0.5)
    trimap[truth == 1], trimap[:8] = 1.0, 0.0
    errors = []
    for weight in (MIXTURES, 0.0):
        monkeypatch.setattr("osmofuse.maps.combined_matting.MIXTURES", weight)
        alpha, _ = combined_matte(image, Trimap.of(trimap), Guard(None))
        errors.append(np.abs(alpha - truth)[trimap == 0.5].mean())
    assert errors[0] < 0.9 * errors[1]


@pytest.mark.parametrize("shape", [(1, 2), (2, 1), (1, 5), (3, 3)])
def test_tiny_pictures(shape):
    kept, entered = np.zeros((2, *shape), bool)
    kept.flat[0], entered.flat[-1] = True, True
    alpha, status = combined_matte(np.full((*shape, 1), 0.3), Trimap(kept, entered), Guard(None))
    assert status.is_success
    assert alpha.flat[0] == 1
    assert alpha.flat[-1] == 0


def test_ties_to_known_pixels_weigh_less_in_larger_pictures(monkeypatch, rng):
    image, levels = rng.integers(0, 2, (6, 8, 3)).astype(float), np.full((6, 8), 0.5)
    levels[:2], levels[-2:] = 1.0, 0.0
    trimap, found = Trimap.of(levels), []
    for weight in (1.0, 48e-4):
        monkeypatch.setattr("osmofuse.maps.combined_matting.KNOWN", weight)
        found.append(matting_system(image, trimap, Guard(None))[0].diagonal())
    known = ties_to_known(image, trimap).k
    assert known.any()
    np.testing.assert_allclose(found[0] - found[1], (MOST_KNOWN - 1e-4) * known, atol=1e-12)


def test_a_cancel_in_the_search_ends_it(monkeypatch, rng):
    monkeypatch.setattr(Guard, "interval", 0.0)
    monkeypatch.setattr("osmofuse.maps.knn_matting.PIXELS_AT_ONCE", 10)
    image, trimap, seen = rng.random((8, 9, 3)), open_between((8, 9), 2), []
    guard = Guard(lambda p: seen.append(p) or len(seen) == 3)
    assert combined_matte(image, trimap, guard)[1] is Status.cancelled
    assert len(seen) == 3


def test_parts_change_nothing(monkeypatch, rng):
    image, trimap = rng.random((8, 9, 3)), open_between((8, 9), 2)
    whole = combined_matte(image, trimap, Guard(None))[0]
    for place in ("knn_matting", "combined_matting"):
        monkeypatch.setattr(f"osmofuse.maps.{place}.PIXELS_AT_ONCE", 7)
    parted = combined_matte(image, trimap, Guard(None))[0]
    np.testing.assert_allclose(parted, whole, atol=1e-12)
