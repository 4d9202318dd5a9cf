"""The descriptions of metrics, and the page that repeats them."""

from __future__ import annotations

import re

from conftest import ROOT
from osmofuse.metrics import describe
from osmofuse.metrics.catalogue import METRICS, SETS


def test_every_metric_is_described_in_order():
    described = describe()
    assert [one.name for one in described] == list(METRICS) == list(SETS["all"])
    for one in described:
        metric = METRICS[one.name]
        assert (one.definition, one.range, one.better) == (
            metric.definition, metric.range, metric.better,
        )  # fmt: skip
        assert (one.channels, one.source, one.check) == (
            metric.channels, metric.source, metric.check,
        )  # fmt: skip


def row(one):
    ends = [f"{end:.4g}".replace("inf", "∞") for end in one.range]
    cells = [
        f"`{one.name}`", one.definition, " to ".join(ends), one.better, one.channels, one.source,
        one.check,
    ]  # fmt: skip
    return f"| {' | '.join(cells)} |"


def test_the_page_has_a_row_for_each_that_says_the_same():
    page = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `.*\|$", page, re.MULTILINE)
    assert rows == [row(one) for one in describe()], "write the rows of the page anew"
