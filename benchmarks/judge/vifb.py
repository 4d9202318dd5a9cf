"""Ranks among the methods of VIFB, a benchmark of visible and thermal pictures, on its pairs."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Mapping
from statistics import fmean
from typing import Any

import numpy as np

import osmofuse
from benchmarks.judge import settings
from benchmarks.judge.cases import REAL
from osmofuse.io import read
from osmofuse.metrics.catalogue import SETS
from osmofuse.metrics.describe import describe

FOLDER = REAL.parent / "vifb"
OWN = {name.removeprefix("vifb_").capitalize(): name for name in SETS["vifb"]}
LOW_IS_BETTER = {metric.name for metric in describe() if metric.better == "low"}


def vifb_ranks(asked: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Return for the visible picture and each setting its ranks, their mean first.

    There are none where the data are not there.
    """
    if not (FOLDER / "leaderboard.csv").is_file():
        return {}
    table = published()
    scores = [_scores(pair, asked) for pair in table]
    return {name: ranks([one[name] for one in scores], table) for name in scores[0]}


def published() -> dict[str, dict[str, dict[str, float]]]:
    """Return the published values by pair, metric and method."""
    found: dict[str, Any] = defaultdict(lambda: defaultdict(dict))
    with (FOLDER / "leaderboard.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            found[row["pair"]][row["metric"]][row["method"]] = float(row["value"])
    return found


def _scores(pair: str, asked: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Return the metrics of a pair's visible picture and of its fusion with each setting."""
    f, b = (read(FOLDER / f"{pair}_{which}.jpg").pixels for which in ("visible", "infrared"))
    images = {"visible": f}
    for name, setting in asked.items():
        if setting.get("alpha") != "map":  # these pairs have none
            fused = settings.fused(dict(setting), f, b).image
            images[name] = np.rint(255.0 * np.clip(fused, 0, 1)).astype(np.uint8)
    return {name: _metrics(image, f, b) for name, image in images.items()}


def _metrics(image: np.ndarray, f: np.ndarray, b: np.ndarray) -> dict[str, float]:
    found = osmofuse.score(image, f, b, metrics="vifb")
    return {metric: found[own].value for metric, own in OWN.items()}


def ranks(ours: list[dict[str, float]], table: Mapping[str, Any]) -> dict[str, float]:
    """Return the rank of each metric's mean over pairs, after the mean of the ranks.

    >>> table = {"a": {"Qabf": {"X": 0.5, "Y": 0.7}, "Qcv": {"X": 9.0, "Y": 8.0}}}
    >>> ranks([{"Qabf": 0.6, "Qcv": 7.0}], table)
    {'mean rank': 1.5, 'Qabf': 2, 'Qcv': 1}
    """
    found = {}
    for metric in ours[0]:
        sign = -1 if OWN[metric] in LOW_IS_BETTER else 1
        own = fmean(one[metric] for one in ours)
        methods = next(iter(table.values()))[metric]
        others = [fmean(pair[metric][method] for pair in table.values()) for method in methods]
        found[metric] = 1 + sum(sign * other > sign * own for other in others)
    return {"mean rank": fmean(found.values()), **found}
