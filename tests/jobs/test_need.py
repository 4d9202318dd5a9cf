from __future__ import annotations

import json

import numpy as np
import pytest

import osmofuse
from osmofuse.errors import LimitError, MismatchError, UnreadableError
from osmofuse.jobs import Need, check_need, need
from osmofuse.jobs.need import _COSTS, in_bytes, peak_bytes
from osmofuse.methods import METHODS
from pairs import osmofuse_in, write_pair


def test_larger_pictures_need_more(make_job, tmp_path):
    (tmp_path / "large").mkdir()
    large = write_pair(tmp_path / "large", (80, 64))
    small = need(make_job(method="variational"))
    more = need(
        make_job(
            foreground=large["visible"],
            background=large["infrared"],
            alpha=large["map"],
            method="variational",
        )
    )
    assert more.bytes - small.bytes > 3 * 40 * 32 * 3 * 60
    assert more.seconds > small.seconds


@pytest.mark.parametrize(
    "settings", [{"precision": "double"}, {"solver": "ipiano"}, {"reach": np.inf}]
)
def test_double_precision_needs_more(make_job, settings):
    plain, wide = (need(make_job(method="variational", settings=s)) for s in ({}, settings))
    assert wide.bytes > plain.bytes
    assert wide.seconds > plain.seconds


def test_costs_are_of_methods_that_exist():
    assert set(_COSTS) <= set(METHODS)


def test_a_limit_is_kept_to_the_byte(make_job):
    job = make_job(max_memory=10**9)
    check_need(job, Need(10**9, 1.0))
    with pytest.raises(LimitError, match=r"needs about 1 GB.*over the limit of 1 GB; allow more"):
        check_need(job, Need(10**9 + 1, 1.0))
    check_need(make_job(), Need(10**15, 1.0))


def test_pictures_of_two_sizes_do_not_fit(make_job, tmp_path):
    other = osmofuse.write(np.zeros((40, 31), np.uint8), tmp_path / "other.png")
    for role in ("background", "alpha"):
        with pytest.raises(MismatchError, match=r"other\.png: 40 × 31 .* has 40 × 32"):
            need(make_job(**{role: other}))


def test_a_missing_file_is_named(make_job, tmp_path):
    with pytest.raises(UnreadableError, match=r"gone\.tif: no such file"):
        need(make_job(background=tmp_path / "gone.tif"))


@pytest.mark.parametrize(
    ("count", "words"),
    [(999, "999 bytes"), (1500, "1.5 kB"), (4e9, "4 GB"), (123e12, "1.23e+05 GB")],
)
def test_bytes_in_words(count, words):
    assert in_bytes(count) == words


def test_the_peak_grows_with_what_is_held():
    before = peak_bytes()
    held = np.ones(before // 8 + 10_000_000)
    assert peak_bytes() > before + 50_000_000, held.size


@pytest.mark.parametrize("method", ["variational", "direct"])
def test_no_more_is_used_than_was_said(tmp_path, method):
    write_pair(tmp_path, (600, 500))
    arguments = ["visible.tif", "infrared.tif", "--method", method, "-o", "f.tif", "--json"]
    said = json.loads(osmofuse_in(tmp_path, "fuse", *arguments, "--dry-run").stdout)
    used = json.loads(osmofuse_in(tmp_path, "fuse", *arguments).stdout)
    peak = used["record"]["result"]["peak_bytes"]
    assert peak <= said["need"]["bytes"] <= 3 * peak
