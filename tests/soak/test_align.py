"""Two hundred pairs with a known warp, fifty that show different things, and infrared ones."""

from collections import defaultdict

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
        found = osmofuse.align(case.moving, case.fixed)
        error = case.error(found.transform) if found.status.is_success else np.inf
        assert error < 3 or error == np.inf, (case.name, case.modality, error)
        errors[case.modality].append(error)
    for modality, found in errors.items():
        print(modality, len(found), np.sum(np.array(found) <= 0.5), max(found))  # noqa: T201
    assert np.mean(np.concatenate(list(errors.values())) <= 0.5) >= 0.95


def test_align_refuses_unrelated_pictures(pictures):
    for name, moving, fixed in warps.unrelated(pictures, 50, 2):
        assert osmofuse.align(moving, fixed).status == "refused", name
