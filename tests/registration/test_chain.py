"""The chain: rank of candidates, rivals, and the kind nearest to a homography."""

import numpy as np

from osmofuse.registration.chain import Candidate, _as_kind, _rivalled
from osmofuse.registration.quality import Evidence
from osmofuse.registration.transform import carried, corners

SHAPE = (100, 200)


def candidate(shift, agreement, objection=None, uncertainty=0.1):
    matrix = np.array([[1, 0, shift], [0, 1, 0], [0, 0, 1.0]])
    found = Evidence(
        tiles=50, agreement=agreement, likeness=1.0, uncertainty=uncertainty, significance=9.0
    )
    return Candidate(matrix, "test", found, objection)


def test_a_rival_is_far_away_plausible_and_nearly_as_good():
    best = candidate(0, 0.9)
    assert "30 pixels away" in _rivalled([best, candidate(30, 0.8)], SHAPE)
    assert _rivalled([best, candidate(30, 0.7)], SHAPE) is None
    assert _rivalled([best, candidate(3, 0.9)], SHAPE) is None
    assert _rivalled([best, candidate(30, 0.9, uncertainty=30)], SHAPE) is None
    assert _rivalled([best, candidate(30, 0.9, "implausible")], SHAPE) is None


def test_an_objection_ranks_below_any_score():
    assert candidate(0, 0.1).rank > candidate(0, 0.9, "implausible").rank
    assert candidate(0, 0.9).is_good
    assert not candidate(0, 0.9, "implausible").is_good
    assert not candidate(0, 0.45).is_good


def test_the_nearest_translation_of_a_similarity_moves_its_centre():
    matrix = np.array([[1.1, 0, 5], [0, 1.1, -3], [0, 0, 1.0]])
    centre = corners(SHAPE).mean(axis=0)[None]
    found = _as_kind(matrix, "translation", SHAPE)
    np.testing.assert_allclose(found[:2, :2], np.eye(2), atol=1e-9)
    np.testing.assert_allclose(carried(found, centre), carried(matrix, centre), atol=1e-6)
    assert _as_kind(matrix, "homography", SHAPE) is matrix
