"""The thirteen metrics of VIFB against its published values, and laws they share."""

from __future__ import annotations

import csv

import numpy as np
import pytest

import osmofuse
from osmofuse import MismatchError, metrics
from osmofuse.metrics.catalogue import SETS

# Half a unit of the last digit published is 2e-4 of the smallest number, and less of others.
TOLERANCE = 2e-4


def published(folder, pair, method):
    with open(folder / "values.csv", encoding="utf-8") as file:
        rows = [
            row for row in csv.DictReader(file) if (row["pair"], row["method"]) == (pair, method)
        ]
    return {row["metric"].lower(): float(row["value"]) for row in rows}


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
    alone = {"entropy", "avg_gradient", "edge_intensity", "spatial_frequency", "variance"}
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
        with pytest.raises(MismatchError, match=r"^source: shape"):
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
