"""VIFB's metrics against its published values, common properties, and each by hand."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest

import osmofuse
from osmofuse import InputError, MismatchError, metrics
from osmofuse.metrics import (
    avg_gradient,
    cross_entropy,
    edge_intensity,
    entropy,
    mutinf,
    spatial_frequency,
    ssim,
    vifb_psnr,
    vifb_rmse,
    vifb_ssim,
    vifb_variance,
)
from osmofuse.metrics.catalogue import SETS

# Half a unit of the last digit published is 2e-4 of the smallest number, and less of others.
TOLERANCE = 2e-4


def published(folder, pair, method):
    with open(folder / "values.csv", encoding="utf-8") as file:
        rows = [
            row for row in csv.DictReader(file) if (row["pair"], row["method"]) == (pair, method)
        ]
    names = [row["metric"].lower() for row in rows]
    ours = [f"vifb_{name}" if f"vifb_{name}" in SETS["vifb"] else name for name in names]
    return {name: float(row["value"]) for name, row in zip(ours, rows, strict=True)}


@pytest.mark.parametrize("pair", ["carLight", "manCall"])
@pytest.mark.parametrize("method", ["GFF", "CBF", "GTF"])
def test_published_values(data, pair, method):
    folder = data / "vifb"
    names = ("fused_" + method, "visible", "infrared")
    u, f, b = (osmofuse.read(folder / f"{pair}_{name}.jpg") for name in names)
    expected = published(folder, pair, method)
    found = {name: s.value for name, s in osmofuse.score(u, f, b, metrics="vifb").items()}
    assert set(expected) == set(SETS["vifb"])
    assert found == pytest.approx(expected, rel=TOLERANCE)


def functions(*, of_sources):
    alone = {"entropy", "avg_gradient", "edge_intensity", "spatial_frequency", "vifb_variance"}
    return [getattr(metrics, name) for name in SETS["vifb"] if (name in alone) != of_sources]


def name_of(function):
    return function.__name__


@pytest.mark.parametrize("metric", functions(of_sources=True), ids=name_of)
def test_sources_may_change_places(rng, metric):
    u, f, b = rng.random((3, 20, 18, 3))
    assert metric(u, f, b) == pytest.approx(metric(u, b, f), rel=1e-12)


@pytest.mark.parametrize("metric", functions(of_sources=True), ids=name_of)
def test_channels_are_averaged(rng, metric):
    u, f, b = rng.random((3, 20, 18, 3))
    each = [metric(u[..., c], f[..., c], b[..., c]) for c in range(3)]
    assert metric(u, f, b) == pytest.approx(np.mean(each), rel=1e-13)


@pytest.mark.parametrize("metric", functions(of_sources=True), ids=name_of)
def test_one_band_goes_with_every_channel(rng, metric):
    u, f = rng.random((2, 20, 18, 3))
    b = rng.random((20, 18))
    expected = metric(u, f, np.repeat(b[..., None], 3, axis=2))
    assert metric(u, f, b) == expected
    assert metric(u, f, b[..., None]) == expected


@pytest.mark.parametrize("metric", functions(of_sources=True), ids=name_of)
def test_sources_that_do_not_fit(rng, metric):
    u = rng.random((20, 18, 3))
    for wrong in (u[1:], u[..., :2]):
        with pytest.raises(MismatchError, match=r"^background: shape"):
            metric(u, u, wrong)


@pytest.mark.parametrize("metric", functions(of_sources=False), ids=name_of)
def test_equal_channels_count_as_one(rng, metric):
    u = rng.random((20, 18))
    u[:, -1] = u[:, 0]  # for spatial frequency, which looks across the seams
    assert metric(np.stack([u, u, u], axis=2)) == pytest.approx(metric(u), rel=1e-12)


@pytest.mark.parametrize("name", SETS["vifb"])
def test_8_bits_count_alike_in_single_and_double_precision(rng, name):
    x = rng.integers(0, 256, (3, 20, 18)) / 255
    double = osmofuse.score(*x, metrics=[name], bits=None)[name].value
    assert osmofuse.score(*x.astype(np.float32), metrics=[name], bits=None)[name].value == double


@pytest.mark.parametrize("levels", [1, 2, 16, 256])
def test_entropy_equal_parts_have_the_logarithm_of_their_number(levels):
    k = np.repeat(np.arange(levels), 256 // levels).reshape(16, 16)
    assert entropy(k / 255) == pytest.approx(np.log2(levels), abs=1e-14)


def test_entropy_by_hand():
    """Parts of 1/4 and 3/4, between levels."""
    u = np.array([[10.2, 20.0], [20.5, 20.9]]) / 255
    assert entropy(u) == pytest.approx(2 - 0.75 * np.log2(3))


def test_cross_entropy_equal_pictures_have_none(rng):
    u = rng.random((6, 5))
    assert cross_entropy(u, u, u) == 0.0


def test_cross_entropy_by_hand():
    """Parts (1/4, 3/4) against (1/2, 1/2); the other source has no level in common."""
    u = np.array([[10, 10], [20, 20]]) / 255
    f = np.array([[10, 20], [20, 20]]) / 255
    b = np.full((2, 2), 30 / 255)
    expected = 0.25 * np.log2(0.5) + 0.75 * np.log2(1.5)
    assert cross_entropy(u, f, b) == pytest.approx(expected / 2)


def test_cross_entropy_levels_that_one_lacks_can_make_it_negative():
    """The least there can be: the part 1/e of a source, at the fused picture's only level."""
    n = 1000
    f = np.where(np.arange(n) < n / math.e, 10, 20).reshape(1, n) / 255
    u = np.full((1, n), 10 / 255)
    assert cross_entropy(u, f, f) == pytest.approx(-math.log2(math.e) / math.e, rel=1e-4)


def test_mutinf_a_picture_shares_all_with_itself():
    u = np.arange(256).reshape(16, 16) / 255
    assert mutinf(u, u, u) == pytest.approx(2 * np.log(256))


def test_mutinf_gain_offset_and_inversion_do_not_count():
    u = np.arange(64).reshape(8, 8) / 255
    assert mutinf(u, 0.2 + 2 * u, 1 - u) == pytest.approx(2 * np.log(64))


def test_mutinf_independent_and_constant_pictures_share_nothing():
    u = np.tile([0.0, 1.0], (4, 2))
    assert mutinf(u, u.T, np.full((4, 4), 0.3)) == pytest.approx(0.0, abs=1e-15)


def test_mutinf_by_hand():
    """Of four pixels three agree: 2 H(1/2, 1/2) less the joint entropy, against itself too."""
    u, f = np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([[0.0, 0.0], [0.0, 1.0]])
    h = 0.25 * np.log(4) + 0.75 * np.log(4 / 3)
    joint = 0.5 * np.log(2) + 2 * 0.25 * np.log(4)
    assert mutinf(u, f, u) == pytest.approx(np.log(2) + h - joint + np.log(2))


def test_vifb_rmse_the_root_is_taken_before_the_mean():
    """Differences of 10 and 20 levels at each of 12 pixels."""
    u = np.full((3, 4), 100 / 255)
    f, b = u + 10 / 255, u - 20 / 255
    assert vifb_rmse(u, f, b) == pytest.approx(15 / np.sqrt(12))


def test_vifb_rmse_equal_pictures_have_none(rng):
    u = rng.random((6, 5, 3))
    assert vifb_rmse(u, u, u) == 0.0


def test_vifb_psnr_is_made_of_the_error_of_a_channel(rng):
    u, f, b = rng.random((3, 6, 5))
    expected = 20 * math.log10(255 / math.sqrt(vifb_rmse(u, f, b)))
    assert vifb_psnr(u, f, b) == pytest.approx(expected, rel=1e-14)


def test_vifb_psnr_equal_pictures_are_infinitely_alike(rng):
    u = rng.random((6, 5, 3))
    assert vifb_psnr(u, u, u) == math.inf


def test_vifb_psnr_decibels_are_averaged_not_errors():
    u = np.zeros((4, 4, 2))
    f = u + np.array([1.0, 0.01])
    each = [vifb_psnr(u[..., c], f[..., c], f[..., c]) for c in range(2)]
    assert vifb_psnr(u, f, f) == pytest.approx(np.mean(each))


def test_vifb_ssim_is_the_sum_of_both_similarities(rng):
    u, f, b = rng.random((3, 20, 17, 3))
    expected = ssim(u, f) + ssim(u, b)
    assert vifb_ssim(u, f, b) == pytest.approx(expected, rel=1e-12)
    assert vifb_ssim(u, u, u) == pytest.approx(2.0, abs=1e-12)


def test_vifb_ssim_a_window_must_fit(rng):
    with pytest.raises(InputError, match="needs 11 pixels"):
        vifb_ssim(*rng.random((3, 10, 30)))


def test_avg_gradient_a_ramp_by_hand():
    """Steps of 3 down and 4 across: length 5 at each of 20 pixels, over 3 * 4."""
    u = np.add.outer(3 * np.arange(4), 4 * np.arange(5)) / 255
    assert avg_gradient(u) == pytest.approx(20 * 5 / np.sqrt(2) / 12)


def test_avg_gradient_differences_are_centred_inside_and_one_sided_at_borders():
    u = np.tile([0.0, 0.0, 8.0, 8.0], (2, 1)) / 255
    assert avg_gradient(u) == pytest.approx(2 * (4 + 4) / np.sqrt(2) / 3)


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1, 3)])
def test_avg_gradient_lines_have_no_gradient(shape):
    with pytest.raises(InputError, match="needs 2 pixels in both directions"):
        avg_gradient(np.zeros(shape))


def test_edge_intensity_a_ramp_by_hand():
    """A step of 1 across is 8 inside, and 4 in the replicated first and last column."""
    u = np.tile(np.arange(6.0), (5, 1)) / 255
    assert edge_intensity(u) == pytest.approx((4 * 8 + 2 * 4) / 6)
    assert edge_intensity(u.T) == pytest.approx((4 * 8 + 2 * 4) / 6)


def test_edge_intensity_constants_have_no_edges():
    assert edge_intensity(np.full((5, 6, 3), 0.7)) == 0.0


def test_spatial_frequency_channels_lie_side_by_side(rng):
    u = rng.integers(0, 256, (7, 6, 3))
    plane = np.concatenate([u[..., c] for c in range(3)], axis=1).astype(float)
    squares = (np.diff(plane, axis=0) ** 2).sum() + (np.diff(plane, axis=1) ** 2).sum()
    assert spatial_frequency(u / 255) == pytest.approx(np.sqrt(squares / plane.size), rel=1e-14)


def test_spatial_frequency_by_hand():
    u = np.array([[0, 3], [4, 4]]) / 255
    assert spatial_frequency(u) == pytest.approx(np.sqrt((9 + 0 + 16 + 1) / 4))


def test_vifb_variance_is_a_standard_deviation_in_levels():
    assert vifb_variance(np.array([[0.0, 1.0]])) == pytest.approx(127.5)
    assert vifb_variance(np.full((3, 4, 3), 0.3)) == pytest.approx(0.0, abs=1e-12)
