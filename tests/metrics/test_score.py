"""Scores by name: sets, reasons, and pictures that do not fit."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

import osmofuse
from osmofuse import InputError, MismatchError, Picture, Score, SettingError, score
from osmofuse.metrics import chromaticity_error, fmi, psnr, ssim, structure_score
from osmofuse.metrics.catalogue import METRICS
from osmofuse.metrics.metric import Metric

PAPER = ["chromaticity", "structure", "fmi", "brisque"]
TRUTH = ["psnr", "ssim"]
VIFB = [
    "entropy", "cross_entropy", "mutinf", "vifb_rmse", "vifb_psnr", "vifb_ssim", "avg_gradient",
    "edge_intensity", "spatial_frequency", "vifb_variance", "qabf", "qcb", "qcv",
]  # fmt: skip


@pytest.fixture
def pictures(rng):
    return rng.random((4, 13, 12, 3))


def test_the_papers_metrics_are_the_default(pictures):
    u, f, b, _ = pictures
    assert list(score(u, f, b, 0.5)) == PAPER


def test_a_truth_brings_its_metrics(pictures):
    u, f, b, truth = pictures
    alpha = np.linspace(0, 1, 12) * np.ones((13, 1))
    scores = score(u, f, b, alpha, truth=truth, bits=None)
    assert list(scores) == [*PAPER, *TRUTH]
    assert scores["chromaticity"].value == chromaticity_error(u, f)
    assert scores["structure"].value == structure_score(u, f, b, alpha)
    assert scores["fmi"].value == fmi(u, f, b)
    assert scores["psnr"].value == psnr(u, truth)
    assert scores["ssim"].value == ssim(u, truth)
    assert [name for name, s in scores.items() if s.reason] == ["brisque"], "it needs 13 pixels"


@pytest.mark.parametrize(
    ("metrics", "names"),
    [
        ("paper", PAPER),
        ("truth", TRUTH),
        ("vifb", VIFB),
        ("all", list(METRICS)),
        ("ssim", ["ssim"]),
        (["ssim", "chromaticity"], ["ssim", "chromaticity"]),
        (["fmi", "truth", "fmi"], ["fmi", *TRUTH]),
        (["paper", "truth"], [*PAPER, *TRUTH]),
        ((), []),
    ],
)
def test_sets_and_names(pictures, metrics, names):
    u, f, b, _ = pictures
    assert list(score(u, f, b, 0.5, metrics=metrics)) == names


def test_a_fusion_in_place_of_its_picture_is_named(pictures):
    u, f, b, _ = pictures
    with pytest.raises(InputError, match=r"^fused: a Fusion; give its picture, fusion\.image$"):
        score(osmofuse.Fusion(u), f, b)


def test_a_truth_is_scored_once(pictures):
    u, f, b, truth = pictures
    assert list(score(u, f, b, 0.5, truth=truth, metrics="truth")) == TRUTH
    assert list(score(u, f, b, 0.5, truth=truth, metrics=["ssim"])) == TRUTH[::-1]


def test_each_score_says_how_to_read_it(pictures):
    u, f, b, truth = pictures
    scores = score(u, f, b, 0.5, truth=truth)
    assert all(s.name == name for name, s in scores.items())
    assert (scores["chromaticity"].better, scores["chromaticity"].range) == ("low", (0, math.inf))
    assert (scores["structure"].better, scores["structure"].range) == ("high", (-math.inf, 1))
    assert (scores["fmi"].better, scores["fmi"].range) == ("high", (0, 1))
    assert (scores["psnr"].better, scores["ssim"].better) == ("high", "high")
    assert scores["ssim"].range == (-1, 1)
    assert scores.pop("brisque").better == "low"
    for s in scores.values():
        assert s.range[0] <= s.value <= s.range[1]
    with pytest.raises(FrozenInstanceError):
        scores["psnr"].value = 1.0


def test_without_truth_there_is_a_reason(pictures):
    u, f, b, _ = pictures
    for s in score(u, f, b, 0.5, metrics="truth").values():
        assert (s.value, s.reason) == (None, "no truth was given")


def test_without_alpha_there_is_a_reason(pictures):
    u, f, b, _ = pictures
    scores = score(u, f, b)
    assert (scores["structure"].value, scores["structure"].reason) == (None, "no alpha was given")
    assert scores["fmi"].value == fmi(*(np.rint(255 * x) / 255 for x in (u, f, b)))


def test_small_pictures_have_no_window(rng):
    u, f, b, truth = rng.random((4, 10, 40, 3))
    scores = score(u, f, b, 0.5, truth=truth)
    assert scores["ssim"].value is None
    assert "11 pixels" in scores["ssim"].reason
    assert scores["psnr"].value is not None


@pytest.mark.parametrize("level", [0.0, 0.3, 1.0])
def test_constant_pictures(level):
    x = np.full((12, 13, 3), level)
    scores = score(x, x, x, 0.5)
    assert (scores["chromaticity"].value, scores["fmi"].value) == (0.0, 1.0)
    assert "no structure" in scores["structure"].reason


def test_alpha_may_have_channels(pictures):
    u, f, b, alpha = pictures
    scores = score(u, f, b, alpha, bits=None)
    assert scores["structure"].value == structure_score(u, f, b, alpha)


def test_alpha_says_where_structure_was_to_enter(pictures):
    u, f, b, _ = pictures
    assert "alpha" in score(u, f, b, np.ones((13, 12), bool))["structure"].reason
    left = np.arange(12) < 6
    half = np.where(left[:, None], b, f)
    inside, outside = (
        score(half, f, b, np.tile(kept, (13, 1)))["structure"].value for kept in (~left, left)
    )
    assert inside > 0.8
    assert outside < 0.5


def test_one_band_of_background_is_enough(pictures):
    u, f, b, _ = pictures
    expected = score(u, f, np.repeat(b[..., :1], 3, axis=2), 0.5)
    for band in (b[..., 0], b[..., :1]):
        assert score(u, f, band, 0.5) == expected


@pytest.mark.parametrize("band", [lambda f: f[..., 0], lambda f: f[..., :1]])
def test_a_source_of_one_band_goes_with_every_channel(pictures, band):
    u, f, b, _ = pictures
    whole = np.repeat(f[..., :1], 3, axis=2)
    expected = score(u, whole, b, 0.5, metrics="all")
    assert score(u, band(f), b, 0.5, metrics="all") == expected


@pytest.mark.parametrize("form", [lambda u: u[..., 0], lambda u: u[..., :1]])
def test_a_fused_picture_of_one_band_is_compared_with_luminance(pictures, form):
    """Rounded to whole levels, as a grey file of the source would hold it."""
    u, f, b, _ = np.rint(255 * pictures)
    grey = [np.rint(x @ (0.298936, 0.587043, 0.114021)) / 255 for x in (f, b)]
    expected = score(u[..., 0] / 255, *grey, 0.5, metrics="vifb")
    assert score(form(u) / 255, f / 255, b / 255, 0.5, metrics="vifb") == expected


def test_what_cannot_be_computed_has_a_reason(pictures, monkeypatch):
    def scored(value):
        metric = Metric(value, "low", (0.0, 1.0), "", "", "", "")
        monkeypatch.setitem(METRICS, "odd", metric)
        return score(*pictures[:3], metrics=["odd"])["odd"]

    assert scored(lambda p: float(np.exp(np.float64(1e4)))).reason.startswith("cannot be computed")
    assert scored(lambda p: math.nan).reason == "not defined for these pictures"
    assert scored(lambda p: 0.5).value == 0.5


@pytest.mark.parametrize(("bits", "white"), [(8, 255), (16, 65535)])
def test_pictures_are_scored_as_files_hold_them(pictures, bits, white):
    given_ = 1.4 * pictures - 0.1
    given_[1:] = given_[1:].clip(0)
    rounded = [np.rint(white * x.clip(0, 1)) / white for x in given_]
    found = score(*given_[:3], 0.5, truth=given_[3], bits=bits)
    assert found == score(*rounded[:3], 0.5, truth=rounded[3], bits=None)
    assert found != score(*given_[:3], 0.5, truth=given_[3], bits=None)


def test_8_bits_are_the_default(pictures):
    u, f, b, truth = pictures
    assert score(u, f, b, 0.5, truth=truth) == score(u, f, b, 0.5, truth=truth, bits=8)


@pytest.mark.parametrize("bits", [0, 10, "8", np.uint8])
def test_unknown_numbers_of_bits(pictures, bits):
    u, f, b, _ = pictures
    with pytest.raises(SettingError, match=r"^bits: .*; must be 8, 16 or None"):
        score(u, f, b, 0.5, bits=bits)


@pytest.mark.parametrize("shape", [(13, 12), (13, 12, 1)])
def test_one_channel_has_no_chromaticity(rng, shape):
    u, f, b = rng.random((3, *shape))
    scores = score(u, f, b, 0.5)
    found = scores.pop("chromaticity")
    assert found.value is None
    assert "needs more than one channel" in found.reason
    assert found.better == "low"
    assert all(s.value is not None for s in (scores["structure"], scores["fmi"]))


def test_fused_pictures_may_leave_the_range(pictures):
    u, f, b, _ = pictures
    assert score(3 * u - 1, f, b, 0.5)["chromaticity"].value > 0


def test_pictures_and_depths_are_brought_to_one_scale(pictures):
    u, f, b, truth = (np.rint(255 * x).astype(np.uint8) for x in pictures)
    whole = score(Picture(u), Picture(f), Picture(b), 0.5, truth=Picture(truth))
    floats = score(u / 255, f / 255, b / 255, 0.5, truth=truth / 255)
    for name in [*PAPER[:-1], *TRUTH]:
        assert whole[name].value == pytest.approx(floats[name].value, rel=1e-5)


@pytest.mark.parametrize("metrics", ["beauty", ["chromaticity", "beauty"], ""])
def test_unknown_metrics(pictures, metrics):
    u, f, b, _ = pictures
    with pytest.raises(SettingError, match=r"^metrics: '(beauty)?' is unknown; known are .*paper"):
        score(u, f, b, 0.5, metrics=metrics)


@pytest.mark.parametrize("name", ["foreground", "truth"])
def test_sizes_that_differ(pictures, name):
    u, f, b, truth = pictures
    given_ = {"foreground": f, "truth": truth}
    for wrong in (given_[name][1:], given_[name][1:, :, 0], given_[name][..., :2]):
        with pytest.raises(MismatchError, match=rf"^{name}: shape"):
            score(u, background=b, alpha=0.5, **(given_ | {name: wrong}))


@pytest.mark.parametrize("name", ["background", "alpha"])
def test_background_and_alpha_must_fit(pictures, name):
    u, f, b, _ = pictures
    for wrong in (b[1:], b[1:, :, 0], b[..., :2]):
        with pytest.raises(MismatchError, match=rf"^{name}: shape"):
            score(u, f, **({"background": b, "alpha": 0.5} | {name: wrong}))


@pytest.mark.parametrize("alpha", [2.0, np.full((13, 12), np.nan), "map.png"])
def test_what_is_no_alpha(pictures, alpha):
    u, f, b, _ = pictures
    with pytest.raises(InputError, match=r"^alpha: "):
        score(u, f, b, alpha)


@pytest.mark.parametrize("name", ["fused", "foreground", "background", "truth"])
def test_samples_that_are_no_numbers(pictures, name):
    names = ("fused", "foreground", "background", "truth")
    given_ = dict(zip(names, pictures, strict=True))
    given_[name][3, 3, 1] = np.nan
    with pytest.raises(InputError, match=rf"^{name}: 1 sample is NaN"):
        score(alpha=0.5, **given_)


def test_inputs_are_never_changed(pictures):
    pictures.flags.writeable = False
    u, f, b, truth = pictures
    before = pictures.copy()
    score(u, f, b, np.full((13, 12), 0.5), truth=truth)
    assert np.array_equal(pictures, before)


def test_the_package_offers_it():
    assert osmofuse.score is score
    assert osmofuse.Score is Score
