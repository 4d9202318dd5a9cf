"""The drift of several pictures, rule by rule, against the definitions on edges."""

import numpy as np
import pytest

from osmofuse.methods.fusion_drift import RULES, drift_along, fusion_drift
from osmofuse.operators import LatticeOsmosis, OsmosisEdges
from registry import SHAPES, edges, tensors


def layers(shape, rng, count=2, weights=None):
    images = list(rng.uniform(1, 2, (count, *shape)))
    if weights is None:
        weights = rng.choice([0.0, 0.0, 0.3, 1.0], (count, *shape))
        weights[0] += weights.sum(axis=0) == 0
        weights = weights / weights.sum(axis=0)
    return images, list(weights)


def expected(pictures, rule):
    """Reference: edge by edge."""
    drifts = [OsmosisEdges.canonical(image).drift for image in pictures[0]]
    d = np.zeros_like(drifts[0])
    for k, a, b in edges(d.shape[1:]):
        ends = np.array([(w[a], w[b]) for w in pictures[1]])
        own = np.array([drift[k][a] for drift in drifts])
        if rule == "hard":
            d[k][a] = own[np.argmax(ends.sum(axis=1))]
        elif rule == "averaged":
            d[k][a] = own[(ends > 0).any(axis=1)].mean()
        else:
            d[k][a] = own @ ends.mean(axis=1)
    return d


@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_each_rule(shape, rule, count, rng):
    pictures = layers(shape, rng, count)
    np.testing.assert_allclose(
        fusion_drift(*pictures, rule), expected(pictures, rule), rtol=0, atol=1e-14
    )


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("holes", [False, True])
def test_along_links_the_rules_are_the_same(rule, holes, rng):
    shape = (9, 8)
    images, weights = layers(shape, rng, 3)
    valid = rng.random(shape) < 0.8 if holes else None
    links = LatticeOsmosis.diffusion(tensors(shape, rng)).links
    found = drift_along(links, images, weights, rule, valid)
    for n, (p, q) in enumerate(zip(links.here, links.there, strict=True)):
        # The same two pixels side by side, as a picture of their own.
        ends = [np.array([[x.ravel()[p], x.ravel()[q]]]) for x in images + weights]
        seen = None if valid is None else np.array([[valid.ravel()[p], valid.ravel()[q]]])
        expected = fusion_drift(ends[:3], ends[3:], rule, seen)[1, 0, 0]
        assert found[n] == pytest.approx(expected, abs=1e-15)


def test_the_rule_of_the_table():
    """Foreground where both ends have alpha 1, background where both have 0, else the mean."""
    rng = np.random.default_rng(5)
    alpha = rng.choice([0.0, 0.5, 1.0], (9, 8))
    pictures = layers((9, 8), rng, weights=[alpha, 1 - alpha])
    d_f, d_b = (OsmosisEdges.canonical(image).drift for image in pictures[0])
    found = fusion_drift(*pictures, "averaged")
    for k, a, b in edges((9, 8)):
        ends = {alpha[a], alpha[b]}
        own = {(1.0,): d_f, (0.0,): d_b}.get(tuple(ends), (d_f + d_b) / 2)
        assert found[k][a] == pytest.approx(own[k][a], abs=1e-15)


@pytest.mark.parametrize("rule", RULES)
def test_one_picture_has_its_own_drift(rule, rng):
    image = rng.uniform(1, 2, (5, 6))
    pictures = [image, rng.uniform(1, 2, (5, 6))], [np.ones((5, 6)), np.zeros((5, 6))]
    canonical = OsmosisEdges.canonical(image).drift
    np.testing.assert_allclose(fusion_drift(*pictures, rule), canonical, atol=1e-15)


@pytest.mark.parametrize("rule", RULES)
def test_a_background_without_data_does_not_enter(rule, rng):
    valid = rng.random((7, 8)) < 0.7
    alpha = np.where(valid, rng.choice([0.0, 0.4], (7, 8)), 1.0)
    pictures = layers((7, 8), rng, weights=[alpha, 1 - alpha])
    found = fusion_drift(*pictures, rule, valid)
    free = fusion_drift(*pictures, rule)
    d_f = OsmosisEdges.canonical(pictures[0][0]).drift
    for k, a, b in edges((7, 8)):
        own = free if valid[a] and valid[b] else d_f
        assert found[k][a] == pytest.approx(own[k][a], abs=1e-15)


def test_a_tie_goes_to_the_foreground(rng):
    pictures = layers((4, 5), rng, weights=[np.full((4, 5), 0.5)] * 2)
    expected = OsmosisEdges.canonical(pictures[0][0]).drift
    np.testing.assert_array_equal(fusion_drift(*pictures, "hard"), expected)


@pytest.mark.parametrize("rule", RULES)
def test_it_does_not_see_the_brightness(rule, rng):
    pictures = layers((6, 5), rng)
    brighter = [2.0 * pictures[0][0], 0.25 * pictures[0][1]], pictures[1]
    np.testing.assert_array_equal(fusion_drift(*brighter, rule), fusion_drift(*pictures, rule))
