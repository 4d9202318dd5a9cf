"""What the foreground lacks."""

import numpy as np
import pytest

from osmofuse import Sources, gallery
from osmofuse.methods.statistics import Statistics
from osmofuse.methods.union.missing import (
    agreeing,
    contrary_share,
    contrast,
    missing_of,
    thresholds,
    trust_in,
    weighted_median,
)
from osmofuse.methods.union.pair import log_pair
from osmofuse.methods.union.settings import UnionSettings
from osmofuse.methods.union.target import measured

K = UnionSettings()


@pytest.fixture(scope="module")
def page():
    return gallery.manuscript((240, 180), 1)


def pair_of(f, b):
    pair = log_pair(Sources(f, b, 0.0), 1, K.offset, Statistics())
    return pair, *measured(pair, K, Statistics())


def test_faded_writing_is_missing_and_sound_writing_is_not(page):
    pair, _, windows, fit = pair_of(page.foreground, page.background)
    found = missing_of(pair, windows, fit, K, Statistics())
    ink = np.asarray(page.ink) < 0.5
    faded, sound = ink & (page.alpha < 0.05), ink & (page.alpha > 0.95)
    assert found.m[faded].mean() > 0.9
    assert found.a[sound].mean() < 0.15
    assert found.trust == 1.0
    assert found.sound > K.sound_share[1]


def test_contrast_of_a_flat_background_is_found(page):
    flat = 0.5 + 0.4 * page.background
    pair, _, windows, _ = pair_of(page.foreground, flat)
    gain, _ = contrast(windows, pair.tints, K, Statistics())
    assert gain > 1.5


def test_edges_between_pigments_tell_no_contrast():
    # The middle of a page of gold, which is mostly an initial's outlines and a coloured frame.
    gold = gallery.gold_leaf((240, 180), 1, nuisance="wide")
    pair, _, windows, _ = pair_of(gold.foreground, gold.background)
    with_colours, _ = contrast(windows, (), K, Statistics())
    gain, _ = contrast(windows, pair.tints, K, Statistics())
    assert with_colours > 1.3
    assert gain < 1.1


def test_weighted_median_of_equal_weights_is_the_median(rng):
    x = rng.random(101)
    assert weighted_median(x, np.ones(101)) == np.median(x)


def test_thresholds_go_from_strict_to_lenient():
    assert thresholds(0.0, 0.0, K) == K.strict
    assert thresholds(0.0, 0.15, K) == pytest.approx([0.15 + x for x in K.strict])
    assert thresholds(0.0, 0.9, K) == pytest.approx([K.faded + x for x in K.strict])
    assert thresholds(1.0, 0.15, K) == pytest.approx(K.lenient)


@pytest.mark.parametrize("left", [0.0, 0.1, 0.2])
def test_faded_writing_is_missing_and_print_beside_it_is_not(rng, left):
    page = np.full((160, 240), 0.8) + 0.002 * rng.standard_normal((160, 240))
    writing, printed = np.zeros((2, *page.shape), bool)
    writing[20:140, 20:140:12] = writing[20:140, 21:140:12] = writing[20:140, 22:140:12] = True
    printed[20:140, 180:230:12] = printed[20:140, 181:230:12] = True
    infrared = np.where(writing | printed, 0.2 * page, page)
    shown = page * 0.2 ** (left * writing + (left + 0.25) * printed)
    pair = log_pair(Sources(shown, infrared, 0.0), 1, K.offset, Statistics())
    _, windows, fit = measured(pair, K, Statistics())
    m = missing_of(pair, windows, fit, K, Statistics()).m
    assert m[writing].mean() > 0.9
    assert m[printed].mean() < 0.1


def test_trust_is_full_if_nothing_was_moved(page):
    _, _, windows, fit = pair_of(page.foreground, page.background)
    assert not fit.shifted
    assert trust_in(windows, fit, K, Statistics()) == 1.0


def test_structure_of_opposite_signs_is_contrary_and_held_back(page):
    shares, trusts = [], []
    for b in (page.foreground.mean(axis=2), 1.0 - page.foreground.mean(axis=2)):
        _, _, windows, fit = pair_of(page.foreground, b.astype(np.float32))
        shares.append(contrary_share(windows))
        trusts.append(trust_in(windows, fit, K, Statistics()))
    assert shares[0] < 0.01
    assert shares[1] > 0.9
    assert trusts == [1.0, 0.0]


def test_a_page_and_its_infrared_are_not_contrary(page):
    _, _, windows, _ = pair_of(page.foreground, page.background)
    assert contrary_share(windows) < K.contrary[0]
    assert agreeing(K.contrary[0], K) == 1.0
    assert agreeing(K.contrary[1], K) == 0.0


@pytest.mark.parametrize("shape", [(1, 1), (1, 40), (30, 40)])
@pytest.mark.parametrize("level", [0.0, 0.5, 1.0])
def test_an_even_background_shows_nothing_that_is_missing(shape, level, rng):
    f = rng.random((*shape, 3)).astype(np.float32)
    pair = log_pair(Sources(f, np.full(shape, level, np.float32), 0.0), 1, K.offset, Statistics())
    _, windows, fit = measured(pair, K, Statistics())
    assert not missing_of(pair, windows, fit, K, Statistics()).m.any()
