"""The fast solver behind VariationalOsmosis: reach, the rule, the limit, replay, and extremes."""

import dataclasses
import math
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from osmofuse import (
    InputError,
    SettingError,
    Sources,
    Status,
    VariationalOsmosis,
    energy,
    fuse,
    gallery,
)
from osmofuse.linalg import inside
from osmofuse.optimise.flow import Flow


def decibels(x, y):
    return -10 * math.log10(max(float(np.mean((np.asarray(x, float) - y) ** 2)), 1e-30))


@pytest.fixture(scope="module")
def page():
    scene = gallery.manuscript((90, 70))
    return Sources(scene.foreground, scene.background, scene.alpha)


def test_the_rule_is_the_default(page):
    fusion = VariationalOsmosis()(page)
    assert fusion.status is Status.energy_rate
    assert fusion.reach > 1
    assert fusion.history[-1].reach == pytest.approx(fusion.reach)
    assert {step.channel for step in fusion.history} == {None}
    energies = [step.energy for step in fusion.history]
    assert energies == sorted(energies, reverse=True)


@pytest.mark.parametrize("reach", [0.5, 3, 20.0])
def test_it_goes_as_far_as_it_is_told(page, reach):
    fusion = VariationalOsmosis(reach=reach)(page)
    assert fusion.status is Status.reached
    assert fusion.reach == pytest.approx(reach)


def test_the_energy_is_that_of_image_and_structure(page):
    fusion = VariationalOsmosis(reach=10, precision="double")(page)
    np.testing.assert_allclose(
        fusion.energy, energy(fusion.image, fusion.structure, page, fusion.method), rtol=1e-4
    )


def test_it_agrees_with_the_papers_algorithm_where_both_end():
    """At the stationary point there is one answer; iPiano gets there in many iterations."""
    rng = np.random.default_rng(3)
    f, b = 0.3 + 0.4 * rng.random((12, 11)), 0.3 + 0.4 * rng.random((12, 11))
    alpha = np.where(np.arange(11) < 5, 1.0, 0.3) * np.ones((12, 11))
    flow = fuse(f, b, alpha, reach=math.inf, target="product")
    slow = fuse(f, b, alpha, solver="ipiano", rtol=1e-13)
    assert flow.status is Status.stationary
    assert decibels(flow.image, slow.image) >= 60
    np.testing.assert_allclose(flow.energy, slow.energy, rtol=1e-5)


def test_without_gamma_the_limit_is_a_multiple_of_the_structure(page):
    fusion = VariationalOsmosis(gamma=0, reach=math.inf)(page)
    ratio = (fusion.image + 1) / (fusion.structure + 1)
    for c in range(3):
        np.testing.assert_allclose(ratio[..., c], ratio[0, 0, c], rtol=1e-5)
    assert fusion.reach == math.inf


@pytest.mark.parametrize("reach", [None, 8.0, math.inf])
@pytest.mark.parametrize("start", ["foreground", "composite", "means"])
def test_infinite_gamma_holds_the_foreground_bit_for_bit(rng, reach, start):
    f = rng.random((9, 7, 3))
    alpha = np.where(rng.random((9, 7)) < 0.5, 1.0, rng.random((9, 7)))
    fusion = fuse(f, rng.random((9, 7, 3)), alpha, gamma=math.inf, reach=reach, start=start)
    held = alpha == 1.0
    np.testing.assert_array_equal(fusion.image[held], f[held])
    assert np.isfinite(fusion.image).all()


def test_a_plan_replays_to_the_same_bits(page):
    method = VariationalOsmosis()
    fusion = method(page)
    again = method.run(page, fusion.plan)
    np.testing.assert_array_equal(fusion.image, again.image)
    np.testing.assert_array_equal(fusion.structure, again.structure)
    assert method.plan(page) == fusion.plan
    assert fusion.plan.halo > fusion.reach


def test_the_halo_is_wider_where_the_target_is_dark():
    flat, dark = np.full((2, 20, 18), 0.5)
    dark[3, 4] = 0.0
    halos = [VariationalOsmosis(reach=5).plan(Sources(x, x)).halo for x in (flat, dark)]
    assert halos[0] < halos[1]


def test_one_thread_and_two_give_the_same_bits():
    scene = gallery.portrait((180, 150))
    arguments = scene.foreground, scene.background, scene.alpha
    both = fuse(*arguments).image
    before = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        one = fuse(*arguments).image
    finally:
        numba.set_num_threads(before)
    np.testing.assert_array_equal(one, both)


def test_extending_is_going_there_at_once(page):
    method = VariationalOsmosis(reach=6)
    longer = method(page).extend(12)
    once = dataclasses.replace(method, reach=12)(page)
    assert longer.reach == pytest.approx(12)
    assert decibels(longer.image, once.image) >= 54


def test_what_was_extended_has_no_plan_of_its_own(page):
    fusion = VariationalOsmosis(reach=6)(page)
    assert fusion.extend(9).plan is None
    assert fusion.extend(fusion.reach) is fusion


@pytest.mark.parametrize("settings", [{"mu": 1, "eta": 0}, {"mu": 0.1, "eta": 0, "reach": 10}])
def test_a_weak_mu_keeps_the_structure_positive(page, settings):
    fusion = VariationalOsmosis(**settings)(page)
    assert fusion.structure.min() > -0.5
    assert -0.5 < fusion.image.min() < fusion.image.max() < 1.5
    energies = [step.energy for step in fusion.history]
    assert energies == sorted(energies, reverse=True)


def test_dark_pictures_with_a_small_offset_stay_in_range(rng):
    fusion = fuse(rng.random((40, 50, 3)), rng.random((40, 50, 3)), 0.5, offset=1 / 255, reach=10)
    assert -0.1 < fusion.image.min() < fusion.image.max() < 1.5


def test_another_solver_may_be_prepared_for(page):
    fusion = VariationalOsmosis().prepare(page).solve(solver="ipiano", max_iter=2)
    assert fusion.history[0].lipschitz_v is not None


def test_total_variation_reports_its_own_energy(page):
    fusion = VariationalOsmosis(regulariser="tv")(page)
    found = energy(fusion.image, fusion.structure, page, fusion.method)
    np.testing.assert_allclose(fusion.energy, found, rtol=1e-4)


def test_the_limit_with_infinite_gamma_is_that_of_a_long_flow(page):
    limit = VariationalOsmosis(gamma=math.inf, reach=math.inf)(page)
    long = VariationalOsmosis(gamma=math.inf, reach=2000)(page)
    assert limit.status is Status.stationary
    assert decibels(limit.image, long.image) >= 45


def test_it_does_not_extend_backwards_nor_other_solvers(page):
    with pytest.raises(SettingError, match="already"):
        VariationalOsmosis(reach=6)(page).extend(3)
    with pytest.raises(SettingError, match=r"^solver"):
        VariationalOsmosis(solver="ipiano", max_iter=1)(page).extend(3)


def test_what_is_prepared_once_gives_the_same_bits(page):
    prepared = VariationalOsmosis(reach=5).prepare(page)
    for changes in ({}, {"eta": 0.3}, {"gamma": 0.0, "reach": 9}, {"offset": 0.5}, {"reach": None}):
        direct = VariationalOsmosis(**{"reach": 5, **changes})(page)
        np.testing.assert_array_equal(prepared.solve(**changes).image, direct.image)
    with pytest.raises(SettingError, match=r"^strength"):
        prepared.solve(strength=1)


def test_no_structure_comes_from_where_the_background_has_no_data(rng):
    f, b = rng.random((20, 16, 3)), rng.random((20, 16, 3))
    valid = np.ones((20, 16), bool)
    valid[:, :6] = False
    b[~valid] = np.nan
    masked = fuse(f, b, 0.0, valid=valid, feather=0, reach=4)
    other = np.where(valid[..., None], b, 0.5)
    same = fuse(f, other, np.where(valid, 0.0, 1.0), reach=4, target="product")
    np.testing.assert_array_equal(masked.image, same.image)


def test_it_is_cancelled_between_steps(page):
    calls = []
    fusion = VariationalOsmosis()(page, watch=lambda p: calls.append(p) or True)
    assert calls
    assert fusion.status is Status.cancelled
    assert np.isfinite(fusion.image).all()
    with pytest.raises(SettingError, match="cancelled"):
        fusion.extend(50)


def test_cancelled_before_the_flow_it_is_the_foreground(page):
    fusion = VariationalOsmosis()(page, watch=lambda p: True)
    assert fusion.status is Status.cancelled
    np.testing.assert_array_equal(fusion.image, np.asarray(page.foreground, np.float32))
    assert fusion.energy is None
    assert fusion.reach == 0.0


SHAPES = [(1, 1), (1, 2), (2, 1), (3, 3), (1, 40), (40, 1), (5, 70), (17, 13)]
EXTREMES = [
    {"eta": 0},
    {"regulariser": None},
    {"regulariser": "tikhonov", "eta": 3.0},
    {"regulariser": "tv"},
    {"epsilon": 1e-9},
    {"gamma": 0},
    {"gamma": 1e6},
    {"mu": 0.1, "eta": 0},
    {"mu": 0.1},
    {"mu": 1e4},
    {"eta": 5.0, "mu": 1.0},
    {"offset": 1 / 255},
    {"offset": 100.0},
    {"reach": 1e-3},
    {"reach": 1e4},
    {"reach": math.inf},
    {"reach": math.inf, "gamma": 0},
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("settings", EXTREMES, ids=str)
def test_extremes_stay_finite(shape, settings, rng):
    f, b = rng.random((*shape, 2)), rng.random((*shape, 2))
    fusion = fuse(f, b, rng.random(shape), **settings)
    assert np.isfinite(fusion.image).all()
    assert np.isfinite(fusion.structure).all()
    assert np.isfinite(fusion.energy).all()
    assert fusion.status.is_success


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.5, 1.0, "binary", "soft", "channels"]))
def test_any_map_on_any_picture_is_finite(seed, alpha):
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(1, 12, 2))
    f, b = 16 * rng.random((*shape, 3)) ** 4, 16 * rng.random((*shape, 3)) ** 4
    maps = {
        "binary": rng.random(shape) < 0.5,
        "soft": rng.random(shape),
        "channels": rng.random((*shape, 3)),
    }
    fusion = fuse(f, b, maps.get(alpha, alpha))
    assert np.isfinite(fusion.image).all()


@pytest.mark.parametrize("value", [0.0, 0.4, 1.0])
def test_constant_pictures_come_back(value):
    f = np.full((12, 10, 3), value)
    fusion = fuse(f, f, 0.5)
    np.testing.assert_allclose(fusion.image, f, atol=2e-6)
    assert fusion.status.is_success


def test_the_scaling_law_of_the_flow(rng):
    """f, b → c f, c b; mu, gamma → /c; epsilon → c epsilon; time → c time; no offset."""
    c, f, b = 4.0, 0.5 + rng.random((14, 9)), 0.5 + rng.random((14, 9))
    alpha = rng.random((14, 9))
    one = fuse(f, b, alpha, offset=0, reach=5, precision="double")
    large = fuse(
        c * f, c * b, alpha, offset=0, reach=5, precision="double",
        mu=100 / c, gamma=1 / c, epsilon=0.05 * c,
    )  # fmt: skip
    np.testing.assert_allclose(large.image, c * one.image, rtol=1e-7)


def test_without_offset_samples_must_be_positive():
    with pytest.raises(InputError, match=r"^foreground"):
        fuse(np.zeros((4, 4)), np.ones((4, 4)), 0.5, offset=0)


def test_puppets_are_where_the_published_ones_are(data):
    from osmofuse import read

    paper = data / "paper"
    f, b, alpha = (
        read(paper / f"1_{name}.png").pixels for name in ("foreground", "background", "alpha")
    )
    sources = Sources(f, b, alpha)
    fusion = VariationalOsmosis(eta=0.5)(sources)
    published = read(paper / "1_published_u.png").pixels / 255.0
    stored = np.round(np.clip(fusion.image, 0, 1) * 255) / 255
    assert decibels(stored, published) >= 48
    for edges in ("harmonic", "forward"):
        found = energy(fusion.image, fusion.structure, sources, fusion.method, edges=edges)
        assert (found < [7401.0, 6080.4, 5758.8]).all()


def test_a_solve_that_went_wrong_does_not_spoil_the_next(page):
    """No working memory is read before it has been set."""
    prepared = VariationalOsmosis(reach=5).prepare(page)
    good = prepared.solve().image
    work = prepared.solver._workspace
    for level in work.grid.levels:
        for plane in (level.x, level.b):
            inside(plane, level.stencil.shape)[...] = np.nan
    for plane in (work.x, work.y, work.b, *(x for one in work.unknowns for x in one._planes)):
        inside(plane, work.shape)[...] = np.nan
    work.grid.scratch[...] = np.nan
    np.testing.assert_array_equal(prepared.solve().image, good)


def test_a_structure_that_is_lost_ends_the_flow(page, monkeypatch):
    follow = Flow.follow

    def lost(flow, guard):
        flow.unknowns[0].v[2, 2] = np.nan
        return follow(flow, guard)

    monkeypatch.setattr(Flow, "follow", lost)
    fusion = VariationalOsmosis(reach=5)(page)
    assert fusion.status is Status.nonfinite
    assert np.isfinite(fusion.image).all(), "u is the last finite one"
    assert np.isfinite(fusion.structure).all()


def test_prepared_pictures_may_be_fused_from_two_threads(page):
    prepared = VariationalOsmosis(reach=5).prepare(page)
    reaches = [3, 9] * 4
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda reach: prepared.solve(reach=reach).image, reaches))
    for reach, image in zip(reaches, found, strict=True):
        np.testing.assert_array_equal(image, VariationalOsmosis(reach=reach)(page).image)


def test_planes_prepared_for_the_flow_do_not_serve_another_solver(rng):
    f, b = rng.random((2, 8, 7))
    prepared = VariationalOsmosis(precision="double").prepare(Sources(f, b))
    found = prepared.solve(solver="ipiano", max_iter=3)
    np.testing.assert_array_equal(found.image, fuse(f, b, solver="ipiano", max_iter=3).image)


def test_a_plan_says_the_reach_of_the_whole_picture_on_a_piece(page):
    method = VariationalOsmosis(reach=5)
    plan = method.plan(page)
    dark = Sources(page.foreground[:40] * 0.5, page.backgrounds[0][:40], page.alpha[:40])
    piece = method.run(dark, plan)
    assert piece.reach == pytest.approx(5)
    assert piece.plan == plan


def test_steps_of_an_extended_fusion_are_counted_through(page):
    fusion = VariationalOsmosis(reach=3)(page).extend(9)
    assert [s.iteration for s in fusion.history] == list(range(1, len(fusion.history) + 1))
    assert fusion.history[-1].reach == pytest.approx(9)


def test_a_reach_beyond_any_picture_is_refused_and_none_has_no_plan(page):
    for reach in (1e160, 2e6):
        with pytest.raises(SettingError, match=r"^reach"):
            VariationalOsmosis(reach=reach)
    with pytest.raises(SettingError, match="no plan"):
        VariationalOsmosis(reach=math.inf).plan(page)


def test_hardly_any_weight_is_a_weight(rng):
    fusion = fuse(rng.random((9, 8)), rng.random((9, 8)), 0.5, mu=1e-16, eta=0, reach=3)
    assert np.isfinite(fusion.image).all()


@pytest.mark.parametrize("offset", [1.0, 100.0])
def test_all_levels_of_16_bits_survive_the_offset(offset):
    levels = np.random.default_rng(1).permutation(65536).astype(np.uint16).reshape(256, 256)
    fusion = fuse(levels, levels, 0.5, offset=offset, reach=5.0, eta=0.0)
    assert np.array_equal(np.rint(fusion.image * 65535.0), levels)
