"""Two hundred pairs with a known warp, the gallery's, and fifty that show different things."""

from collections import defaultdict

import cv2
import numpy as np
import pytest

import osmofuse
import warps

pytestmark = pytest.mark.soak


@pytest.fixture(scope="module")
def pictures(data):
    return warps.photographs(data) + warps.pages()


def test_align_finds_known_warps(pictures):
    errors = defaultdict(list)
    for case in warps.cases(pictures, 200, 2):
        found = osmofuse.align(case.foreground, case.background)
        error = case.error(found.transform) if found.status.is_success else np.inf
        assert error < 3 or error == np.inf, (case.name, case.modality, error)
        errors[case.modality].append(error)
    for modality, found in errors.items():
        print(modality, len(found), np.sum(np.array(found) <= 0.5), max(found))  # noqa: T201
    assert np.mean(np.concatenate(list(errors.values())) <= 0.5) >= 0.95


@pytest.mark.parametrize("shape", [(600, 450), (300, 240), (200, 160)])
def test_align_finds_pairs_of_the_gallery(shape):
    errors = []
    for seed in range(20, 23):
        for case in warps.gallery_cases(shape, seed):
            found = osmofuse.align(case.foreground, case.background)
            errors.append(case.error(found.transform) if found.status.is_success else np.inf)
            assert errors[-1] < 3 or errors[-1] == np.inf, (case.name, seed, errors[-1])
    print(shape, len(errors), np.sum(np.array(errors) <= 0.5), max(errors))  # noqa: T201
    assert np.mean(np.array(errors) <= 0.5) >= 0.8


def test_align_refuses_unrelated_pictures(pictures):
    # A refusal tries everything; at half the size it takes half the time.
    halves = [(name, cv2.resize(one, None, fx=0.5, fy=0.5)) for name, one in pictures]
    for name, foreground, background in warps.unrelated(halves, 50, 2):
        assert osmofuse.align(foreground, background).status == "refused", name
