"""Pictures are laid over one another to a fraction of a pixel, or refused."""

import os
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import cv2
import numpy as np
import pytest

import fresh_process
import osmofuse
import warps
from osmofuse import SettingError, Status, gallery
from osmofuse.progress import Guard
from osmofuse.registration.chain import ALIGN_METHODS, Candidate
from osmofuse.registration.quality import Evidence
from osmofuse.registration.transform import Deformation

SHAPE = (300, 240)


@pytest.fixture(scope="module")
def page():
    return gallery.manuscript(SHAPE, seed=5)


@pytest.fixture(scope="module")
def pair(page):
    """Return a visible picture, an infrared one of 16 bits that has moved, and the truth."""
    truth = warps.random_homography(np.random.default_rng(3), SHAPE)
    infrared = np.rint(page.background * 65535).astype(np.uint16)
    background = warps.warped(infrared, np.linalg.inv(truth), cv2.BORDER_REPLICATE)
    background.flags.writeable = False
    return warps.as_bytes(page.truth), background, truth


@pytest.fixture(scope="module")
def drawn(page):
    return {case.modality: case for case in warps.cases([("page", page.truth)], 7, 4)}


def small(pictures):
    return [(name, cv2.resize(picture, (220, 200))) for name, picture in pictures]


def halved(pictures):
    return [(name, cv2.resize(picture, None, fx=0.5, fy=0.5)) for name, picture in pictures]


@pytest.mark.parametrize("modality", warps.MODALITIES)
def test_a_drawn_page_is_found_whatever_its_tones(drawn, modality):
    case = drawn[modality]
    found = osmofuse.align(case.foreground, case.background)
    assert found.status == "converged", found.reason
    assert case.error(found.transform) < 0.5


def test_what_only_one_picture_shows_does_not_displace_the_others():
    """Inks that one kind of light does not show, on a small page."""
    for case in warps.gallery_cases((200, 160), 21, (gallery.manuscript, gallery.modalities)):
        found = osmofuse.align(case.foreground, case.background)
        assert found.status == "converged", (case.name, found.reason)
        assert case.error(found.transform) < 0.6, case.name


def test_photographs_are_found(data):
    for case in warps.cases(halved(warps.photographs(data, 4)), 4, 1):
        found = osmofuse.align(case.foreground, case.background)
        assert found.status.is_success, (case.name, case.modality, found.reason)
        assert case.error(found.transform) < 0.5, (case.name, case.modality)


def test_unrelated_pictures_are_refused(data):
    for name, foreground, background in warps.unrelated(small(warps.photographs(data, 9)), 1, 1):
        found = osmofuse.align(foreground, background)
        assert found.status == "refused", name
        assert found.image is None
        assert found.valid is None
        assert found.reason


def test_the_image_has_the_depth_of_the_background_and_the_frame_of_the_foreground(pair):
    foreground, background, truth = pair
    found = osmofuse.align(foreground, background)
    assert warps.corner_error(found.transform, truth, SHAPE) < 0.5
    assert found.image.dtype == np.uint16
    assert found.image.shape == found.valid.shape == foreground.shape[:2]
    assert 0.5 < found.score <= 1
    assert found.quality["agreement"] > 0.8


def test_the_same_pictures_give_the_same_bits(pair):
    one, two = (osmofuse.align(*pair[:2]) for _ in range(2))
    assert np.array_equal(one.transform.matrix, two.transform.matrix)
    assert np.array_equal(one.image, two.image)


_HASHES = """
import hashlib, sys
import cv2, numpy as np
threads, size = map(int, sys.argv[1:3])
cv2.setNumThreads(threads)
held = [np.empty(size + k) for k in range(50)]  # results come to lie elsewhere in memory
import osmofuse, warps
from osmofuse import gallery
case = next(warps.gallery_cases((200, 160), 20, (gallery.manuscript,)))
for method in sys.argv[3:]:
    found = osmofuse.align(case.foreground, case.background, method=method)
    print(hashlib.sha256(found.transform.matrix.tobytes()).hexdigest())
"""


def test_all_processes_give_the_same_bits_with_any_number_of_threads():
    """Memory addresses differ as well: some routines of OpenCV round according to them."""
    methods = [method for method in ALIGN_METHODS if method != "points"]
    tests = str(Path(warps.__file__).parent)
    path = os.pathsep.join([tests, os.environ.get("PYTHONPATH", "")])
    one, two = (
        fresh_process.run(_HASHES, *settings, *methods, PYTHONPATH=path)
        for settings in (("1", "1001"), ("4", "70"))
    )
    assert len(one) == len(methods)
    assert one == two


def test_a_detail_of_a_larger_page(page):
    scale = np.array([[1.3, 0, -80.0], [0, 1.3, -100.0], [0, 0, 1]])
    detail = cv2.warpPerspective(page.background, scale, (190, 200), flags=cv2.INTER_CUBIC)
    found = osmofuse.align(page.truth, detail)
    assert found.status == "converged"
    assert warps.corner_error(found.transform, np.linalg.inv(scale), detail.shape) < 0.5
    assert found.valid.mean() < 0.5


@pytest.mark.parametrize("kind", ["translation", "similarity", "affine"])
def test_a_transform_does_only_what_it_may(page, kind):
    found = osmofuse.align(page.truth, page.truth[7:, 4:], transform=kind)
    matrix = found.transform.matrix
    assert warps.corner_error(matrix, [[1, 0, 4], [0, 1, 7], [0, 0, 1]], SHAPE) < 0.1
    assert matrix[2].tolist() == [0, 0, 1]
    if kind == "translation":
        np.testing.assert_allclose(matrix[:2, :2], np.eye(2), atol=1e-12)
    if kind == "similarity":
        assert matrix[0, 0] == pytest.approx(matrix[1, 1])


@pytest.mark.parametrize("method", ["features", "correlation", "mutual-information"])
def test_each_method_alone(page, method):
    truth = np.array([[1.02, -0.03, 3], [0.03, 1.02, -4], [0, 0, 1]])
    part = page.truth[:180, :160]
    background = warps.warped(part, np.linalg.inv(truth), cv2.BORDER_REFLECT)
    found = osmofuse.align(part, background, method=method, transform="affine")
    assert found.status == "converged", found.reason
    assert warps.corner_error(found.transform, truth, part.shape[:2]) < 0.5


def test_points_alone_are_taken_as_they_are(page):
    places = np.array([[10, 10], [200, 20], [30, 250], [220, 280.0]])
    pairs = np.hstack([places, places + np.array([0, 3])])
    found = osmofuse.align(page.truth, page.truth[3:], method="points", points=pairs)
    assert found.status == "direct"
    np.testing.assert_allclose(found.transform.matrix, [[1, 0, 0], [0, 1, 3], [0, 0, 1]], atol=1e-9)
    assert found.quality["points_residual"] < 1e-9
    np.testing.assert_allclose(found.image[3:-8, 8:-8], page.truth[3:-8, 8:-8], atol=1e-6)


def test_points_are_a_start(page):
    turned = np.rot90(page.truth, 2)
    places = np.array([[10, 10], [200, 20], [30, 250], [220, 280.0]])
    pairs = np.hstack([places, np.array([SHAPE[1] - 1, SHAPE[0] - 1]) - places])
    pairs[:, 2] += [2, -2, 1, 0]
    found = osmofuse.align(page.truth, turned, points=pairs)
    assert found.origin == "points"
    truth = [[-1, 0, SHAPE[1] - 1], [0, -1, SHAPE[0] - 1], [0, 0, 1]]
    assert warps.corner_error(found.transform, truth, SHAPE) < 0.1


def test_an_implausible_start_alone_is_refused(page):
    places = np.array([[10, 10], [200, 20], [30, 250], [220, 280.0]])
    mirrored = places * [-1, 1] + [SHAPE[1] - 1, 0]
    found = osmofuse.align(
        page.truth, page.truth, method="points", points=np.hstack([places, mirrored])
    )
    assert found.status == "refused"
    assert "mirrors" in found.reason
    assert found.quality["points"] == 4


GOOD = Evidence(tiles=99, agreement=1, uncertainty=0.1, likeness=1, significance=9, overlap=1)


@pytest.mark.parametrize(
    ("before", "after", "status"),
    [
        (replace(GOOD, agreement=0.1), GOOD, "converged"),
        (replace(GOOD, agreement=0.9), replace(GOOD, uncertainty=99.0), "refused"),
    ],
)
def test_what_counts_is_the_quality_after_a_deformation(page, monkeypatch, before, after, status):
    best = Candidate(np.eye(3), "search", before, None)
    changes = {
        "best_candidate": lambda *_, **__: (best, before.doubt),
        "residual_field": lambda *_: Deformation(np.zeros((3, 3, 2), np.float32), SHAPE),
        "evidence": lambda *_: after,
    }
    for name, function in changes.items():
        monkeypatch.setattr(import_module("osmofuse.registration.align"), name, function)
    found = osmofuse.align(page.truth, page.truth, deformation=True)
    assert (found.status, found.reason) == (status, after.doubt)
    assert found.quality["agreement"] == after.agreement


def test_warped_parchment_is_flattened(page):
    down, across = np.mgrid[: SHAPE[0], : SHAPE[1]].astype(np.float32)
    waves = across + 3 * np.sin(down / 50), down + 2.5 * np.cos(across / 45)
    background = cv2.remap(page.truth, *waves, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT)
    found = osmofuse.align(page.truth, background, deformation=True)
    assert found.status == "converged"
    inner = slice(25, -25)

    def off(image):
        return np.abs(image - page.truth)[inner, inner].mean()

    assert off(found.image) < 0.25 * off(background)
    middle = np.array([[120.0, 150]])
    there = [middle[0, 0] + 3 * np.sin(3), middle[0, 1] + 2.5 * np.cos(120 / 45)]
    np.testing.assert_allclose(found.transform(middle)[0], there, atol=0.5)


def test_floats_of_any_range_are_taken(page):
    found = osmofuse.align(page.truth, 300 * page.truth[4:] - 20, transform="translation")
    assert found.transform.matrix[:2, 2] == pytest.approx([0, 4], abs=0.05)


def test_flat_pictures_are_refused():
    found = osmofuse.align(np.full((60, 50), 0.5), np.full((70, 60), 0.2))
    assert found.status == "refused"
    assert found.transform is None


def test_what_was_not_recorded_is_not_compared(page):
    pixels = page.truth.copy()
    pixels[:, :60] = np.nan
    background = osmofuse.Picture(pixels, nodata=np.nan)
    found = osmofuse.align(page.truth, background)
    assert found.status == "converged"
    assert not found.valid[:, :55].any()
    assert found.valid[5:-5, 70:-5].all()
    assert np.isfinite(found.image).all()


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"method": "magic"}, "method"),
        ({"transform": "spline"}, "transform"),
        ({"method": "points"}, "points"),
    ],
)
def test_unknown_settings_are_named(settings, named):
    with pytest.raises(osmofuse.SettingError, match=named):
        osmofuse.align(np.zeros((9, 9)), np.zeros((9, 9)), **settings)


def test_without_opencv(monkeypatch):
    monkeypatch.setitem(sys.modules, "cv2", None)
    with pytest.raises(osmofuse.MissingExtraError, match=r"pip install 'osmofuse\[opencv\]'"):
        osmofuse.align(np.zeros((9, 9)), np.zeros((9, 9)))


def test_importing_it_costs_no_opencv():
    import subprocess

    code = "import sys, osmofuse; osmofuse.align; assert 'cv2' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


class TestWatch:
    @pytest.fixture(autouse=True)
    def always(self, monkeypatch):
        """Let the watching function have its turn before every pass."""
        monkeypatch.setattr(Guard, "interval", 0.0)

    def test_it_is_told_of_passes_and_changes_nothing(self, pair):
        seen = []
        found = osmofuse.align(*pair[:2], watch=seen.append)
        assert [p.iteration for p in seen] == list(range(len(seen)))
        assert len(seen) >= 3
        assert all(p.channel is None for p in seen)
        assert found.seconds >= seen[-1].seconds > 0
        assert np.array_equal(found.image, osmofuse.align(*pair[:2]).image)

    @pytest.mark.parametrize("method", [method for method in ALIGN_METHODS if method != "points"])
    @pytest.mark.parametrize("last", [0, 1])
    def test_it_can_cancel(self, pair, method, last):
        found = osmofuse.align(*pair[:2], method=method, watch=lambda p: p.iteration == last)
        assert found.status is Status.cancelled
        assert (found.image, found.valid, found.reason) == (None, None, None)

    @pytest.mark.parametrize("deformation", [False, True])
    def test_it_can_cancel_what_is_done_with_points(self, page, deformation):
        points = np.array([(x, y, x, y) for x in (9.0, 90.0) for y in (7.0, 70.0)])
        given = {"method": "points", "points": points, "deformation": deformation}
        found = osmofuse.align(page.truth, page.truth, **given, watch=lambda _: True)
        assert found.status is Status.cancelled
        assert found.image is None
        assert osmofuse.align(page.truth, page.truth, **given).status is Status.direct

    def test_it_must_be_a_function(self, pair):
        with pytest.raises(SettingError, match="watch: 3; must be a function"):
            osmofuse.align(*pair[:2], watch=3)
