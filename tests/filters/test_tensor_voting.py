"""Steerable tensor voting against votes cast one by one."""

import numpy as np
import pytest

from osmofuse.filters import sticks, tensor_voting
from registry import SHAPES

# Factors, and multiples of the stick's own angle, in the sums of U_-2 and U_0.
DOUBLED = (1, 4, 6, 4, 1), (2, 0, -2, -4, -6)
TOTAL = (6, 8, 2), (0, 2, 4)


def cast(saliency, angle, sigma):
    """Reference: every stick votes for every pixel within three deviations."""
    doubled, total = np.zeros(saliency.shape, complex), np.zeros(saliency.shape)
    radius = int(np.ceil(3 * sigma))
    for p in np.ndindex(saliency.shape):
        for q in np.ndindex(saliency.shape):
            i, j = q[0] - p[0], q[1] - p[1]
            if i * i + j * j > radius * radius:
                continue
            weight = saliency[p] * np.exp(-(i * i + j * j) / (2 * sigma**2))
            if (i, j) == (0, 0):  # all of w_m are 1
                doubled[q] += weight * (np.exp(1j * angle[p] * np.array(DOUBLED[1])) @ DOUBLED[0])
                total[q] += weight * (np.cos(angle[p] * np.array(TOTAL[1])) @ TOTAL[0])
                continue
            phi = np.arctan2(i, j) - angle[p]
            vote = weight * (2 * np.cos(phi)) ** 4
            doubled[q] += vote * np.exp(2j * (angle[p] + 2 * phi))
            total[q] += vote
    return doubled, np.maximum(total, 0)


@pytest.mark.parametrize("sigma", [0.8, 2.0])
@pytest.mark.parametrize("shape", [*SHAPES, (8, 9)], ids=str)
def test_votes(shape, sigma, rng):
    saliency, angle = rng.random(shape), rng.uniform(0, np.pi, shape)
    votes = tensor_voting(sticks(saliency, angle), sigma)
    doubled, total = cast(saliency, angle, sigma)
    np.testing.assert_allclose(votes.doubled, doubled, atol=1e-12)
    np.testing.assert_allclose(votes.total, total, atol=1e-12)


def test_one_stick_votes_along_arcs():
    """From the origin along a row, a pixel at the angle phi gets the direction 2 phi."""
    s = np.zeros((41, 41))
    s[20, 20] = 1.0
    votes = tensor_voting(sticks(s, np.zeros_like(s)), 6.0)
    i, j = np.indices(s.shape) - 20
    seen = (np.abs(votes.doubled) > 1e-3) & ((i != 0) | (j != 0))
    error = np.angle(votes.doubled * np.exp(-4j * np.arctan2(i, j)))
    assert np.abs(error[seen]).max() < 1e-9
    np.testing.assert_allclose(np.abs(votes.doubled)[seen], votes.total[seen], atol=1e-12)


def test_tiles_do_not_show(rng, monkeypatch):
    c = sticks(rng.random((50, 61)), rng.uniform(0, np.pi, (50, 61)))
    whole = tensor_voting(c, 1.5)
    monkeypatch.setitem(tensor_voting.__globals__, "TILE", 20)
    where = np.zeros((50, 61), bool)
    where[3:5, 3:5] = True
    for part, seen in ((tensor_voting(c, 1.5), np.s_[:]), (tensor_voting(c, 1.5, where), where)):
        np.testing.assert_allclose(part.doubled[seen], whole.doubled[seen], atol=1e-12)
        np.testing.assert_allclose(part.total[seen], whole.total[seen], atol=1e-12)
    assert not tensor_voting(c, 1.5, where).total[30:].any()


def test_nothing_comes_from_the_other_side_of_the_picture():
    s = np.zeros((30, 30))
    s[:, 0] = 1.0
    assert abs(tensor_voting(sticks(s, np.zeros_like(s)), 2.0).total[:, 10:]).max() < 1e-12
