"""Settings chosen from the pictures."""

import numpy as np
import pytest

import osmofuse
from osmofuse import Sources, VariationalOsmosis, gallery
from osmofuse.filters import reduced


@pytest.fixture(scope="module")
def page():
    return gallery.manuscript((480, 360), 1)


def chosen(f, b, **settings):
    auto = VariationalOsmosis(reach="auto", eta="auto", mu="auto", offset="auto", **settings)
    return auto.settled(Sources(f, b, 0.5)).chosen


def test_eta_follows_the_noise_of_the_foreground(page, rng):
    grain = 0.05 * rng.standard_normal(page.foreground.shape)
    noisy = np.clip(page.foreground + grain, 0, 1)
    assert (
        chosen(noisy, page.background)["eta"] > 2 * chosen(page.foreground, page.background)["eta"]
    )


def test_offset_follows_white_and_mu_is_ten(page):
    full, half = (chosen(scale * page.foreground, page.background) for scale in (1.0, 0.5))
    assert half["offset"] == pytest.approx(0.5 * full["offset"])
    assert full["mu"] == 10.0


@pytest.mark.parametrize("target", ["product", "union"])
def test_half_the_size_has_half_the_reach(target):
    scene = gallery.manuscript((960, 720), 0)
    small = (reduced(x, 2) for x in (scene.foreground, scene.background))
    pair = scene.foreground, scene.background
    whole, half = chosen(*pair, target=target)["reach"], chosen(*small, target=target)["reach"]
    assert half == pytest.approx(0.5 * whole, rel=0.2)


def test_the_background_has_its_own_offset(page):
    settled = VariationalOsmosis(offset="auto").settled(
        Sources(page.foreground, 0.25 * page.background, 0.5)
    )
    whole = VariationalOsmosis(offset="auto").settled(
        Sources(page.foreground, page.background, 0.5)
    )
    mine, theirs = settled.reading.offsets, whole.reading.offsets
    assert mine[0] == theirs[0]
    assert mine[1] == pytest.approx(0.25 * theirs[1])
    given = VariationalOsmosis(offset=0.3).settled(Sources(page.foreground, page.background, 0.5))
    assert given.reading.offsets == (0.3, 0.3)


def test_a_plan_has_the_numbers_and_repeats_the_pixels(page):
    fusion = osmofuse.fuse(page.foreground, page.background)
    assert fusion.plan.statistics["background 1 scale"] > 0
    sources = Sources(page.foreground, page.background, 0.0)
    again = fusion.method.run(sources, fusion.plan)
    np.testing.assert_array_equal(again.image, fusion.image)
    part = Sources(page.foreground[:240], page.background[:240], 0.0)
    assert fusion.method.run(part, fusion.plan).chosen["reach"] == fusion.chosen["reach"]


def test_the_note_says_what_was_found(page):
    fusion = osmofuse.fuse(page.foreground, page.background)
    assert fusion.notes[0].startswith("strokes about")
    assert f"reach {fusion.chosen['reach']:.2g}" in fusion.notes[0]


def test_a_tie_without_limit_is_told_in_words():
    f, b = np.random.default_rng(0).random((2, 24, 30, 3))
    notes = osmofuse.fuse(f, b, np.linspace(0, 1, 30) * np.ones((24, 1))).notes
    assert any("no limit of the tie" in note for note in notes)
    assert not any("e+06" in note for note in notes)
