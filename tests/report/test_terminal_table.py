"""Tables for terminals: every cell is there, and no line is too long."""

from __future__ import annotations

import math
import re
from itertools import product
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osmofuse import InputError, Score, Status
from osmofuse.metrics.catalogue import METRICS, SETS
from osmofuse.report import terminal_study, terminal_table
from osmofuse.tasks import Comparison
from osmofuse.tasks.table_one import PUBLISHED, TABLE_ONE


def compared(name, metrics=(), value=0.12345):
    scores = {m: Score(value, METRICS[m].better, METRICS[m].range) for m in metrics}
    return Comparison(name, SimpleNamespace(seconds=12.3, status=Status.direct), scores)


def trial(metrics=(), **settings):
    fusion = SimpleNamespace(seconds=0.5, reach=10.0, energy=None)
    return SimpleNamespace(settings=settings, fusion=fusion, scores=compared("", metrics).scores)


def longest(text):
    return max(map(len, text.splitlines()))


def test_a_table_that_fits_is_one_block():
    found = [compared("direct", ["fmi", "chromaticity"]), Comparison("poisson", None, {}, "why")]
    assert terminal_table(found).splitlines() == [
        "method   fmi ↑  chromaticity ↓  seconds",
        "-------  -----  --------------  -------",
        "direct   0.123          0.1235     12.3",
        "poisson      –               –        –",
        "",
        "poisson: why",
    ]  # fmt: skip


def test_the_papers_table_fits_80_columns():
    found = [compared(name, SETS["paper"]) for name in TABLE_ONE]
    text = terminal_table(found, published=PUBLISHED)
    assert longest(text) <= 80
    assert text.count("variational-published") == 2, "in either block"
    assert "(0.0062)" in text
    assert "not public" in " ".join(text.split())
    assert longest(terminal_table(found)) <= 80


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
def test_all_metrics_fit_any_width(width):
    metrics = SETS["all"]
    text = terminal_table([compared(name, metrics) for name in TABLE_ONE], width=width)
    assert longest(text) <= width
    squeezed = re.sub(r"\s", "", text)
    for metric in metrics if width > 40 else ():
        assert metric in squeezed


def test_a_study_names_its_rows_by_what_was_varied():
    settings = [
        {"start": start, "mu": 10.0, "eta": eta}
        for start, eta in product(("foreground", "means"), (0.0, 0.1))
    ]
    text = terminal_study([trial(["fmi"], **one) for one in settings])
    assert text.splitlines() == [
        "start       eta  end reach  fmi ↑  seconds",
        "---------------  ---------  -----  -------",
        "foreground  0         10.0  0.123     0.50",
        "foreground  0.1       10.0  0.123     0.50",
        "means       0         10.0  0.123     0.50",
        "means       0.1       10.0  0.123     0.50",
        "",
        "In all trials: μ = 10.",
    ]  # fmt: skip


@given(
    width=st.integers(20, 120),
    names=st.lists(st.text("ab c-_", min_size=1, max_size=60), min_size=1, max_size=3),
    metrics=st.lists(st.sampled_from(SETS["all"]), unique=True, max_size=8),
    value=st.floats(allow_nan=False),
)
def test_no_line_is_too_long(width, names, metrics, value):
    found = [compared(name, metrics, value) for name in names]
    assert longest(terminal_table(found, width=width)) <= width
    settings = [{"alpha": name, "eta": k} for k, name in enumerate(names)]
    assert (
        longest(terminal_study([trial(metrics, **one) for one in settings], width=width)) <= width
    )


def test_nothing_to_show():
    with pytest.raises(InputError, match="comparisons: empty"):
        terminal_table([])
    with pytest.raises(InputError, match="trials: empty"):
        terminal_study([])
    assert "∞" in terminal_table([compared("a", ["psnr"], math.inf)])
