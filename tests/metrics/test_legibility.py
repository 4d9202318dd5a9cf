"""Legibility with a map of the ink and without: definitions recomputed, laws, and real use."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest
from scipy.stats import spearmanr

import osmofuse
from osmofuse import InputError, MismatchError, gallery
from osmofuse.metrics import legibility, legibility_f, stroke_contrast
from osmofuse.metrics.legibility import otsu


@pytest.fixture(scope="module")
def page():
    return gallery.manuscript((200, 150), 4)


def levels(picture):
    return np.rint(255 * np.clip(picture, 0, 1)) / 255


def test_d_prime_recomputed_by_hand(page):
    stored = levels(page.foreground)
    y = np.rint(255 * (stored @ [0.299, 0.587, 0.114]))
    ink, ground = y[page.ink == 0], y[page.ink == 255]
    expected = (ground.mean() - ink.mean()) / math.sqrt((ground.var() + ink.var()) / 2)
    assert legibility(stored, page.ink) == pytest.approx(expected, rel=1e-12)


def test_f_measure_recomputed_with_opencv(page):
    stored = levels(page.truth)
    y = np.rint(255 * (stored @ [0.299, 0.587, 0.114])).astype(np.uint8)
    threshold, white = cv2.threshold(y, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    assert otsu(y.astype(float)) == threshold
    known = page.ink != 128
    dark, ink = (white == 0) & known, page.ink == 0
    precision, recall = (dark & ink).sum() / dark.sum(), (dark & ink).sum() / ink.sum()
    expected = 2 * precision * recall / (precision + recall)
    assert legibility_f(stored, page.ink) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    "kind", [np.uint8, np.uint16, bool, float], ids=["uint8", "uint16", "bool", "float"]
)
def test_maps_of_all_types_mean_the_same(page, kind):
    top = np.iinfo(kind).max if kind in (np.uint8, np.uint16) else 1
    if kind is bool:
        ink = page.ink > 0
        expected = legibility(page.truth, np.where(page.ink > 0, 255, 0).astype(np.uint8))
    else:
        ink = np.where(page.ink == 128, 0.5 * top, np.where(page.ink == 0, 0, top)).astype(kind)
        expected = legibility(page.truth, page.ink)
    assert legibility(page.truth, ink) == expected


def test_score_adds_both_when_there_is_a_map(page):
    found = osmofuse.score(page.truth, page.foreground, page.background, ink=page.ink, metrics=())
    assert list(found) == ["legibility", "legibility_f"]
    assert found["legibility"].value == legibility(levels(page.truth), page.ink)
    assert found["legibility_f"].better == "high"
    without = osmofuse.score(page.truth, page.foreground, page.background, metrics="ink")
    assert without["legibility"].value is None
    assert "no map of the ink" in without["legibility"].reason


def test_a_map_of_another_size_is_refused(page):
    with pytest.raises(MismatchError, match="ink"):
        osmofuse.score(page.truth, page.foreground, page.background, ink=page.ink[:-1])
    with pytest.raises(InputError, match="one plane"):
        legibility(page.truth, page.foreground)
    with pytest.raises(MismatchError, match="ink"):
        legibility_f(page.truth, page.ink[:-1])


@pytest.mark.parametrize(
    ("ink", "words"),
    [
        ([[1, 2], [3]], "not an array"),
        (np.zeros((2, 2, 0)), "one plane"),
        ("map.png", "a path"),
        (np.full((2, 2), "0"), "type <U1"),
        (np.array([[0, 255], [0, 255]]), "the type's maximum"),
    ],
    ids=["ragged", "no band", "path", "text", "wide type"],
)
def test_what_is_no_map_of_ink_is_refused(ink, words):
    with pytest.raises(InputError, match=words):
        legibility(np.ones((2, 2)), ink)


def test_the_transparency_of_a_map_is_ignored(page):
    bands = np.dstack([page.ink, np.full_like(page.ink, 255)])
    ink = osmofuse.Picture(bands, transparency=True)
    assert legibility(page.truth, ink) == legibility(page.truth, page.ink)


def test_a_map_without_ink_has_no_legibility(page):
    with pytest.raises(InputError, match="needs ink"):
        legibility(page.truth, np.full(page.ink.shape, 255, np.uint8))


def test_flat_classes_are_told_apart_perfectly():
    picture = np.array([[0.0, 1.0], [0.0, 1.0]])
    ink = picture > 0
    assert legibility(picture, ink) == math.inf
    assert legibility(1 - picture, ink) == -math.inf
    assert math.isnan(legibility(np.ones((2, 2)), ink))
    assert legibility_f(picture, ink) == 1.0


@pytest.mark.parametrize("gain", [0.25, 0.6, 2.0])
def test_stroke_contrast_is_blind_to_gain(page, gain):
    x = page.truth.astype(float)
    assert stroke_contrast(gain * x) == pytest.approx(stroke_contrast(x), rel=1e-9)


def test_stroke_contrast_falls_with_noise_and_with_fading(page):
    scores = [stroke_contrast(x) for x in (page.truth, page.foreground)]
    assert scores[0] > scores[1]
    noisy = [
        gallery.manuscript((200, 150), 4, nuisance=("noise", s)).background
        for s in (0.0, 0.04, 0.08, 0.2)
    ]
    found = [stroke_contrast(x) for x in noisy]
    assert found == sorted(found, reverse=True)


def test_stroke_contrast_ranks_infrared_pictures_as_d_prime_does():
    pairs = []
    for seed in range(4):
        for nuisance in ((), "dark", "hard", "ramp", ("noise", 0.08), ("blur", 2.0), "verso"):
            page = gallery.manuscript((180, 140), seed, nuisance=nuisance)
            pairs.append((legibility(page.background, page.ink), stroke_contrast(page.background)))
    assert spearmanr(*zip(*pairs, strict=True))[0] > 0.8


@pytest.mark.parametrize("shape", [(4, 40), (15, 16, 3)])
def test_a_picture_too_small_for_strokes_has_a_reason(shape):
    with pytest.raises(InputError, match="16 pixels"):
        stroke_contrast(np.ones(shape))


@pytest.mark.parametrize("level", [0.0, 0.5])
def test_a_flat_picture_has_a_reason(level):
    with pytest.raises(InputError, match="flat"):
        stroke_contrast(np.full((20, 20), level))


def test_a_ground_without_noise_has_a_reason_despite_rounding():
    with pytest.raises(InputError, match="ground is flat"):
        stroke_contrast(np.kron(1 - np.eye(10), np.ones((2, 2))))
