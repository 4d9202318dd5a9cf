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


def test_align_finds_real_pairs_or_refuses_them(data):
    """Landmarks are 1-based; their own error is a pixel or two."""
    folder = data / "real" / "registration"
    marks = sorted(folder.glob("*_landmarks.csv"))
    if not marks:
        pytest.skip("no pairs with landmarks")
    levels = []
    for path in marks:
        name = path.name.removesuffix("_landmarks.csv")
        pair = (osmofuse.read(folder / f"{name}_{which}.png") for which in ("fixed", "moving"))
        found = osmofuse.align(*pair)
        fixed, moving = np.split(np.loadtxt(path, delimiter=",", skiprows=1) - 1, 2, axis=1)
        levels.append(found.quality.level)
        if found.status.is_success:
            assert np.median(np.hypot(*(found.transform(moving) - fixed).T)) < 5, name
    print({level: levels.count(level) for level in levels})  # noqa: T201
    assert levels.count("refused") <= len(levels) // 7


@pytest.mark.parametrize("shape", [(600, 450), (300, 240), (200, 160)])
def test_align_finds_pairs_of_the_gallery(shape):
    errors = []
    for seed in range(20, 23):
        for case in warps.gallery_cases(shape, seed):
            found = osmofuse.align(case.foreground, case.background)
            errors.append(case.error(found.transform) if found.status.is_success else np.inf)
            assert errors[-1] < 3 or errors[-1] == np.inf, (case.name, seed, errors[-1])
    print(shape, len(errors), np.sum(np.array(errors) <= 0.5), max(errors))  # noqa: T201
    assert np.mean(np.array(errors) <= 0.5) >= 0.9
    assert np.median(errors) <= 0.3


def test_align_refuses_unrelated_pictures(pictures):
    # A refusal tries everything; at half the size it takes half the time.
    halves = [(name, cv2.resize(one, None, fx=0.5, fy=0.5)) for name, one in pictures]
    for name, foreground, background in warps.unrelated(halves, 50, 2):
        assert osmofuse.align(foreground, background).status == "refused", name
