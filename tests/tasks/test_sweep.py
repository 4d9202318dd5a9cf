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


def test_without_a_list_what_is_given_is_not_varied(scene):
    found = swept(scene, start="means", mu=50, gamma=1, offset=0.5)
    assert [trial.settings["eta"] for trial in found] == [0.0, 0.1, 0.5]
    assert {trial.settings["offset"] for trial in found} == {0.5}
    assert {trial.fusion.reach for trial in found} == {10.0}


def test_with_a_list_only_it_is_varied(scene):
    found = swept(scene, reach=[2, 5])
    usual = osmofuse.VariationalOsmosis()
    assert [trial.fusion.method for trial in found] == [
        osmofuse.VariationalOsmosis(reach=2), osmofuse.VariationalOsmosis(reach=5),
    ]  # fmt: skip
    assert found[0].settings == {
        "start": usual.start, "mu": usual.mu, "reach": 2, "eta": usual.eta, "gamma": usual.gamma,
    }  # fmt: skip


LISTS = {
    "epsilon": [0.01, 0.1], "regulariser": ["huber", None], "offset": np.array([0.5, 1.0]),
    "band": ["keep", "repeat"], "precision": ("single", "double"), "gamma": [1.0, np.inf],
    "reach": [2.0, "5 %"], "solver": ["flow", "ipiano"],
}  # fmt: skip


@pytest.mark.parametrize("name", LISTS)
def test_every_setting_may_be_a_list(scene, name):
    reach = {} if name in ("reach", "solver") else {"reach": 3}
    found = osmofuse.sweep(
        scene.foreground, scene.background[..., 0], scene.alpha, **{name: LISTS[name]}, **reach
    )
    assert [trial.settings[name] for trial in found] == list(LISTS[name])
    for trial in found:
        alone = osmofuse.fuse(
            scene.foreground,
            scene.background[..., 0],
            scene.alpha,
            **{"target": "product"} | trial.settings,
        )
        np.testing.assert_array_equal(trial.fusion.image, alone.image)


def test_several_maps_are_tried(scene):
    found = swept_maps(scene, [0.2, scene.alpha, "auto"])
    assert [trial.settings["alpha"] for trial in found] == [0.2, "map 2", "auto"]
    assert [trial.settings["reach"] for trial in found] == [2] * 3
    for trial, alpha in zip(found, (0.2, scene.alpha, "auto"), strict=True):
        alone = osmofuse.fuse(scene.foreground, scene.background, alpha, reach=2, target="product")
        np.testing.assert_array_equal(trial.fusion.image, alone.image)
        scored = osmofuse.score(
            alone.image, scene.foreground, scene.background, alone.sources.alpha,
            metrics="structure",
        )  # fmt: skip
        assert trial.scores == scored


def swept_maps(scene, alphas, **options):
    options = {"reach": 2, "metrics": "structure", **options}
    return osmofuse.sweep(scene.foreground, scene.background, alphas, **options)


def test_maps_have_labels_and_are_made_ready_like_one(scene):
    drawn = osmofuse.Picture((255 * (scene.alpha > 0.5)).astype(np.uint8))
    found = swept_maps(scene, {"drawn": drawn, "soft": scene.alpha}, soften=2.0, eta=[0.0, 0.1])
    assert [trial.settings["alpha"] for trial in found] == ["drawn", "drawn", "soft", "soft"]
    alone = osmofuse.fuse(
        scene.foreground, scene.background, drawn, soften=2.0, reach=2, eta=0.1, target="product"
    )
    np.testing.assert_array_equal(found[1].fusion.image, alone.image)
    ready = osmofuse.prepare(scene.foreground, scene.background, scene.alpha, soften=2.0)
    again = osmofuse.sweep(ready, alpha={"drawn": drawn, "soft": scene.alpha}, reach=2, eta=[0.1])
    np.testing.assert_array_equal(again[0].fusion.image, alone.image)


def test_a_number_among_blurred_maps_is_tried_as_it_is(scene):
    found = swept_maps(scene, [0.2, scene.alpha], soften=2.0)
    for trial, alpha, how in zip(found, (0.2, scene.alpha), ({}, {"soften": 2.0}), strict=True):
        alone = osmofuse.fuse(
            scene.foreground, scene.background, alpha, reach=2, target="product", **how
        )
        np.testing.assert_array_equal(trial.fusion.image, alone.image)


def test_any_method_can_be_swept(scene):
    found = osmofuse.sweep(
        scene.foreground, scene.background, scene.alpha, method="average",
        weights=[(1, 1), (3, 1)],
    )  # fmt: skip
    for trial in found:
        assert set(trial.settings) == {"weights"}
        alone = osmofuse.fuse(
            scene.foreground, scene.background, method="average", **trial.settings
        )
        np.testing.assert_array_equal(trial.fusion.image, alone.image)


@pytest.mark.parametrize("start", ["foreground", "means"])
def test_each_is_the_fusion_with_its_settings(scene, start):
    for trial in swept(scene, start=["foreground", "means"], eta=[0.0, 0.3], gamma=1, mu=50):
        if trial.settings["start"] == start:
            alone = osmofuse.fuse(
                scene.foreground, scene.background, scene.alpha, target="product", **trial.settings
            )
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
    assert set(trial.scores) == {"psnr", "ssim"}
    (trial,) = swept(scene, metrics=["chromaticity"], **one)
    assert set(trial.scores) == {"chromaticity"}


def test_a_map_can_be_made_and_holes_are_kept(scene):
    one = {"start": "foreground", "mu": 10, "eta": 0.1, "gamma": 1, "metrics": ["chromaticity"]}
    valid = np.ones(scene.foreground.shape[:2], bool)
    valid[:9] = False
    background = np.where(valid[..., None], scene.background, np.nan)
    (trial,) = osmofuse.sweep(scene.foreground, background, "auto", valid=valid, **one)
    settings = trial.settings
    alone = osmofuse.fuse(
        scene.foreground, background, "auto", valid=valid, target="product", **settings
    )
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
    (first,) = swept_maps(scene, [0.2, 0.8], eta=[0.0, 0.1], watch=lambda _: True)
    assert first.settings["alpha"] == 0.2


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"eta": ()}, "eta: empty"),
        ({"eta": [0.1, "much"]}, "eta: 'much'"),
        ({"method": osmofuse.Average()}, "method: .*a sweep takes the name"),
        ({"method": "average", "eta": [0.1]}, "eta: no setting of 'average'"),
        ({"eta": (0.1, -1)}, "eta: -1"),
        ({"solver": "ipiano"}, "reach: 10.0 needs the solver 'flow'"),
        ({"colour": 1}, "colour"),
        ({"metrics": "beauty"}, "beauty"),
    ],
)
def test_wrong_settings_are_refused_before_the_first_fusion(scene, settings, message):
    def never(_):
        pytest.fail("it has begun")

    with pytest.raises(SettingError, match=message):
        swept(scene, watch=never, **settings)


def test_an_empty_list_of_maps_is_refused(scene):
    for empty in ([], {}):
        with pytest.raises(SettingError, match="alpha: empty"):
            swept_maps(scene, empty)


def test_a_map_that_does_not_fit_is_told_before_the_first_fusion(scene):
    with pytest.raises(MismatchError, match="alpha: shape"):
        swept_maps(scene, [0.5, scene.alpha[1:]], watch=lambda _: pytest.fail("it has begun"))


def test_pictures_are_checked(scene):
    with pytest.raises(InputError, match="foreground"):
        osmofuse.sweep(scene.foreground * np.nan, scene.background, scene.alpha)


def test_more_than_a_thousand_trials_are_refused_at_once(scene):
    with pytest.raises(LimitError, match="combinations; try at most 1000 at a time"):
        swept(scene, eta=list(np.linspace(0, 1, 1000)), mu=list(range(1, 1001)))
    with pytest.raises(LimitError, match="1002 combinations"):
        swept_maps(scene, [0.2, 0.4], eta=list(np.linspace(0, 1, 501)))
