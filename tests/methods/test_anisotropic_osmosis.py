"""Anisotropic osmosis: its settings, its band, and stripes that stay sharp across a seam."""

from __future__ import annotations

import math

import numba
import numpy as np
import pytest

import osmofuse
from osmofuse import AnisotropicOsmosis, SettingError, Sources, Status, fuse
from osmofuse.linalg import FREE
from osmofuse.methods import METHODS
from osmofuse.methods.anisotropic_osmosis import seam_of
from osmofuse.methods.fusion_drift import drift_along, fusion_drift
from osmofuse.operators import LatticeOsmosis
from registry import dense, solved_with

OPEN = {"seam": "open", "widen": 4}


def osmosis(*pictures, **settings):
    return fuse(*pictures, method="anisotropic-osmosis", **settings)


def stripes(degrees, n=80):
    """Stripes in two lights, both spoilt near a circle: foreground, background, alpha, truth."""
    i, j = np.indices((n, n)) - n / 2
    angle, distance = np.radians(degrees), np.hypot(i, j) - n / 4
    truth = 0.5 + 0.3 * np.sin(0.5 * (np.cos(angle) * i - np.sin(angle) * j))
    spoilt = abs(distance) < 3
    f, b = np.where(spoilt, 0.2, truth), np.where(spoilt, 0.2, 0.55 * truth + 0.05)
    return f, b, (distance > 0).astype(float), truth, abs(distance) < 8


def blur(image, truth, near):
    """Relative error around the seam, with the best brightness."""
    x, y = image[near], truth[near]
    gain = (x @ y) / (y @ y)
    return float(np.sqrt(np.mean((x / gain - y) ** 2)))


def pair(shape=(14, 13), channels=3, seed=0):
    f, b = np.random.default_rng(seed).random((2, *shape, channels))
    alpha = np.ones(shape)
    alpha[3:9, 4:11] = 0.5
    alpha[4:8, 5:10] = 0.0
    return f, b, alpha


class TestSettings:
    def test_its_name(self):
        assert METHODS["anisotropic-osmosis"] is AnisotropicOsmosis

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("along", 0.0),
            ("across", 1.5),
            ("widen", -1),
            ("widen", 1.5),
            ("seam", "shut"),
            ("search", "guess"),
            ("sigma", -1.0),
            ("rho", 0.0),
            ("time", 0),
            ("drift", "mean"),
        ],
    )
    def test_what_makes_no_sense_is_refused_by_name(self, name, value):
        with pytest.raises(SettingError, match=f"^{name}: "):
            AnisotropicOsmosis(**{name: value})


class TestStripes:
    @pytest.mark.parametrize("degrees", [0, 30, 75, 135])
    def test_they_stay_sharp_where_the_isotropic_model_blurs_them(self, degrees):
        *pictures, truth, near = stripes(degrees)
        settings = {**OPEN, "time": math.inf, "start": "foreground", "offset": 0.05}
        sharp = osmosis(*pictures, **settings)
        isotropic = osmosis(*pictures, across=1.0, **settings)
        assert sharp.status is isotropic.status is Status.stationary
        assert blur(sharp.image, truth, near) < 0.4 * blur(isotropic.image, truth, near)

    def test_a_picture_shows_no_seam_with_itself(self):
        truth = stripes(30)[3]
        alpha = stripes(30)[2]
        fusion = osmosis(truth, truth, alpha, time=math.inf)
        np.testing.assert_allclose(fusion.image, truth, atol=1e-7)


class TestAgainstDirectSolves:
    @pytest.mark.parametrize("rule", ["averaged", "hard", "soft"])
    @pytest.mark.parametrize("seam", ["mixed", "open"])
    def test_steps(self, rule, seam):
        f, b, alpha = pair(channels=1)
        f, b = f[..., 0], b[..., 0]
        method = AnisotropicOsmosis(drift=rule, seam=seam, time=60.0, steps=3)
        fusion = method(Sources(f, b, alpha))
        band = seam_of(Sources(f, b, alpha), 0)
        W = method._field(Sources(f, b, alpha), band)
        A = LatticeOsmosis.diffusion(W)
        assert A.links.pixel.size
        mixture = [f + 1, b + 1], [alpha, 1 - alpha], rule
        A = A.with_drift(fusion_drift(*mixture), drift_along(A.links, *mixture))
        A = A.without(band) if seam == "open" else A
        u = np.where(alpha == 1, f, b) + 1
        for _ in range(3):
            u = solved_with(dense_of(A), np.full(alpha.shape, FREE), u, 20.0)
        np.testing.assert_allclose(fusion.image + 1, u, rtol=1e-6)

    @pytest.mark.parametrize("time", [100.0, math.inf])
    def test_equal_eigenvalues_of_1_are_linear_osmosis(self, time):
        pictures = pair()
        linear = fuse(*pictures, method="linear-osmosis", time=time)
        fusion = osmosis(*pictures, across=1.0, time=time)
        np.testing.assert_allclose(fusion.image, linear.image, atol=1e-7)


def dense_of(A):
    from scipy.sparse import csr_array

    return csr_array(dense(A, A.shape))


class TestLaws:
    @pytest.mark.parametrize("time", [1.0, 1e4, math.inf])
    @pytest.mark.parametrize("seam", ["mixed", "open"])
    def test_mass_and_positivity(self, time, seam):
        f, b, alpha = pair(channels=1)
        fusion = osmosis(f, b, alpha, time=time, steps=2, seam=seam, offset=0.01)
        start = np.where(alpha[..., None] == 1, f, b)
        assert fusion.image.min() > -0.01
        assert (fusion.image + 0.01).sum() == pytest.approx((start + 0.01).sum(), rel=1e-11)

    def test_a_local_fusion_keeps_the_bits_of_the_rest(self):
        f, b, alpha = pair()
        fusion = osmosis(f, b, alpha, extent="local", time=math.inf, widen=2, seam="open")
        np.testing.assert_array_equal(fusion.image[alpha > 0], f[alpha > 0])
        assert fusion.status is Status.stationary

    def test_the_surroundings_of_a_local_fusion_give_its_directions(self):
        """Cut out around the region, the field is that of the whole picture."""
        f, b, alpha, *_ = stripes(30, 120)
        method = AnisotropicOsmosis(extent="local", **OPEN)
        sources = Sources(f, b, alpha)
        box = np.s_[28:93, 29:92]
        around, inner = method._surroundings((120, 120), box)
        assert around[0].start > 0
        band = seam_of(sources, 4)
        whole = method._field(sources, band)
        part = method._field(osmofuse.methods.region.cropped(sources, around), band[around])
        np.testing.assert_allclose(
            part[(slice(None), *inner)], whole[(slice(None), *box)], atol=1e-9
        )

    def test_it_can_be_extended(self):
        pictures = pair()
        half = osmosis(*pictures, time=50.0, steps=2)
        longer = half.extend(math.sqrt(2 * 100.0))
        assert longer.reach == pytest.approx(math.sqrt(200))

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


class TestBand:
    def test_it_is_where_alpha_changes_or_is_between(self):
        _, _, alpha = pair()
        band = seam_of(Sources(*pair()), 0)
        assert band[alpha == 0.5].all()
        assert band[2, 6]
        assert band[4, 6]
        assert not band[0].any()
        assert not band[5:7, 6:9].any()

    def test_it_is_widened_by_a_distance(self):
        alpha = np.ones((21, 21))
        alpha[:, 10:] = 0.0
        f = np.zeros((21, 21))
        widths = [np.count_nonzero(seam_of(Sources(f, f, alpha), n)[10]) for n in (0, 1, 3)]
        assert widths == [2, 4, 8]

    def test_without_a_seam_there_is_none(self):
        f = np.zeros((5, 6))
        assert not seam_of(Sources(f, f, 0.0), 3).any()

    def test_holes_of_the_background_have_a_seam(self):
        valid = np.ones((9, 9), bool)
        valid[4, 4] = False
        f = np.zeros((9, 9))
        assert np.count_nonzero(seam_of(Sources(f, f, 0.0, valid), 0)) == 5
