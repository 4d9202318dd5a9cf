"""Quality: a right transform is accepted, a slightly wrong one is not; absurd warps are named."""

import math

import numpy as np
import pytest

from osmofuse import gallery
from osmofuse.registration.intensity import mutual_information
from osmofuse.registration.quality import Evidence, Quality, evidence, implausible
from osmofuse.registration.views import View

SHAPE = (200, 160)


def moved(across=0.0, scale=1.0):
    return np.array([[scale, 0, across], [0, scale, 0], [0, 0, 1]])


@pytest.fixture(scope="module")
def views():
    page = gallery.manuscript(SHAPE, seed=2)
    return View(1 - page.background), View(page.truth)


def test_the_truth_is_trusted_and_figures_make_sense(views):
    found = evidence(*views, np.eye(3))
    assert found.doubt is None
    assert found.agreement > 0.9
    assert found.overlap == pytest.approx(1, abs=0.02)
    assert 0 < found.score <= 1


@pytest.mark.parametrize("wrong", [moved(4), moved(40), moved(-5, 1.06)])
def test_what_is_wrong_by_some_pixels_is_not_trusted(views, wrong):
    found = evidence(*views, wrong)
    assert found.doubt is not None
    assert found.score < 0.7 * evidence(*views, np.eye(3)).score
    assert found.information < evidence(*views, np.eye(3)).information


def test_doubts_are_said_in_words():
    good = {"tiles": 100, "agreement": 0.9, "likeness": 0.5, "uncertainty": 0.2}
    assert Evidence(**good).doubt is None
    assert "only 3 places" in Evidence(**(good | {"tiles": 3})).doubt
    assert (
        "only 40% of 100 places fit; 54% are needed"
        in Evidence(**(good | {"agreement": 0.4})).doubt
    )
    assert "hardly correlate" in Evidence(**(good | {"likeness": 0.05})).doubt
    assert "corners" in Evidence(**(good | {"uncertainty": 5.0})).doubt
    assert Evidence(**(good | {"uncertainty": 5.0, "reduction": 10.0})).doubt is None
    assert Evidence().score == 0
    assert (Evidence().level, Evidence(**good).level) == ("refused", "look closely")
    assert math.isinf(Evidence().uncertainty)


def test_a_significant_correlation_makes_up_for_few_places():
    weak = {"tiles": 100, "agreement": 0.45, "likeness": 0.1, "uncertainty": 2.5}
    assert Evidence(**weak).level == "refused"
    assert Evidence(**weak, significance=8.0).level == "look closely"
    strong = weak | {"agreement": 0.9, "uncertainty": 0.5, "significance": 8.0}
    assert Evidence(**strong).level == "good"
    for limit in ({"agreement": 0.35}, {"uncertainty": 5.0}, {"tiles": 10}):
        assert Evidence(**strong | limit).level == "refused"


def test_lines_that_repeat_prove_nothing(rng):
    stripes = np.sin(np.arange(SHAPE[1]) / 3) * np.ones(SHAPE)
    one, other = (View(stripes + 0.3 * rng.random(SHAPE)) for _ in range(2))
    assert evidence(one, other, np.eye(3)).level == "refused"


def test_a_quality_is_a_mapping_with_a_level():
    fit = Evidence(tiles=30, agreement=0.5, uncertainty=2.0, significance=8.0)
    found = fit.quality("look closely", {"points": 4})
    assert (found["tiles"], found["points"]) == (30, 4)
    assert dict(found) == {name: found[name] for name in found}
    assert len(found) == len(dict(found))
    assert found.figure == pytest.approx(1.2)
    assert "off by about 1.2 pixels" in found.note
    assert Quality().level == "refused"
    assert Quality().note is None


def test_doubtful_control_points_have_no_error_estimate():
    found = Evidence(tiles=20, agreement=0.1, uncertainty=1.0).quality("look closely", {})
    assert found.figure == math.inf
    assert found.error == "error unknown"
    assert "too few places fit" in found.note


@pytest.mark.parametrize(
    ("matrix", "word"),
    [
        (np.diag([-1.0, 1, 1]), "mirrors"),
        (np.diag([30.0, 30, 1]), "scales"),
        (np.diag([2.0, 1, 1]), "stretches"),
        ([[1, 0, 0], [0, 1, 0], [0.004, 0, 1]], "tilts"),
        ([[1, 0, 0], [0, 1, 0], [-0.02, 0, 1]], "inside out"),
        (moved(155), "overlap"),
        (np.full((3, 3), np.nan), "inside out"),
    ],
)
def test_absurd_warps_are_named(matrix, word):
    assert word in implausible(np.asarray(matrix, float), SHAPE, SHAPE)


@pytest.mark.parametrize(
    "matrix", [moved(), moved(30, 1.25), moved(0, 0.2), -np.diag([1.0, 1, -1])]
)
def test_plausible_warps_pass(matrix):
    place = matrix if matrix[0, 0] > 0 else np.array([[-1, 0, 159], [0, -1, 199], [0, 0, 1.0]])
    assert implausible(place, SHAPE, SHAPE) is None


def test_mutual_information_of_a_picture_with_itself_is_its_entropy(rng):
    two = (rng.random((50, 60)) < 0.5).astype(float)
    everywhere = np.ones(two.shape, np.bool_)
    p = two.mean()
    entropy = -(p * math.log(p) + (1 - p) * math.log(1 - p))
    assert mutual_information(two, 1 - two, everywhere) == pytest.approx(entropy, abs=0.01)
    assert (
        mutual_information(two, rng.permutation(two.ravel()).reshape(two.shape), everywhere) < 0.01
    )
    assert mutual_information(two, two, ~everywhere) == 0
