"""Notes on backgrounds that are of little help."""

import numpy as np
import pytest

import osmofuse
from osmofuse import gallery


def notes(f, b):
    return " ".join(osmofuse.fuse(f, b).notes[1:])


@pytest.fixture(scope="module")
def page():
    return gallery.manuscript((240, 180), 0)


def test_a_good_pair_has_none(page):
    assert notes(page.foreground, page.background) == ""


def test_nothing_to_add(page):
    words = notes(page.foreground, page.foreground.mean(axis=2))
    assert "shows nothing that the foreground lacks" in words


def test_strangers(page):
    other = gallery.manuscript((240, 180), 1)
    assert "shares hardly any structure" in notes(page.foreground, other.background)


def test_strangers_on_half_of_the_page(page):
    other = np.array(gallery.manuscript((240, 180), 1).background)
    other[:100] = 0.0
    assert "shares hardly any structure" in notes(page.foreground, other)


@pytest.mark.parametrize(
    ("nuisance", "words"), [("clipped", "is clipped"), ("shift", "moved by a pixel or two")]
)
def test_nuisances_are_named(nuisance, words):
    worn = gallery.manuscript((240, 180), 0, nuisance=nuisance)
    assert words in notes(worn.foreground, worn.background)


@pytest.mark.parametrize("seed", [5, 11, 12])
def test_a_blurred_and_noisy_background_was_not_shifted(seed):
    page = gallery.palimpsest((240, 180), seed, nuisance="hard")
    assert "moved" not in notes(page.foreground, page.background)


def test_a_flat_background_is_no_error(page):
    flat = np.full(page.foreground.shape[:2], 0.5, np.float32)
    fusion = osmofuse.fuse(page.foreground, flat)
    assert "shows nothing" in fusion.notes[1]
    assert np.abs(fusion.image - page.foreground).max() < 0.05


def test_contrary_pictures_are_told_from_strangers(page):
    negative = (1.0 - page.foreground.mean(axis=2)).astype(np.float32)
    fusion = osmofuse.fuse(page.foreground, negative)
    assert "bright in one and dark in the other" in fusion.notes[1]
    assert np.abs(fusion.image - page.foreground).mean() < 0.01
