"""The union target: what is measured without a setting."""

from dataclasses import replace

import numpy as np
import pytest

import osmofuse
from osmofuse import Sources, gallery
from osmofuse.methods.statistics import Statistics
from osmofuse.methods.union import UnionTarget
from osmofuse.methods.union.doubts import NOTHING
from osmofuse.metrics import psnr

# Decibels from the truth on a page that is not among those that are reported; visible 20 to 26.
LEAST = {
    ("manuscript", "none"): 40.0, ("manuscript", "hard"): 27.0,
    ("gold_leaf", "none"): 35.0, ("gold_leaf", "hard"): 26.0,
    ("noisy_infrared", "none"): 31.0, ("noisy_infrared", "hard"): 25.0,
    ("cloud", "none"): 33.0, ("cloud", "hard"): 28.0,
}  # fmt: skip


@pytest.fixture(scope="module")
def page():
    return gallery.manuscript((240, 180), 1)


@pytest.mark.parametrize(("name", "nuisance"), LEAST)
def test_the_bare_call(name, nuisance):
    scene = getattr(gallery, name)((240, 180), 1, nuisance=() if nuisance == "none" else nuisance)
    fusion = osmofuse.fuse(scene.foreground, scene.background)
    assert psnr(fusion.image, scene.truth) > LEAST[name, nuisance]


@pytest.mark.parametrize("gain", [0.2, 0.5, 2.0])
def test_a_gain_of_the_background_changes_nothing(page, gain):
    one = osmofuse.fuse(page.foreground, page.background)
    other = osmofuse.fuse(page.foreground, gain * page.background)
    assert np.sqrt(np.mean(np.square(one.image - other.image))) < 1e-3


def test_a_map_says_where_it_may_enter(page):
    alpha = np.zeros(page.foreground.shape[:2])
    alpha[:, :90] = 1.0
    fusion = osmofuse.fuse(page.foreground, page.background, alpha, target="union")
    free = osmofuse.fuse(page.foreground, page.background)
    kept = np.abs(fusion.image - page.foreground)[:, :80]
    assert kept.mean() < 0.2 * np.abs(free.image - page.foreground)[:, :80].mean()
    assert (fusion.alpha[:, :90] == 1.0).all()


def test_several_backgrounds_add_their_layers():
    scene = gallery.modalities((240, 180), 1)
    both = osmofuse.fuse(scene.foreground, list(scene.background))
    one = osmofuse.fuse(scene.foreground, scene.background[0])
    decibels = [psnr(x, scene.truth) for x in (scene.foreground, one.image, both.image)]
    assert decibels[1] > decibels[0] + 2
    assert decibels[2] > decibels[1] + 2


def test_colours_stay(page):
    fusion = osmofuse.fuse(page.foreground, page.background)
    chroma = [x / x.sum(axis=2, keepdims=True) for x in (fusion.image, page.foreground)]
    assert np.abs(chroma[0] - chroma[1]).mean() < 0.01


@pytest.mark.parametrize("name", ["offset", "reach", "tie_width", "smoothing", "most_gain"])
@pytest.mark.parametrize("factor", [0.8, 1.2])
def test_constants_do_not_decide(page, name, factor):
    def decibels(target):
        fusion = osmofuse.fuse(page.foreground, page.background, target=target)
        return psnr(fusion.image, page.truth)

    usual = UnionTarget()
    changed = replace(usual, **{name: factor * getattr(usual, name)})
    assert abs(decibels(changed) - decibels(usual)) < 0.5


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (3, 2), (12, 5)])
def test_pictures_of_a_few_pixels(shape, rng):
    fusion = osmofuse.fuse(rng.random((*shape, 3)), rng.random(shape))
    assert np.isfinite(fusion.image).all()


def test_a_black_rim_of_the_background_leaves_none(page):
    b = np.array(page.background)
    b[:8], b[-8:], b[:, :6] = 0.0, 0.004, 0.0
    change = np.abs(osmofuse.fuse(page.foreground, b).image - page.foreground).mean(axis=2)
    edge = np.ones(change.shape, bool)
    edge[5:-5, 4:-4] = False
    assert change[edge].mean() <= change[~edge].mean() + 1 / 255


def test_the_same_bits_on_one_thread(page):
    import numba

    threads = numba.get_num_threads()
    first = osmofuse.fuse(page.foreground, page.background).image
    numba.set_num_threads(1)
    try:
        second = osmofuse.fuse(page.foreground, page.background).image
    finally:
        numba.set_num_threads(threads)
    np.testing.assert_array_equal(first, second)


def test_a_cancelled_call_gives_the_foreground(page):
    fusion = osmofuse.fuse(page.foreground, page.background, watch=lambda progress: True)
    assert fusion.status == "cancelled"
    np.testing.assert_allclose(fusion.image, page.foreground, atol=1e-6)


def test_an_underexposed_picture_with_a_dark_frame_leaves_no_rim(page, rng):
    b = np.round(255.0 * 0.3 * page.background)
    frame = np.ones(b.shape, bool)
    frame[6:-6, 6:-6] = False
    b[frame] = np.clip(np.round(rng.normal(2.0, 1.0, np.count_nonzero(frame))), 0, 255)
    fusion = osmofuse.fuse(page.foreground, b.astype(np.uint8))
    outer = np.abs(fusion.image - page.foreground)[frame].mean()
    assert outer < 1 / 255


def test_what_is_held_back_does_not_enter_the_map(page):
    other = gallery.gold_leaf((240, 180), 3).background
    fusion = osmofuse.fuse(page.foreground, other)
    assert any("shares hardly any structure" in note for note in fusion.notes)
    assert fusion.alpha.min() > 0.9


def test_a_healed_cover_hides_no_doubt(page):
    sources = Sources(page.foreground, page.background, 0.0)
    made = UnionTarget().for_sources(sources, Statistics())
    layer = replace(made.layers[0], doubts=(NOTHING, "half of it is clipped"))
    notes = replace(made, layers=(layer,), cover=np.ones((240, 180), np.float32)).notes
    assert notes == (
        "foreground: 100% of it was covered, and was healed",
        "background: half of it is clipped",
    )
