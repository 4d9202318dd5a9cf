"""The record of many fusions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import osmofuse
from osmofuse import VariationalOsmosis
from osmofuse.jobs.series_record import told, with_pictures
from osmofuse.metrics import Score
from osmofuse.tasks import Comparison
from pairs import a_record


def test_what_is_told_of_a_result_is_plain():
    made = osmofuse.fuse(np.ones((4, 5)), np.ones((4, 5)), method="direct")
    fusion = replace(made, method=VariationalOsmosis(reach=np.inf), reach=np.inf)
    found = told(Comparison("x", fusion, {"psnr": Score(np.inf, "high", (0, np.inf))}))
    assert found["method"]["reach"] == "inf"
    assert found["reach"] == "inf"
    assert found["scores"] == {"psnr": "inf"}
    assert (found["name"], found["status"]) == ("x", str(fusion.status))


def test_what_made_no_picture_says_why():
    assert told(Comparison("x", None, {}, "no region")) == {"name": "x", "reason": "no region"}


def test_the_hash_is_of_all_pictures_in_their_order():
    hashes = {"a": "1" * 64, "b": "2" * 64}
    record = with_pictures(a_record(), hashes)
    assert record.output["pictures"] == hashes
    turned = with_pictures(a_record(), dict(reversed(hashes.items())))
    digests = {one.output["sha256_of_pixels"] for one in (record, turned, a_record())}
    assert len(digests) == 3
