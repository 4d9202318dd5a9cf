"""The files of a job, decoded: by role, and with time enough."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import osmofuse
from osmofuse.io import Limits, describe
from osmofuse.jobs.reading import limits_for, read_files


def test_each_role_has_its_picture_also_where_two_have_one_file(pair, decoded_here):
    paths = {"one": pair["visible"], "map": pair["map"], "other": pair["visible"]}
    found = read_files(paths, {role: describe(path) for role, path in paths.items()})
    assert list(found) == list(paths)
    for role, picture in found.items():
        np.testing.assert_array_equal(picture.pixels, osmofuse.read(paths[role]).pixels)


def test_a_large_picture_has_more_time_to_be_decoded(pair):
    file = describe(pair["visible"])
    assert limits_for([file]) == Limits()
    large = replace(file, decoded_bytes=6 * 10**9)
    assert limits_for([file, large]).seconds == 1200
