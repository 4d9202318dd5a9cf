"""Scores by name: sets, reasons, and pictures that do not fit."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

import osmofuse
from osmofuse import InputError, MismatchError, Picture, Score, SettingError, score
from osmofuse.metrics import chromaticity_error, truth_psnr, truth_ssim

PAPER = ["chromaticity"]
TRUTH = ["truth_psnr", "truth_ssim"]


@pytest.fixture
def pictures(rng):
    return rng.random((4, 13, 12, 3))


def test_the_papers_metrics_are_the_default(pictures):
    u, f, b, _ = pictures
    assert list(score(u, f, b, 0.5)) == PAPER


def test_a_truth_brings_its_metrics(pictures):
    u, f, b, truth = pictures
    scores = score(u, f, b, 0.5, truth=truth)
    assert list(scores) == [*PAPER, *TRUTH]
    assert scores["chromaticity"].value == chromaticity_error(u, f)
    assert scores["truth_psnr"].value == truth_psnr(u, truth)
    assert scores["truth_ssim"].value == truth_ssim(u, truth)
    assert all(s.reason is None for s in scores.values())


@pytest.mark.parametrize(
    ("metrics", "names"),
    [
        ("paper", PAPER),
        ("truth", TRUTH),
        ("all", [*PAPER, *TRUTH]),
        ("truth_ssim", ["truth_ssim"]),
        (["truth_ssim", "chromaticity"], ["truth_ssim", "chromaticity"]),
        ((), []),
    ],
)
def test_sets_and_names(pictures, metrics, names):
    u, f, b, _ = pictures
    assert list(score(u, f, b, 0.5, metrics=metrics)) == names


def test_a_truth_is_scored_once(pictures):
    u, f, b, truth = pictures
    assert list(score(u, f, b, 0.5, truth=truth, metrics="truth")) == TRUTH
    assert list(score(u, f, b, 0.5, truth=truth, metrics=["truth_ssim"])) == TRUTH[::-1]


def test_each_score_says_how_to_read_it(pictures):
    u, f, b, truth = pictures
    scores = score(u, f, b, 0.5, truth=truth)
    assert (scores["chromaticity"].better, scores["chromaticity"].range) == ("low", (0, math.inf))
    assert (scores["truth_psnr"].better, scores["truth_ssim"].better) == ("high", "high")
    assert scores["truth_ssim"].range == (-1, 1)
    for s in scores.values():
        assert s.range[0] <= s.value <= s.range[1]
    with pytest.raises(FrozenInstanceError):
        scores["truth_psnr"].value = 1.0


def test_without_truth_there_is_a_reason(pictures):
    u, f, b, _ = pictures
    for s in score(u, f, b, 0.5, metrics="truth").values():
        assert (s.value, s.reason) == (None, "no truth was given")


def test_small_pictures_have_no_window(rng):
    u, f, b, truth = rng.random((4, 10, 40, 3))
    scores = score(u, f, b, 0.5, truth=truth)
    assert scores["truth_ssim"].value is None
    assert "11 pixels" in scores["truth_ssim"].reason
    assert scores["truth_psnr"].value is not None


@pytest.mark.parametrize("shape", [(13, 12), (13, 12, 1)])
def test_one_channel_has_no_chromaticity(rng, shape):
    u, f, b = rng.random((3, *shape))
    found = score(u, f, b, 0.5)["chromaticity"]
    assert (found.value, found.reason) == (None, "needs more than one channel")
    assert found.better == "low"


def test_fused_pictures_may_leave_the_range(pictures):
    u, f, b, _ = pictures
    assert score(3 * u - 1, f, b, 0.5)["chromaticity"].value > 0


def test_pictures_and_depths_are_brought_to_one_scale(pictures):
    u, f, b, truth = (np.rint(255 * x).astype(np.uint8) for x in pictures)
    whole = score(Picture(u), Picture(f), Picture(b), 0.5, truth=Picture(truth))
    floats = score(u / 255, f / 255, b / 255, 0.5, truth=truth / 255)
    for name in whole:
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
    for wrong in (given_[name][1:], given_[name][..., 0], given_[name][..., :2]):
        with pytest.raises(MismatchError, match=rf"^{name}: shape"):
            score(u, background=b, alpha=0.5, **(given_ | {name: wrong}))


@pytest.mark.parametrize("name", ["fused", "foreground", "truth"])
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
