"""Graded faults on scenes that no constant was chosen on, ranked over all scenes together."""

import numpy as np
import pytest

from faults import BLURS, SEAMS, SOFT_SEAMS, TINTS, maps, of_picture, of_scene, pooled, trials
from osmofuse import gallery
from osmofuse.metrics import fmi, natural_chromaticity, seam_visibility

pytestmark = pytest.mark.soak

SIZES = {"manuscript": (300, 220), "portrait": (260, 200), "shadow": (200, 180)}
OTHERS = {
    "clone": (180, 180),
    "cloud": (180, 170),
    "gold_leaf": (180, 160),
    "recolouring": (170, 190),
}


def scenes(sizes=SIZES, seeds=range(11, 14)):
    for seed in seeds:
        for name, size in sizes.items():
            scene = getattr(gallery, name)(size, seed)
            yield of_scene(scene, seed=seed + len(name))
            if scene.background is not None:
                yield of_scene(scene, seed=seed + len(name) + 1, fuse=True)


def pictures_under_maps():
    rng = np.random.default_rng(9)
    for u in (gallery.shadow((170, 170), 21).truth, gallery.manuscript((200, 170), 22).truth):
        for seed, (name, alpha) in enumerate(maps(u.shape[:2], rng)):
            yield of_picture(u, alpha, name, seed)


def seam(c):
    return seam_visibility(c.fused, c.foreground, c.background, c.alpha)


STEPS = {name: fault for name, fault in SEAMS.items() if name != "pasted"}


def test_seams():
    found = pooled(seam, trials(scenes(), STEPS))
    assert found.pop("line") > 0.8
    assert min(found.values()) > 0.85, found


def test_pasted_backgrounds():
    two = (case for case in scenes() if case.background is not case.foreground)
    found = pooled(seam, trials(two, {"pasted": SEAMS["pasted"]}))
    assert found["pasted"] > 0.85


def test_seams_under_other_maps():
    found = pooled(seam, trials(pictures_under_maps(), STEPS))
    assert found.pop("line") > 0.8
    assert min(found.values()) > 0.85, found


@pytest.mark.parametrize("seeds", [range(11, 14), range(30, 34)])
def test_blurred_regions_and_seams_as_soft_as_the_map(seeds):
    found = pooled(seam, trials(scenes(SIZES | OTHERS, seeds), BLURS | SOFT_SEAMS))
    assert found["blur"] > 0.85, found
    assert min(found.values()) > 0.7, found


def test_blur_and_soft_seams_under_other_maps():
    found = pooled(seam, trials(pictures_under_maps(), BLURS | SOFT_SEAMS))
    assert min(found.values()) > 0.85, found


def test_tints():
    found = pooled(lambda c: natural_chromaticity(c.fused, c.alpha), trials(scenes(), TINTS))
    assert min(found.values()) > 0.85, found


def test_feature_mutual_information_sees_neither():
    faults = {"gain": SEAMS["gain"], "tint": TINTS["tint"]}
    found = pooled(
        lambda c: -fmi(c.fused, c.foreground, c.background), trials(scenes(), faults, (0, 0.5, 1))
    )
    assert max(found.values()) < 0.5, found
