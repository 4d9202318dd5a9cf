"""Linear osmosis: its settings, where it acts, what it holds, and the paper's table."""

from __future__ import annotations

import math

import numba
import numpy as np
import pytest

import osmofuse
from osmofuse import InputError, SettingError, Sources, Status, fuse
from osmofuse.linalg import FREE, HELD
from osmofuse.methods import METHODS, LinearOsmosis
from osmofuse.methods.fusion_drift import fusion_drift
from osmofuse.metrics import chromaticity_error
from osmofuse.operators import OsmosisEdges
from osmofuse.optimise.steppers import SCHEMES
from registry import solved_directly

TO_THE_END = {"time": math.inf}


def pair(shape=(14, 13), channels=3, seed=0):
    f, b = np.random.default_rng(seed).random((2, *shape, channels))
    alpha = np.ones(shape)
    alpha[3:9, 4:11] = 0.5
    alpha[4:8, 5:10] = 0.0
    return f, b, alpha


def drift_of(f, b, alpha, rule="averaged", offset=1.0):
    return fusion_drift([f + offset, b + offset], [alpha, 1 - alpha], rule)


def osmosis(*pictures, **settings):
    return fuse(*pictures, method="linear-osmosis", **settings)


class TestSettings:
    def test_its_name(self):
        assert METHODS["linear-osmosis"] is LinearOsmosis

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("drift", "mean"),
            ("start", "means"),
            ("time", 0),
            ("time", math.nan),
            ("steps", 0),
            ("steps", 2.5),
            ("extent", "everywhere"),
            ("boundary", "periodic"),
            ("threshold", 1.0),
            ("threshold", -0.1),
            ("offset", -1),
            ("band", "drop"),
            ("rtol", 0),
            ("max_iter", 0),
        ],
    )
    def test_what_makes_no_sense_is_refused_by_name(self, name, value):
        with pytest.raises(SettingError, match=f"^{name}: "):
            LinearOsmosis(**{name: value})

    def test_without_an_offset_every_sample_must_be_positive(self):
        f, b, alpha = pair()
        f[0, 0, 1] = 0.0
        with pytest.raises(InputError, match=r"^foreground: samples of 0"):
            osmosis(f, b, alpha, offset=0.0)
        # Nor far from the region.
        with pytest.raises(InputError, match=r"^foreground: samples of 0"):
            osmosis(f, b, alpha, offset=0.0, extent="local")


@pytest.fixture(scope="module")
def pictures(data):
    names = ("foreground", "background", "alpha")
    return [osmofuse.read(data / "paper" / f"4_{name}.png").pixels for name in names]


class TestTable:
    """The paper's table on its pair of faces, with results of 8 bits."""

    def test_chromaticity_error(self, pictures):
        fusion = osmosis(*pictures)
        assert fusion.status is Status.reached
        levels = np.rint(255 * np.clip(fusion.image, 0, 1)) / 255
        error = chromaticity_error(levels, pictures[0] / 255)
        assert error == pytest.approx(0.0452, abs=5e-5)

    @pytest.mark.parametrize(("start", "expected"), [("composite", 0.0429), ("foreground", 0.0185)])
    def test_other_starts(self, pictures, start, expected):
        fusion = osmosis(*pictures, start=start)
        levels = np.rint(255 * np.clip(fusion.image, 0, 1)) / 255
        assert chromaticity_error(levels, pictures[0] / 255) == pytest.approx(expected, abs=1e-4)

    def test_the_face_alone_is_that_of_a_direct_solve(self, pictures):
        f, b, alpha = pictures
        alpha = alpha if alpha.ndim == 2 else alpha[..., 0]
        fusion = osmosis(f.astype(float) / 255, b.astype(float) / 255, alpha, extent="local",
                         **TO_THE_END)  # fmt: skip
        assert fusion.status is Status.stationary
        box = np.s_[145:306, 133:267]
        part, weight = alpha[box], alpha[box] / 255
        kind = np.where(part == 0, FREE, HELD).astype(np.uint8)
        for c in range(3):
            f_c, b_c = f[box][..., c] / 255, b[box][..., c] / 255
            exact = solved_directly(drift_of(f_c, b_c, weight), kind, f_c + 1, math.inf) - 1
            np.testing.assert_allclose(fusion.image[box][..., c], exact, atol=1e-7)
        np.testing.assert_array_equal(fusion.image[alpha > 0], (f / 255)[alpha > 0])


class TestAgainstDirectSolves:
    @pytest.mark.parametrize("rule", ["averaged", "hard", "soft"])
    @pytest.mark.parametrize("offset", [1.0, 1e-3])
    def test_steps(self, rule, offset):
        f, b, alpha = pair(channels=2)
        fusion = osmosis(f, b, alpha, drift=rule, offset=offset, time=60.0, steps=3)
        for c in range(2):
            drift = drift_of(f[..., c], b[..., c], alpha, rule, offset)
            u = np.where(alpha == 1, f[..., c], b[..., c]) + offset
            for _ in range(3):
                u = solved_directly(drift, np.full(alpha.shape, FREE), u, 20.0)
            np.testing.assert_allclose(fusion.image[..., c] + offset, u, rtol=1e-6)

    @pytest.mark.parametrize("rule", ["averaged", "hard", "soft"])
    @pytest.mark.parametrize("threshold", [0.0, 0.5])
    def test_local(self, rule, threshold):
        f, b, alpha = pair(channels=1)
        f, b = f[..., 0], b[..., 0]
        settings = {"drift": rule, "threshold": threshold, "extent": "local"}
        fusion = osmosis(f, b, alpha, **settings, **TO_THE_END)
        assert fusion.status is Status.stationary
        kind = np.where(alpha <= threshold, FREE, HELD)
        exact = solved_directly(drift_of(f, b, alpha, rule), kind, f + 1, math.inf) - 1
        np.testing.assert_allclose(fusion.image, exact, atol=1e-9)

    @pytest.mark.parametrize("time", [50.0, math.inf])
    @pytest.mark.parametrize("extent", ["global", "local"])
    @pytest.mark.parametrize("boundary", ["dirichlet", "mixed"])
    def test_boundaries_where_the_region_meets_the_frame(self, boundary, extent, time):
        f, b = np.random.default_rng(2).random((2, 11, 12))
        alpha = np.ones((11, 12))
        alpha[:6, :7] = 0.0
        frame = np.ones(alpha.shape, bool)
        frame[1:-1, 1:-1] = False
        domain = alpha == 0 if extent == "local" else np.ones(alpha.shape, bool)
        held = frame if boundary == "dirichlet" else frame & (alpha > 0)
        kind = np.where(domain & ~held, FREE, HELD)
        settings = {"extent": extent, "boundary": boundary, "time": time, "steps": 1}
        fusion = osmosis(f, b, alpha, **settings)
        u = np.where((alpha < 1) & (kind == FREE), b, f) + 1
        exact = solved_directly(drift_of(f, b, alpha), kind, u, time) - 1
        np.testing.assert_allclose(fusion.image, exact, atol=1e-7)
        np.testing.assert_array_equal(fusion.image[kind == HELD], f[kind == HELD])

    def test_a_local_region_without_flow_is_the_background_with_the_mass_of_the_start(self):
        f, b, alpha = pair()
        for start, source in (("pasted", b), ("foreground", f)):
            fusion = osmosis(
                f, b, alpha, extent="local", boundary="neumann", start=start, **TO_THE_END
            )
            inside = alpha == 0
            factor = (source + 1)[inside].sum(axis=0) / (b + 1)[inside].sum(axis=0)
            expected = np.where(inside[..., None], factor * (b + 1) - 1, f)
            np.testing.assert_allclose(fusion.image, expected, atol=1e-12)


MASKS = {
    "empty": np.s_[0:0, 0:0],
    "full": np.s_[:, :],
    "pixel": np.s_[2:3, 2:3],
    "corner": np.s_[0:1, 0:1],
    "top": np.s_[:2, 1:3],
    "bottom": np.s_[-2:, 1:3],
    "left": np.s_[1:3, :2],
    "right": np.s_[1:3, -2:],
    "row": np.s_[1:2, :],
    "rim": np.s_[0:1, :],
}


class TestPlaces:
    """Masks anywhere, of any size; pictures of any shape."""

    @pytest.mark.parametrize("time", [100.0, math.inf])
    @pytest.mark.parametrize("boundary", [None, "neumann", "dirichlet", "mixed"])
    @pytest.mark.parametrize("extent", ["global", "local"])
    @pytest.mark.parametrize("name", MASKS)
    @pytest.mark.parametrize("shape", [(1, 1), (1, 6), (5, 1), (5, 7)], ids=str)
    def test_a_fusion_is_finite_and_positive(self, shape, name, extent, boundary, time):
        f, b = np.random.default_rng(3).random((2, *shape))
        alpha = np.ones(shape)
        alpha[MASKS[name]] = 0.0
        fusion = osmosis(f, b, alpha, extent=extent, boundary=boundary, time=time, steps=2)
        assert fusion.status.is_success
        assert np.isfinite(fusion.image).all()
        assert fusion.image.min() > -1
        if extent == "local":
            np.testing.assert_array_equal(fusion.image[alpha > 0], f[alpha > 0])

    def test_a_long_strip(self):
        f, b = np.random.default_rng(4).random((2, 5, 700))
        alpha = np.ones((5, 700))
        alpha[:, 200:400] = 0.0
        for settings in ({}, TO_THE_END, {"extent": "local", **TO_THE_END}):
            fusion = osmosis(f, b, alpha, **settings)
            assert fusion.status.is_success
            assert np.isfinite(fusion.image).all()

    def test_an_empty_region_gives_the_foreground(self):
        f, b, _ = pair()
        fusion = osmosis(f, b, 1.0, extent="local")
        assert fusion.status is Status.direct
        assert fusion.history == ()
        np.testing.assert_array_equal(fusion.image, f)

    def test_a_full_region_is_the_background_with_the_mass_of_the_start(self):
        f, b, _ = pair()
        fusion = osmosis(f, b, 0.0, extent="local", start="foreground", **TO_THE_END)
        expected = (f + 1).sum(axis=(0, 1)) / (b + 1).sum(axis=(0, 1)) * (b + 1) - 1
        np.testing.assert_allclose(fusion.image, expected, atol=1e-12)

    def test_an_alpha_for_each_channel(self):
        f, b, alpha = pair()
        alphas = np.stack([alpha, 1 - alpha, np.ones_like(alpha)], axis=-1)
        fusion = osmosis(f, b, alphas, extent="local", **TO_THE_END)
        for c in range(3):
            alone = osmosis(f[..., c], b[..., c], alphas[..., c], extent="local", **TO_THE_END)
            np.testing.assert_allclose(fusion.image[..., c], alone.image, atol=1e-9)
        np.testing.assert_array_equal(fusion.image[..., 2], f[..., 2])


class TestSources:
    @pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32, np.float64])
    def test_outside_a_region_every_bit_is_the_foregrounds(self, dtype):
        f, b, alpha = pair()
        white = {np.uint8: 255, np.uint16: 65535}.get(dtype, 1)
        f, b = ((white * x).astype(dtype) for x in (f, b))
        fusion = osmosis(f, b, alpha, extent="local")
        wide = np.float64 if dtype == np.float64 else np.float32
        assert fusion.image.dtype == wide
        kept = Sources(f, b, alpha).image(0, 0, wide)
        np.testing.assert_array_equal(fusion.image[alpha > 0][:, 0], kept[alpha > 0])
        assert not np.array_equal(fusion.image[alpha == 0][:, 0], kept[alpha == 0])

    def test_inputs_are_not_changed(self):
        pictures = pair()
        before = [x.copy() for x in pictures]
        for x in pictures:
            x.flags.writeable = False
        for extent in ("global", "local"):
            osmosis(*pictures, extent=extent)
        for x, y in zip(pictures, before, strict=True):
            np.testing.assert_array_equal(x, y)

    def test_one_band_takes_the_foregrounds_chromaticity_or_is_repeated(self):
        f, b, alpha = pair()
        band = 0.6 + 0.4 * b[..., 0]  # bright enough to be no negative colour
        mean = np.exp(np.log(f + 1).mean(axis=-1))
        coloured = (band + 1)[..., None] * (f + 1) / mean[..., None] - 1
        repeated = np.repeat(band[..., None], 3, axis=-1)
        for name, picture in (("keep", coloured), ("repeat", repeated)):
            found = osmosis(f, band, alpha, band=name).image
            np.testing.assert_allclose(found, osmosis(f, picture, alpha).image, atol=1e-6)

    def test_every_background_enters_its_own_region(self):
        f, b1, b2 = np.random.default_rng(6).random((3, 12, 20))
        first, second = np.zeros((2, 12, 20))
        first[3:8, 2:8], second[2:9, 11:17] = 1.0, 1.0
        weights = [1 - first - second, first, second]
        together = osmosis(f, [b1, b2], weights, extent="local", **TO_THE_END).image
        for b, own in ((b1, first), (b2, second)):
            alone = osmosis(f, b, 1 - own, extent="local", **TO_THE_END).image
            np.testing.assert_allclose(together[own == 1], alone[own == 1], atol=1e-9)

    def test_several_backgrounds_start_as_their_mean(self):
        f, b1, b2 = np.random.default_rng(7).random((3, 6, 5))
        weights = [0.5 * np.eye(6, 5), 0.25 * (2 - np.eye(6, 5)), 0.25 * np.ones((6, 5))]
        weights[2] = 1 - weights[0] - weights[1]
        fusion = osmosis(f, [b1, b2], weights, time=1e-9, steps=1)
        mean = (weights[1] * b1 + weights[2] * b2) / (weights[1] + weights[2])
        np.testing.assert_allclose(fusion.image, mean, atol=1e-7)

    @pytest.mark.parametrize("extent", ["global", "local"])
    def test_what_is_not_valid_does_not_enter(self, extent):
        f, b, alpha = pair()
        valid = np.ones(alpha.shape, bool)
        valid[5:7, 6:8] = False
        results = []
        for value in (np.nan, 0.0, 0.7):
            b[~valid] = value
            results.append(osmosis(f, b, alpha, valid=valid, extent=extent, **TO_THE_END).image)
        assert np.isfinite(results[0]).all()
        np.testing.assert_array_equal(results[0], results[1])
        np.testing.assert_array_equal(results[0], results[2])
        if extent == "local":
            np.testing.assert_array_equal(results[0][~valid], f[~valid])

    def test_what_is_not_valid_needs_no_offset(self):
        f, b, alpha = pair()
        f, b = f + 0.1, b + 0.1
        valid = np.ones(alpha.shape, bool)
        valid[5:7, 6:8] = False
        b[~valid] = 0.0
        assert np.isfinite(osmosis(f, b, alpha, valid=valid, offset=0.0).image).all()


class TestFollowing:
    def test_every_step_is_recorded(self):
        fusion = osmosis(*pair(), time=50.0, steps=4)
        assert fusion.status is Status.reached
        assert fusion.energy is None
        assert fusion.structure is None
        assert fusion.reach == 10.0
        assert len(fusion.history) == 12
        first = [step for step in fusion.history if step.channel == 0]
        assert [step.iteration for step in first] == [1, 2, 3, 4]
        assert [step.time for step in first] == [12.5, 25.0, 37.5, 50.0]
        assert all(step.inner > 0 for step in first)

    def test_the_end_of_the_flow_takes_one_solve(self):
        fusion = osmosis(*pair(), **TO_THE_END)
        assert fusion.status is Status.stationary
        assert fusion.reach == math.inf
        assert [step.iteration for step in fusion.history] == [1, 1, 1]

    def test_too_few_iterations_are_a_status(self):
        fusion = osmosis(*pair((40, 40)), offset=1e-3, max_iter=1)
        assert fusion.status is Status.max_iter
        assert np.isfinite(fusion.image).all()

    def test_it_is_cancelled_at_once(self):
        f, b, alpha = pair()
        fusion = LinearOsmosis()(Sources(f, b, alpha), watch=lambda p: True)
        assert fusion.status is Status.cancelled
        assert fusion.reach == 0
        pasted = np.where(alpha[..., None] == 1, f, b)
        np.testing.assert_allclose(fusion.image, pasted, atol=1e-15)

    def test_it_is_cancelled_on_its_way(self, monkeypatch):
        monkeypatch.setattr(osmofuse.progress.Guard, "interval", 0.0)
        seen = []

        def watch(progress):
            seen.append((progress.channel, progress.iteration))
            return progress.channel == 1 and progress.iteration == 2

        fusion = LinearOsmosis()(Sources(*pair()), watch=watch)
        assert fusion.status is Status.cancelled
        assert seen[-1] == (1, 2)
        assert (0, 9) in seen
        assert [s.iteration for s in fusion.history if s.channel == 1] == [1, 2]
        assert fusion.reach == 0, "the last channel has not begun"
        assert np.isfinite(fusion.image).all()

    def test_extending_is_going_there_at_once(self):
        pictures = pair()
        half = osmosis(*pictures, time=40.0, steps=4)
        longer = half.extend(math.sqrt(160.0))
        once = osmosis(*pictures, time=80.0, steps=8)
        assert longer.reach == pytest.approx(once.reach)
        np.testing.assert_allclose(longer.image, once.image, atol=1e-7)
        end = half.extend(math.inf)
        assert end.status is Status.stationary
        np.testing.assert_allclose(end.image, osmosis(*pictures, **TO_THE_END).image, atol=1e-8)
        assert half.extend(half.reach) is half
        with pytest.raises(SettingError, match="has come to"):
            half.extend(1.0)

    def test_a_local_fusion_can_be_extended(self):
        pictures = pair()
        half = osmosis(*pictures, time=4.0, steps=2, extent="local")
        longer = half.extend(4.0)
        once = osmosis(*pictures, time=8.0, steps=4, extent="local")
        np.testing.assert_allclose(longer.image, once.image, atol=1e-7)

    def test_one_thread_and_two_give_the_same_bits(self):
        scene = osmofuse.gallery.portrait((180, 150))
        arguments = scene.foreground, scene.background, scene.alpha
        both = osmosis(*arguments, steps=2).image
        before = numba.get_num_threads()
        numba.set_num_threads(1)
        try:
            one = osmosis(*arguments, steps=2).image
        finally:
            numba.set_num_threads(before)
        np.testing.assert_array_equal(one, both)


def test_the_drift_is_that_of_the_operators(rng):
    """One picture everywhere: the matrix is the canonical one."""
    v = rng.random((8, 9))
    u = rng.random((8, 9))
    fusion = osmosis(u, v, 0.0, start="foreground", time=3.0, steps=1)
    A = OsmosisEdges.canonical(v + 1)
    np.testing.assert_allclose(fusion.image - 3.0 * A(fusion.image + 1), u, atol=1e-6)


def test_what_was_cancelled_is_not_extended(rng, monkeypatch):
    monkeypatch.setattr("osmofuse.progress.Guard.interval", 0.0)
    f, b = rng.random((2, 20, 18, 3))
    sources = Sources(f, b, f[..., 0] > 0.5)
    fusion = LinearOsmosis()(sources, watch=lambda p: p.channel == 1)
    with pytest.raises(SettingError, match="cancelled"):
        fusion.extend(500)
    longer = LinearOsmosis(time=50.0, steps=2)(sources).extend(20)
    counted = [s.iteration for s in longer.history if s.channel == 0]
    assert counted == list(range(1, len(counted) + 1))


# ---- schemes ----


@pytest.fixture
def small(rng):
    f, b = rng.uniform(0.2, 0.8, (2, 12, 11))
    alpha = np.ones((12, 11))
    alpha[3:9, 4:8] = 0.0
    return Sources(f, b, alpha)


def test_the_end_of_the_flow_is_found_more_exactly_than_a_step(small):
    """A residual of 1e-2 would leave an error of 7e-3."""
    loose, exact = (
        LinearOsmosis(time=math.inf, extent="local", rtol=rtol)(small).image
        for rtol in (1e-2, 1e-12)
    )
    np.testing.assert_allclose(loose, exact, atol=1e-4)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("extent", ["global", "local"])
def test_short_steps_of_every_scheme_lead_to_the_same_place(small, scheme, extent):
    options = {"time": 2.0, "steps": 200, "extent": extent}
    implicit = LinearOsmosis(**options)(small)
    fusion = LinearOsmosis(scheme=scheme, **options)(small)
    assert fusion.status is Status.reached
    assert len(fusion.history) == 200
    np.testing.assert_allclose(fusion.image, implicit.image, atol=5e-3)
    if extent == "local":
        kept = small.alpha == 1
        assert np.array_equal(fusion.image[kept], small.foreground[kept])
    else:
        assert fusion.image.sum() == pytest.approx(implicit.image.sum(), rel=1e-10)


def test_an_infinite_time_is_solved_for_implicitly():
    with pytest.raises(SettingError, match=r"^time: inf needs the scheme 'implicit', not 'aos'"):
        LinearOsmosis(scheme="aos", time=math.inf)
    with pytest.raises(SettingError, match=r"^scheme: 'euler'"):
        LinearOsmosis(scheme="euler")


def test_a_long_explicit_step_can_be_cancelled(small, monkeypatch):
    monkeypatch.setattr(osmofuse.progress.Guard, "interval", 0.0)
    calls = []

    def watch(_):
        calls.append(True)
        return len(calls) > 5

    fusion = LinearOsmosis(scheme="explicit", time=1e4, steps=1)(small, watch=watch)
    assert fusion.status is Status.cancelled
    assert len(calls) < 20


def test_the_exponential_scheme_needs_no_small_steps(small):
    one, many = (
        LinearOsmosis(scheme="exponential", time=5.0, steps=n)(small).image for n in (1, 7)
    )
    np.testing.assert_allclose(one, many, atol=1e-12)
