"""A sweep: every combination once, the same pixels as single fusions, and an end when asked."""

from __future__ import annotations

import numpy as np
import pytest

import osmofuse
from osmofuse.errors import InputError, LimitError, MismatchError, SettingError
from osmofuse.gallery import portrait


@pytest.fixture(scope="module")
def scene():
    return portrait(shape=(36, 30))


def swept(scene, **settings):
    return osmofuse.sweep(scene.foreground, scene.background, scene.alpha, **settings)


def test_by_default_it_is_the_papers_figure_at_one_reach(scene):
    found = swept(scene)
    assert len(found) == 3 * 2 * 3 * 2
    first, second = found[:2]
    assert first.settings == {
        "start": "foreground", "mu": 10.0, "reach": 10.0, "eta": 0.0, "gamma": 0.0
    }  # fmt: skip
    assert second.settings["gamma"] == 1.0, "the last varies fastest"
    assert {trial.fusion.reach for trial in found} == {10.0}
    assert all(trial.scores == {} and trial.fusion.structure is None for trial in found)


@pytest.mark.parametrize("start", ["foreground", "means"])
def test_each_is_the_fusion_with_its_settings(scene, start):
    for trial in swept(scene, start=["foreground", "means"], eta=[0.0, 0.3], gamma=1, mu=50):
        if trial.settings["start"] == start:
            alone = osmofuse.fuse(scene.foreground, scene.background, scene.alpha, **trial.settings)
            np.testing.assert_array_equal(trial.fusion.image, alone.image)


def test_one_value_is_tried_once_and_the_rule_can_be_asked_for(scene):
    (trial,) = swept(scene, start="foreground", mu=(10, 10), reach=None, eta=0.1, gamma=[1])
    assert trial.fusion.status is osmofuse.Status.energy_rate


def test_what_is_not_varied_is_the_same_for_all(scene):
    found = swept(scene, start="foreground", mu=10, gamma=1, offset=0.5, band="repeat")
    assert {trial.fusion.method.offset for trial in found} == {0.5}


def test_results_are_scored_if_there_is_a_truth_or_a_wish(scene):
    one = {"start": "foreground", "mu": 10, "eta": 0.1, "gamma": 1}
    (trial,) = swept(scene, truth=scene.truth, **one)
    assert set(trial.scores) == {"truth_psnr", "truth_ssim"}
    (trial,) = swept(scene, metrics=["chromaticity"], **one)
    assert set(trial.scores) == {"chromaticity"}


def test_a_map_can_be_made_and_holes_are_kept(scene):
    one = {"start": "foreground", "mu": 10, "eta": 0.1, "gamma": 1, "metrics": ["chromaticity"]}
    valid = np.ones(scene.foreground.shape[:2], bool)
    valid[:9] = False
    background = np.where(valid[..., None], scene.background, np.nan)
    (trial,) = osmofuse.sweep(scene.foreground, background, "auto", valid=valid, **one)
    settings = trial.settings
    alone = osmofuse.fuse(scene.foreground, background, "auto", valid=valid, **settings)
    np.testing.assert_array_equal(trial.fusion.image, alone.image)
    assert trial.scores["chromaticity"].value >= 0


def test_a_truth_that_does_not_fit_is_told_before_the_first_fusion(scene):
    with pytest.raises(MismatchError, match="truth"):
        swept(scene, truth=scene.truth[:5], watch=lambda _: pytest.fail("it has begun"))


def test_it_ends_when_it_is_cancelled(scene):
    calls = iter([False, False, True])
    found = swept(scene, watch=lambda _: next(calls, True))
    assert 0 < len(found) < 36
    assert found[-1].fusion.status is osmofuse.Status.cancelled


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"eta": ()}, "eta: empty"),
        ({"eta": (0.1, -1)}, "eta: -1"),
        ({"solver": "ipiano", "reach": None}, "needs? .*flow|use 'flow'"),
        ({"colour": 1}, "colour"),
        ({"metrics": "beauty"}, "beauty"),
    ],
)
def test_wrong_settings_are_refused_before_the_first_fusion(scene, settings, message):
    def never(_):
        pytest.fail("it has begun")

    with pytest.raises(SettingError, match=message):
        swept(scene, watch=never, **settings)


def test_pictures_are_checked(scene):
    with pytest.raises(InputError, match="foreground"):
        osmofuse.sweep(scene.foreground * np.nan, scene.background, scene.alpha)


def test_more_than_a_thousand_trials_are_refused_at_once(scene):
    with pytest.raises(LimitError, match="combinations; try at most 1000 at a time"):
        swept(scene, eta=list(np.linspace(0, 1, 1000)), mu=list(range(1, 1001)))
