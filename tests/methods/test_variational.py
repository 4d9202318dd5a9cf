"""Variational osmosis by the paper's solvers: its experiments, settings, what comes back."""

from __future__ import annotations

import math
import threading
from dataclasses import FrozenInstanceError
from functools import partial

import numpy as np
import pytest

import osmofuse
from osmofuse import MismatchError, SettingError, Sources, Status, VariationalOsmosis

fuse = partial(osmofuse.fuse, solver="ipiano")  # unless a test names another

STARTS = ("foreground", "composite", "means")


# ---- the paper's experiments ----


@pytest.fixture(params=["puppets", "face"])
def experiment(request):
    return request.getfixturevalue(request.param)


@pytest.mark.usefixtures("data")
def test_ipiano_ends_below_the_published_run(experiment, reference):
    ours, theirs, sources = (
        experiment.run("ipiano"),
        experiment.run("published"),
        experiment.sources,
    )
    assert ours.status is Status.converged
    for edges in ("harmonic", "forward"):
        package = [
            osmofuse.energy(x.image, x.structure, sources, x.method, edges=edges)
            for x in (ours, theirs)
        ]
        pictures = (sources.foreground, sources.backgrounds[0], sources.alpha)
        numpy = [
            reference.energies(x.image, x.structure, *pictures, x.method, edges=edges)
            for x in (ours, theirs)
        ]
        np.testing.assert_allclose(package, numpy, rtol=1e-9)
        assert (package[0] < package[1]).all()
        assert (numpy[0] < numpy[1]).all()


@pytest.mark.usefixtures("data")
def test_ipiano_states_the_energy_of_its_result(experiment):
    fusion = experiment.run("ipiano")
    again = osmofuse.energy(fusion.image, fusion.structure, experiment.sources, fusion.method)
    np.testing.assert_allclose(again, fusion.energy, rtol=1e-6)


@pytest.mark.usefixtures("data")
def test_ipiano_descends_and_its_structure_never_freezes(experiment):
    history = experiment.run("ipiano").history
    for c in range(3):
        steps = [step for step in history if step.channel == c]
        assert (np.diff([step.energy for step in steps]) <= 0).all()
        assert max(step.lipschitz_v for step in steps) < 1e3


# ---- settings ----


def same(a, b):
    return np.array_equal(a.image, b.image) and np.array_equal(a.structure, b.structure)


@pytest.fixture
def pair(rng):
    return rng.random((2, 8, 7, 3))


@pytest.mark.parametrize("solver", ["ipiano", "published"])
def test_huber_without_threshold_is_total_variation(pair, solver):
    huber = fuse(*pair, epsilon=0, solver=solver, max_iter=20)
    assert same(huber, fuse(*pair, regulariser="tv", solver=solver, max_iter=20))
    assert not same(huber, fuse(*pair, epsilon=0.2, solver=solver, max_iter=20))


@pytest.mark.parametrize("solver", ["ipiano", "published"])
def test_no_regulariser_is_no_weight(pair, solver):
    none = fuse(*pair, regulariser=None, eta=5, solver=solver, max_iter=20)
    assert same(none, fuse(*pair, eta=0, solver=solver, max_iter=20))
    assert not same(none, fuse(*pair, eta=5, solver=solver, max_iter=20))
    assert all(step.terms["regulariser"] == 0 for step in none.history)


@pytest.mark.parametrize("regulariser", ["huber", "tv", "tikhonov"])
def test_smoothing_flattens_the_structure(pair, regulariser):
    def roughness(eta):
        return np.abs(
            np.diff(fuse(*pair, eta=eta, regulariser=regulariser).structure, axis=0)
        ).sum()

    assert roughness(50) < 0.5 * roughness(1) < 0.5 * roughness(0)


def test_mu_ties_the_structure_to_its_target(pair):
    w = np.sqrt((pair[0] + 1) * (pair[1] + 1)) - 1
    distance = [np.abs(fuse(*pair, mu=mu).structure - w).max() for mu in (1, 100, 1e4)]
    assert distance[0] > 10 * distance[1] > 100 * distance[2] > 0


def test_offset_is_added_and_taken_off(pair):
    """Pictures raised by what the offset is lowered by are the same problem."""
    plain = fuse(*pair, offset=1.0)
    raised = fuse(*(pair + 0.5), offset=0.5)
    np.testing.assert_allclose(raised.image, plain.image + 0.5, atol=1e-9)
    np.testing.assert_allclose(raised.energy, plain.energy, rtol=1e-9)
    assert np.abs(fuse(*pair, offset=0.1).image - plain.image).max() > 1e-3


def test_starts_differ_and_so_do_their_early_ends(pair):
    images = [fuse(*pair, start=start, max_iter=5).image for start in STARTS]
    assert np.abs(images[0] - images[1]).max() > 1e-2
    assert np.abs(images[0] - images[2]).max() > 1e-2
    assert np.abs(images[1] - images[2]).max() > 1e-2


@pytest.mark.parametrize("solver", ["ipiano", "published"])
def test_a_background_given_twice_is_one(pair, rng, solver):
    f, b = pair
    alpha = rng.random((8, 7))
    rest = 1 - alpha
    one = fuse(f, b, alpha, solver=solver, max_iter=40)
    same_ = fuse(f, [b], [alpha, rest], solver=solver, max_iter=40)
    twice = fuse(f, [b, b], [alpha, 0.25 * rest, 0.75 * rest], solver=solver, max_iter=40)
    for fusion in (same_, twice):
        np.testing.assert_allclose(fusion.image, one.image, atol=1e-9)
        np.testing.assert_allclose(fusion.energy, one.energy, rtol=1e-9)


def test_several_backgrounds_each_bring_their_part(pair, rng):
    f, b = pair
    third = rng.random((8, 7))
    left = np.zeros((8, 7))
    left[:, :3] = 1.0
    settings = {"mu": 1e6, "eta": 0, "band": "repeat", "target": "product"}
    fusion = fuse(f, [b, third], [0.0, left, 1 - left], **settings)
    np.testing.assert_allclose(fusion.structure[:, :3], b[:, :3], atol=1e-4)
    np.testing.assert_allclose(fusion.structure[:, 3:, 1], third[:, 3:], atol=1e-4)


def test_band_keep_fuses_the_band_in_the_foregrounds_chromaticity(rng):
    f, b = rng.uniform(0.4, 0.6, (8, 7, 3)), rng.uniform(0.4, 0.6, (8, 7))
    chromaticity = (f + 1) / np.cbrt((f + 1).prod(axis=2, keepdims=True))
    coloured = (b + 1)[..., None] * chromaticity - 1
    kept, explicit = fuse(f, b, 0.3), fuse(f, coloured, 0.3)
    np.testing.assert_allclose(kept.image, explicit.image, atol=1e-9)
    assert same(kept, fuse(f, b, 0.3, band="keep")), "the default"
    assert same(kept, fuse(f, b[..., None], 0.3))


def test_band_repeat_fuses_the_band_in_every_channel(pair):
    f, b = pair
    repeated = fuse(f, b[..., 0], 0.3, band="repeat")
    assert same(repeated, fuse(f, np.repeat(b[..., :1], 3, axis=2), 0.3))


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("bands", [1, 3])
def test_where_the_background_is_not_valid_the_foreground_is_kept(pair, rng, start, bands):
    f, b = pair
    b, alpha, valid = b[..., :bands].copy(), rng.random((8, 7)), rng.random((8, 7)) < 0.7
    explicit = fuse(f, b, np.where(valid, alpha, 1.0), start=start)
    b[~valid] = np.nan
    masked = fuse(f, b, alpha, valid=valid, feather=0, start=start)
    assert same(masked, explicit)
    assert np.isfinite(masked.image).all()


def test_nothing_valid_is_alpha_one(pair):
    f, b = pair
    masked = fuse(f, np.full_like(b, np.nan), 0.2, valid=np.zeros((8, 7), bool))
    assert same(masked, fuse(f, b, 1.0))


BAD = [
    *((name, -1) for name in ("eta", "mu", "gamma", "epsilon", "offset", "rtol", "max_iter")),
    *((name, math.nan) for name in ("eta", "mu", "gamma", "epsilon", "offset", "rtol", "max_iter")),
    *((name, math.inf) for name in ("eta", "mu", "epsilon", "offset", "rtol", "max_iter")),
    *((name, "1") for name in ("eta", "mu", "gamma", "max_iter")),
    ("eta", True),
    ("mu", 0),
    ("max_iter", 0),
    ("max_iter", 2.5),
    ("regulariser", "l1"),
    ("regulariser", "None"),
    ("start", "background"),
    ("band", None),
    ("solver", "IPIANO"),
    ("reach", 20),
    ("reach", math.inf),
]


@pytest.mark.parametrize(("name", "value"), BAD)
def test_bad_settings_are_refused_by_name(name, value):
    with pytest.raises(SettingError, match=rf"^{name}: "):
        VariationalOsmosis(**({"solver": "ipiano"} | {name: value}))


@pytest.mark.parametrize(
    ("name", "value"), [("regulariser", "tikhonov"), ("gamma", math.inf), ("reach", 5.0)]
)
def test_what_the_published_scheme_never_did_is_refused(name, value):
    with pytest.raises(SettingError, match=rf"^{name}: "):
        VariationalOsmosis(solver="published", **{name: value})


def test_the_defaults_are_those_of_the_design():
    method = VariationalOsmosis()
    assert (method.eta, method.mu, method.gamma, method.epsilon) == (0.1, 100.0, 1.0, 0.05)
    assert (method.regulariser, method.offset, method.start) == ("huber", 1.0, "foreground")
    assert method.reach is None
    assert method == VariationalOsmosis(eta=0.1)
    assert hash(method) == hash(VariationalOsmosis())
    with pytest.raises(FrozenInstanceError):
        method.eta = 1.0


def test_the_flow_is_the_default():
    assert VariationalOsmosis().solver == "flow"


# ---- what comes back ----


@pytest.mark.parametrize("solver", ["ipiano", "published"])
def test_a_fusion_is_complete(pair, solver):
    fusion = fuse(*pair, solver=solver)
    assert fusion.image.shape == fusion.structure.shape == pair[0].shape
    assert fusion.energy.shape == (3,)
    assert fusion.energy.dtype == np.float64
    assert fusion.reach is None
    assert isinstance(fusion.history, tuple)
    assert fusion.status is Status.converged
    assert fusion.seconds > 0
    assert fusion.method == VariationalOsmosis(solver=solver)


@pytest.mark.parametrize("solver", ["ipiano", "published"])
def test_history_has_one_entry_for_each_iteration(pair, solver):
    fusion = fuse(*pair, solver=solver)
    for c in range(3):
        steps = [step for step in fusion.history if step.channel == c]
        assert [step.iteration for step in steps] == list(range(1, len(steps) + 1))
        assert len(steps) >= 5
    for step in fusion.history:
        assert set(step.terms) == {"osmosis", "structure", "fidelity", "regulariser"}
        assert step.lipschitz_u > 0
        assert step.lipschitz_v > 0
        assert step.inner > 0
        assert step.time is None
        assert step.reach is None


@pytest.mark.parametrize("solver", ["ipiano", "published"])
@pytest.mark.parametrize("edges", ["harmonic", "forward"])
def test_energy_is_stated_in_the_solvers_own_discretisation(pair, solver, edges):
    fusion = fuse(*pair, 0.3, solver=solver)
    again = osmofuse.energy(
        fusion.image, fusion.structure, Sources(*pair, 0.3), fusion.method, edges=edges
    )
    own = "harmonic" if solver == "ipiano" else "forward"
    assert np.allclose(again, fusion.energy, rtol=1e-10, atol=0) == (edges == own)


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        (np.uint8, np.float32),
        (np.uint16, np.float32),
        (np.float16, np.float32),
        (np.float32, np.float32),
        (np.float64, np.float64),
    ],
)
@pytest.mark.parametrize("solver", ["ipiano", "published"])
def test_double_in_double_out_else_single(pair, dtype, expected, solver):
    white = np.iinfo(dtype).max if np.issubdtype(dtype, np.integer) else 1
    fusion = fuse(*(pair * white).astype(dtype), solver=solver, max_iter=5)
    assert fusion.image.dtype == fusion.structure.dtype == expected


def test_single_precision_is_only_how_the_result_is_stored(pair):
    single = pair.astype(np.float32)
    narrow, wide = fuse(*single), fuse(*single.astype(np.float64))
    assert np.array_equal(narrow.image, wide.image.astype(np.float32))
    assert np.array_equal(narrow.energy, wide.energy)


def test_results_are_not_clipped():
    """A bright foreground over dark stripes overshoots; it must be left alone."""
    f, b = np.full((6, 8), 1.0), np.full((6, 8), 0.1)
    b[:, ::2] = 1.0
    assert fuse(f, b, 0.0, gamma=0).image.max() > 1.01


@pytest.mark.parametrize(
    "shape", [(1, 1), (1, 7), (6, 1), (5, 4, 1), (5, 4, 2), (5, 4, 4), (1, 1, 3)]
)
@pytest.mark.parametrize("solver", ["ipiano", "published"])
def test_every_shape_comes_back(rng, shape, solver):
    f, b = rng.random((2, *shape))
    fusion = fuse(f, b, 0.5, solver=solver)
    assert fusion.image.shape == fusion.structure.shape == shape
    assert len(fusion.energy) == (shape[2] if len(shape) == 3 else 1)
    assert np.isfinite(fusion.image).all()


def test_one_pixel_follows_the_fidelity_alone():
    """No edges: u = f, and v = w, whatever the smoothing."""
    fusion = fuse(np.array([[0.25]]), np.array([[1.0]]), 0.5, eta=3)
    assert fusion.image[0, 0] == pytest.approx(0.25)
    assert fusion.structure[0, 0] == pytest.approx(math.sqrt(1.25 * 2) - 1)
    assert fusion.energy[0] == pytest.approx(0, abs=1e-20)


@pytest.mark.parametrize("value", [0.0, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("solver", ["ipiano", "published"])
def test_pictures_without_structure_end_by_themselves(value, solver):
    flat = np.full((6, 5), value)
    fusion = fuse(flat, flat, 0.3, solver=solver, max_iter=200)
    np.testing.assert_allclose(fusion.image, flat, atol=1e-12)
    assert fusion.status.is_success


@pytest.mark.parametrize("solver", ["ipiano", "published"])
def test_too_few_iterations_are_a_status(pair, solver):
    fusion = fuse(*pair, solver=solver, max_iter=3)
    assert fusion.status is Status.max_iter
    assert not fusion.status.is_success
    assert len(fusion.history) == 9


def test_a_smaller_rtol_goes_on_longer(pair):
    coarse, fine = fuse(*pair, rtol=1e-3), fuse(*pair, rtol=1e-9)
    assert len(coarse.history) < len(fine.history)
    assert (fine.energy < coarse.energy).all()


# ---- watching ----


@pytest.mark.parametrize("solver", ["ipiano", "published"])
def test_a_cancelled_fusion_comes_back_at_once(pair, solver):
    fusion = fuse(*pair, solver=solver, watch=lambda _: True)
    assert fusion.status is Status.cancelled
    assert len(fusion.history) <= 1
    assert fusion.image.shape == pair[0].shape
    assert np.isfinite(fusion.image).all()
    assert np.isfinite(fusion.structure).all()
    assert np.isfinite(fusion.energy).all()
    np.testing.assert_allclose(fusion.image[..., 2], pair[0, ..., 2], atol=1e-15)


@pytest.mark.parametrize("solver", ["ipiano", "published"])
def test_the_energy_of_a_cancelled_fusion_is_that_of_what_it_returns(pair, solver):
    fusion = fuse(*pair, solver=solver, watch=lambda _: True)
    again = osmofuse.energy(
        fusion.image, fusion.structure, Sources(*pair), fusion.method, edges=fusion.method.edges
    )
    np.testing.assert_allclose(again, fusion.energy, rtol=1e-10)


@pytest.mark.parametrize("answer", [None, False, 0])
def test_watching_changes_nothing(pair, answer):
    told = []

    def watch(progress):
        told.append((progress, threading.get_ident()))
        return answer

    assert same(fuse(*pair, watch=watch), fuse(*pair))
    assert told
    for progress, thread in told:
        assert thread == threading.get_ident()
        assert isinstance(progress, osmofuse.Progress)
        assert progress.channels == 3
        assert 0 <= progress.channel < 3
        assert progress.iteration >= 0
        assert progress.reach is None
    seconds = [progress.seconds for progress, _ in told]
    assert seconds == sorted(seconds)


def test_an_error_of_the_watching_function_comes_through(pair):
    def watch(_):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        fuse(*pair, watch=watch)


# ---- the energy ----


@pytest.fixture
def pictures(rng):
    return rng.uniform(0.05, 1.0, (2, 6, 5, 3))


@pytest.fixture
def soft_map(rng):
    alpha = rng.random((6, 5))
    alpha[:2], alpha[-2:] = 1.0, 0.0
    return alpha


@pytest.mark.parametrize("regulariser", ["huber", "tv", "tikhonov", None])
@pytest.mark.parametrize("edges", ["harmonic", "forward"])
def test_energy_against_numpy(rng, pictures, soft_map, regulariser, edges, reference):
    u, v = rng.uniform(-0.1, 1.1, (2, 6, 5, 3))
    settings = VariationalOsmosis(regulariser=regulariser, offset=0.5, gamma=2, eta=0.7)
    found = osmofuse.energy(u, v, Sources(*pictures, soft_map), settings, edges=edges)
    expected = reference.energies(u, v, *pictures, soft_map, settings, edges=edges)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_energy_by_hand():
    """Two pixels, w = (1, 2), v = (1, 2), u = (1, 1): r = (1, 1/2), m = 4/3."""
    f, b = np.array([[1.0, 2.0]]), np.array([[1.0, 2.0]])
    settings = VariationalOsmosis(offset=0, eta=0.1, epsilon=0.5, mu=10, gamma=4)
    sources = Sources(f, b, 0.5)
    u, v = np.array([[1.0, 1.0]]), np.array([[1.0, 2.0]])
    fidelity, huber = 4 / 2 * 0.5 * 1.0, 0.1 * (1 - 0.25)
    harmonic, forward = 4 / 3 * 0.25 / 2, 0.25 / 2
    rest = fidelity + huber
    assert osmofuse.energy(u, v, sources, settings) == pytest.approx([harmonic + rest])
    assert osmofuse.energy(u, v, sources, settings, edges="forward") == pytest.approx(
        [forward + rest]
    )


def test_energy_accepts_what_cannot_be_written(pictures, soft_map):
    for array in (pictures, soft_map):
        array.flags.writeable = False
    sources, settings = Sources(*pictures, soft_map), VariationalOsmosis()
    assert np.isfinite(osmofuse.energy(pictures[0], pictures[1], sources, settings)).all()


def test_energy_refuses_what_does_not_fit(pictures):
    sources, settings = Sources(*pictures), VariationalOsmosis()
    with pytest.raises(MismatchError, match=r"^u: shape"):
        osmofuse.energy(pictures[0, 1:], pictures[1], sources, settings)
    with pytest.raises(MismatchError, match=r"^v: shape"):
        osmofuse.energy(pictures[0], pictures[1, ..., 0], sources, settings)
    with pytest.raises(SettingError, match=r"^edges: 'backward'"):
        osmofuse.energy(pictures[0], pictures[1], sources, settings, edges="backward")


def test_measuring_for_a_slow_solver_can_be_cancelled(pair):
    settings = VariationalOsmosis(target="union", solver="ipiano", eta="auto")
    fusion = settings(Sources(*pair), watch=lambda _: True)
    assert fusion.status is Status.cancelled
    assert fusion.structure is None, "the target was not made"
    np.testing.assert_array_equal(fusion.image, pair[0])
